import { sql } from 'drizzle-orm'
import { type Context, Hono } from 'hono'
import { type Area, areaOf, endpointsOf, ROOTS } from '../routes/index.ts'
import { batch } from './data/batch.ts'
import { databaseOf, type Env } from './env.ts'
import { AppError } from './errors.ts'
import { receiveEmailEvent } from './features/email/callbacks/email-events.ts'
import { receiveNotetakerEvent } from './features/notetakers/callbacks/notetaker-events.ts'
import { receiveSmsEvent } from './features/sms/callbacks/sms-events.ts'
import { urlOf } from './http/endpoint.ts'
import { serveFile } from './http/files.ts'
import { nearestPath } from './http/nearest-path.ts'
import { PREFLIGHT } from './http/origins.ts'
import { pageRequest } from './http/page-requests.ts'
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

  app.all('/unsubscribe/*', async (c) =>
    (await import('../routes/campaigns/unsubscribe.ts')).unsubscribePages.fetch(c.req.raw, c.env, c.executionCtx),
  )
  for (const path of ['/book/embed/v1.js', '/book/page/v1.js'])
    app.get(path, async (c) => {
      const script = await serveAsset(c, c.req.raw)
      script.headers.set('Cache-Control', 'public, max-age=3600')
      script.headers.set('Cross-Origin-Resource-Policy', 'cross-origin')
      return script
    })
  app.all('/book/*', async (c) =>
    (await import('../routes/scheduling/booking-pages.ts')).bookingPages.fetch(pageRequest(c.req.raw), c.env, c.executionCtx),
  )
  app.all('/order/*', async (c) =>
    (await import('../routes/orders/order-pages.ts')).orderPages.fetch(pageRequest(c.req.raw), c.env, c.executionCtx),
  )
  app.all('/reputation/*', async (c) =>
    (await import('../routes/growth/reputation-pages.ts')).reputationPages.fetch(pageRequest(c.req.raw), c.env, c.executionCtx),
  )
  app.post('/payment-events/*', async (c) =>
    (await import('../routes/orders/payment-events.ts')).paymentEvents.fetch(c.req.raw, c.env, c.executionCtx),
  )
  app.all('/portal/*', async (c) =>
    (await import('../routes/portals/portal-pages.ts')).portalPages.fetch(pageRequest(c.req.raw), c.env, c.executionCtx),
  )
  app.get('/work-calendar/*', async (c) =>
    (await import('../routes/work-orders/work-calendars.ts')).workCalendars.fetch(pageRequest(c.req.raw), c.env, c.executionCtx),
  )
  app.post('/email-events/:token', async (c) => {
    const data = await receiveEmailEvent(c.env, c.req.raw, c.req.param('token'))
    return send(c, { status: 200, body: { data }, headers: {} })
  })

  app.post('/sms-events/*', async (c) => {
    await receiveSmsEvent(c.env, c.req.raw)
    return new Response('<?xml version="1.0" encoding="UTF-8"?><Response/>', { headers: { 'Content-Type': 'text/xml' } })
  })

  app.post('/notetaker-events', async (c) => {
    await receiveNotetakerEvent(c.env, c.req.raw, new Date())
    return send(c, { status: 200, body: { data: { received: true } }, headers: {} })
  })
  app.post('/transcript-events/:workspace/:transcript/:token', async (c) => {
    const { workspace, transcript, token } = c.req.param()
    await (await import('./features/transcripts/callbacks/transcript-events.ts')).receiveTranscript(c.env, c.req.raw, {
      workspace,
      transcript,
      token,
    })
    return send(c, { status: 200, body: { data: { received: true } }, headers: {} })
  })
  for (const area of ['calendar-connections', 'mailboxes'])
    app.on(['GET', 'POST'], `/${area}/callback`, async (c) =>
      (await import('../routes/accounts/grant-callback.ts')).grantCallback.fetch(c.req.raw, c.env, c.executionCtx),
    )
  app.post('/calendar-notifications/microsoft', async (c) => {
    const validation = await (await import('./features/calendars/callbacks/calendar-notifications.ts')).receiveMicrosoftNotification(
      c.env,
      c.req.raw,
    )
    return validation ?? send(c, { status: 202, body: { data: { received: true } }, headers: {} })
  })
  app.post('/calendar-notifications/google', async (c) => {
    await (await import('./features/calendars/callbacks/calendar-notifications.ts')).receiveGoogleNotification(c.env, c.req.raw)
    return send(c, { status: 200, body: { data: { received: true } }, headers: {} })
  })
  app.post('/mailbox-notifications/gmail/:token', async (c) => {
    await (await import('./features/mailboxes/callbacks/mailbox-notifications.ts')).receiveGmailNotification(
      c.env,
      c.req.raw,
      c.req.param('token'),
    )
    return send(c, { status: 200, body: { data: { received: true } }, headers: {} })
  })
  for (const path of ['/call-events/*', '/bundle-events/*'])
    app.post(path, async (c) => {
      return await (await import('./features/phone/callbacks/call-events.ts')).receivePhoneEvent(c.env, c.req.raw)
    })

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
