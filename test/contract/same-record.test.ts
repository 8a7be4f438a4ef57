import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'
import { limit } from '../speed.ts'
import type { TestWorkspace } from '../workspace.ts'
import { type Ids, idsFor, type Operation, operations, pathOf, queryOf } from './samples.ts'
import { seed } from './seed.ts'
import { sendSample } from './send.ts'

/** What only the response to a write has: secrets, which are shown once, and what the write has done. */
const SHOWN_ONCE = ['key', 'secret', 'inside', 'similar', 'already_scheduled']
const isShownOnce = ({ name }: Operation, field: string) =>
  SHOWN_ONCE.includes(field) || (name.includes('/incoming-webhooks') && field === 'path')
/** The record is gone, or is another one than that of the path. */
const NOT_READ = ['POST /phone/numbers/:phone_number_id/release', 'POST /notepads/:notepad_id/versions/:version_id/revert']
/** The background writes them at any moment. */
const LATER = ['last_failed_at', 'attempts']

let app: Harness
let ws: TestWorkspace
let ids: Ids
beforeAll(async () => {
  app = await start({ ownServer: true })
  ws = await app.workspace()
  ids = await seed(app, ws)
  await app.drain()
})
afterAll(() => app.close())

type Row = Record<string, unknown> & { id?: string }
const own = operations.filter(({ endpoint: { successor, access } }) => !successor && !access.public)
const reads = own.filter(({ endpoint }) => endpoint.method === 'GET')
const readersOf = new Set(reads.map(({ endpoint }) => endpoint.path.replace(/\/:\w+$/, '/:')))
const writes = own.filter(
  ({ name, endpoint: { method, returns } }) =>
    ['POST', 'PATCH', 'PUT'].includes(method) && ['created', 'one', 'added'].includes(returns.as) && !NOT_READ.includes(name),
)

/** The fields of a record that a reader of the record alone sees with another value. */
async function differing(operation: Operation, row: Row, path: string): Promise<string[]> {
  const { status, body } = await ws.get(path)
  if (status !== 200 || body.data.id !== row.id) return [`${operation.name} ${path}: ${status}`]
  const fields = Object.keys(row).filter((field) => !isShownOnce(operation, field) && !LATER.includes(field))
  return fields
    .filter((field) => !isDeepStrictEqual(row[field], body.data[field]))
    .map((field) => `${operation.name} ${field}: ${JSON.stringify(row[field])} and ${JSON.stringify(body.data[field])}`)
}

test('a list shows each record as it is alone', { timeout: limit(120_000) }, async () => {
  const faults: string[] = []
  let compared = 0
  for (const list of reads.filter(({ endpoint }) => readersOf.has(`${endpoint.path}/:`))) {
    const known = idsFor(list, ids)
    const path = pathOf(list.endpoint, known)
    const { body } = await ws.get(`${path}?${new URLSearchParams(queryOf(list, known))}`)
    const rows: Row[] = Array.isArray(body.data) ? body.data.filter(({ id }: Row) => id).slice(0, 5) : []
    for (const row of rows) faults.push(...(await differing(list, row, `${path}/${row.id}`)))
    compared += rows.length
  }
  expect(faults).toEqual([])
  expect(compared).toBeGreaterThan(150)
})

test('a write responds with the record as it is read', { timeout: limit(120_000) }, async () => {
  const faults: string[] = []
  let compared = 0
  // What the writes lead to in the background begins after the comparison.
  await app.capture(true)
  for (const write of writes) {
    const { body, status } = await sendSample(app, ws, write, ids)
    const path = status < 300 && body.data?.id && readPath(write, body.data.id)
    if (!path) continue
    faults.push(...(await differing(write, body.data, path)))
    compared++
  }
  await app.capture(false)
  expect(faults).toEqual([])
  expect(compared).toBeGreaterThan(150)
})

/** The path that reads what was written: that of the write, or of the new record, or of the record whose state was changed. */
function readPath({ name, endpoint }: Operation, id: string): string | undefined {
  const path = pathOf(endpoint, idsFor({ name, endpoint } as Operation, ids))
  const [, item] = /^(.*\/:\w+)\/[\w-]+$/.exec(endpoint.path) ?? []
  if (readersOf.has(`${endpoint.path}/:`)) return `${path}/${id}`
  if (readersOf.has(endpoint.path.replace(/\/:\w+$/, '/:')) && endpoint.path.includes(':')) return path
  if (item && readersOf.has(item.replace(/\/:\w+$/, '/:')) && path.includes(`/${id}/`)) return path.replace(/\/[\w-]+$/, '')
  return endpoint.path.endsWith('/upsert') ? path.replace(/\/upsert$/, `/${id}`) : undefined
}
