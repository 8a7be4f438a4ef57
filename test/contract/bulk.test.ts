import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonSchema } from '../../src/http/openapi/schemas.ts'
import { type Harness, start } from '../harness.ts'
import { proving } from '../proof.ts'
import { limit } from '../speed.ts'
import type { ApiResponse, TestWorkspace } from '../workspace.ts'
import { otherValues } from './other-values.ts'
import { bodyOf, type Ids, idFor, idsFor, type Operation, operations, pathOf } from './samples.ts'
import { seed } from './seed.ts'
import { sendSample } from './send.ts'

/**
 * Writes the same records in two workspaces: in one alone, in the other by bulk calls, beside a record that is refused. Both must store the
 * same, with the same history and events, and refuse the same for the same reasons.
 */

/** What only the single call takes. */
const ALONE = [
  'PATCH /tasks/:task_id apply_to',
  'POST /opportunities/:opportunity_id/products position',
  'POST /opportunities/:opportunity_id/buckets position',
]
/** Enrolments tell by `skipped`, and not by an error, what is enrolled already. */
const ELSEWHERE = ['POST /auto-queues/:auto_queue_id/enrolments/bulk-create']

let app: Harness
let one: TestWorkspace
let many: TestWorkspace
let ids: Ids
let theirs: Ids
beforeAll(async () => {
  app = await start({ ownServer: true })
  one = await app.workspace()
  many = await app.workspace()
  ids = await seed(app, one)
  theirs = await seed(app, many)
  await app.drain()
}, limit(120_000))
afterAll(() => app.close())

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
type Row = Record<string, any>
type Pair = { bulk: Operation; single: Operation; how: string; list: string }

/** What the records that were written before add up to. */
const SUMS = ['line_item']
const LISTS = ['records', 'components', 'instances']
const CONTROLS = ['require_approval', 'skip_automations', 'match_on']
const PATHS: Record<string, string> = { '-update': '/:', '-upsert': '/upsert', '-create': '', '': '' }
const pairs = operations.flatMap((bulk): Pair[] => {
  const [, base, how] = /^(.*)\/bulk(|-create|-update|-upsert)$/.exec(bulk.endpoint.path) ?? []
  if (base === undefined || how === undefined || bulk.endpoint.successor || ELSEWHERE.includes(bulk.name)) return []
  const method = how === '-update' ? 'PATCH' : 'POST'
  const single = operations.find(({ endpoint }) => endpoint.method === method && endpoint.path.replace(/:\w+$/, ':') === base + PATHS[how])
  const list = Object.keys(bulk.body?.properties as Row).find((name) => LISTS.includes(name))
  return single && list ? [{ bulk, single, how, list }] : []
})

const ODD: unknown[] = [null, '', ' x ', 'x'.repeat(5001), 12345678901, -1, 0, 1.234, true, [], {}, [null], ['a', 'A', 'a']]
ODD.push('2026-02-30', '2026-02-28', '2026-02-28T10:00:00+10:00', 'not an email', '\u0000', '0412345678', randomUUID())
const AT_ONCE = proving ? ODD.length : 3
let turn = 0
/** Some valid values of a field, and some that fit few fields: others for each field, unless it is a proof. */
function valuesOf(field: string, schema: JsonSchema, sample: unknown, own: Ids): unknown[] {
  const id = idFor(field, own)
  const valid = otherValues(field, schema, undefined, sample, id ? [id] : []).slice(0, proving ? 6 : 1)
  turn += AT_ONCE
  return [...valid, ...Array.from({ length: AT_ONCE }, (_, at) => ODD[(turn + at) % ODD.length])]
}

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const UNIQUE = /\b[0-9a-f]{8}\b/g
const NOW = /20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)/g
/** What does not differ between the workspaces: known ids by their names. */
function common<T>(value: T, own: Ids): T {
  const names = new Map(Object.entries(own).map(([name, id]) => [id, name]))
  const text = JSON.stringify(value).replace(UUID, (id) => names.get(id) ?? 'an id')
  return JSON.parse(text.replace(UNIQUE, 'unique').replace(NOW, 'a time'))
}
/** What is sent to the second workspace. */
function translated<T>(value: T): T {
  const other = new Map(Object.entries(ids).map(([name, id]) => [id, theirs[name] as string]))
  return JSON.parse(JSON.stringify(value).replace(UUID, (id) => other.get(id) ?? id))
}

const seen: Record<string, Set<string>> = {}
/** What the last calls have added to the history and to the feed of a workspace. */
async function traces(ws: TestWorkspace, own: Ids): Promise<string[]> {
  const { rows } = await app.owner.query<{ id: string; trace: Row }>(
    `select id, jsonb_build_array(entity, action, fields) as trace from changes where workspace_id = $1
    union all select id, jsonb_build_array(type, payload) from outbox where workspace_id = $1`,
    [ws.id],
  )
  const known = seen[ws.id] ?? new Set()
  seen[ws.id] = new Set(rows.map(({ id }) => id))
  return rows
    .filter(({ id }) => !known.has(id))
    .map(({ trace }) => JSON.stringify(common(trace, own)))
    .toSorted()
}

type Outcome = { code?: string; issues?: string[]; row?: Row }
function refused(error: Row, own: Ids): Outcome {
  const issues: Row[] = common(error.details?.issues ?? [], own)
  return { code: error.code, issues: issues.map(({ path, message }) => `${path}: ${NO_RECORD.test(message) ? '' : message}`).toSorted() }
}
/** That a record does not exist is said in several ways. */
const NO_RECORD = /^(.* does not exist in this workspace|No such .*|must be a company of this workspace, .*)$/
function outcomeOf({ status, body }: ApiResponse): Outcome {
  return status < 300 ? { row: common(body.data, ids) } : refused(body.error, ids)
}
function outcomesIn({ body }: ApiResponse, count: number): Outcome[] {
  const failures = new Map<number, Row>(body.data.errors.map(({ index, error }: Row) => [index, error]))
  const rows: Row[] = [...body.data.results]
  return Array.from({ length: count }, (_, at) => {
    const error = failures.get(at + 1)
    return error ? refused(error, theirs) : { row: common(rows.shift() ?? {}, theirs) }
  })
}

/** The calls for some values of a field, alone and in bulk, and in what they differ. */
async function differences({ bulk, single, how, list }: Pair, field: string, schema: JsonSchema): Promise<unknown[]> {
  const own = idsFor(single, ids)
  const isUpdate = how === '-update'
  const id = isUpdate ? pathOf(single.endpoint, own).split('/').at(-1) : undefined
  const needed = [...(single.body?.required ?? []), ...(how === '-upsert' ? ['name', 'first_name'] : [])]
  const bodies = valuesOf(field, schema, bodyOf(single, own)?.[field], own).map((value) => {
    const sample = bodyOf(single, own) ?? {}
    const base = isUpdate ? {} : Object.fromEntries(Object.entries(sample).filter(([name]) => needed.includes(name)))
    return { ...base, [field]: value }
  })
  const inBulk = async (some: Row[]) => {
    const records = [isUpdate ? { id: randomUUID() } : { qqq: 1 }, ...some.map((body) => translated({ ...(isUpdate && { id }), ...body }))]
    const answer = await sendSample(app, many, bulk, theirs, { body: { [list]: records } })
    expect([bulk.name, field, answer.status]).toEqual([bulk.name, field, 200])
    return outcomesIn(answer, some.length)
  }
  const alone: Outcome[] = []
  const beside: Outcome[] = isUpdate ? [] : await inBulk(bodies)
  for (const body of bodies) {
    alone.push(outcomeOf(await sendSample(app, one, single, ids, { body })))
    if (isUpdate) beside.push(...(await inBulk([body])))
  }
  return bodies.flatMap((body, at) => differ(alone[at] as Outcome, beside[at] as Outcome, [bulk.name, body[field]]))
}
function differ(alone: Outcome, beside: Outcome, about: unknown[]): unknown[] {
  // A single record has more fields than a list shows, and a single call below a record reports the first rule that is broken.
  const names = Object.keys(beside.row ?? {}).filter((name) => !SUMS.includes(name))
  const rowOf = ({ row }: Outcome) => row && Object.fromEntries(names.map((name) => [name, row[name]]))
  const issues = beside.issues?.filter((issue) => alone.issues?.length !== 1 || alone.issues.includes(issue))
  const [left, right] = [
    { ...alone, row: rowOf(alone) },
    { ...beside, row: rowOf(beside), issues },
  ]
  return JSON.stringify(left) === JSON.stringify(right) ? [] : [[...about, alone, beside]]
}

describe.each(pairs.map((pair) => [pair.bulk.name, pair] as const))('%s', (_, pair) => {
  test('does what the single call does', { timeout: limit(120_000) }, async () => {
    await traces(one, ids)
    await traces(many, theirs)
    const fields = Object.entries((pair.single.body?.properties ?? {}) as Record<string, JsonSchema>)
    const found: unknown[] = []
    for (const [field, schema] of fields) {
      if (CONTROLS.includes(field) || ALONE.includes(`${pair.single.name} ${field}`)) continue
      found.push(...(await differences(pair, field, schema)))
    }
    expect(found).toEqual([])
    expect(await traces(many, theirs)).toEqual(await traces(one, ids))
  })
})

test('there are bulk calls of each kind', () => {
  const kinds = pairs.map(({ how }) => how)
  expect([...new Set(kinds)].toSorted()).toEqual(['', '-create', '-update', '-upsert'])
  expect(pairs.length).toBeGreaterThan(20)
})
