import type { PoolClient } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sqlOf } from '../../queues/work/kind.ts'
import { KINDS } from '../../queues/work/registry.ts'
import { type Harness, start } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import { LOOKUPS } from './lookup-cases.ts'
import { SETTLED } from './outcome-cases.ts'
import { RANKED, type Ranked } from './ranked-cases.ts'
import { EXPIRY, NOT_RANKED } from './ranked-expiry-cases.ts'
import { ITEM_VALUES, insertRows } from './work-items.ts'
import { collectWrites, expectWritten, plain, reportWrites, textsOf } from './written-rows.ts'

/**
 * Of the rows that are due or old, a function takes the first ones in its order, and not more than its limit. Rows are added in another
 * order than that of their times and that of their ids; two have the same time, and one is beyond the bound.
 */
let app: Harness
let ws: TestWorkspace
beforeAll(async () => {
  app = await start({ own: true })
  ws = await app.workspace()
  await reportWrites(app.owner, true)
})
afterAll(() => app.close())

/** Seconds before the bound, in the order in which rows are added, with their ranks and the ends of their ids. */
const ROWS: [rank: string, seconds: number, end: number][] = [
  ['fourth', 1, 2],
  ['third', 3600, 4],
  ['first', 7200, 5],
  ['after the bound', -60, 1],
  ['second', 3600, 3],
]
const EXCEPT_SECONDS = 9000

const filled = (row: Record<string, unknown>, id: string) =>
  JSON.parse(JSON.stringify(row).replaceAll('$user', ws.userId).replaceAll('$id', id))

/** What identifies a row; `dated` is an id of its time. */
function idOf({ by, key = 'id' }: Ranked, dated: string, last: number): string {
  const end = last.toString(16)
  if (by === 'id') return `${dated.slice(0, -12)}00000000000${end}`
  return key === 'network_hash' ? `\\x0${end}` : `${end}0000000-0000-4000-8000-00000000000${end}`
}

const begin = (client: PoolClient) =>
  client.query(`begin; set local session_replication_role = replica; select set_config('app.workspace_id', '${ws.id}', true)`)

/** Adds the rows. Returns their ids with their ranks, and the present. */
async function addRanked(client: PoolClient, one: Ranked): Promise<{ names: Map<string, string>; now: string }> {
  const { table, by, seconds = 0, values, except = {}, key = 'id' } = one
  const names = new Map<string, string>()
  const added = [
    ...ROWS.map(([rank, ago, end]) => ({ rank, ago, end, more: {} })),
    ...Object.entries(except).map(([rank, more], n) => ({ rank, ago: EXCEPT_SECONDS, end: 6 + n, more })),
  ]
  const rows = []
  for (const { rank, ago, end, more } of added) {
    const at = `now() - interval '${seconds + ago} seconds'`
    const found = await client.query(`select to_json(${at}) #>> '{}' as at, id_at(${at})::text as id`)
    const id = idOf(one, found.rows[0].id, end)
    names.set(id, rank)
    const row = { workspace_id: ws.id, [key]: id, ...(by !== 'id' && { [by]: found.rows[0].at }), ...values, ...more }
    rows.push(filled(row, id))
    for (const [other, each] of Object.entries(one.each ?? {}))
      await insertRows(client, other, [{ workspace_id: ws.id, ...filled(each, id) }])
  }
  const { now } = (await client.query<{ now: string }>("select to_json(now()) #>> '{}' as now")).rows[0] as { now: string }
  for (const [other, row] of Object.entries(one.beside ?? {}))
    await insertRows(client, other, [{ workspace_id: ws.id, ...JSON.parse(JSON.stringify(row).replaceAll('$now', now)) }])
  await insertRows(client, table, rows)
  return { names, now }
}

/** What a call writes and returns beside these rows. */
async function textsOfCall(client: PoolClient, one: Ranked, limit: number, names: Map<string, string>, now: string): Promise<string[]> {
  // An index would return them in the order of the column.
  await client.query('set local enable_indexscan = off; set local enable_bitmapscan = off; set local enable_indexonlyscan = off')
  const found = collectWrites(client)
  const { rows: results } = await client.query(one.call.replaceAll('$ws', `'${ws.id}'`).replaceAll('$limit', String(limit)))
  let [result = null] = Object.values(results[0] ?? {})
  if (one.isUnordered && Array.isArray(result)) result = result.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  return [...textsOf(found, one.isCounted ? new Map() : names), `returns ${plain(result, now, names)}`]
}

async function calledWith(one: Ranked, limit: number): Promise<string[]> {
  const client = await app.owner.connect()
  try {
    await begin(client)
    const { names, now } = await addRanked(client, one)
    return await textsOfCall(client, one, limit, names, now)
  } finally {
    client.removeAllListeners('notice')
    await client.query('rollback')
    client.release()
  }
}

/** What a call does while another session has locked the first row, for which it may not wait. */
async function calledBeside(one: Ranked): Promise<string[]> {
  const { table, key = 'id' } = one
  const [client, other] = [await app.owner.connect(), await app.owner.connect()]
  let names = new Map<string, string>()
  try {
    await begin(client)
    const added = await addRanked(client, one)
    names = added.names
    await client.query('commit')
    const first = [...names].find(([, rank]) => rank === 'first')?.[0]
    await other.query('begin')
    await other.query(`select from ${table} where ${key} = $1 for update`, [first])
    await begin(client)
    await client.query("set local lock_timeout = '2s'")
    return await textsOfCall(client, one, 10, names, added.now)
  } finally {
    client.removeAllListeners('notice')
    await other.query('rollback')
    await client.query('rollback')
    await begin(client)
    await client.query(`delete from ${table} where ${key} = any ($1)`, [[...names.keys()]])
    for (const name of Object.keys({ ...one.beside, ...one.each }))
      await client.query(`delete from ${name} where workspace_id = '${ws.id}'`)
    await client.query('commit')
    client.release()
    other.release()
  }
}

const written: Record<string, string[]> = {}
const CASES: Record<string, Ranked> = {
  ...RANKED,
  ...EXPIRY,
  ...Object.fromEntries(
    KINDS.map((kind) => {
      const { table, key = 'id', due } = sqlOf(kind) as Record<string, string>
      const call = `select claim_work('${kind.name}', $ws, '00000000-0000-4000-8000-000000000009', $limit, 100, 1)`
      return [`claim_work of ${kind.name}`, { table, key, by: due, values: ITEM_VALUES[kind.name] ?? {}, call } as Ranked]
    }),
  ),
}

/** A limit that is an argument, and rows that are left to whoever has locked them. */
const TAKING = String.raw`\mlimit\s+(least\(|greatest\(|\()*p(_\w+)?\M|\mskip locked\M`

test('each function that takes rows up to a limit has a case or a reason to have none', async () => {
  const { rows } = await app.owner.query<{ name: string }>(
    `select distinct p.proname as name from pg_proc p
      where p.pronamespace = 'public'::regnamespace and p.prokind = 'f' and p.prosrc ~* $1 order by 1`,
    [TAKING],
  )
  const cases = [CASES, LOOKUPS, SETTLED].flatMap(Object.keys).map((name) => name.split(/[ :]/)[0] as string)
  const treated = new Set([...cases, ...Object.values(NOT_RANKED).flat()])
  expect(rows.length).toBeGreaterThan(80)
  expect(rows.map(({ name }) => name).filter((name) => !treated.has(name))).toEqual([])
  const present = new Set(rows.map(({ name }) => name))
  expect(
    Object.values(NOT_RANKED)
      .flat()
      .filter((name) => !present.has(name)),
  ).toEqual([])
})

describe('the first rows are taken, in their order, up to the limit, by', () => {
  test.each(Object.entries(CASES))('%s', async (name, one) => {
    const few = await calledWith(one, 2)
    const many = await calledWith(one, 10)
    written[name] = [...few.map((text) => `of two: ${text}`), ...many.map((text) => `of ten: ${text}`)].sort()
    expect(many).not.toEqual(['returns 0'])
  })
})

/** What waits for such a row: nothing else locks one. */
const WAITING: string[] = ['expire_holds: results of calls']

test('a row that another session has locked is left to it, without waiting', async () => {
  const { rows } = await app.owner.query<{ name: string }>(
    String.raw`select proname as name from pg_proc where pronamespace = 'public'::regnamespace and prosrc ~* '\mskip locked\M'`,
  )
  const passing = new Set(rows.map(({ name }) => name))
  const cases = Object.entries(CASES).filter(([name, one]) => passing.has(name.split(/[ :]/)[0] as string) && !one.isCounted)
  expect(cases.length).toBeGreaterThan(40)
  const waiting: string[] = []
  for (const [name, one] of cases) {
    const texts = await calledBeside(one).catch(({ message }) => [`first: ${message}`])
    if (texts.some((text) => /\bfirst\b/.test(text)) || texts.includes('returns 0')) waiting.push(name)
  }
  expect(waiting).toEqual(WAITING)
})

test('each writes and returns what is recorded of it (WRITTEN=write records it)', () => {
  expectWritten('ranked.txt', written)
})
