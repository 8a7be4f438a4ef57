import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failures } from './failures.ts'
import { type LocalServer, type Reply, readText, reply, startLocalServer } from './local-server.ts'
import { ReportSender } from './report-sender.ts'
import { messageOf } from './whatsapp-messages.ts'
import { type Connection, type Member, WhatsAppWorld, type WireKey } from './whatsapp-world.ts'

/**
 * How the next calls fail: a number is the status of the response, `timeout` never responds, `drop` closes the connection, `slow` responds
 * as usual after half a second.
 */
const FAIL_MODES = ['400', '401', '429', '500', '503', 'timeout', 'drop', 'slow'] as const
export type WhatsAppFailMode = (typeof FAIL_MODES)[number]

export interface WhatsAppEmulator extends LocalServer {
  key: string
  world: WhatsAppWorld
  /** How calls of every route fail. */
  failures: Failures<WhatsAppFailMode>
  /** What is reported about the phones. */
  reports: ReportSender
  /**
   * Makes the next calls of a route such as `message/sendText` fail; with `accept` the work is done first, so that only the response is
   * lost.
   */
  fail(route: string, mode: WhatsAppFailMode, times?: number, accept?: boolean): void
  clear(): void
}

const SLOW_MS = 500
// biome-ignore lint/suspicious/noExplicitAny: requests of every shape
type Body = Record<string, any>
const refusal = (status: number, error: string, message: unknown): Reply => [status, { status, error, response: { message } }]
const success = (message: string): Reply => [200, { status: 'SUCCESS', error: false, response: { message } }]
const UNAUTHORIZED = refusal(401, 'Unauthorized', 'Unauthorized')

/**
 * Emulates the part of Evolution API 2.3 that the client uses (https://github.com/EvolutionAPI/evolution-api, src/api/routes), keeps
 * everything in memory and fails on request. `deliver` hands a webhook to its receiver; by default by HTTP.
 */
export async function startWhatsAppEmulator(options: { port?: number; key?: string; automatic?: boolean } = {}): Promise<WhatsAppEmulator> {
  const failures = new Failures<WhatsAppFailMode>(FAIL_MODES)
  const ofRoutes = new Map<string, Failures<WhatsAppFailMode>>()
  const reports = new ReportSender()
  const key = options.key ?? 'local-whatsapp-key'
  const world = new WhatsAppWorld(options.automatic ? reports : undefined)

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const { pathname, searchParams } = new URL(request.url!, 'http://local')
    const text = await readText(request)
    const body = text ? JSON.parse(text) : {}
    if (pathname.startsWith('/__')) return reply(response, ...control(emulator, pathname.slice(3), body))
    if (request.headers.apikey !== key) return reply(response, ...UNAUTHORIZED)
    const [, group = '', action = '', name = ''] = pathname.split('/')
    const route = `${group}/${action}`
    const failure = ofRoutes.get(route)?.take() ?? failures.take()
    const works = !failure || failure.accept || failure.mode === 'slow'
    const outcome = works ? handle(route, decodeURIComponent(name), body, searchParams) : undefined
    if (failure?.mode === 'slow') await sleep(SLOW_MS)
    if (outcome && (!failure || failure.mode === 'slow')) return reply(response, ...outcome)
    if (failure?.mode === 'drop') return request.socket.destroy()
    if (failure && failure.mode !== 'timeout') reply(response, ...refusal(Number(failure.mode), 'Emulated', 'This call was made to fail'))
  }

  function handle(route: string, name: string, body: Body, query: URLSearchParams): Reply {
    if (route === 'instance/create') return create(body)
    if (route === 'instance/fetchInstances') {
      const one = world.connections.get(query.get('instanceName') ?? '')
      return one ? [200, [rowOf(one)]] : refusal(404, 'Not Found', 'Instance not found')
    }
    const one = world.connections.get(name)
    if (!one) return refusal(404, 'Not Found', [`The "${name}" instance does not exist`])
    const act = ROUTES[route]
    return act ? act(world, one, body, query) : refusal(404, 'Not Found', [`Cannot use ${route}`])
  }

  function create({ instanceName, webhook }: Body): Reply {
    if (world.connections.has(instanceName)) return refusal(403, 'Forbidden', [`This name "${instanceName}" is already in use.`])
    const one = world.create(instanceName, webhook?.enabled ? { url: webhook.url, events: webhook.events } : null)
    const instance = { instanceName, instanceId: instanceName, integration: 'WHATSAPP-BAILEYS', status: 'connecting' }
    return [201, { instance, hash: 'TOKEN', webhook: { webhookUrl: one.webhook?.url }, settings: {}, qrcode: world.qrOf(one) }]
  }

  const server = await startLocalServer(answer, {
    port: options.port,
    onError: (response, error) => reply(response, ...refusal(500, 'Internal Server Error', String(error))),
  })
  const emulator: WhatsAppEmulator = {
    ...server,
    key,
    world,
    failures,
    reports,
    fail(route, mode, times, accept) {
      const own = ofRoutes.get(route) ?? new Failures(FAIL_MODES)
      ofRoutes.set(route, own)
      own.add(mode, times, accept)
    },
    clear() {
      ofRoutes.clear()
      for (const part of [failures, reports, world]) part.clear()
    },
  }
  return emulator
}

type Act = (world: WhatsAppWorld, one: Connection, body: Body, query: URLSearchParams) => Reply

const rowOf = ({ name, state, ownerJid, profileName, reason }: Connection) => ({
  id: name,
  name,
  connectionStatus: state,
  ownerJid,
  profileName,
  profilePicUrl: null,
  integration: 'WHATSAPP-BAILEYS',
  number: null,
  token: 'TOKEN',
  disconnectionReasonCode: reason,
  disconnectionAt: null,
})

const CLOSED = refusal(400, 'Bad Request', ['Connection Closed'])
/** The provider takes keys as they are; here a key of no message is an error of the caller. */
const UNKNOWN_MESSAGE = refusal(400, 'Bad Request', ['Message not found'])
const isKey = (key: unknown): key is WireKey => {
  const { id, remoteJid, fromMe } = (key ?? {}) as Partial<WireKey>
  return typeof id === 'string' && id !== '' && typeof remoteJid === 'string' && remoteJid !== '' && typeof fromMe === 'boolean'
}
/** The message that is replied to; undefined for none, null for an unknown one. */
const quotedIn = (world: WhatsAppWorld, one: Connection, quoted: Body | undefined) =>
  quoted === undefined ? undefined : isKey(quoted.key) ? (world.find(one, quoted.key) ?? null) : null

const ROUTES: Record<string, Act> = {
  'instance/connect': (world, one) => {
    if (one.state === 'open') return [200, { instance: { instanceName: one.name, state: 'open' } }]
    world.reconnect(one)
    return (one.state as string) === 'open' ? [200, { instance: { instanceName: one.name, state: 'open' } }] : [200, world.qrOf(one)]
  },
  'instance/connectionState': (_, { name, state }) => [200, { instance: { instanceName: name, state } }],
  'instance/logout': (world, one) => {
    if (one.state === 'close') return refusal(400, 'Bad Request', [`The "${one.name}" instance is not connected`])
    if (!world.faults.has('logout_does_nothing')) world.closeConnection(one, 401)
    return success('Instance logged out')
  },
  'instance/delete': (world, one) => {
    if (!world.faults.has('logout_does_nothing')) world.remove(one)
    return success('Instance deleted')
  },
  'webhook/find': (_, one) => [200, one.webhook && { id: one.name, ...one.webhook, enabled: true, webhookByEvents: false }],
  'webhook/set': (_, one, { webhook }) => {
    if (!webhook) return refusal(400, 'Bad Request', [['instance requires property "webhook"']])
    one.webhook = webhook.enabled ? { url: webhook.url, events: webhook.events } : null
    return [201, { id: one.name, ...one.webhook, enabled: webhook.enabled }]
  },
  'message/sendText': (world, one, { number, text, quoted }) => {
    if (one.state !== 'open') return CLOSED
    const quotes = quotedIn(world, one, quoted)
    if (quotes === null) return UNKNOWN_MESSAGE
    if (typeof text !== 'string' || text === '') return refusal(400, 'Bad Request', [['text is required']])
    const jid = String(number).includes('@') ? String(number) : `${number}@s.whatsapp.net`
    if (world.unknownNumbers.has(`+${number}`)) return refusal(400, 'Bad Request', [{ jid, exists: false, number }])
    return [201, world.send(one, jid, text, true, { quotes })]
  },
  'message/sendMedia': (world, one, { number, mediatype, mimetype, caption = '', media, fileName, quoted }) => {
    if (one.state !== 'open') return CLOSED
    const quotes = quotedIn(world, one, quoted)
    if (quotes === null) return UNKNOWN_MESSAGE
    if (!['image', 'video', 'document'].includes(mediatype)) return refusal(400, 'Bad Request', [['mediatype is invalid']])
    if (typeof media !== 'string' || Buffer.from(media, 'base64').length === 0)
      return refusal(400, 'Bad Request', ['Owned media must be a url or base64'])
    const jid = String(number).includes('@') ? String(number) : `${number}@s.whatsapp.net`
    if (world.unknownNumbers.has(`+${number}`)) return refusal(400, 'Bad Request', [{ jid, exists: false, number }])
    const content = { mimetype, caption, fileName, fileLength: String(Buffer.from(media, 'base64').length) }
    const plain = { [`${mediatype}Message`]: content }
    const message = mediatype === 'document' ? { documentWithCaptionMessage: { message: plain } } : plain
    return [201, world.send(one, jid, caption, true, { media: { message, file: media }, quotes })]
  },
  'message/sendReaction': (world, one, { key, reaction }) => {
    if (one.state !== 'open') return CLOSED
    if (!isKey(key) || typeof reaction !== 'string') return refusal(400, 'Bad Request', [['instance requires property "key"']])
    if (!world.find(one, key)) return UNKNOWN_MESSAGE
    return [201, world.react(one, key, reaction)]
  },
  'chat/markMessageAsRead': (world, one, { readMessages }) => {
    if (one.state !== 'open') return CLOSED
    if (!Array.isArray(readMessages) || readMessages.length === 0 || !readMessages.every(isKey))
      return refusal(400, 'Bad Request', [['instance requires property "readMessages"']])
    const found = readMessages.flatMap((key) => world.find(one, key) ?? [])
    if (found.length < readMessages.length) return UNKNOWN_MESSAGE
    world.markRead(readMessages, found)
    return [201, { message: 'Read messages', read: 'success' }]
  },
  'chat/getBase64FromMediaMessage': (world, one, { message }) => {
    const found = one.messages.find(({ key }) => key.id === message?.key?.id)
    const [mediaType, media] = mediaIn(found?.message ?? {}) ?? []
    const base64 = world.files.get(found?.key.id ?? '')
    if (!found || base64 === undefined || !media) return refusal(400, 'Bad Request', ['Message not found'])
    const { mimetype, fileName = null } = media
    return [201, { mediaType, fileName, size: { fileLength: base64.length }, mimetype, base64, buffer: null }]
  },
  'chat/findMessages': (_, one, { where = {}, page = 1, offset = 50 }) => {
    const { key = {}, messageTimestamp } = where
    const [gte, lte] = [messageTimestamp?.gte, messageTimestamp?.lte].map((at) => (at ? Math.floor(Date.parse(at) / 1000) : undefined))
    const found = one.messages
      .filter((message) => key.remoteJid === undefined || message.key.remoteJid === key.remoteJid)
      .filter((message) => !key.fromMe || message.key.fromMe)
      .filter(({ messageTimestamp: at }) => gte === undefined || lte === undefined || (at >= gte && at <= lte))
      .toSorted((a, b) => b.messageTimestamp - a.messageTimestamp)
    const records = found.slice(offset * (page - 1), offset * page)
    return [200, { messages: { total: found.length, pages: Math.ceil(found.length / offset), currentPage: page, records } }]
  },
  'group/fetchAllGroups': (_, one) => [200, [...one.groups.values()]],
  'group/findGroupInfos': (_, one, __, query) => {
    const group = one.groups.get(query.get('groupJid') ?? '')
    return group ? [200, group] : refusal(404, 'Not Found', 'Error fetching group')
  },
}

/**
 * What a developer does on the phone and to the provider: `POST /__scan`, `/__receive`, `/__fail` and so on; `GET /__world` shows
 * everything.
 */
function control(emulator: WhatsAppEmulator, action: string, body: Body): Reply {
  const { world } = emulator
  if (action === 'world')
    return [
      200,
      { connections: [...world.connections.values()].map((one) => ({ ...one, groups: [...one.groups.values()] })), held: world.held },
    ]
  if (action === 'fail') {
    if (!FAIL_MODES.includes(body.mode)) return [400, { message: `mode is one of ${FAIL_MODES.join(', ')}` }]
    emulator.fail(body.route, body.mode, body.times, body.accept)
    return [200, { route: body.route, mode: body.mode }]
  }
  if (action === 'fault') {
    if (body.on === false) world.faults.delete(body.fault)
    else world.faults.add(body.fault)
    return [200, { faults: [...world.faults] }]
  }
  const one = body.instance ? world.connections.get(body.instance) : [...world.connections.values()].at(-1)
  if (!one) return [404, { message: 'No phone is being paired: call POST /v1/whatsapp/pair first' }]
  if (action === 'scan') world.scan(one, body.phone ?? '61400000001', body.name ?? 'Demo phone')
  else if (action === 'receive') world.receive(one, messageOf({ ...body, text: String(body.text ?? 'Hello') }))
  else if (action === 'phone-sends') world.send(one, `${String(body.to).replace('+', '')}@s.whatsapp.net`, String(body.text), false)
  else if (action === 'receipt') world.receipt(one, body.id, body.status ?? 'READ')
  else if (action === 'group') world.setGroup(one, body.id, body.subject, body.members as Member[])
  else if (action === 'logout') world.closeConnection(one, 401)
  else if (action === 'lose-connection') world.closeConnection(one, 428)
  else return [404, { message: 'No such action' }]
  return [200, { ok: true }]
}

/** The file of a message, whatever wraps it. */
function mediaIn(message: Record<string, unknown>): [type: string, media: Body] | undefined {
  for (const [name, value] of Object.entries(message) as [string, Body][]) {
    if (value?.mimetype) return [name, value]
    const inner = value?.message ? mediaIn(value.message) : undefined
    if (inner) return inner
  }
  return undefined
}
