import { randomUUID } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import type { PgTable } from 'drizzle-orm/pg-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as schema from '../../schema/index.ts'
import { uniqueKeysOf } from '../../src/data/unique-keys.ts'
import { type Harness, start } from '../harness.ts'
import type { ApiResponse, TestWorkspace } from '../workspace.ts'
import { NEVER } from './conflicts-never.ts'
import { bodyOf, type Ids, idsFor, type Operation, operations, pathOf } from './samples.ts'
import { seed } from './seed.ts'
import { sendSample } from './send.ts'

// biome-ignore lint/suspicious/noExplicitAny: records of every shape
type Row = Record<string, any>

let app: Harness
let ws: TestWorkspace
let ids: Ids
beforeAll(async () => {
  app = await start()
  ws = await app.workspace()
  ids = await seed(app, ws)
})
afterAll(() => app.close())

async function uniqueIndexes(): Promise<string[]> {
  const { rows } = await app.owner.query(`select i.relname as name from pg_index x join pg_class i on i.oid = x.indexrelid
    where x.indisunique and not x.indisprimary and x.indrelid in (select attrelid from pg_attribute where attname = 'workspace_id')
      and i.relnamespace = 'public'::regnamespace and not i.relispartition order by 1`)
  return rows.map(({ name }) => name)
}

const tables = Object.values(schema).filter((one) => typeof one === 'object' && one !== null && 'getSQL' in one) as unknown as PgTable[]
const keys = tables.flatMap((table) => uniqueKeysOf(table))
const FIELDS = [...new Set(keys.filter(({ constraint }) => !NEVER[constraint]).map(({ field }) => field))]

const entriesOf = (part: unknown): string[] => Object.keys((part as { entries?: object } | undefined)?.entries ?? {})
const inBody = ({ endpoint }: Operation) => FIELDS.filter((field) => entriesOf(endpoint.body).includes(field))
const current = operations.filter(({ endpoint }) => !endpoint.successor && !endpoint.access.public)
const creates = current.filter((one) => one.endpoint.returns.as === 'created' && inBody(one).length > 0)
const at = (method: string, path: string) => current.find(({ endpoint }) => endpoint.method === method && endpoint.path === path)

const sampleOf = (operation: Operation, more: Row = {}): Row => ({ ...bodyOf(operation, idsFor(operation, ids)), ...more })
const send = (operation: Operation, body: Row) => sendSample(app, ws, operation, ids, { body })

async function made(operation: Operation, more: Row = {}): Promise<{ body: Row; record: Row }> {
  const body = sampleOf(operation, more)
  const answer = await send(operation, body)
  expect([operation.name, answer.status, answer.body.error]).toEqual([operation.name, 201, undefined])
  return { body: { ...body, ...answer.body.data }, record: answer.body.data }
}

const conflict = (field: string, id: string) => ({ code: 'CONFLICT', details: { field, id } })
const bulkErrors = ({ status, body }: ApiResponse) => ({ status, errors: body.data?.errors?.map(({ error }: Row) => error) })

test('the keys that the Worker knows are those of the catalogue', async () => {
  const known = keys.map(({ constraint }) => constraint)
  const unknown = (await uniqueIndexes()).filter((name) => !known.includes(name) && !NEVER[name])
  expect(unknown).toEqual([])
})

/**
 * Each field of a create that must be unique, with a record that has a value of it. Found by creating another record with the same value.
 */
async function taken(): Promise<{ operation: Operation; field: string; value: string; id: string; constraint: string }[]> {
  const found: Awaited<ReturnType<typeof taken>> = []
  for (const operation of creates) {
    for (const field of inBody(operation)) {
      const { body, record } = await made(operation, { [field]: sampleOf(operation)[field] ?? randomUUID() })
      const again = await send(operation, sampleOf(operation, { [field]: body[field] }))
      if (again.status === 201) continue
      const outcome = [operation.name, field, again.status, again.body.error]
      expect(outcome).toMatchObject([operation.name, field, 409, conflict(field, record.id)])
      found.push({ operation, field, value: body[field], id: record.id, constraint: again.body.error.details.constraint })
    }
  }
  return found
}

test('a value that another record has is reported with its field and that record, on every path', async () => {
  const all = await taken()
  expect([...new Set(all.map(({ constraint }) => constraint))].sort()).toEqual((await uniqueIndexes()).filter((name) => !NEVER[name]))
  const paths = { update: 0, 'bulk-create': 0, 'bulk-update': 0, upsert: 0, 'bulk-upsert': 0 }
  for (const { operation, field, value, id } of all) {
    const { path } = operation.endpoint
    const { record } = await made(operation)
    const wrong = conflict(field, id)
    const update = current.find(({ endpoint }) => endpoint.method === 'PATCH' && new RegExp(`^${path}/:\\w+$`).test(endpoint.path))
    if (update && inBody(update).includes(field)) {
      paths.update++
      const parameter = update.endpoint.path.slice(path.length + 2)
      const answer = await sendSample(app, ws, update, { ...ids, [parameter]: record.id }, { body: { [field]: value } })
      expect([update.name, field, answer.status, answer.body.error]).toMatchObject([update.name, field, 409, wrong])
    }
    // A bulk call adds rows at the end.
    const { position: _, ...sample } = sampleOf(operation, { [field]: value }) as Row
    for (const [verb, fields] of [
      ['bulk-create', sample],
      ['bulk-update', { id: record.id, [field]: value }],
    ] as const) {
      const bulk = at('POST', `${path}/${verb}`)
      if (!bulk) continue
      paths[verb]++
      expect([bulk.name, bulkErrors(await send(bulk, { records: [fields] }))]).toMatchObject([bulk.name, { status: 200, errors: [wrong] }])
    }
    const key = { email: `${randomUUID()}@example.com` }
    const upsert = at('POST', `${path}/upsert`)
    const upserts = at('POST', `${path}/bulk-upsert`)
    if (!upsert || !upserts || !entriesOf(upsert.endpoint.body).includes('email')) continue
    const fields = sampleOf(operation, { ...key, [field]: value })
    paths.upsert++
    const single = await send(upsert, { ...fields, match_on: ['email'] })
    expect([upsert.name, single.status, single.body.error]).toMatchObject([upsert.name, 409, wrong])
    paths['bulk-upsert']++
    const many = bulkErrors(await send(upserts, { match_on: ['email'], records: [fields] }))
    expect([upserts.name, many]).toMatchObject([upserts.name, { status: 200, errors: [wrong] }])
  }
  expect(paths).toEqual({ update: expect.any(Number), 'bulk-create': 7, 'bulk-update': 4, upsert: 2, 'bulk-upsert': 2 })
  expect(paths.update).toBeGreaterThan(10)
})

const OBJECTS: Record<string, string> = {
  contact: 'contacts',
  company: 'companies',
  opportunity: 'opportunities',
  product: 'products',
  task: 'tasks',
  activity: 'activities',
}

describe.each(Object.entries(OBJECTS))('a unique custom field of a %s', (object, plural) => {
  test('is reported with its field and the record that has the value, on every path', async () => {
    const key = `unique_${object}`
    const field = await ws.post('/custom-fields', { object, key, label: key, type: 'text', unique: true })
    expect(field.status).toBe(201)
    await app.drain()
    const create = at('POST', `/${plural}`) as Operation
    const metadata = { [key]: 'Taken' }
    const { record } = await made(create, { metadata })
    const other = await made(create, { metadata: { [key]: `${randomUUID()}` } })
    const wrong = conflict(`metadata.${key}`, record.id)
    const single = await send(create, sampleOf(create, { metadata }))
    expect([single.status, single.body.error]).toMatchObject([409, wrong])
    const update = await ws.patch(`/${plural}/${other.record.id}`, { metadata })
    expect([update.status, update.body.error]).toMatchObject([409, wrong])
    const external_id = randomUUID()
    for (const [verb, fields] of [
      ['bulk-create', sampleOf(create, { metadata })],
      ['bulk-update', { id: other.record.id, metadata }],
      ['bulk-upsert', sampleOf(create, { metadata, external_id })],
    ] as const) {
      const bulk = at('POST', `/${plural}/${verb}`)
      if (!bulk) continue
      const on = verb === 'bulk-upsert' && object !== 'opportunity' ? { match_on: ['external_id'] } : {}
      expect([verb, bulkErrors(await send(bulk, { ...on, records: [fields] }))]).toMatchObject([verb, { status: 200, errors: [wrong] }])
    }
    await ws.delete(`/custom-fields/${field.body.data.id}`)
  })
})

type Link = { child: string; col: string; parent: string }
/** The references that prevent a record from being deleted. Members and keys are never deleted. */
async function preventing(): Promise<Link[]> {
  const { rows } =
    await app.owner.query<Link>(`select conrelid::regclass::text as child, attname as col, confrelid::regclass::text as parent
    from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[2]
    where contype = 'f' and confdeltype = 'a' and cardinality(conkey) = 2 and connamespace = 'public'::regnamespace and conparentid = 0
      and confrelid <> all ('{memberships,api_keys,roles}'::regclass[]) order by 1, 2`)
  return rows
}

test('a record that others refer to is not deleted, and they are named', async () => {
  // The paths of these are not those of their tables: test/routes/phone-numbers.test.ts and phone-bundles.test.ts.
  const elsewhere = ['voice_agent_configs', 'phone_addresses', 'phone_bundles']
  // No call deletes these.
  const neverDeleted = ['agency_payments', 'agency_refunds', 'commission_statements']
  const links = (await preventing()).filter(({ parent }) => ![...elsewhere, ...neverDeleted].includes(parent))
  expect(links.length).toBeGreaterThan(5)
  for (const { child, col, parent } of links) {
    const path = `/${parent.replaceAll('_', '-')}`
    const removes = current.filter(({ endpoint }) => endpoint.method === 'DELETE' && new RegExp(`${path}/:\\w+$`).test(endpoint.path))
    const [remove] = removes.toSorted((a, b) => a.name.length - b.name.length)
    const id = ids[remove?.endpoint.path.split(':').at(-1) ?? '']
    const { rows } = await app.owner.query(`select id, ${col} as was from ${child} where workspace_id = $1 and id <> $2 limit 1`, [
      ws.id,
      id,
    ])
    const [row] = rows
    const refer = (to: unknown) =>
      app.owner.query(`begin; set local session_replication_role = replica;
        update ${child} set ${col} = ${to ? `'${to}'` : 'null'} where id = '${row.id}'; commit`)
    await refer(id)
    const { status, body } = await ws.delete(pathOf(remove!.endpoint, ids))
    expect([child, col, status, body.error?.code, body.error?.details?.ids]).toEqual([
      child,
      col,
      409,
      'CONFLICT',
      expect.arrayContaining([row.id]),
    ])
    if (at('POST', `${path}/bulk-delete`)) {
      const many = (await ws.post(`${path}/bulk-delete`, { ids: [id] })).body.data
      expect([child, col, many.errors[0]?.error]).toMatchObject([
        child,
        col,
        { code: 'CONFLICT', details: { ids: expect.arrayContaining([row.id]) } },
      ])
    }
    await refer(row.was)
  }
})

/** Conflicts that no other record causes, or that cannot name it. */
const WITHOUT_RECORD: [RegExp, string][] = [
  [
    /keeps at least one client_admin|needs at least one stage|This is the last status|cannot remove yourself|It has no step left|has no help_center_url|Rows of %s are never changed|This payout is|Nothing is owed|It is the default schedule/,
    'the record itself is in the way',
  ],
  [/Another agency looks after this client/, 'the link is one of another workspace'],
  [
    /All payments of this agency are in|recorded after it was made|commission of this agency begins|is refunded after it was made/,
    'the values themselves are in the way',
  ],
  [
    /with many dependants are being (?:deleted|restored)|is still being (?:deleted|restored)/,
    'the record itself, whose job is named, or a number of jobs',
  ],
  [/The record was deleted again/, 'the record of the job'],
  [/record that this run was about is gone/, 'there is no record any more'],
  [/Several sections have this heading/, 'sections are no records; the details name their paths'],
  [/Another page has this slug/, 'the slug is one of another workspace'],
  [/This number is not available/, 'the number is one of another workspace'],
  [/A role that every workspace has/, 'the record itself is in the way'],
  [
    /at most \d+ approval policies|too many bookings that are still to come|too many bookings today|waiting list of this time is full|Too many automated steps|names at most 1,000 keys|TOO_MANY_FIELDS|at most %s public skills|More than %s (?:records|rows) belong|At most %s members have a plan|Too many payments have no statement|A knowledge base has at most|More than \$\{MAX_PRODUCTS\}|select\(columns\)\.from\(knowledgeAgents\)|A member has at most/,
    'a limit',
  ],
  [/refusal, \{ usage|FULL_OF_FAILED_LINES/, 'a limit of imports, with the usage'],
  [/answered too late: send the request again|made nothing that is still there/, 'nothing was made'],
  [/This knowledge base was adopted already/, 'the base may be one of another workspace'],
  [
    /being processed by another worker|Another worker has this run|Another worker has moved on|Another worker has processed|Another delivery has processed|was changed meanwhile|A later run of the same record|came to be there meanwhile|deleted by another request|keep changing these records|Another worker has this reply|has changed this plan meanwhile/,
    'another request',
  ],
  [/\$\{MAX_(?:INCOMING|WEBHOOKS)\}|calendar_connections_limit/, 'a limit'],
  [/is on the list already|is an option already/, 'a value of a list, which has no id'],
  [/Still referenced by|conflictOf\(error/, 'a second batch finds the records: see explainConflict'],
]

test('every conflict names the records that cause it', () => {
  const raised = globSync(['schema/functions/*.sql', 'src/{data,features,http}/**/*.ts']).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?:fail\(|AppError\(|\n\s*|, )'CONFLICT',[^;]{0,400}/g)].map(([text]) => `${file}: ${text}`),
  )
  expect(raised.length).toBeGreaterThan(20)
  const unnamed = raised.filter(
    (text) =>
      !/'ids?'|\bids\b|taken|shared|policy_details|\bid: /.test(text) && !/errors:|ErrorCode|'CONFLICT', 'PRECONDITION_FAILED'/.test(text),
  )
  expect(unnamed.filter((text) => !WITHOUT_RECORD.some(([known]) => known.test(text)))).toEqual([])
})
