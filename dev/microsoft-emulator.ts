import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failures } from './failures.ts'
import { type LocalServer, type Reply, readText, reply, startLocalServer } from './local-server.ts'
import { CLIENT, MicrosoftAccounts, type Page, refused } from './microsoft-accounts.ts'
import { type ApiCall, callApi, refusal, routeOf, shownSubscription } from './microsoft-api.ts'
import { MicrosoftWorld, type Notification } from './microsoft-world.ts'
import { posted, ReportSender } from './report-sender.ts'

/**
 * How the next calls fail: a number is the status of the response, `invalid_grant` that of the token endpoint, `foreign_link` leads the
 * next page elsewhere; `timeout` never responds, `drop` closes the connection, `slow` responds as usual after half a second.
 */
const FAIL_MODES = [
  '400',
  '401',
  '403',
  '404',
  '410',
  '429',
  '500',
  '503',
  'invalid_grant',
  'foreign_link',
  'timeout',
  'drop',
  'slow',
] as const
export type MicrosoftFailMode = (typeof FAIL_MODES)[number]

export interface MicrosoftEmulator extends LocalServer {
  clientId: string
  clientSecret: string
  world: MicrosoftWorld
  accounts: MicrosoftAccounts
  /** The accepted calls, such as `events.create`, with what they contained. */
  accepted: { route: string; path: string; body: unknown; prefer: string }[]
  /** The notifications of changes, oldest first. */
  notifications: Notification[]
  /** How notifications are posted, if they are. */
  reports: ReportSender
  /** The most events of a page. */
  pageSize: number
  /** How the address of a new subscription is called; it must return the token that it is given. */
  post: (url: string) => Promise<{ status: number; text(): Promise<string> }>
  /**
   * Makes calls of a route such as `events.create`, `token` or `*` fail; with `accept` the work is done first, so that only the response is
   * lost.
   */
  fail(route: string, mode: MicrosoftFailMode, options?: { times?: number; accept?: boolean }): void
  clear(): void
}

const SLOW_MS = 500
const RETRY_AFTER = '7'
const PAGE = 50
const MAX_SUBSCRIPTION_MS = 10_080 * 60_000
const VALIDATION_MS = 10_000
const CODES: Record<string, string> = {
  '400': 'ErrorInvalidRequest',
  '401': 'InvalidAuthenticationToken',
  '403': 'ErrorAccessDenied',
  '404': 'ErrorItemNotFound',
  '410': 'SyncStateNotFound',
  '429': 'ApplicationThrottled',
  '500': 'ErrorInternalServerError',
  '503': 'ServiceUnavailable',
}
const OAUTH = '/common/oauth2/v2.0'

/**
 * Emulates Microsoft's accounts and the calendars of Microsoft Graph (https://learn.microsoft.com/en-us/graph/api/resources/calendar),
 * keeps everything in memory, and fails on request. With `automatic`, notifications are posted to their addresses, as Microsoft does. Tests
 * do so themselves.
 */
export async function startMicrosoftEmulator(options: { port?: number; automatic?: boolean } = {}): Promise<MicrosoftEmulator> {
  const failures = new Map<string, Failures<MicrosoftFailMode>>()
  const reports = new ReportSender()
  const notifications: Notification[] = []
  const world = new MicrosoftWorld((notification) => {
    notifications.push(notification)
    if (options.automatic) reports.send(posted(notification.url, notification))
  })
  const accounts = new MicrosoftAccounts(world)

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const { pathname, searchParams } = new URL(request.url!, 'http://local')
    const text = await readText(request)
    if (pathname.startsWith('/__'))
      return reply(response, ...control(emulator, `${request.method} ${pathname}`, text ? JSON.parse(text) : {}))
    if (pathname === `${OAUTH}/authorize`)
      return show(response, request.method === 'POST' ? accounts.answer(new URLSearchParams(text)) : accounts.page(searchParams))
    const isGrant = pathname === `${OAUTH}/token`
    const route = isGrant ? 'token' : routeOf(request.method!, pathname)
    const failure = failures.get(route)?.take() ?? failures.get('*')?.take()
    const mode = failure?.mode
    const isAnswered = mode === undefined || mode === 'slow' || mode === 'foreign_link'
    const outcome = isAnswered || failure?.accept ? await carryOut(request, route, pathname, searchParams, text) : undefined
    if (mode === 'slow') await sleep(SLOW_MS, undefined, { ref: false })
    if (outcome && mode === 'foreign_link') return reply(response, ...led(outcome))
    if (outcome && isAnswered) return reply(response, ...outcome)
    if (mode === 'drop') return request.socket.destroy()
    if (mode && mode !== 'timeout') refuse(response, mode, isGrant)
  }

  async function carryOut(request: IncomingMessage, route: string, path: string, query: URLSearchParams, text: string): Promise<Reply> {
    if (route === 'token') return accounts.token(new URLSearchParams(text))
    const email = accounts.emailOf(request.headers.authorization)
    if (!email) return refusal(401, 'InvalidAuthenticationToken', 'Access token has expired or is not yet valid.')
    const body = text ? JSON.parse(text) : {}
    const call: ApiCall = { email, method: request.method!, path, query, body, url: emulator.url, pageSize: emulator.pageSize }
    const outcome = route === 'subscribe' ? await subscribe(call) : callApi(world, call)
    if (outcome[0] < 300) emulator.accepted.push({ route, path, body, prefer: String(request.headers.prefer ?? '') })
    return outcome
  }

  /** A subscription is created once its address has returned the token. */
  async function subscribe({ email, body }: ApiCall): Promise<Reply> {
    const { changeType, notificationUrl, resource, expirationDateTime, clientState = null } = body
    const calendar = world.calendar(email, decodeURIComponent(/^\/?me\/calendars\/([^/]+)\/events$/.exec(resource)?.[1] ?? ''))
    const life = Date.parse(expirationDateTime) - Date.now()
    if (!calendar || !URL.canParse(notificationUrl) || !(life > 0 && life <= MAX_SUBSCRIPTION_MS) || (clientState ?? '').length > 128)
      return refusal(400, 'InvalidRequest', 'The subscription is not valid.')
    const isSame = (one: { resource: string; changeType: string; notificationUrl: string }) =>
      one.resource === resource && one.changeType === changeType && one.notificationUrl === notificationUrl
    if ([...world.subscriptions.values()].some(isSame)) return refusal(409, 'ExtensionError', 'The subscription already exists.')
    const token = `Validation: Testing client application reachability for subscription ${randomUUID()}`
    const echoed = await emulator.post(`${notificationUrl}?validationToken=${encodeURIComponent(token)}`).catch(() => undefined)
    if (echoed?.status !== 200 || (await echoed.text()) !== token)
      return refusal(400, 'ValidationError', 'Subscription validation request failed. Must respond with 200 OK to this request.')
    const terms = { resource, changeType, notificationUrl, clientState, expirationDateTime }
    const subscription = { id: randomUUID(), account: email, calendar: calendar.id, ...terms }
    world.subscriptions.set(subscription.id, subscription)
    return [201, shownSubscription(subscription)]
  }

  const server = await startLocalServer(answer, {
    port: options.port,
    onError: (response, error) => reply(response, ...refusal(500, 'ErrorInternalServerError', String(error))),
  })
  const emulator: MicrosoftEmulator = {
    ...server,
    clientId: CLIENT.id,
    clientSecret: CLIENT.secret,
    world,
    accounts,
    accepted: [],
    notifications,
    reports,
    pageSize: PAGE,
    post: (url) => fetch(url, { method: 'POST', headers: { 'content-type': 'text/plain' }, signal: AbortSignal.timeout(VALIDATION_MS) }),
    fail(route, mode, { times, accept } = {}) {
      const own = failures.get(route) ?? new Failures(FAIL_MODES)
      failures.set(route, own)
      own.add(mode, times, accept)
    },
    clear() {
      failures.clear()
      for (const part of [world, accounts, reports]) part.clear()
      emulator.accepted.length = 0
      notifications.length = 0
      emulator.pageSize = PAGE
    },
  }
  return emulator
}

/** The Worker's variables that lead to the emulator. */
export const microsoftVars = ({ url, clientId, clientSecret }: MicrosoftEmulator) => ({
  MICROSOFT_API_URL: url,
  MICROSOFT_OAUTH_URL: url,
  MICROSOFT_CLIENT_ID: clientId,
  MICROSOFT_CLIENT_SECRET: clientSecret,
})

// biome-ignore lint/suspicious/noExplicitAny: requests of every shape
type Control = Record<string, any>

/** What a developer does from outside: `GET /__events`, and POST to create, move and delete events, or to make calls fail. */
function control(emulator: MicrosoftEmulator, route: string, body: Control): Reply {
  const { world } = emulator
  const { email = '', event_id = '', calendar_id } = body
  if (route === 'GET /__accepted') return [200, emulator.accepted]
  if (route === 'GET /__events') {
    const calendars = [...world.accounts.values()].flatMap(({ email, calendars }) =>
      [...calendars.values()].map((one) => ({ email, ...one })),
    )
    return [200, calendars.map(({ events, ...calendar }) => ({ ...calendar, events: [...events.values()] }))]
  }
  const acts: Record<string, () => unknown> = {
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

function modeOf(mode: string): MicrosoftFailMode {
  const known = FAIL_MODES.find((one) => one === mode)
  if (!known) throw new Error(`mode is one of ${FAIL_MODES.join(', ')}`)
  return known
}

/** A response whose links lead to another service. */
function led([status, body]: Reply): Reply {
  const text = JSON.stringify(body).replace(/("@odata\.(?:next|delta)Link":")[^"]+"/g, '$1https://elsewhere.example/v1.0/me/steal"')
  return [status, JSON.parse(text)]
}

function refuse(response: ServerResponse, mode: MicrosoftFailMode, isGrant: boolean): void {
  const message = 'This call was made to fail.'
  if (mode === '429' || mode === '503') response.setHeader('retry-after', RETRY_AFTER)
  if (mode === 'invalid_grant') reply(response, ...refused(mode, 700082, message))
  else if (isGrant) reply(response, ...refused('temporarily_unavailable', 90033, message, Number(mode)))
  else reply(response, ...refusal(Number(mode), CODES[mode] as string, message))
}

function show(response: ServerResponse, { status, headers, body }: Page): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body)
}
