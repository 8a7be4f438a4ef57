import { sql } from 'drizzle-orm'
import { type Context, Hono } from 'hono'
import { type Area, areaOf, endpointsOf, ROOTS } from '../routes/index.ts'
import { type Callback, OUTSIDE, type Outside } from '../routes/outside.ts'
import { batch } from './data/batch.ts'
import { databaseOf, type Env } from './env.ts'
import { AppError } from './errors.ts'
import { urlOf } from './http/endpoint.ts'
import { serveFile } from './http/files.ts'
import { nearestPath } from './http/nearest-path.ts'
import { PREFLIGHT } from './http/origins.ts'
import { addressOf, limitRate, policiesOf } from './http/rate-limits.ts'
import type { Api } from './http/router.ts'
import { type App, answer, requestIdOf, send } from './http/serve.ts'
import { withOrigin } from './http/served-document.ts'

const apps = new Map<Area | undefined, Promise<Hono<App>>>()

/** The application that serves a URL: that of its area, or one for paths outside every area. It is created on first use. */
export function appFor(url: string): Promise<Hono<App>> {
  const area = areaOf(/^\w+:\/\/[^/]*(\/[^?#]*)/.exec(url)?.[1] ?? '')
  const found = apps.get(area) ?? (area ? area.load().then(({ apis }) => createApp(apis)) : Promise.resolve(createApp([])))
  apps.set(area, found)
  return found
}

export function createApp(apis: Api[]): Hono<App> {
  const app = new Hono<App>()
  app.get('/healthz', async (c) => {
    await checkDatabase(c.env)
    return send(c, { status: 200, body: { data: { status: 'ok' } }, headers: {} })
  })
  for (const path of ['/', '/v1', '/v1/']) app.get(path, welcome)
  for (const name of ['openapi.json', 'openapi.legacy.json'])
    app.get(`/v1/${name}`, async (c) => {
      const document = withOrigin(
        await serveAsset(c, new Request(new URL(`/docs/${name}`, c.req.url), c.req.raw)),
        new URL(c.req.url).origin,
      )
      document.headers.set('Access-Control-Allow-Origin', '*')
      document.headers.set('RateLimit-Policy', policiesOf(false))
      return document
    })
  app.get('/docs/*', (c) => serveAsset(c, c.req.raw))
  app.get('/files/*', async (c) => {
    const file = await serveFile(c.env, c.req.raw, new Date())
    file.headers.set('X-Request-Id', requestIdOf(c))
    return file
  })

  for (const path of ['/images/*', '/public-images/*'])
    app.get(path, async (c) => {
      const { serveImage, servePublicImage } = await import('./features/files/callbacks/images.ts')
      const later = (work: Promise<unknown>) => c.executionCtx.waitUntil(work)
      const image = await (path === '/images/*' ? serveImage(c.env, c.req.raw, later) : servePublicImage(c.env, c.req.raw))
      image.headers.set('X-Request-Id', requestIdOf(c))
      return image
    })
  app.options('/public-image-upload', async (c) =>
    c.body(null, 204, { ...(await import('./features/files/callbacks/images.ts')).OPEN_TO_ALL, 'X-Request-Id': requestIdOf(c) }),
  )
  app.post('/public-image-upload', async (c, next) => {
    for (const [name, value] of Object.entries((await import('./features/files/callbacks/images.ts')).OPEN_TO_ALL)) c.header(name, value)
    return next()
  })

  for (const path of ['/book/embed/v1.js', '/book/page/v1.js'])
    app.get(path, async (c) => {
      const script = await serveAsset(c, c.req.raw)
      script.headers.set('Cache-Control', 'public, max-age=3600')
      script.headers.set('Cross-Origin-Resource-Policy', 'cross-origin')
      return script
    })
  for (const outside of OUTSIDE) app.on(outside.methods, outside.path, (c) => serveOutside(c, outside))

  // The limits are those of the request that follows.
  app.options('/v1/*', (c) => c.body(null, 204, { ...PREFLIGHT, 'RateLimit-Policy': policiesOf(true), 'X-Request-Id': requestIdOf(c) }))
  for (const { path, router } of apis.flatMap(({ mounts }) => mounts)) app.route(path, router)
  const endpoints = apis.flatMap(({ endpoints }) => endpoints)

  app.notFound(async (c) => {
    await limitRate(c, 'address', addressOf(c))
    c.header('RateLimit-Policy', policiesOf(false))
    const allowed = [...new Set(endpoints.filter((endpoint) => pattern(urlOf(endpoint)).test(c.req.path)).map(({ method }) => method))]
    const isPath = allowed.length > 0
    const meant = await nearestPath(c.req.path, { roots: ROOTS, pathsOf: (root) => pathsOf(root, isPath ? c.req.method : undefined) })
    if (!isPath) {
      return answer(c, new AppError('NOT_FOUND', meant ? `No such path: did you mean ${meant}?` : NO_PATH))
    }
    c.header('Allow', allowed.join(', '))
    return answer(c, new AppError('METHOD_NOT_ALLOWED', `This path allows ${allowed.join(', ')}${meant ? `: did you mean ${meant}?` : ''}`))
  })
  app.onError((error, c) => answer(c, error))
  return app
}

/** Serves a path outside /v1. Every response names the request. */
async function serveOutside(c: Context<App>, outside: Outside): Promise<Response> {
  const response = 'pages' in outside ? await pageOf(c, outside) : await replyOf(c, await outside.callback())
  if (!response.headers.has('X-Request-Id')) response.headers.set('X-Request-Id', requestIdOf(c))
  return response
}

const pageOf = async (c: Context<App>, { pages, read }: Extract<Outside, { pages: unknown }>) =>
  (await pages()).fetch(read(c.req.raw), c.env, c.executionCtx)

async function replyOf(c: Context<App>, receive: Callback): Promise<Response> {
  const reply = await receive({ env: c.env, request: c.req.raw, params: c.req.param(), now: new Date() })
  return reply instanceof Response ? reply : send(c, { status: reply.status ?? 200, body: { data: reply.data }, headers: {} })
}

const NO_PATH = 'No such path: the paths are in the reference at /docs/, and in /v1/openapi.json'

/** The paths of the area that serves a root, or those of one method. */
async function pathsOf(root: string, wanted: string | undefined): Promise<string[]> {
  const area = areaOf(`/v1/${root}`)
  const found = area ? await endpointsOf(area) : []
  return [...new Set(found.filter(({ method }) => !wanted || method === wanted).map(urlOf))]
}

/** An asset of the documentation, as a response whose headers may be changed. */
async function serveAsset(c: Context<App>, request: Request): Promise<Response> {
  const asset = await c.env.ASSETS.fetch(request)
  const response = new Response(asset.body, asset)
  response.headers.set('X-Request-Id', requestIdOf(c))
  return response
}

/** Milliseconds for which this isolate takes the database for reachable after it has answered, so that anyone's checks cost it little. */
const HEALTHY_MS = 5_000
let healthyUntil = 0

/** @throws UNAVAILABLE. A failure is not remembered. */
async function checkDatabase(env: Env): Promise<void> {
  if (Date.now() < healthyUntil) return
  await batch(databaseOf(env), [sql`select 1`])
  healthyUntil = Date.now() + HEALTHY_MS
}

/** Redirects browsers to the documentation, and returns its address to programs. */
function welcome(c: Context<App>): Response {
  if (c.req.header('accept')?.includes('text/html')) {
    c.header('X-Request-Id', requestIdOf(c))
    return c.redirect('/docs/', 302)
  }
  return send(c, { status: 200, body: { data: WELCOME }, headers: { 'RateLimit-Policy': policiesOf(false) } })
}

const WELCOME = {
  name: 'Workspace CRM API',
  base_url: '/v1',
  docs_url: '/docs/',
  quickstart_url: '/docs/guides/quickstart',
  openapi_url: '/v1/openapi.json',
}

const pattern = (path: string) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`)
