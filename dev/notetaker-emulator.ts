import { createHmac, randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type LocalServer, type Reply, readText, reply, startLocalServer } from './local-server.ts'
import { type EmulatedBot, finishMeeting, isDispatched, isOver, newBot, setStatus, shown, type Words } from './notetaker-bots.ts'

/**
 * How the next calls fail: a number is the status of the response, `timeout` never responds, `drop` closes the connection, `slow` responds
 * as usual after half a second, `unlisted` finds no bots.
 */
export type NotetakerFailMode = '400' | '401' | '429' | '500' | '503' | '507' | 'timeout' | 'drop' | 'slow' | 'unlisted'
const FAIL_MODES: readonly string[] = ['400', '401', '429', '500', '503', '507', 'timeout', 'drop', 'slow', 'unlisted']
type Failure = { mode: NotetakerFailMode; accept: boolean }

/** A signed request of Recall.ai to the Worker. */
export type Report = { method: 'POST'; headers: Record<string, string>; body: string }

export interface NotetakerEmulator extends LocalServer {
  key: string
  webhookSecret: string
  /** Every bot that was created, oldest first. */
  bots: EmulatedBot[]
  /** The accepted requests, such as `POST /bot/`. */
  accepted: string[]
  /**
   * Makes the next requests fail; with `accept` the request is carried out first, so that only the response is lost. `of` limits it to a
   * method, such as `GET`.
   */
  fail(mode: NotetakerFailMode, options?: { times?: number; accept?: boolean; of?: string }): void
  /** What Recall.ai reports about a bot. Repeat and reorder the requests to see that they are tolerated. */
  report(bot: EmulatedBot, event: string, options?: { id?: string; at?: Date; secret?: string }): Report
  /** Lets a bot go through a status. */
  status(bot: EmulatedBot, code: string, subCode?: string): void
  /** Lets a bot go through a meeting that is recorded for so many seconds, with what was said. */
  meet(bot: EmulatedBot, options?: { seconds?: number; spoken?: Words[]; transcript?: 'done' | 'failed' | 'processing' }): void
  clear(): void
}

const SLOW_MS = 500
/** A meeting of `npm run dev` lasts so long, unless the bot is asked to leave. */
const MEETING_MS = 20_000

/** With `reportsTo`, bots join by themselves, and what happens is reported there, as Recall.ai does. Tests do so themselves. */
export async function startNotetakerEmulator(options: { port?: number; reportsTo?: string } = {}): Promise<NotetakerEmulator> {
  const failures = new Map<string, Failure[]>()
  const key = 'local-notetaker-key'
  const webhookSecret = `whsec_${Buffer.from('the-secret-of-local-notetakers').toString('base64')}`

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const { pathname, searchParams } = new URL(request.url!, 'http://local')
    const text = await readText(request)
    const method = request.method!
    if (pathname.startsWith('/__')) return control(`${method} ${pathname}`, response, text)
    if (pathname.startsWith('/transcripts/')) return download(request, response, pathname)
    if (request.headers.authorization !== `Token ${key}`) return refuse(response, '401')
    if (!pathname.startsWith('/api/v1/')) return reply(response, 404, { code: 'not_found', detail: 'Not found.' })
    const path = pathname.slice('/api/v1'.length)
    const failure = failures.get(method)?.shift() ?? failures.get('*')?.shift()
    const isCarriedOut = !failure || failure.accept || failure.mode === 'slow' || failure.mode === 'unlisted'
    const outcome = isCarriedOut ? carryOut(method, path, searchParams, text, failure?.mode === 'unlisted') : undefined
    if (outcome) emulator.accepted.push(`${method} ${path}`)
    if (failure?.mode === 'slow') await sleep(SLOW_MS)
    if (outcome && (!failure || failure.mode === 'slow' || failure.mode === 'unlisted')) return reply(response, ...outcome)
    if (failure?.mode === 'drop') return request.socket.destroy()
    if (failure && failure.mode !== 'timeout') refuse(response, failure.mode)
  }

  function carryOut(method: string, path: string, query: URLSearchParams, text: string, isUnlisted: boolean): Reply {
    if (path === '/bot/' && method === 'GET') return list(query, isUnlisted)
    if (path === '/bot/' && method === 'POST') {
      const order = JSON.parse(text)
      if (!/^https?:\/\//.test(order.meeting_url ?? '')) return [400, { meeting_url: ['Enter a valid URL.'] }]
      const bot = newBot(order)
      emulator.bots.push(bot)
      if (options.reportsTo) void attend(bot)
      return [201, shown(bot, emulator.url)]
    }
    const [, id, action] = /^\/bot\/([^/]+)\/(leave_call\/)?$/.exec(path) ?? []
    const bot = emulator.bots.find((one) => one.id === id && !one.deleted)
    if (!bot) return [404, { code: 'not_found', detail: 'Not found.' }]
    if (action) return leave(method, bot)
    if (method === 'GET') return [200, shown(bot, emulator.url)]
    if (isDispatched(bot)) return [405, { code: 'cannot_change_dispatched_bot', detail: 'The bot has already been dispatched.' }]
    if (method === 'DELETE') {
      bot.deleted = true
      return [204, undefined]
    }
    if (method !== 'PATCH') return [405, { code: 'method_not_allowed', detail: `Method "${method}" not allowed.` }]
    Object.assign(bot, JSON.parse(text))
    return [200, shown(bot, emulator.url)]
  }

  function list(query: URLSearchParams, isUnlisted: boolean): Reply {
    const wanted = [...query]
      .filter(([name]) => name.startsWith('metadata__'))
      .map(([name, value]) => [name.slice('metadata__'.length), value])
    const matches = (bot: EmulatedBot) => !bot.deleted && wanted.every(([name, value]) => bot.metadata[name!] === value)
    const results = isUnlisted ? [] : emulator.bots.filter(matches).map((bot) => shown(bot, emulator.url))
    return [200, { count: results.length, next: null, previous: null, results }]
  }

  function leave(method: string, bot: EmulatedBot): Reply {
    if (method !== 'POST') return [405, { code: 'method_not_allowed', detail: `Method "${method}" not allowed.` }]
    if (!isDispatched(bot)) return [400, { code: 'cannot_command_unstarted_bot', detail: 'The bot has not joined a call yet.' }]
    if (isOver(bot)) return [400, { code: 'cannot_command_completed_bot', detail: 'The bot has left the call.' }]
    bot.isLeaving = true
    return [200, shown(bot, emulator.url)]
  }

  /** The storage of transcripts: its addresses are signed, so a request with a key of the API would show a mistake. */
  function download(request: IncomingMessage, response: ServerResponse, pathname: string) {
    if (request.headers.authorization) return reply(response, 400, { message: 'Only one auth mechanism is allowed' })
    const bot = emulator.bots.find(({ id }) => pathname === `/transcripts/${id}.json`)
    const failure = failures.get('download')?.shift()
    if (failure?.mode === 'drop') return request.socket.destroy()
    if (failure?.mode === 'timeout') return
    if (failure) return refuse(response, failure.mode)
    return bot ? reply(response, 200, bot.spoken) : reply(response, 404, { message: 'Not found' })
  }

  async function control(route: string, response: ServerResponse, text: string) {
    const body = text ? JSON.parse(text) : {}
    if (route === 'GET /__bots') return reply(response, 200, emulator.bots)
    if (route === 'GET /__accepted') return reply(response, 200, emulator.accepted)
    if (route === 'POST /__fail') {
      if (!FAIL_MODES.includes(body.mode)) return reply(response, 400, { message: `mode is one of ${FAIL_MODES.join(', ')}` })
      emulator.fail(body.mode, body)
      return reply(response, 200, { mode: body.mode })
    }
    if (route === 'POST /__meet') {
      const bot = emulator.bots.find(({ id }) => id === body.bot_id)
      if (!bot) return reply(response, 400, { message: 'bot_id is the id of a bot: see GET /__bots' })
      emulator.meet(bot, body)
      await deliver(bot, 'bot.done')
      return reply(response, 200, shown(bot, emulator.url))
    }
    return reply(response, 404, { message: 'Not found' })
  }

  const deliver = async (bot: EmulatedBot, event: string) => {
    if (options.reportsTo) await fetch(options.reportsTo, emulator.report(bot, event)).catch(() => {})
  }

  /** A bot of `npm run dev`: it joins when it should, records a short meeting, and leaves when it is asked to. */
  async function attend(bot: EmulatedBot) {
    const pause = (ms: number) => sleep(ms, undefined, { ref: false })
    while (!bot.deleted && Date.parse(bot.join_at ?? '') > Date.now()) await pause(1_000)
    if (bot.deleted || isDispatched(bot)) return
    for (const code of ['joining_call', 'in_call_not_recording', 'in_call_recording']) {
      setStatus(bot, code)
      await deliver(bot, `bot.${code}`)
      await pause(1_000)
    }
    const began = Date.now()
    while (!bot.isLeaving && Date.now() < began + MEETING_MS) await pause(500)
    if (isOver(bot)) return
    finishMeeting(bot, { startedAt: began - 1_000 })
    for (const event of ['bot.call_ended', 'bot.done', 'recording.done', 'transcript.done']) await deliver(bot, event)
  }

  const server = await startLocalServer(answer, {
    port: options.port,
    onError: (response, error) => reply(response, 500, { code: 'error', detail: String(error) }),
  })
  const emulator: NotetakerEmulator = {
    ...server,
    key,
    webhookSecret,
    bots: [],
    accepted: [],
    fail(mode, { times = 1, accept = false, of = '*' } = {}) {
      const waiting = failures.get(of) ?? []
      for (let i = 0; i < times; i++) waiting.push({ mode, accept })
      failures.set(of, waiting)
    },
    report: (bot, event, { id = `msg_${randomUUID()}`, at = new Date(), secret = webhookSecret } = {}) =>
      signedReport(secret, id, Math.floor(at.getTime() / 1000), JSON.stringify(reportOf(bot, event, at))),
    status: setStatus,
    meet: finishMeeting,
    clear() {
      emulator.bots.length = 0
      emulator.accepted.length = 0
      failures.clear()
    },
  }
  return emulator
}

/** A report in the form of https://docs.recall.ai/docs/bot-status-change-events. */
function reportOf({ id, metadata }: EmulatedBot, event: string, at: Date) {
  const data = { code: event.slice(event.indexOf('.') + 1), sub_code: null, updated_at: at.toISOString() }
  const recording = event.startsWith('bot.') ? {} : { recording: { id: `recording-${id}`, metadata: {} } }
  return { event, data: { data, bot: { id, metadata }, ...recording } }
}

/** Signs a report as Svix does: https://docs.svix.com/receiving/verifying-payloads/how-manual. */
export function signedReport(secret: string, id: string, seconds: number, body: string): Report {
  const signature = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
    .update(`${id}.${seconds}.${body}`)
    .digest('base64')
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${signature}`,
  }
  return { method: 'POST', headers, body }
}

const refuse = (response: ServerResponse, status: string) =>
  reply(response, Number(status), {
    code: `error_${status}`,
    detail: status === '507' ? 'No bots are available at the moment.' : 'The request failed.',
  })
