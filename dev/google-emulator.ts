import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failures } from './failures.ts'
import { callGmail, gmailRouteOf, isGmail, uploaded } from './gmail-api.ts'
import { type GmailPush, GmailWorld } from './gmail-world.ts'
import { CLIENT, GoogleAccounts, type Page } from './google-accounts.ts'
import { callApi, refusal, routeOf } from './google-api.ts'
import { feedOf } from './google-feed.ts'
import { GoogleWorld, type Notification } from './google-world.ts'
import { type LocalServer, type Reply, readText, reply, startLocalServer } from './local-server.ts'
import { posted, ReportSender } from './report-sender.ts'

/**
 * How the next calls fail: a number is the status of the response, `quota` a 403 about too many calls, `invalid_grant` that of the token
 * endpoint; `timeout` never responds, `drop` closes the connection, `slow` responds as usual after half a second.
 */
const FAIL_MODES = ['400', '401', '403', '404', '410', '429', '500', '503', 'quota', 'invalid_grant', 'timeout', 'drop', 'slow'] as const
export type GoogleFailMode = (typeof FAIL_MODES)[number]

export interface GoogleEmulator extends LocalServer {
  clientId: string
  clientSecret: string
  world: GoogleWorld
  gmail: GmailWorld
  accounts: GoogleAccounts
  /** The accepted calls, such as `events.insert`, with what they contained. */
  accepted: { route: string; path: string; body: unknown }[]
  /** The notifications of changes, oldest first. */
  notifications: Notification[]
  /** What Pub/Sub has to post about changes of mailboxes, oldest first. */
  pushes: GmailPush[]
  /** How notifications are posted, if they are. */
  reports: ReportSender
  /** The most events of a page, to have several pages of few events. */
  pageSize: number | undefined
  /**
   * Makes calls of a route such as `events.insert`, `token` or `*` fail; with `accept` the work is done first, so that only the response is
   * lost.
   */
  fail(route: string, mode: GoogleFailMode, options?: { times?: number; accept?: boolean }): void
  /** How the calls of a route fail. */
  failuresOf(route: string): Failures<GoogleFailMode>
  clear(): void
}

/** What the path has to which Pub/Sub posts. */
export const PUSH_TOKEN = 'local-gmail-push-token-0123456789'
const SLOW_MS = 500
const RETRY_AFTER = '7'
const REASONS: Record<string, string> = { '401': 'authError', '403': 'forbidden', '404': 'notFound', '410': 'deleted' }

/**
 * Emulates Google's accounts, calendars (https://developers.google.com/calendar/api/v3/reference) and mailboxes, keeps everything in
 * memory, and fails on request. With
 * `automatic`, notifications are posted to their addresses, and those of mailboxes to `pushUrl`, as Google does. Tests do so themselves.
 */
export async function startGoogleEmulator(options: { port?: number; automatic?: boolean; pushUrl?: string } = {}): Promise<GoogleEmulator> {
  const failures = new Map<string, Failures<GoogleFailMode>>()
  const reports = new ReportSender()
  const notifications: Notification[] = []
  const pushes: GmailPush[] = []
  const world = new GoogleWorld((notification) => {
    notifications.push(notification)
    if (options.automatic) reports.send(posted(notification.url, { headers: notification.headers, body: '' }))
  })
  const gmail = new GmailWorld((push) => {
    pushes.push(push)
    if (options.automatic && options.pushUrl)
      reports.send(posted(options.pushUrl, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(push) }))
  })
  const accounts = new GoogleAccounts(world)

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const { pathname: called, searchParams } = new URL(request.url!, 'http://local')
    const isUpload = called.startsWith('/upload/') && searchParams.get('uploadType') === 'multipart'
    const pathname = isUpload ? called.slice('/upload'.length) : called
    const text = await readText(request)
    if (pathname.startsWith('/__'))
      return reply(response, ...control(emulator, `${request.method} ${pathname}`, text ? JSON.parse(text) : {}))
    if (pathname === '/o/oauth2/v2/auth')
      return show(response, request.method === 'POST' ? accounts.answer(new URLSearchParams(text)) : accounts.page(searchParams))
    const feed = /^\/calendar\/ical\/([^/]+)\/[^/]+\/basic\.ics$/.exec(pathname)
    if (feed) return show(response, feedOf(world.account(decodeURIComponent(feed[1] as string))))
    const isGrant = pathname === '/token' || pathname === '/revoke'
    const route = isGrant ? pathname.slice(1) : isGmail(pathname) ? gmailRouteOf(pathname) : routeOf(request.method!, pathname)
    const failure = failures.get(route)?.take() ?? failures.get('*')?.take()
    const works = !failure || failure.accept || failure.mode === 'slow'
    const outcome = works ? carryOut(request, route, pathname, searchParams, text) : undefined
    if (failure?.mode === 'slow') await sleep(SLOW_MS, undefined, { ref: false })
    if (outcome && (!failure || failure.mode === 'slow')) return reply(response, ...outcome)
    if (failure?.mode === 'drop') return request.socket.destroy()
    if (failure && failure.mode !== 'timeout') refuse(response, failure.mode, isGrant)
  }

  function carryOut(request: IncomingMessage, route: string, path: string, query: URLSearchParams, text: string): Reply {
    if (route === 'token') return accounts.token(new URLSearchParams(text))
    if (route === 'revoke') return accounts.revoke(new URLSearchParams(text).get('token') ?? '')
    const email = accounts.emailOf(request.headers.authorization)
    if (!email) return refusal(401, 'authError', 'Invalid Credentials')
    const type = request.headers['content-type'] ?? ''
    const body = type.startsWith('multipart/') ? uploaded(type, text) : text ? JSON.parse(text) : {}
    if (!body) return refusal(400, 'badContent', "Media type 'message/rfc822' is required.")
    const call = { email, method: request.method!, path, query, body }
    if (isGmail(path) && !accounts.allows(request.headers.authorization, /gmail\.readonly$/))
      return refusal(403, 'insufficientPermissions', 'Request had insufficient authentication scopes.')
    const outcome = isGmail(path) ? callGmail(gmail, call) : callApi(world, call, emulator.pageSize)
    if (outcome[0] < 300) emulator.accepted.push({ route, path, body })
    return outcome
  }

  const server = await startLocalServer(answer, {
    port: options.port,
    onError: (response, error) => reply(response, ...refusal(500, 'backendError', String(error))),
  })
  const emulator: GoogleEmulator = {
    ...server,
    clientId: CLIENT.id,
    clientSecret: CLIENT.secret,
    world,
    gmail,
    accounts,
    accepted: [],
    notifications,
    pushes,
    reports,
    pageSize: undefined,
    fail(route, mode, { times, accept } = {}) {
      emulator.failuresOf(route).add(mode, times, accept)
    },
    failuresOf(route) {
      const own = failures.get(route) ?? new Failures(FAIL_MODES.filter((mode) => route === 'token' || mode !== 'invalid_grant'))
      failures.set(route, own)
      return own
    },
    clear() {
      failures.clear()
      for (const part of [world, gmail, accounts, reports]) part.clear()
      pushes.length = 0
      emulator.accepted.length = 0
      notifications.length = 0
      emulator.pageSize = undefined
    },
  }
  return emulator
}

/** The Worker's variables that lead to the emulator. */
export const googleVars = ({ url, clientId, clientSecret }: GoogleEmulator) => ({
  GOOGLE_API_URL: url,
  GOOGLE_OAUTH_URL: url,
  GOOGLE_CONSENT_URL: url,
  GMAIL_API_URL: url,
  GMAIL_TOPIC: 'projects/crm/topics/gmail',
  GMAIL_PUSH_TOKEN: PUSH_TOKEN,
  GOOGLE_CLIENT_ID: clientId,
  GOOGLE_CLIENT_SECRET: clientSecret,
})

// biome-ignore lint/suspicious/noExplicitAny: requests of every shape
type Control = Record<string, any>

/**
 * What a developer does from outside: `GET /__events` and `GET /__mail`, and POST to create, move and delete events, to let emails arrive,
 * to send them as the owner of a mailbox, or to make calls fail.
 */
function control(emulator: GoogleEmulator, route: string, body: Control): Reply {
  const { world } = emulator
  const { email = '', event_id = '', calendar_id } = body
  if (route === 'GET /__accepted') return [200, emulator.accepted]
  if (route === 'GET /__events') {
    const calendars = [...world.accounts.values()].flatMap(({ email, calendars }) =>
      [...calendars.values()].map((one) => ({ email, ...one })),
    )
    return [200, calendars.map(({ events, ...calendar }) => ({ ...calendar, events: [...events.values()] }))]
  }
  if (route === 'GET /__mail') return [200, emulator.gmail.shown()]
  const acts: Record<string, () => unknown> = {
    'POST /__receive': () => emulator.gmail.receive(email, body.message),
    'POST /__compose': () => emulator.gmail.compose(email, body.message),
    'POST /__answer': () => emulator.gmail.answerLast(email, body.text ?? 'Thank you'),
    'POST /__create': () => world.create(email, body.event, calendar_id),
    'POST /__move': () => world.move(email, event_id, body.starts_at, body.ends_at, calendar_id),
    'POST /__delete': () => world.delete(email, event_id, calendar_id),
    'POST /__revoke': () => emulator.accounts.revokeAll(email),
    'POST /__meetings': () => world.completeMeetings(),
    'POST /__fail': () => emulator.fail(body.route ?? '*', modeOf(body.mode), body),
    'POST /__reports': () => emulator.reports.set(body.fault, body.on),
  }
  const act = acts[route]
  if (!act) return [404, { message: `Known: ${Object.keys(acts).join(', ')}` }]
  try {
    return [200, act() ?? {}]
  } catch (error) {
    return [400, { message: String(error) }]
  }
}

function modeOf(mode: string): GoogleFailMode {
  const known = FAIL_MODES.find((one) => one === mode)
  if (!known) throw new Error(`mode is one of ${FAIL_MODES.join(', ')}`)
  return known
}

function refuse(response: ServerResponse, mode: GoogleFailMode, isGrant: boolean): void {
  const message = 'This call was made to fail.'
  const isLimit = mode === 'quota' || mode === '429'
  const status = mode === 'quota' ? 403 : Number(mode)
  if (isLimit) response.setHeader('retry-after', RETRY_AFTER)
  if (mode === 'invalid_grant') reply(response, 400, { error: mode, error_description: message })
  else if (isGrant) reply(response, status, { error: 'temporarily_unavailable', error_description: message })
  else reply(response, ...refusal(status, isLimit ? 'rateLimitExceeded' : (REASONS[mode] ?? 'backendError'), message))
}

function show(response: ServerResponse, { status, headers, body }: Page): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body)
}
