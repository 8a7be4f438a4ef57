import { createHmac, timingSafeEqual } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { Hono } from 'hono'
import * as v from 'valibot'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allEndpoints } from '../../routes/index.ts'
import { products } from '../../schema/index.ts'
import { createApp } from '../../src/app.ts'
import { db } from '../../src/data/db.ts'
import { plan, read, withOutside } from '../../src/data/plan.ts'
import { constant, oneOrThrow } from '../../src/data/query.ts'
import { Streamed } from '../../src/data/streamed.ts'
import { AppError } from '../../src/errors.ts'
import { type Access, form, html, type Received, raw, scopes, stream, text } from '../../src/http/modes.ts'
import { openapi } from '../../src/http/openapi/document.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { newId } from '../../src/lib/ids.ts'
import { isSigned, signPath } from '../../src/lib/signed-paths.ts'
import { startInProcess } from './in-process.ts'

const SECRET = 'shared-with-the-provider'
const signatureOf = (bytes: Uint8Array | string) => createHmac('sha256', SECRET).update(bytes).digest('hex')

function verify({ bytes, headers }: Received): void {
  const [sent, own] = [headers.get('x-signature') ?? '', signatureOf(bytes)]
  if (sent.length !== own.length || !timingSafeEqual(Buffer.from(sent), Buffer.from(own)))
    throw new AppError('UNAUTHENTICATED', 'The signature does not match the body')
}

const open: Access = { scopes: [], public: true }
const router = new Hono<App>()
const api = endpoints(router, { path: '/samples', tag: 'Samples' })
const outsideRouter = new Hono<App>()
const outside = endpoints(outsideRouter, { base: '', path: '/hooks', tag: 'Hooks' })
/** Mounted when every endpoint is registered: `app.route` copies the routes of a router. */
let served: Hono<App>

/** What the holder of the link of a workspace may do. */
const linked = new Map<string, string>()

/** What the provider was asked to do, and whether it is down. */
const provider = { calls: [] as string[], down: false }

api.get(
  '/text',
  {
    id: 'getText',
    summary: 'Get a text',
    access: open,
    query: v.strictObject({ name: v.pipe(v.string(), v.minLength(1)) }),
    returns: text(200),
  },
  ({ query }) => read(constant(`Hello ${query.name}`)),
)
api.get(
  '/page/:name',
  { id: 'getPage', summary: 'Get a page', access: open, params: v.object({ name: v.string() }), returns: html() },
  ({ params }) => {
    if (params.name === 'gone') throw new AppError('NOT_FOUND', 'No page <gone> here')
    return read(constant('<!doctype html><title>Sample</title>'))
  },
)
api.get(
  '/stream',
  { id: 'followSamples', summary: 'Follow samples', access: scopes('products:read'), returns: stream(['text/event-stream'], v.string()) },
  () =>
    read(
      constant(
        new Streamed('text/event-stream', async function* () {
          yield 'data: 1\n\n'
          yield 'data: 2\n\n'
        }),
      ),
    ),
)
const Form = v.strictObject({ From: v.string(), Body: v.pipe(v.string(), v.maxLength(20)) })
outside.post(
  '/form',
  { id: 'receiveForm', summary: 'Receive a form', access: open, body: form(Form, verify), returns: text(), limits: { rate: 'sends' } },
  ({ body }) => read(constant(`${body.From}: ${body.Body}`)),
)
outside.post(
  '/raw',
  {
    id: 'receiveEvent',
    summary: 'Receive an event',
    access: open,
    body: raw((request) => {
      verify(request)
      return { length: request.bytes.length, last: request.bytes.at(-1) }
    }),
    returns: v.object({ length: v.number(), last: v.optional(v.number()) }),
    limits: { body: 100 },
  },
  ({ body }) => read(constant(body)),
)
outside.get(
  '/link/:workspace_id',
  {
    id: 'listLinkedProducts',
    summary: 'List products, as the holder of a signed link',
    access: {
      scopes: ['products:read'],
      principal({ url, env, now }) {
        if (!isSigned(env.FILE_SECRET, new URL(url), now)) throw new AppError('UNAUTHENTICATED', 'This link has expired or was altered')
        const id = new URL(url).pathname.split('/').at(-1) as string
        return { kind: 'public_token', id, grant: sql`select ${linked.get(id) ?? null}::jsonb` }
      },
    },
    params: v.object({ workspace_id: v.string() }),
    query: v.strictObject({ expires: v.string(), signature: v.string() }),
    returns: v.object({ count: v.number() }),
  },
  () => read(oneOrThrow(db.select({ count: sql<number>`count(*)::int`.as('count') }).from(products), 'workspace')),
)
api.post(
  '/send',
  {
    id: 'sendSample',
    summary: 'Send a sample',
    access: scopes('products:write'),
    body: v.strictObject({ name: v.string() }),
    returns: v.object({ id: v.string(), name: v.string() }),
  },
  ({ body }) => {
    const id = newId()
    const current = (of: { id: string }) =>
      oneOrThrow(db.select({ id: products.id, name: products.name }).from(products).where(sql`${products.id} = ${of.id}`), 'sample')
    return withOutside(plan([db.insert(products).values({ id, name: `${body.name}: reserved` } as never)], current({ id })), {
      call: async (reserved) => {
        provider.calls.push(reserved.id)
        if (provider.down) throw new Error('the provider is down')
        return 'sent'
      },
      settle: (reserved, called) => [
        sql`update products set name = ${`${body.name}: ${called.ok ? called.value : 'unclear'}`} where id = ${reserved.id}`,
      ],
      result: current,
    })
  },
)
const Schedule = v.strictObject({ name: v.string() })
api.post(
  '/schedules',
  {
    id: 'describeSchedule',
    summary: 'Describe a schedule',
    access: scopes('products:read'),
    effect: 'read',
    body: Schedule,
    returns: Schedule,
  },
  ({ body }) => read(constant(body)),
)
api.post(
  '/event-schedules',
  {
    id: 'describeScheduleLegacy',
    summary: 'Describe a schedule (legacy)',
    access: scopes('products:read'),
    effect: 'read',
    body: v.strictObject({ event_name: v.string() }),
    returns: Schedule,
    successor: '/samples/schedules',
  },
  ({ body }) => read(constant({ name: body.event_name })),
)

let app: Awaited<ReturnType<typeof startInProcess>>
beforeAll(async () => {
  app = await startInProcess()
  served = createApp([api, outside])
})
afterAll(() => app.close())

const typeOf = (response: Response) => response.headers.get('content-type')
const JSON_BODY = { 'content-type': 'application/json' }
const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>) => ({ method: 'POST', body, headers })

test('text is sent as it is, and a failure too is a text of status 200', async () => {
  const found = await app.call(served, '/v1/samples/text?name=Ana')
  expect([found.status, typeOf(found), await found.text()]).toEqual([200, 'text/plain; charset=utf-8', 'Hello Ana'])
  const refused = await app.call(served, '/v1/samples/text?name=')
  expect([refused.status, typeOf(refused)]).toEqual([200, 'text/plain; charset=utf-8'])
  expect(await refused.text()).toMatch(/^VALIDATION_ERROR: /)
})

test('a page is HTML that runs nothing, and so is its error, with its own status', async () => {
  const page = await app.call(served, '/v1/samples/page/one')
  expect([page.status, typeOf(page), await page.text()]).toEqual([200, 'text/html; charset=utf-8', '<!doctype html><title>Sample</title>'])
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  const gone = await app.call(served, '/v1/samples/page/gone')
  expect([gone.status, typeOf(gone)]).toEqual([404, 'text/html; charset=utf-8'])
  expect(await gone.text()).toContain('No page &lt;gone&gt; here')
})

test('a stream is sent piece by piece', async () => {
  const followed = await app.callWithKey(served, '/v1/samples/stream')
  expect([typeOf(followed), await followed.text()]).toEqual(['text/event-stream', 'data: 1\n\ndata: 2\n\n'])
})

test('a signed form outside /v1 is verified, checked and counted by address', async () => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'cf-connecting-ip': '192.0.2.1' }
  const body = 'From=%2B61&Body=Hello'
  const signed = (text: string) => post(text, { ...headers, 'x-signature': signatureOf(text) })
  expect(await (await app.call(served, '/hooks/form', signed(body))).text()).toBe('+61: Hello')
  const trips = app.trips()
  expect((await app.call(served, '/hooks/form', post(`${body}!`, { ...headers, 'x-signature': signatureOf(body) }))).status).toBe(401)
  expect(app.trips()).toBe(trips)
  expect((await app.call(served, '/hooks/form', signed(body))).status).toBe(429)
  expect(app.limited.SEND_RATE_LIMIT).toEqual(['192.0.2.1', '192.0.2.1', '192.0.2.1'])
})

test('a signed raw body keeps its bytes, and has a limit of its own', async () => {
  const bytes = new Uint8Array([0, 255, 128])
  const received = await app.call(served, '/hooks/raw', post(bytes, { 'x-signature': signatureOf(bytes) }))
  expect([received.status, await received.json()]).toEqual([200, { data: { length: 3, last: 128 } }])
  expect((await app.call(served, '/hooks/raw', post(bytes, { 'x-signature': signatureOf('other') }))).status).toBe(401)
  expect((await app.call(served, '/hooks/raw', post('x'.repeat(101), {}))).status).toBe(413)
  const wrong = await app.call(served, '/hooks/raw')
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST'])
})

test('the holder of a signed link sees the workspace that it names, and no altered link opens one', async () => {
  await app.owner.query('insert into products (workspace_id, id, name) values ($1, $2, $3)', [app.workspace.id, newId(), 'Linked'])
  const link = signPath(app.env.FILE_SECRET, `/hooks/link/${app.workspace.id}`, Math.floor(Date.now() / 1000) + 60)
  const { rows } = await app.owner.query('select count(*)::int from products where workspace_id = $1', [app.workspace.id])
  const grant = (fields: object) => linked.set(app.workspace.id, JSON.stringify({ workspace_id: app.workspace.id, ...fields }))
  const refusal = async () => {
    const response = await app.call(served, link)
    return [response.status, ((await response.json()) as { error: { code: string } }).error.code]
  }
  expect(await refusal(), 'no grant').toEqual([401, 'UNAUTHENTICATED'])
  grant({ scopes: ['contacts:read'] })
  expect(await refusal(), 'another scope').toEqual([403, 'INSUFFICIENT_SCOPE'])
  grant({ scopes: ['products:*'], expires_at: new Date(Date.now() - 1000) })
  expect(await refusal(), 'an expired grant').toEqual([401, 'UNAUTHENTICATED'])
  grant({ scopes: ['products:*'], expires_at: new Date(Date.now() + 60_000) })
  expect(await (await app.call(served, link)).json()).toEqual({ data: rows[0] })
  expect((await app.call(served, link.replace(app.workspace.id, newId()))).status).toBe(401)
})

test('an older path may take another body, and names its successor', async () => {
  const older = await app.callWithKey(served, '/v1/samples/event-schedules', post('{"event_name":"Demo"}', JSON_BODY))
  expect([older.status, await older.json()]).toEqual([200, { data: { name: 'Demo' } }])
  expect(older.headers.get('link')).toBe('</v1/samples/schedules>; rel="successor-version"')
  expect((await app.callWithKey(served, '/v1/samples/schedules', post('{"event_name":"Demo"}', JSON_BODY))).status).toBe(400)
})

test('an outside effect is reserved, called once and settled; a dry run and a held write do not call', async () => {
  const send = async (query: string, fields: object, headers: Record<string, string> = {}) => {
    const response = await app.callWithKey(served, `/v1/samples/send${query}`, post(JSON.stringify(fields), { ...JSON_BODY, ...headers }))
    return { status: response.status, body: (await response.json()) as { data: { id: string; name: string } } }
  }
  expect((await send('?dry_run=true', { name: 'A' })).body.data.name).toBe('A: reserved')
  expect((await send('', { name: 'A', require_approval: true })).status).toBe(202)
  expect(provider.calls).toEqual([])
  const first = await send('', { name: 'A' }, { 'idempotency-key': 'once' })
  const again = await send('', { name: 'A' }, { 'idempotency-key': 'once' })
  expect([first.body.data.name, again.body]).toEqual(['A: sent', first.body])
  expect(provider.calls).toEqual([first.body.data.id])
  provider.down = true
  expect((await send('', { name: 'B' })).body.data.name).toBe('B: unclear')
})

test('each mode is documented as it is served', async () => {
  // Error responses refer to schemas of the real endpoints.
  const { paths } = openapi([...(await allEndpoints()), ...api.endpoints, ...outside.endpoints])
  // biome-ignore lint/suspicious/noExplicitAny: a document is walked
  const of = (path: string, method: string) => (paths as Record<string, any>)[path]?.[method]
  expect(Object.keys(of('/samples/text', 'get').responses[200].content)).toEqual(['text/plain'])
  expect(Object.keys(of('/samples/page/{name}', 'get').responses[200].content)).toEqual(['text/html'])
  expect(Object.keys(of('/hooks/form', 'post').requestBody.content)).toEqual(['application/x-www-form-urlencoded'])
  expect(Object.keys(of('/hooks/raw', 'post').requestBody.content)).toEqual(['*/*'])
  expect([of('/hooks/raw', 'post').servers, of('/samples/text', 'get').servers]).toEqual([[{ url: '/' }], undefined])
})
