import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sqlOf } from '../../queues/work/kind.ts'
import { KINDS } from '../../queues/work/registry.ts'
import { type Harness, start } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import { RANKED, type Ranked } from './ranked-cases.ts'
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
  ['third', 3600, 4],
  ['first', 7200, 5],
  ['after the bound', -60, 1],
  ['second', 3600, 3],
  ['fourth', 1, 2],
]
const EXCEPT_SECONDS = 9000

/** What identifies a row; `dated` is an id of its time. */
function idOf({ by, key = 'id' }: Ranked, dated: string, end: number): string {
  if (by === 'id') return `${dated.slice(0, -12)}00000000000${end}`
  return key === 'network_hash' ? `\\x0${end}` : `${end}0000000-0000-4000-8000-00000000000${end}`
}

async function calledWith(one: Ranked, limit: number): Promise<string[]> {
  const { table, by, seconds = 0, values, except = {}, key = 'id' } = one
  const client = await app.owner.connect()
  const found = collectWrites(client)
  try {
    await client.query(`begin; set local session_replication_role = replica; select set_config('app.workspace_id', '${ws.id}', true)`)
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
      rows.push({ workspace_id: ws.id, [key]: id, ...(by !== 'id' && { [by]: found.rows[0].at }), ...values, ...more })
    }
    for (const [other, row] of Object.entries(one.beside ?? {})) await insertRows(client, other, [{ workspace_id: ws.id, ...row }])
    // An index would return them in the order of the column.
    await client.query('set local enable_indexscan = off; set local enable_bitmapscan = off; set local enable_indexonlyscan = off')
    await insertRows(client, table, JSON.parse(JSON.stringify(rows).replaceAll('$user', ws.userId)))
    found.length = 0
    const { rows: results } = await client.query(one.call.replaceAll('$ws', `'${ws.id}'`).replaceAll('$limit', String(limit)))
    const { rows: times } = await client.query("select to_json(now()) #>> '{}' as now")
    let [result = null] = Object.values(results[0] ?? {})
    if (one.isUnordered && Array.isArray(result)) result = result.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
    return [...textsOf(found, names), `returns ${plain(result, times[0].now, names)}`]
  } finally {
    client.removeAllListeners('notice')
    await client.query('rollback')
    client.release()
  }
}

const written: Record<string, string[]> = {}
const CASES: Record<string, Ranked> = {
  ...RANKED,
  ...Object.fromEntries(
    KINDS.map((kind) => {
      const { table, key = 'id', due } = sqlOf(kind) as Record<string, string>
      const call = `select claim_work('${kind.name}', $ws, '00000000-0000-4000-8000-000000000009', $limit, 100, 1)`
      return [`claim_work of ${kind.name}`, { table, key, by: due, values: ITEM_VALUES[kind.name] ?? {}, call } as Ranked]
    }),
  ),
}

describe('the first rows are taken, in their order, up to the limit, by', () => {
  test.each(Object.entries(CASES))('%s', async (name, one) => {
    const few = await calledWith(one, 2)
    const many = await calledWith(one, 10)
    written[name] = [...few.map((text) => `of two: ${text}`), ...many.map((text) => `of ten: ${text}`)].sort()
    expect(many).not.toEqual(['returns 0'])
  })
})

test('each writes and returns what is recorded of it (WRITTEN=write records it)', () => {
  expectWritten('ranked.txt', written)
})
