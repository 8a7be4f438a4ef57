import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { reportOf } from './email-reports.ts'
import { addresses, bareAddress, details, search } from './email-search.ts'
import { refusedMetadata, type Stream, Suppressions } from './email-suppressions.ts'
import { Failures } from './failures.ts'
import { type LocalServer, type Reply, readText, reply, startLocalServer } from './local-server.ts'
import { posted, ReportSender } from './report-sender.ts'

/** One message in Postmark's own field names. */
export interface PostmarkMessage {
  From?: string
  To?: string
  Cc?: string
  Bcc?: string
  Subject?: string
  HtmlBody?: string
  TextBody?: string
  ReplyTo?: string
  MessageStream?: string
  Tag?: string
  Metadata?: Record<string, string>
  Headers?: { Name: string; Value: string }[]
  Attachments?: { Name: string; Content: string; ContentType: string }[]
  [field: string]: unknown
}

export interface SentEmail extends PostmarkMessage {
  MessageID: string
  SubmittedAt: string
}

/**
 * How the next calls fail: a number is the status of the response, `timeout` never responds, `drop` closes the connection, `slow` responds
 * as usual after half a second, `partial` accepts the first half of a batch and closes the connection.
 */
export type FailMode = (typeof FAIL_MODES)[number]

export type SearchFailMode = (typeof SEARCH_FAIL_MODES)[number]

export interface EmailEmulator extends LocalServer {
  token: string
  /** Every accepted message, oldest first. */
  sent: SentEmail[]
  /** Addresses for which the response is 406, as after a hard bounce. */
  inactive: Set<string>
  /** How calls that send fail, and how those that search. */
  failures: Failures<FailMode>
  searchFailures: Failures<SearchFailMode>
  /** What is reported about messages. */
  reports: ReportSender
  /** What has happened to messages, by their ids. */
  events: Map<string, { Type: string; ReceivedAt: string; Details: object }[]>
  /** The addresses that each stream has suppressed. */
  suppressions: Suppressions
  /** Makes the next calls fail; with `accept` the message is accepted first, so that only the response is lost. */
  fail(mode: FailMode, times?: number, accept?: boolean): void
  /** Makes the next searches fail; `unlisted` finds nothing, as while the provider has not listed a message yet. */
  failSearch(mode: SearchFailMode, times?: number): void
  /** Deletes messages, inactive addresses and pending failures. */
  clear(): void
}

const FAIL_MODES = ['401', '405', '406', '422', '429', '500', '503', 'timeout', 'drop', 'slow', 'partial'] as const
const SEARCH_FAIL_MODES = ['401', '429', '500', '503', 'timeout', 'drop', 'unlisted'] as const
const ADDRESS = /^[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+$/
const MAX_RECIPIENTS = 50
const MAX_BATCH = 500
const SLOW_MS = 500
/** How long after its acceptance the outcome of a message is reported. */
const REPORT_MS = 300
const MAX_BYTES = 10 * 1024 * 1024
const MAX_BATCH_BYTES = 50 * 1024 * 1024
const isBase64 = (text: string) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)

interface Result {
  ErrorCode: number
  Message: string
  To?: string
  SubmittedAt?: string
  MessageID?: string
}

const BAD_TOKEN = { ErrorCode: 10, Message: 'Request does not contain a valid Server token.' }
const INACTIVE = { ErrorCode: 406, Message: 'You tried to send to a recipient that has been marked as inactive.' }
const NO_CREDITS = { ErrorCode: 405, Message: 'Your account has run out of credits.' }
const TOO_LARGE = { ErrorCode: 413, Message: 'The message is larger than 10 MB, or the batch than 50 MB.' }
const invalid = (Message: string) => ({ ErrorCode: 300, Message })

const FAILURES: Record<Exclude<FailMode, 'timeout' | 'drop' | 'slow' | 'partial'>, [number, Result]> = {
  401: [401, BAD_TOKEN],
  405: [422, NO_CREDITS],
  406: [422, INACTIVE],
  422: [422, invalid("Invalid 'From' address.")],
  429: [429, { ErrorCode: 429, Message: 'Rate limit exceeded.' }],
  500: [500, { ErrorCode: 500, Message: 'Internal server error.' }],
  503: [503, { ErrorCode: 503, Message: 'Service unavailable.' }],
}

/**
 * Emulates the part of Postmark's API that sends and finds messages, keeps them in memory and fails on request. With `reportsTo` it also
 * reports there that messages were delivered or bounced, as Postmark does. Tests do so themselves.
 */
export async function startEmailEmulator(options: { port?: number; token?: string; reportsTo?: string } = {}): Promise<EmailEmulator> {
  const failures = new Failures<FailMode>(FAIL_MODES)
  const searchFailures = new Failures<SearchFailMode>(SEARCH_FAIL_MODES)
  const reports = new ReportSender()
  const suppressions = new Suppressions()
  const token = options.token ?? 'local-email-token'

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const { pathname, searchParams } = new URL(request.url!, 'http://local')
    const route = `${request.method} ${pathname}`
    if (route === 'GET /__sent') return reply(response, 200, emulator.sent)
    if (route === 'POST /__fail') {
      const { mode, times, accept, search } = JSON.parse(await readText(request))
      if (search && SEARCH_FAIL_MODES.includes(mode)) {
        emulator.failSearch(mode, times)
        return reply(response, 200, { mode, pending: searchFailures.pending })
      }
      if (!FAIL_MODES.includes(mode)) return reply(response, 400, { message: `mode is one of ${FAIL_MODES.join(', ')}` })
      emulator.fail(mode, times, accept)
      return reply(response, 200, { mode, pending: failures.pending })
    }
    const suppression = /^\/message-streams\/(outbound|broadcast)\/suppressions\/(dump|delete)$/.exec(pathname)
    const [, detailed] = /^\/messages\/outbound\/([^/]+)\/details$/.exec(pathname) ?? []
    const known = suppression || detailed || ['POST /email', 'POST /email/batch', 'GET /messages/outbound'].includes(route)
    if (!known) return reply(response, 404, { ErrorCode: 404, Message: 'Not found' })
    if (request.headers['x-postmark-server-token'] !== token) return reply(response, 401, BAD_TOKEN)
    if (detailed) return reply(response, ...details(emulator, detailed))
    if (suppression) return suppressions.answer(request, response, suppression[1] as Stream)
    if (request.method === 'GET') return find(request, response, searchParams)

    const text = await readText(request)
    if (text.length > (pathname === '/email' ? MAX_BYTES : MAX_BATCH_BYTES)) return reply(response, 413, TOO_LARGE)
    const failure = failures.take()
    const isHalf = failure?.mode === 'partial'
    const isAccepted = !failure || failure.accept || isHalf || failure.mode === 'slow'
    const outcome = isAccepted ? receive(pathname, request, isHalf ? firstHalf(text) : text) : undefined
    if (failure?.mode === 'slow') await sleep(SLOW_MS)
    if (outcome && (!failure || failure.mode === 'slow')) return reply(response, ...outcome)
    if (failure?.mode === 'drop' || failure?.mode === 'partial') return request.socket.destroy()
    // Of a batch each message is refused by itself.
    if (failure?.mode === '405' && pathname === '/email/batch')
      return reply(
        response,
        200,
        (JSON.parse(text) as unknown[]).map(() => NO_CREDITS),
      )
    if (failure && failure.mode !== 'timeout' && failure.mode !== 'slow') reply(response, ...FAILURES[failure.mode])
  }

  function find(request: IncomingMessage, response: ServerResponse, query: URLSearchParams): void {
    const mode = searchFailures.take()?.mode
    if (mode === 'drop') request.socket.destroy()
    else if (mode === undefined) reply(response, 200, search(emulator.sent, query))
    else if (mode === 'unlisted') reply(response, 200, { TotalCount: 0, Messages: [] })
    else if (mode !== 'timeout') reply(response, ...FAILURES[mode])
  }

  function receive(pathname: string, request: IncomingMessage, text: string): Reply {
    if (!request.headers['content-type']?.startsWith('application/json')) return [422, { ErrorCode: 409, Message: 'JSON required.' }]
    let body: unknown
    try {
      body = JSON.parse(text)
    } catch {
      return [422, { ErrorCode: 402, Message: 'Invalid JSON.' }]
    }
    if (pathname === '/email') {
      const result = accept(body as PostmarkMessage)
      return [result.ErrorCode === 0 ? 200 : 422, result]
    }
    if (!Array.isArray(body)) return [422, { ErrorCode: 402, Message: 'Invalid JSON: expected an array.' }]
    if (body.length > MAX_BATCH) return [422, { ErrorCode: 410, Message: `A batch holds at most ${MAX_BATCH} messages.` }]
    return [200, body.map(accept)]
  }

  function accept(message: PostmarkMessage): Result {
    const recipients = [message.To, message.Cc, message.Bcc].flatMap(addresses)
    if (!ADDRESS.test(bareAddress(message.From ?? ''))) return invalid("Invalid 'From' address.")
    if (!message.To || !recipients.every((address) => ADDRESS.test(address))) return invalid("Invalid 'To' address.")
    if (recipients.length > MAX_RECIPIENTS) return invalid(`A message has at most ${MAX_RECIPIENTS} recipients.`)
    const refused = refusedMetadata(message.Metadata ?? {})
    if (refused) return invalid(refused)
    if (!message.HtmlBody && !message.TextBody) return invalid("Provide either 'HtmlBody' or 'TextBody'.")
    const files = message.Attachments ?? []
    if (!files.every(({ Name, Content, ContentType }) => Name && ContentType && isBase64(Content)))
      return invalid("An item of 'Attachments' has no name, no type, or content that is not base64.")
    const stream = message.MessageStream === 'broadcast' ? 'broadcast' : 'outbound'
    if (recipients.every((address) => emulator.inactive.has(address) || suppressions.has(stream, address))) return INACTIVE
    const sent = { ...message, MessageID: randomUUID(), SubmittedAt: new Date().toISOString() }
    emulator.sent.push(sent)
    const bounced = recipients.filter((address) => address.startsWith('hardbounce@bounce-testing.'))
    for (const address of bounced) emulator.inactive.add(address)
    if (options.reportsTo) void report(options.reportsTo, sent, bounced.length > 0 ? 'HardBounce' : 'Delivery')
    return { To: message.To, SubmittedAt: sent.SubmittedAt, MessageID: sent.MessageID, ErrorCode: 0, Message: 'OK' }
  }

  async function report(url: string, sent: SentEmail, type: 'Delivery' | 'HardBounce') {
    await sleep(REPORT_MS, undefined, { ref: false })
    reports.send(posted(url, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(reportOf(sent, type)) }))
  }

  const server = await startLocalServer(answer, {
    port: options.port,
    onError: (response, error) => reply(response, 500, { ErrorCode: 500, Message: String(error) }),
  })
  const emulator: EmailEmulator = {
    ...server,
    token,
    sent: [],
    inactive: new Set(),
    events: new Map(),
    failures,
    searchFailures,
    reports,
    suppressions,
    fail: (mode, times, accept) => failures.add(mode, times, accept),
    failSearch: (mode, times) => searchFailures.add(mode, times),
    clear() {
      emulator.sent.length = 0
      emulator.inactive.clear()
      emulator.events.clear()
      for (const part of [failures, searchFailures, reports, suppressions]) part.clear()
    },
  }
  return emulator
}

/** The first half of a batch. */
function firstHalf(text: string): string {
  const batch = JSON.parse(text)
  return JSON.stringify(Array.isArray(batch) ? batch.slice(0, Math.floor(batch.length / 2)) : batch)
}
