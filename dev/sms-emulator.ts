import { createHmac, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Compliance } from './compliance-emulator.ts'
import { Failures } from './failures.ts'
import { type LocalServer, type Reply, readText, reply, startLocalServer } from './local-server.ts'
import { posted, ReportSender } from './report-sender.ts'
import { type InboundMedia, SmsMedia } from './sms-media.ts'
import { availableIn, E164, numberOf, type OwnedNumber } from './sms-numbers.ts'
import { onlyPage, shownMessage, shownNumber } from './twilio-resources.ts'

/** A message in Twilio's own field names. */
export interface SentSms {
  sid: string
  from: string
  to: string
  body: string
  status: string
  date_created: string
  /** Where its outcome is reported. */
  status_callback: string
  /** Where its files are read. */
  media_urls: string[]
}

/** A message that somebody has written to a number. */
export type ReceivedSms = Pick<SentSms, 'sid' | 'from' | 'to' | 'body' | 'date_created' | 'media_urls'>

/**
 * How the next calls fail: a number of three digits is the status of the response, one of five digits an error code of Twilio (status 400),
 * `timeout` never responds, `drop` closes the connection, `slow` responds as usual after half a second, and `pass` at once.
 */
const FAIL_MODES = ['401', '429', '500', '503', '21211', '21610', '21614', 'timeout', 'drop', 'slow', 'pass'] as const
export type SmsFailMode = (typeof FAIL_MODES)[number]

/** A signed request of Twilio to the Worker. */
export type Callback = { url: string; init: { method: 'POST'; headers: Record<string, string>; body: string } }

export interface SmsEmulator extends LocalServer {
  account: string
  token: string
  /** Every accepted message, oldest first. */
  sent: SentSms[]
  numbers: OwnedNumber[]
  /** What people have written to the numbers, oldest first. */
  received: ReceivedSms[]
  /** How calls that change something fail, and how look-ups. */
  failures: Failures<SmsFailMode>
  searchFailures: Failures<SmsFailMode | 'unlisted'>
  /** What is reported about messages. */
  reports: ReportSender
  compliance: Compliance
  /** Makes the next calls fail; with `accept` the request is carried out first, so that only the response is lost. */
  fail(mode: SmsFailMode, times?: number, accept?: boolean): void
  /** Makes the next look-ups fail, or find nothing. */
  failSearch(mode: SmsFailMode | 'unlisted', times?: number): void
  /** What Twilio reports about a message. Repeat and reorder the requests to see that they are tolerated. */
  report(sms: SentSms, status: string, errorCode?: number): Callback
  /** What Twilio posts to an address about a call, or about the status of a bundle. */
  posted(url: string, form: Record<string, string>): Callback
  /** What Twilio posts when somebody writes to a number. `sid` repeats a message. */
  inbound(sms: { from: string; to: string; body: string; sid?: string; url: string; optOut?: string; media?: InboundMedia[] }): Callback
  media: SmsMedia
  clear(): void
}

const COMPLIANCE = '/v2/RegulatoryCompliance'
const SLOW_MS = 500
const isAnswered = (mode: SmsFailMode) => mode === 'slow' || mode === 'pass'
const ERRORS: Record<string, [number, string]> = {
  401: [20003, 'Authenticate'],
  429: [20429, 'Too Many Requests'],
  500: [20500, 'Internal Server Error'],
  503: [20503, 'Service unavailable'],
  21211: [21211, "The 'To' number is not a valid phone number."],
  21610: [21610, 'Attempt to send to unsubscribed recipient'],
  21614: [21614, "'To' number is not a valid mobile number"],
}

/** Signs a form as Twilio does: https://www.twilio.com/docs/usage/security#validating-requests. */
export function signedCallback(token: string, url: string, params: Record<string, string>): Callback {
  const sorted = Object.entries(params).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const signature = createHmac('sha1', token)
    .update(url + sorted.flat().join(''))
    .digest('base64')
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature }
  return { url, init: { method: 'POST', headers, body: new URLSearchParams(params).toString() } }
}

/** With `reports`, it also reports what happens to messages, as Twilio does. Tests do so themselves. */
export async function startSmsEmulator(options: { port?: number; reports?: boolean } = {}): Promise<SmsEmulator> {
  const failures = new Failures<SmsFailMode>(FAIL_MODES)
  const searchFailures = new Failures<SmsFailMode | 'unlisted'>([...FAIL_MODES, 'unlisted'])
  const reports = new ReportSender()
  const account = `AC${'0'.repeat(32)}`
  const token = 'local-sms-token'
  const newSid = (prefix: string) => prefix + randomBytes(16).toString('hex')
  const base = `/2010-04-01/Accounts/${account}`

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const { pathname, searchParams } = new URL(request.url!, 'http://local')
    const text = await readText(request)
    if (pathname.startsWith('/__files/')) return emulator.media.serve(request, response, pathname.slice('/__files'.length))
    if (pathname.startsWith('/__')) return control(`${request.method} ${pathname}`, response, text)
    if (request.headers.authorization !== `Basic ${btoa(`${account}:${token}`)}`) return refuse(response, '401')
    if (pathname.startsWith(COMPLIANCE)) return regulate(request, response, pathname.slice(COMPLIANCE.length), searchParams, text)
    if (!pathname.startsWith(base)) return reply(response, 404, { code: 20404, message: 'Not found', status: 404 })
    const path = pathname.slice(base.length)
    if (emulator.media.files.has(path)) return void response.writeHead(307, { location: `${emulator.url}/__files${path}` }).end()
    if (request.method === 'GET') return find(request, response, path, searchParams)
    return act(request, response, () => change(request.method!, path, new URLSearchParams(text)))
  }

  /** Carries a change out, unless it is to fail. */
  async function act(request: IncomingMessage, response: ServerResponse, work: () => Reply) {
    const failure = failures.take()
    const outcome = !failure || failure.accept || isAnswered(failure.mode) ? work() : undefined
    if (failure?.mode === 'slow') await sleep(SLOW_MS)
    if (outcome && (!failure || isAnswered(failure.mode))) return reply(response, ...outcome)
    if (failure?.mode === 'drop') return request.socket.destroy()
    if (failure && failure.mode !== 'timeout') refuse(response, failure.mode)
  }

  async function regulate(request: IncomingMessage, response: ServerResponse, path: string, query: URLSearchParams, text: string) {
    const { compliance } = emulator
    if (request.method === 'DELETE') return act(request, response, () => compliance.remove(path))
    if (request.method === 'POST') return act(request, response, () => compliance.change(path, new URLSearchParams(text)))
    const mode = searchFailures.take()?.mode
    if (mode === 'drop') return request.socket.destroy()
    if (mode === 'timeout') return
    if (mode === 'slow') await sleep(SLOW_MS)
    if (mode !== undefined && mode !== 'unlisted' && !isAnswered(mode)) return refuse(response, mode)
    reply(response, ...compliance.find(path, query))
  }

  async function control(route: string, response: ServerResponse, text: string) {
    if (route === 'GET /__sent') return reply(response, 200, emulator.sent)
    if (route === 'GET /__numbers') return reply(response, 200, emulator.numbers)
    const body = text ? JSON.parse(text) : {}
    if (route === 'POST /__fail') {
      if (!searchFailures.modes.includes(body.mode) || (body.mode === 'unlisted' && !body.search))
        return reply(response, 400, { message: `mode is one of ${FAIL_MODES.join(', ')}` })
      if (body.search) emulator.failSearch(body.mode, body.times)
      else emulator.fail(body.mode, body.times, body.accept)
      return reply(response, 200, { mode: body.mode, pending: failures.pending })
    }
    if (route === 'POST /__receive') {
      const number = emulator.numbers.find(({ phone_number }) => phone_number === body.to)
      if (!number) return reply(response, 400, { message: 'to is a number that was bought: see GET /__numbers' })
      const { url, init } = emulator.inbound({ ...body, url: number.sms_url })
      return reply(response, 200, { status: (await fetch(url, init)).status })
    }
    return reply(response, 404, { message: 'Not found' })
  }

  function change(method: string, path: string, form: URLSearchParams): Reply {
    const field = (name: string) => form.get(name) ?? ''
    if (method === 'DELETE' && path.startsWith('/Addresses/')) return emulator.compliance.remove(path)
    if (method === 'DELETE') {
      const at = emulator.numbers.findIndex(({ sid }) => path === `/IncomingPhoneNumbers/${sid}.json`)
      if (at >= 0) emulator.numbers.splice(at, 1)
      return at >= 0 ? [204, undefined] : [404, { code: 20404, message: 'Not found', status: 404 }]
    }
    const changed = emulator.numbers.find(({ sid }) => path === `/IncomingPhoneNumbers/${sid}.json`)
    if (changed) {
      if (form.has('TrunkSid')) changed.trunk_sid = field('TrunkSid') || null
      return [200, shownNumber(changed, account)]
    }
    if (path === '/Addresses.json') return emulator.compliance.addAddress(form)
    if (path === '/IncomingPhoneNumbers.json') {
      const bought = numberOf(form, emulator.compliance, newSid('PN'))
      if ('code' in bought) return [400, { ...bought, status: 400 }]
      emulator.numbers.push(bought)
      return [201, shownNumber(bought, account)]
    }
    if (path !== '/Messages.json') return [404, { code: 20404, message: 'Not found', status: 404 }]
    if (!E164.test(field('To'))) return errorOf('21211')
    if (field('Body') === '') return [400, { code: 21602, message: 'Message body is required.', status: 400 }]
    if (field('Body').length > 1600)
      return [400, { code: 21617, message: 'The message body exceeds the 1600 character limit.', status: 400 }]
    const sms: SentSms = {
      sid: newSid(form.has('MediaUrl') ? 'MM' : 'SM'),
      from: field('From'),
      to: field('To'),
      body: field('Body'),
      status: 'queued',
      date_created: new Date().toUTCString(),
      status_callback: field('StatusCallback'),
      media_urls: form.getAll('MediaUrl'),
    }
    emulator.sent.push(sms)
    if (options.reports) for (const [n, status] of ['sent', 'delivered'].entries()) void reportLater(300 * (n + 1), sms, status)
    return [201, shownMessage(sms, account)]
  }

  async function reportLater(ms: number, sms: SentSms, status: string) {
    await sleep(ms, undefined, { ref: false })
    const { url, init } = emulator.report(sms, status)
    reports.send(posted(url, init))
  }

  function find(request: IncomingMessage, response: ServerResponse, path: string, query: URLSearchParams) {
    const mode = searchFailures.take()?.mode
    if (mode === 'drop') return request.socket.destroy()
    if (mode === 'timeout') return
    if (mode !== undefined && mode !== 'unlisted' && mode !== 'slow') return refuse(response, mode)
    const size = Number(query.get('PageSize') ?? 50)
    const matches = (name: string, value: string) => mode !== 'unlisted' && (query.get(name) ?? value) === value
    const page = (name: string, found: object[]) => reply(response, 200, onlyPage(name, found, size, account, path))
    if (path === '/Messages.json') {
      const found = emulator.sent.filter(({ from, to }) => matches('From', from) && matches('To', to))
      return page(
        'messages',
        found.toReversed().map((sms) => shownMessage(sms, account)),
      )
    }
    if (path === '/IncomingPhoneNumbers.json') {
      const found = emulator.numbers.filter(({ phone_number }) => matches('PhoneNumber', phone_number))
      return page(
        'incoming_phone_numbers',
        found.map((number) => shownNumber(number, account)),
      )
    }
    if (path === '/Addresses.json') return page('addresses', emulator.compliance.listAddresses(query))
    const [, country, type] = /^\/AvailablePhoneNumbers\/([A-Z]{2})\/(Local|Mobile|TollFree)\.json$/.exec(path) ?? []
    if (!country || !type) return reply(response, 404, { code: 20404, message: 'Not found', status: 404 })
    const [contains, sms] = [query.get('Contains') ?? '', query.get('SmsEnabled') === 'true']
    return page('available_phone_numbers', availableIn({ country, type, contains, sms }))
  }

  const server = await startLocalServer(answer, {
    port: options.port,
    onError: (response, error) => reply(response, 500, { code: 20500, message: String(error), status: 500 }),
  })
  const emulator: SmsEmulator = {
    ...server,
    account,
    token,
    sent: [],
    numbers: [],
    received: [],
    compliance: new Compliance(account, server.url + COMPLIANCE),
    failures,
    searchFailures,
    reports,
    media: new SmsMedia(),
    fail: (mode, times, accept) => failures.add(mode, times, accept),
    failSearch: (mode, times) => searchFailures.add(mode, times),
    report(sms, status, errorCode) {
      const { sid, to, from, status_callback } = sms
      sms.status = status
      return signedCallback(token, status_callback, {
        MessageSid: sid,
        SmsSid: sid,
        MessageStatus: status,
        SmsStatus: status,
        To: to,
        From: from,
        AccountSid: account,
        ...(errorCode && { ErrorCode: String(errorCode) }),
      })
    },
    posted: (url, form) => signedCallback(token, url, { AccountSid: account, ...form }),
    inbound({ from, to, body, url, media = [], sid = newSid(media.length > 0 ? 'MM' : 'SM'), optOut }) {
      const files = media.map((file, n) => emulator.media.add(sid, file, n, emulator.url + base))
      // Where the address at the account leads to.
      const media_urls = files.map((fields, n) => (fields[`MediaUrl${n}`] as string).replace(base, '/__files'))
      emulator.received.push({ sid, from, to, body, date_created: new Date().toUTCString(), media_urls })
      return signedCallback(token, url, {
        MessageSid: sid,
        SmsSid: sid,
        AccountSid: account,
        From: from,
        To: to,
        Body: body,
        NumMedia: String(media.length),
        NumSegments: '1',
        ...Object.assign({}, ...files),
        ...(optOut && { OptOutType: optOut }),
      })
    },
    clear() {
      for (const list of [emulator.sent, emulator.numbers, emulator.received]) list.length = 0
      for (const part of [failures, searchFailures, reports, emulator.media, emulator.compliance]) part.clear()
    },
  }
  return emulator
}

const errorOf = (code: string): Reply => {
  const [number, message] = ERRORS[code] as [number, string]
  const status = code.length === 3 ? Number(code) : 400
  return [status, { code: number, message, more_info: `https://www.twilio.com/docs/errors/${number}`, status }]
}
const refuse = (response: ServerResponse, code: string) => reply(response, ...errorOf(code))
