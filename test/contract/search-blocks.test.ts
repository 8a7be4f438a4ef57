import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allBlocks, explainAgain } from '../../bench/plans.ts'
import type { NeonQuery } from '../../dev/neon-proxy.ts'
import { WITH_WORDS } from '../../src/data/list-words.ts'
import { CATALOGUE } from '../../src/domain/filters/catalogue.ts'
import { type Searched, SORTS } from '../../src/schemas/search.ts'
import { type Harness, start } from '../harness.ts'
import { proving } from '../proof.ts'
import type { TestWorkspace } from '../workspace.ts'

/**
 * The cost of a search by field as the Worker's role. Equality that few records match is cheap on any field and with any sort; any other
 * search costs at most one pass over the workspace's rows. Another workspace in the same tables is as large.
 */

const SIZE = proving ? 50_000 : 8_000
/** The number of records with a rare value: fewer than fit on two pages, or the thousand to which the bound applies. */
const RARE = proving ? 1_000 : 60
/** A search reads five hundred records first. The levels of a few indexes, and rows that are not indexed yet, are added. */
const BOUND = proving ? 2_000 : 500 + RARE + 150

let app: Harness
let ws: TestWorkspace
let session: pg.PoolClient
let heap: number

// biome-ignore lint/suspicious/noExplicitAny: values of every kind
type Any = any
const ID = '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d'
/** The rare value of each field, as in a filter and as stored. Unique and derived fields are left out. */
const RARE_VALUES: Record<Searched, Record<string, { op?: string; value: Any; column?: string; stored?: string }>> = {
  contacts: {
    name: { value: 'Rare Person', column: 'last_name', stored: 'Person' },
    first_name: { value: 'rare' },
    last_name: { value: 'PERSON', stored: 'Person' },
    email: { value: 'rare@example.com' },
    alternate_emails: { op: 'contains', value: 'rare@home.com', stored: '{rare@home.com}' },
    phone: { value: '+61412345678' },
    alternate_phones: { op: 'contains', value: '+61498765432', stored: '{+61498765432}' },
    landline: { value: '+61293744000' },
    date_of_birth: { op: 'on', value: '1990-05-01' },
    source: { value: 'form_submission' },
    is_primary: { value: true },
    email_unsubscribed: { value: true },
    sms_unsubscribed: { value: true },
    voice_unsubscribed: { value: true },
    whatsapp_unsubscribed: { value: true },
    is_referrer: { value: true },
    source_id: { value: ID },
    referrer_opportunity_id: { value: ID },
    customer_id: { value: ID },
    assigned_to: { value: ID },
    tags: { op: 'contains', value: 'Rare', stored: '[{"name":"Rare","color":null}]' },
  },
  companies: {
    email: { value: 'rare@example.com' },
    phone: { value: '+61412345678' },
    domains: { op: 'contains', value: 'rare.com', stored: '{rare.com}' },
    founded_year: { value: 1987 },
    annual_revenue: { value: 1234.5 },
    employee_count: { value: 77 },
    parent_company_id: { value: ID },
    assigned_to: { value: ID },
    tags: { op: 'contains', value: 'Rare', stored: '[{"name":"Rare","color":null}]' },
  },
  opportunities: {
    value: { value: 1234.5 },
    currency: { value: 'NZD' },
    pipeline_id: { value: ID },
    stage_id: { value: ID },
    status: { value: 'lost' },
    probability: { value: 33.5 },
    assigned_to: { value: ID },
    customer_id: { value: ID },
    lost_reasons: { op: 'contains', value: 'Rare', stored: '{Rare}' },
    won_reasons: { op: 'contains', value: 'Rare', stored: '{Rare}' },
    tags: { op: 'contains', value: 'Rare', stored: '[{"name":"Rare","color":null}]' },
    expected_close_date: { op: 'on', value: '2026-05-01' },
  },
}
/** Excluded: unique fields, fields that are constant on a page or depend on the time, and ranges. */
const LEFT_OUT = [
  'id',
  'external_id',
  'archived',
  'created_at',
  'updated_at',
  'last_activity_at',
  'relationship_started_at',
  'stage_entered_at',
  'days_in_stage',
  'is_rotting',
  'opened_at',
  'closed_at',
  'next_action_at',
  'list',
  'followed_by',
]

const fieldsOf = (object: Searched) =>
  Object.entries(CATALOGUE[object].fields)
    .filter(([field]) => !LEFT_OUT.includes(field))
    .map(([field, { kind }]) => ({ field, ...(RARE_VALUES[object][field] ?? (kind === 'text' ? { value: 'Rare value' } : undefined)) }))

beforeAll(async () => {
  app = await start({ own: true })
  ws = await app.workspace()
  const beside = await app.workspace()
  for (const object of ['contact', 'company', 'opportunity'])
    for (const [key, type] of [
      ['code', 'text'],
      ['likes', 'multi_select'],
      ['score', 'number'],
    ])
      await ws.post('/custom-fields', {
        object,
        key,
        label: key,
        type,
        ...(type === 'multi_select' && { options: ['A', 'B'] }),
        indexed: key !== 'code',
      })
  session = await app.owner.connect()
  await session.query(`set session_replication_role = replica`)
  for (const workspace of [ws, beside]) {
    await session.query(`select set_config('app.workspace_id', $1, false)`, [workspace.id])
    const plain = `jsonb_build_object('code', 'c' || n, 'score', n)`
    await session.query(
      `insert into contacts (first_name, last_name, email, city, metadata, created_at)
        select 'Name' || md5(n::text), 'Last' || n, 'p' || n || '@example.com', 'City ' || n % 9, ${plain}, now() - n * interval '1 minute'
        from generate_series(1, ${SIZE}) n`,
    )
    await session.query(
      `insert into companies (name, metadata, created_at) select 'Name' || md5(n::text), ${plain}, now() - n * interval '1 minute'
        from generate_series(1, ${SIZE}) n`,
    )
    await session.query(
      `insert into opportunities (name, value, metadata, created_at)
        select 'Name' || md5(n::text), n, ${plain}, now() - n * interval '1 minute' from generate_series(1, ${SIZE}) n`,
    )
  }
  await session.query(`select set_config('app.workspace_id', $1, false)`, [ws.id])
  for (const object of Object.keys(RARE_VALUES) as Searched[]) {
    const sets = fieldsOf(object).map(({ field, value, column = field, stored = value }) => `${column} = '${stored}'`)
    // The rare values of all fields are in the same records, which are far apart.
    await session.query(`update ${object}
      set ${[...new Set(sets)].filter((set) => !set.startsWith('name =') || object !== 'contacts').join(', ')},
      metadata = '{"code":"Rare code","likes":["A"],"score":1000000}' where workspace_id = current_workspace() and id in (
        select id from (select id, row_number() over (order by id) as n from ${object} where workspace_id = current_workspace()) each
          where n % ${Math.floor(SIZE / RARE)} = 0)`)
  }
  await session.query('select order_links(current_workspace()), recount_records(current_workspace())')
  await session.query('vacuum analyze contacts, companies, opportunities')
  const { rows } = await session.query(`select relpages::int as pages from pg_class where relname = 'contacts'`)
  heap = rows[0].pages / 2
  await session.query('set session_replication_role = origin; set role app')
}, 300_000)
afterAll(async () => {
  session.release(true)
  await app.close()
})

/** The blocks that a search reads, including those of the functions that it calls. */
async function costOf(object: Searched, body: object): Promise<{ blocks: number; rows: number }> {
  let sent: NeonQuery[] = []
  app.proxy.onRequest = (request) => {
    const queries = 'queries' in request ? request.queries : [request]
    // The queue writes the request log at the same time.
    if (queries[0]?.query.includes('begin_request')) sent = queries
  }
  const { status, body: answer } = await ws.post(`/${object}/search`, { limit: 50, ...body })
  app.proxy.onRequest = undefined
  expect(status, JSON.stringify({ body, answer })).toBe(200)
  return { blocks: allBlocks(await explainAgain(session, sent, BOUND)), rows: answer.data.length }
}

const is = (field: string, op: string, value?: unknown) => ({ field, op, value })

test.each(Object.keys(RARE_VALUES) as Searched[])(
  '%s: equality with a rare value costs little on every field, with every sort',
  async (object) => {
    const faults: string[] = []
    const custom = [is('metadata.code', 'eq', 'rare CODE'), is('metadata.likes', 'contains', 'A'), is('metadata.score', 'eq', 1_000_000)]
    const filters = [...fieldsOf(object).map(({ field, op = 'eq', value }) => is(field, op, value)), ...custom]
    const sorts = [...SORTS[object], '-metadata.score', 'metadata.code']
    for (const [index, filter] of filters.entries()) {
      // Each field with two sorts in turn, and with PROVE=1 with all sorts.
      const some = proving ? sorts : [sorts[index % sorts.length]!, sorts[(index + 2) % sorts.length]!]
      for (const sort of some) {
        const { blocks, rows } = await costOf(object, { filter, sort })
        if (blocks > BOUND || rows !== 50) faults.push(`${JSON.stringify(filter)} by ${sort}: ${blocks} blocks, ${rows} rows`)
      }
    }
    expect(faults).toEqual([])
  },
  600_000,
)

test('groups of such conditions cost as little', async () => {
  const [city, code, email] = [
    is('city', 'eq', 'Rare value'),
    is('metadata.code', 'eq', 'Rare code'),
    is('email', 'eq', 'rare@example.com'),
  ]
  for (const filter of [
    { any: [city, code] },
    {
      any: [{ all: [email, is('city', 'not_eq', 'x')] }, is('alternate_emails', 'contains', 'rare@home.com')],
    },
    { all: [city, is('notes', 'is_not_empty')] },
    { all: [is('archived', 'eq', false), { any: [city, email] }, { not: is('first_name', 'eq', 'nobody') }] },
  ])
    for (const sort of ['name', 'metadata.score']) {
      const { blocks, rows } = await costOf('contacts', { filter, sort, archived: 'all' })
      expect([blocks <= BOUND, rows], `${JSON.stringify(filter)} by ${sort}: ${blocks} blocks`).toEqual([true, 50])
    }
})

test('a search in a list finds the words in the index of its order', async () => {
  const { rows } = await app.owner.query(`select i.indrelid::regclass || ' by ' || a.attname as name from pg_index i
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[2]
    where i.indnatts > i.indnkeyatts
    and (select attname from pg_attribute t where t.attrelid = i.indrelid and t.attnum = i.indkey[i.indnkeyatts]) = 'search_text'`)
  const orders = Object.entries(WITH_WORDS).flatMap(([table, sorts]) =>
    Object.keys(sorts).map((sort) => `${table} by ${sort.replace(/^name$/, 'name_norm')}`),
  )
  expect(rows.map(({ name }) => name).sort()).toEqual(orders.sort())
})

test('what no index knows costs at most one pass over the rows of the workspace', async () => {
  for (const filter of [
    is('notes', 'contains', 'nothing has this'),
    is(
      'city',
      'not_in',
      Array.from({ length: 9 }, (_, n) => `City ${n}`),
    ),
    { any: [is('city', 'eq', 'Nowhere'), is('job_title', 'starts_with', 'zzz')] },
    { not: is('metadata.score', 'lt', 999_999) },
    { has: 'company', where: is('industry', 'eq', 'Rare value') },
    is('last_activity_at', 'is_not_empty'),
  ])
    for (const sort of ['name', '-metadata.code']) {
      const { blocks } = await costOf('contacts', { filter, sort })
      // The rows, the index in their order, and the five hundred records that are read first.
      expect(blocks, `${JSON.stringify(filter)} by ${sort}`).toBeLessThan(heap * 1.25 + 1_000)
    }
})
