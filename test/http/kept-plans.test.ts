import { expect, test } from 'vitest'
import { compile } from '../../src/data/db.ts'
import type { Plan } from '../../src/data/plan.ts'
import { check } from '../../src/http/check.ts'
import type { EndpointCtx } from '../../src/http/endpoint.ts'
import { planOf } from '../../src/http/execute.ts'
import { finish, type Request } from '../../src/http/transaction.ts'
import { operations } from '../contract/samples.ts'

const database = { url: 'postgres://nobody@127.0.0.1:9/none' }
const sent = (endpoint: Request['endpoint'], query: Record<string, string>, now: Date): Request => ({
  endpoint,
  now,
  appUrl: '',
  caller: { kind: 'key', key_hash: 'a' },
  requestId: now.toISOString(),
  input: { params: {}, query, body: {} },
})
const planned = (request: Request): Promise<Plan<unknown> | undefined> => planOf(database, request).catch(() => undefined)
const textOf = (request: Request, { statements, result }: Plan<unknown>) =>
  [...statements, finish(request, result)].map((statement) => compile(statement))

test('a plan that is kept for a query is the one that another request would get', async () => {
  const [now, later] = [new Date('2026-01-01T00:00:00Z'), new Date('2027-06-30T12:00:00Z')]
  const kept: string[] = []
  for (const { endpoint, name } of operations) {
    const [first, again] = [await planned(sent(endpoint, {}, now)), await planned(sent(endpoint, {}, later))]
    if (!first || first !== again) continue
    kept.push(name)
    const request = sent(endpoint, {}, later)
    const ctx = { now: later, requestId: 'other' } as unknown as EndpointCtx
    const own = await endpoint.plan({ ctx, ...check(endpoint, request.input) })
    expect(textOf(request, own), name).toEqual(textOf(request, first))
  }
  expect(kept).toContain('GET /contacts')
  // What is overdue, and what a caller waits for, depend on the request.
  expect(kept).not.toContain('GET /invoices')
  expect(kept).not.toContain('GET /events')
})

test('a plan that is kept for a record is the one that another record would get', async () => {
  const idsIn = (endpoint: Request['endpoint']) =>
    Object.fromEntries([...endpoint.path.matchAll(/:(\w+)/g)].map(([, name]) => [name, crypto.randomUUID() as string]))
  const kept: string[] = []
  for (const { endpoint, name } of operations.filter(({ endpoint }) => endpoint.params)) {
    const asking = () => ({ ...sent(endpoint, {}, new Date(0)), input: { params: idsIn(endpoint), query: {}, body: {} } })
    await planned(asking())
    const request = asking()
    const plan = await planned(request)
    if (!plan?.result.compiled) continue
    kept.push(name)
    const own = await endpoint.plan({ ctx: {} as EndpointCtx, ...check(endpoint, request.input) })
    expect(textOf(request, plan), name).toEqual(textOf(request, own))
    expect(JSON.stringify(textOf(request, plan)), name).toContain(Object.values(request.input.params)[0])
  }
  expect(kept).toContain('GET /contacts/:contact_id')
  expect(kept.length).toBeGreaterThan(60)
  // The cursors of its pages name the record.
  expect(kept).not.toContain('GET /contacts/:contact_id/history')
})

test('the plans of short queries that were used last are kept', async () => {
  const { endpoint } = operations.find(({ name }) => name === 'GET /contacts')!
  const asking = (query: Record<string, string>) => planned(sent(endpoint, query, new Date(0)))
  const searching = (search: string) => asking({ search })
  const [common, rare] = [await searching('common'), await searching('rare')]
  for (let index = 0; index < 250; index++) {
    await searching(`other ${index}`)
    expect(await searching('common')).toBe(common)
  }
  expect(await searching('rare')).not.toBe(rare)
  const long = { external_id: 'x'.repeat(200) }
  expect(await asking(long)).not.toBe(await asking(long))
})
