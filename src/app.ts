import { sql } from 'drizzle-orm'
import { type Context, Hono } from 'hono'
import { type Area, areaOf } from '../routes/index.ts'
import { batch } from './data/batch.ts'
import { databaseOf, type Env } from './env.ts'
import { AppError } from './errors.ts'
import { type Endpoint, isWrite, pathOf } from './http/endpoint.ts'
import { type Caller, execute, type Outcome } from './http/execute.ts'
import { filesOf, serveFile } from './http/files.ts'
import { idempotencyOf, ifMatchOf, keyOf, parseBody, queryOf, textOf } from './http/receive.ts'
import { logRequest, shouldLog } from './http/request-log.ts'
import { type Answered, refuse, respond } from './http/respond.ts'
import { newId } from './lib/ids.ts'

/** What has come to be known of a request on its way. */
type Known = { begun: number; endpoint?: Endpoint; caller?: Caller; outcome?: Outcome }
type App = { Bindings: Env; Variables: { requestId?: string; known?: Known } }

const apps = new Map<Area | undefined, Promise<Hono<App>>>()

/** The application that serves a URL: its area's, or the one for what is not below /v1. Made when it is first asked for. */
export function appFor(url: string): Promise<Hono<App>> {
  const area = areaOf(/^\w+:\/\/[^/]*\/v1(\/[^?#]*)/.exec(url)?.[1] ?? '')
  const found = apps.get(area) ?? (area ? area.load().then(({ endpoints }) => createApp(endpoints)) : Promise.resolve(createApp([])))
  apps.set(area, found)
  return found
}

function createApp(endpoints: Endpoint[]): Hono<App> {
  const app = new Hono<App>()
  app.get('/healthz', async (c) => {
    await batch(databaseOf(c.env), [sql`select 1`])
    return send(c, { status: 200, body: { data: { status: 'ok' } }, headers: {} })
  })
  for (const path of ['/', '/v1', '/v1/']) app.get(path, welcome)
  for (const name of ['openapi.json', 'openapi.legacy.json'])
    app.get(`/v1/${name}`, (c) => c.env.ASSETS.fetch(new URL(`/docs/${name}`, c.req.url)))
  app.get('/files/*', async (c) => {
    const file = await serveFile(c.env, c.req.raw, new Date())
    file.headers.set('X-Request-Id', requestIdOf(c))
    return file
  })

  for (const endpoint of endpoints) app.on(endpoint.method, `/v1${endpoint.path}`, (c) => serve(c, endpoint))

  app.notFound((c) => {
    const allowed = [...new Set(endpoints.filter(({ path }) => pattern(path).test(c.req.path)).map(({ method }) => method))]
    if (allowed.length === 0) return answer(c, new AppError('NOT_FOUND', 'No such path'))
    c.header('Allow', allowed.join(', '))
    return answer(c, new AppError('METHOD_NOT_ALLOWED', `This path allows ${allowed.join(', ')}`))
  })
  app.onError((error, c) => answer(c, error))
  return app
}

/** Browsers are sent to the documentation; programs learn where it is. */
function welcome(c: Context<App>): Response {
  if (c.req.header('accept')?.includes('text/html')) return c.redirect('/docs/', 302)
  return send(c, { status: 200, body: { data: WELCOME }, headers: {} })
}

const WELCOME = {
  name: 'Workspace CRM API',
  base_url: '/v1',
  docs_url: '/docs/',
  quickstart_url: '/docs/guides/quickstart',
  openapi_url: '/v1/openapi.json',
}

const pattern = (path: string) => new RegExp(`^/v1${path.replace(/:\w+/g, '[^/]+')}$`)

/** Made when first asked for: a middleware would cost every request a composition. */
function requestIdOf(c: Context<App>): string {
  const known = c.get('requestId')
  if (known) return known
  const made = newId()
  c.set('requestId', made)
  return made
}

async function serve(c: Context<App>, endpoint: Endpoint): Promise<Response> {
  const known: Known = { begun: Date.now(), endpoint }
  c.set('known', known)
  const request = c.req.raw
  const params = c.req.param() as Record<string, string>
  if (endpoint.successor) deprecate(c, endpoint.successor, params)
  const caller = await callerOf(c, endpoint)
  known.caller = caller
  const writes = isWrite(endpoint)
  const text = (writes || endpoint.body) && !endpoint.upload ? await textOf(request) : ''
  const outcome = await execute(databaseOf(c.env), {
    endpoint,
    caller,
    input: { params, query: queryOf(request.url), body: endpoint.body ? parseBody(text, request.headers.get('content-type')) : undefined },
    requestId: requestIdOf(c),
    now: new Date(),
    ifMatch: writes ? ifMatchOf(request.headers) : undefined,
    idempotency: writes ? await idempotencyOf(request, text) : undefined,
    files: filesOf(c.env, request, endpoint.upload === true ? undefined : endpoint.upload),
  })
  known.outcome = outcome
  if (outcome.actor && outcome.delivers)
    c.executionCtx.waitUntil(c.env.EVENTS.send({ type: 'events.deliver', workspace_id: outcome.actor.workspace_id }).catch(() => {}))
  return answer(c, undefined, respond(endpoint, params, outcome))
}

/** Answers, and logs the request after the answer. */
function answer(c: Context<App>, error: unknown, answered: Answered = refuse(error, requestIdOf(c))): Response {
  const { begun, ...known } = c.get('known') ?? { begun: Date.now() }
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
  return send(c, answered)
}

/** An older path says so in every answer, refusals included. */
function deprecate(c: Context<App>, successor: string, params: Record<string, string>): void {
  c.header('Deprecation', 'true')
  c.header('Link', `</v1${pathOf(successor, params)}>; rel="successor-version"`)
}

async function callerOf(c: Context<App>, endpoint: Endpoint): Promise<Caller> {
  if (endpoint.public) return { key_hash: '' }
  const { public_id, key_hash } = await keyOf(c.req.raw.headers)
  await within(c, c.env.RATE_LIMIT, public_id, '"default";q=100;w=10')
  if (endpoint.sends) await within(c, c.env.SEND_RATE_LIMIT, public_id, '"sends";q=20;w=10')
  return { key_hash }
}

async function within(c: Context<App>, limiter: RateLimit, key: string, policy: string): Promise<void> {
  const { success } = await limiter.limit({ key })
  if (success) return
  c.header('RateLimit-Policy', policy)
  throw new AppError('RATE_LIMITED', 'Too many requests with this key: wait and try again', undefined, 10)
}

function send(c: Context<App>, { status, body, text = JSON.stringify(body), stream, headers }: Answered): Response {
  return c.body(stream ?? text, status as 200, {
    'Content-Type': 'application/json',
    'X-Request-Id': requestIdOf(c),
    'Cache-Control': 'no-store',
    ...headers,
  })
}
