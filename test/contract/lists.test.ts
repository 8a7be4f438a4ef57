import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isList } from '../../src/http/endpoint.ts'
import type { JsonSchema } from '../../src/http/openapi/schemas.ts'
import { type Harness, start } from '../harness.ts'
import { limit } from '../speed.ts'
import type { TestWorkspace } from '../workspace.ts'
import { compared, EMPTY, FORM, NOT_COMPARED, type Row, selected } from './list-oracle.ts'
import { otherValues } from './other-values.ts'
import { bodyOf, type Ids, idFor, idsFor, type Operation, operations, pathOf, queryOf } from './samples.ts'
import { seed } from './seed.ts'
import { sendSample } from './send.ts'

/** Compares each order and each filter of every list, page by page, with the whole list that is sorted and filtered here. */

let app: Harness
let ws: TestWorkspace
let ids: Ids
beforeAll(async () => {
  app = await start()
  ws = await app.workspace()
  ids = await seed(app, ws)
  for (const list of lists) await addOthers(list)
}, limit(120_000))
afterAll(() => app.close())

type Properties = Record<string, JsonSchema>
type Query = Record<string, string>

const parametersOf = ({ query }: Operation) => query.properties as Properties
const isChecked = (list: Operation, name: string) => !FORM.includes(name) && !NOT_COMPARED[name] && !NOT_COMPARED[`${list.name} ${name}`]

const lists = operations.filter(
  ({ name, endpoint }) => isList(endpoint) && endpoint.method === 'GET' && !endpoint.successor && !NOT_COMPARED[name],
)

/** The values that are tried of each filter of the records that are created. */
const MOST_VALUES = 5

/** Records that differ from the sample in what the list filters by. */
async function addOthers(list: Operation): Promise<void> {
  const { path } = list.endpoint
  const parent = /:(\w+)\/([\w-]+)$/.exec(path)
  const create = [path, ...(parent ? [`/${parent[2]}`] : [])]
    .map((at) => operations.find(({ name }) => name === `POST ${at}`))
    .find(Boolean)
  if (!create) return
  const fields = (create.body?.properties ?? {}) as Properties
  const link = parent && Object.keys(fields).find((field) => idFor(field, ids) === ids[parent[1] as string])
  const own = idsFor(create, ids)
  const sample = () => ({ ...bodyOf(create, own), ...(link && { [link]: idFor(link, ids) }) })
  for (const [field, schema] of Object.entries(fields).filter(([name]) => name in parametersOf(list) && name !== link)) {
    const values = otherValues(field, schema, undefined, (sample() as Row)[field], [])
    for (const value of values.slice(0, MOST_VALUES)) await sendSample(app, ws, create, ids, { body: { ...sample(), [field]: value } })
  }
}

/** All pages of a list, and what it counts. */
async function read(list: Operation, query: Query = {}, size = 100): Promise<{ rows: Row[]; count: number | undefined }> {
  const own = idsFor(list, ids)
  const form: Query = {
    ...('limit' in parametersOf(list) && { limit: String(size) }),
    ...('count' in parametersOf(list) && { count: 'true' }),
  }
  const rows: Row[] = []
  let count: number | undefined
  for (let after = ''; ; ) {
    const given = new URLSearchParams({ ...queryOf(list, own), ...query, ...form, ...(after && { after }) })
    const { status, body } = await ws.get(`${pathOf(list.endpoint, own)}?${given}`)
    expect([status, body.error], `${list.name} ${given}`).toEqual([200, undefined])
    rows.push(...body.data)
    count ??= body.page?.count
    after = body.page?.next ?? ''
    if (!after) return { rows, count }
  }
}

const keysOf = (rows: Row[]) => rows.map((row) => String(row.id ?? JSON.stringify(row)))

describe.each(lists)('$name', { timeout: limit(60_000) }, (list) => {
  /** Archived records are among those that filters choose from. */
  const every: Query = 'archived' in parametersOf(list) ? { archived: 'all' } : {}
  const orders = (parametersOf(list).sort?.enum ?? []) as string[]

  const filters = Object.entries(parametersOf(list)).filter(([name]) => isChecked(list, name))

  test.runIf(orders.length > 0)('has its orders', async () => {
    const { rows } = await read(list, every)
    for (const order of orders) {
      const sorted = await read(list, { ...every, sort: order }, Math.max(2, Math.ceil(rows.length / 2)))
      expect(keysOf(sorted.rows).sort(), order).toEqual(keysOf(rows).sort())
      const values = sorted.rows.map((row) => row[order.replace('-', '')])
      expect(values, order).toEqual(values.toSorted((a, b) => compared(order, a, b)))
    }
  })

  test.runIf(filters.length > 0)('has its filters', async () => {
    const { rows } = await read(list, every)
    const faults: string[] = []
    expect(rows.length === 0, 'no records').toBe(list.name in EMPTY)
    for (const [name, schema] of rows.length > 0 ? filters : []) {
      const cases = selected(name, schema, rows)
      if (cases.length === 0) faults.push(`${name} is not tried`)
      for (const [value, chosen] of cases) {
        const answer = await read(list, { ...every, [name]: value })
        const found = keysOf(answer.rows)
        const isSame = found.toSorted().join() === keysOf(chosen).sort().join()
        if (!isSame || (answer.count ?? chosen.length) !== chosen.length)
          faults.push(`${name}=${value} selects ${found.length} and counts ${answer.count}, ${chosen.length} of ${rows.length} have it`)
      }
    }
    expect(faults).toEqual([])
  })
})

test('each exception is about a list and a parameter that exist', () => {
  const all = operations
    .filter(({ endpoint }) => isList(endpoint))
    .flatMap((list) => [
      list.name,
      ...Object.keys(parametersOf(list)),
      ...Object.keys(parametersOf(list)).map((name) => `${list.name} ${name}`),
    ])
  expect([...Object.keys({ ...NOT_COMPARED, ...EMPTY }), ...FORM].filter((name) => !all.includes(name))).toEqual([])
})
