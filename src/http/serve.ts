import type { Context } from 'hono'
import type { Deployment } from '../context.ts'
import { databaseOf, type Env } from '../env.ts'
import { STATUS_OF } from '../errors.ts'
import { newId } from '../lib/ids.ts'
import { wake } from '../wake.ts'
import { conditional } from './conditional.ts'
import { deploymentOf } from './deployment.ts'
import { type Endpoint, isWrite, pathOf, uploadOf } from './endpoint.ts'
import { execute, type Outcome } from './execute.ts'
import { feedOf } from './feed.ts'
import { filesOf } from './files.ts'
import type { Received } from './modes.ts'
import { allowing, originOf } from './origins.ts'
import { addressOf, admitKey, countRefusal, limitRate, policiesOf, rememberWorkspace } from './rate-limits.ts'
import { assertUtf8, bodyOf, idempotencyOf, ifMatchOf, keyOf, parseBody, parseForm, queryOf, resuming, utf8In } from './receive.ts'
import { logRequest, shouldLog } from './request-log.ts'
import { type Answered, refuse, refuseAs, respond } from './respond.ts'
import type { Caller } from './transaction.ts'

/** The context of a request, as far as it is known. */
type Known = {
  begun: number
  body?: unknown
  endpoint?: Endpoint
  keyHash?: string
  caller?: Caller
  outcome?: Outcome
  origin?: string | undefined
}
/** The environment of every router of the API. */
export type App = { Bindings: Env; Variables: { requestId?: string; known?: Known } }
export type AppContext = Context<App>

/** Runs one request of an endpoint. An error becomes its response here, so that a router behaves the same mounted and by itself. */
export async function serve(c: Context<App>, endpoint: Endpoint): Promise<Response> {
  const known: Known = { begun: Date.now(), endpoint }
  c.set('known', known)
  try {
    return await run(c, endpoint, known)
  } catch (error) {
    const refusal = await countRefusal(c, error, known.keyHash)
    return answer(c, refusal, refuseAs(endpoint, refusal, requestIdOf(c), known.body, c.req.raw))
  }
}

async function run(c: Context<App>, endpoint: Endpoint, known: Known): Promise<Response> {
  const request = c.req.raw
  const params = c.req.param() as Record<string, string>
  if (endpoint.successor) deprecate(c, endpoint, params)
  const writes = isWrite(endpoint)
  const takesBody = (writes || endpoint.body) && !uploadOf(endpoint)
  // A request without a valid key is refused before its body is read. A principal may be identified by the signature of the body.
  const key = endpoint.access.public ? undefined : await keyOf(request.headers)
  if (!endpoint.access.public) known.origin = originOf(request)
  if (key) {
    known.keyHash = key.key_hash
    await admitKey(c, key.key_hash)
    if (endpoint.limits?.rate) await limitRate(c, endpoint.limits.rate, key.key_hash)
    known.caller = { kind: 'key', key_hash: key.key_hash, address: c.req.header('cf-connecting-ip') }
  }
  const bytes = takesBody ? await bodyOf(request, endpoint.limits?.body) : new Uint8Array()
  const received = { method: request.method, url: request.url, headers: request.headers, bytes, env: c.env, now: new Date() }
  const caller = known.caller ?? (await principalOf(c, endpoint, received))
  known.caller = caller
  const text = takesBody ? textOf(endpoint, received) : ''
  const body = await parsed(endpoint, received, text)
  known.body = body
  let deployment: Deployment | undefined
  const outcome = await execute(databaseOf(c.env), {
    endpoint,
    caller,
    origin: known.origin,
    input: { params, query: resuming(endpoint, request, queryOf(request.url)), body },
    requestId: requestIdOf(c),
    received,
    now: received.now,
    ifMatch: writes ? ifMatchOf(request.headers) : undefined,
    // The stored responses belong to API keys; what a token opens recognises repetitions itself.
    idempotency: writes && key ? await idempotencyOf(request, text) : undefined,
    feed: feedOf(c.env),
    // Most requests need none of it. What a request has looked up belongs to this one object.
    get deployment() {
      deployment ??= deploymentOf(c.env, request.url)
      return deployment
    },
    appUrl: c.env.APP_URL,
    files: filesOf(c.env, request, uploadOf(endpoint)),
  })
  known.outcome = outcome
  if (key && outcome.actor) rememberWorkspace(c, key.key_hash, outcome.actor.workspace_id)
  const workspace_id = outcome.actor?.workspace_id ?? outcome.grantedIn
  if (workspace_id && outcome.delivers) c.executionCtx.waitUntil(wake(c.env, 'events.deliver', workspace_id))
  if (workspace_id && outcome.wakes) c.executionCtx.waitUntil(wake(c.env, outcome.wakes, workspace_id))
  return answer(c, undefined, await conditional(endpoint, request, respond(endpoint, params, outcome, body)))
}

/** Sends the response, then logs the request. */
export function answer(c: Context<App>, error: unknown, answered: Answered = refuse(error, requestIdOf(c))): Response {
  const { begun, origin, body: _, ...known }: Known = c.get('known') ?? { begun: Date.now() }
  const logged = {
    ...known,
    begun,
    error,
    id: requestIdOf(c),
    method: c.req.method,
    path: c.req.path,
    headers: c.req.raw.headers,
    status: answered.status,
  }
  if (shouldLog(logged)) c.executionCtx.waitUntil(logRequest(c.env, logged))
  const { endpoint, keyHash } = known
  // The refusal of a request beyond a limit names that limit only.
  const policy = endpoint &&
    answered.status !== STATUS_OF.RATE_LIMITED && { 'RateLimit-Policy': policiesOf(keyHash !== undefined, endpoint.limits?.rate) }
  return send(c, { ...answered, headers: { ...answered.headers, ...policy, ...allowing(origin, error) } })
}

export function send(c: Context<App>, { status, body, text = JSON.stringify(body), stream, headers }: Answered): Response {
  const all = { 'X-Request-Id': requestIdOf(c), 'Cache-Control': 'no-store', ...headers }
  if (status === 304) return c.body(null, 304, all)
  return c.body(stream ?? text, status as 200, { 'Content-Type': 'application/json', ...all })
}

/** Created on first use, because a middleware would cost every request a composition. */
export function requestIdOf(c: Context<App>): string {
  const known = c.get('requestId')
  if (known) return known
  const made = newId()
  c.set('requestId', made)
  return made
}

/** Marks every response of a deprecated path, errors included. */
function deprecate(c: Context<App>, { base, successor = '' }: Endpoint, params: Record<string, string>): void {
  c.header('Deprecation', 'true')
  c.header('Link', `<${base}${pathOf(successor, params)}>; rel="successor-version"`)
}

/** Identifies a caller without a key, and applies the endpoint's rate limit by principal or by client address. */
async function principalOf(c: Context<App>, { access, limits }: Endpoint, received: Received): Promise<Caller> {
  const principal = await access.principal?.(received)
  const own = { rate: limits?.rate ?? (principal ? ('default' as const) : ('address' as const)), id: principal?.id ?? addressOf(c) }
  for (const { rate, id } of principal?.rates ?? [own]) await limitRate(c, rate, id)
  return principal ?? { kind: 'key', key_hash: '' }
}

/** The body as text. Raw bytes are read as text only to tell one request from another, and so is a body that the endpoint does not have. */
function textOf({ content, body }: Endpoint, { bytes, headers }: Received): string {
  if (content?.as === 'raw' || !body) return new TextDecoder().decode(bytes)
  if (bytes.length > 0) assertUtf8(headers.get('content-type'))
  return utf8In(bytes)
}

/** Reads the body. A signature is verified on its exact bytes first. */
async function parsed({ body, content, limits }: Endpoint, received: Received, text: string): Promise<unknown> {
  const type = received.headers.get('content-type')
  if (content?.as === 'raw') return content.verify(received)
  if (content?.as === 'form') {
    await content.verify?.(received)
    return parseForm(text, type)
  }
  return body ? parseBody(text, type, limits?.values) : undefined
}
