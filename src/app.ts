import { sql } from 'drizzle-orm'
import { type Context, Hono } from 'hono'
import { type Area, areaOf } from '../routes/index.ts'
import { batch } from './data/batch.ts'
import { databaseOf } from './env.ts'
import { AppError } from './errors.ts'
import { urlOf } from './http/endpoint.ts'
import { serveFile } from './http/files.ts'
import type { Api } from './http/router.ts'
import { type App, answer, requestIdOf, send } from './http/serve.ts'

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

  for (const { path, router } of apis.flatMap(({ mounts }) => mounts)) app.route(path, router)
  const endpoints = apis.flatMap(({ endpoints }) => endpoints)

  app.notFound((c) => {
    const allowed = [...new Set(endpoints.filter((endpoint) => pattern(urlOf(endpoint)).test(c.req.path)).map(({ method }) => method))]
    if (allowed.length === 0) return answer(c, new AppError('NOT_FOUND', 'No such path'))
    c.header('Allow', allowed.join(', '))
    return answer(c, new AppError('METHOD_NOT_ALLOWED', `This path allows ${allowed.join(', ')}`))
  })
  app.onError((error, c) => answer(c, error))
  return app
}

/** Redirects browsers to the documentation, and returns its address to programs. */
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

const pattern = (path: string) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`)
