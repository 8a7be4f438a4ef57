import { Hono } from 'hono'
import * as v from 'valibot'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { productsRouter } from '../../routes/products.ts'
import { createApp } from '../../src/app.ts'
import { read } from '../../src/data/plan.ts'
import { constant } from '../../src/data/query.ts'
import type { Spec } from '../../src/http/endpoint.ts'
import { listOf, scopes } from '../../src/http/modes.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { startInProcess } from './in-process.ts'

/** Every key of an endpoint's definition; the compiler asks for a new one here. */
const KEYS: Record<keyof Spec, true> = {
  id: true,
  summary: true,
  description: true,
  access: true,
  params: true,
  query: true,
  body: true,
  effect: true,
  returns: true,
  errors: true,
  limits: true,
  successor: true,
}

let app: Awaited<ReturnType<typeof startInProcess>>
beforeAll(async () => {
  app = await startInProcess()
})
afterAll(() => app.close())

const JSON_BODY = { 'content-type': 'application/json' }

test('the definition of an endpoint has at most twelve keys', () => {
  expect(Object.keys(KEYS).length).toBeLessThanOrEqual(12)
})

test("a resource's router can be called by itself", async () => {
  const created = await app.callWithKey(productsRouter, '/', {
    method: 'POST',
    headers: JSON_BODY,
    body: JSON.stringify({ name: 'Workstation', price: 1200 }),
  })
  const { data } = (await created.json()) as { data: { id: string } }
  expect([created.status, created.headers.get('location')]).toEqual([201, `/v1/products/${data.id}`])
  const found = await app.callWithKey(productsRouter, `/${data.id}`)
  expect(await found.json()).toMatchObject({ data: { id: data.id, name: 'Workstation' } })
  const refused = await app.call(productsRouter, '/')
  expect([refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([401, 'UNAUTHENTICATED'])
})

test('middleware of one resource runs for its endpoints, under its older path too, and for no other', async () => {
  const [router, older, other] = [new Hono<App>(), new Hono<App>(), new Hono<App>()]
  for (const own of [router, older])
    own.use(async (c, next) => {
      await next()
      c.header('X-Resource', 'things')
    })
  const api = endpoints(router, { path: '/things', tag: 'Things', legacy: { router: older, path: '/items', tag: 'Items (legacy)' } })
  const others = endpoints(other, { path: '/others', tag: 'Others' })
  const spec = { summary: 'Get a number', access: scopes(), returns: v.number() }
  api.get('', { ...spec, id: 'getThing' }, () => read(constant(1)))
  others.get('', { ...spec, id: 'getOther' }, () => read(constant(2)))
  const served = createApp([api, others])
  const headersOf = async (path: string) => (await app.callWithKey(served, path)).headers
  expect((await headersOf('/v1/things')).get('x-resource')).toBe('things')
  const legacy = await headersOf('/v1/items')
  expect([legacy.get('x-resource'), legacy.get('deprecation'), legacy.get('link')]).toEqual([
    'things',
    'true',
    '</v1/things>; rel="successor-version"',
  ])
  expect((await headersOf('/v1/others')).get('x-resource')).toBeNull()
  expect(api.endpoints.map(({ id, path }) => `${id} ${path}`)).toEqual(['getThing /things', 'getThingLegacy /items'])
})

test('the compiler refuses a list whose plan results in no page', () => {
  const scratch = endpoints(new Hono<App>(), { path: '/scratch', tag: 'Scratch' })
  const spec = { id: 'listScratch', summary: 'List scratch', access: scopes(), returns: listOf(v.number()) }
  const single = () => read(constant(1))
  // @ts-expect-error: a list results in a page
  scratch.get('', spec, single)
  expect(scratch.endpoints).toHaveLength(1)
})
