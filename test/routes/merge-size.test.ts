import { expect, test } from 'vitest'
import { failed, type Row, useCrm } from './crm.ts'
import { everythingOf, merge, undo } from './merging.ts'

const crm = useCrm({ own: true })

/** A winner and losers with `children` rows each, in five tables. */
async function many(losers: number, children: number): Promise<{ winner: string; losers: string[] }> {
  const [winner, ...rest] = (
    await Promise.all(
      Array.from({ length: Math.ceil((losers + 1) / 100) }, (_, page) =>
        crm.ws.post('/opportunities/bulk-create', {
          records: Array.from({ length: Math.min(100, losers + 1 - page * 100) }, (_, i) => ({ name: `Deal ${page} ${i}` })),
        }),
      ),
    )
  ).flatMap(({ body }) => body.data.results.map(({ id }: Row) => id))
  const client = await crm.app.owner.connect()
  try {
    await client.query("select set_config('app.workspace_id', $1, false)", [crm.ws.id])
    const each = (columns: string, values: string) =>
      `insert into ${columns} select ${values} from unnest($1::uuid[]) o, generate_series(1, ${Math.ceil(children / 5)}) n`
    for (const insert of [
      each('tasks (title, opportunity_id)', "'Task ' || n, o"),
      each('activities (activity_type, deal_id, body)', "'note', o, 'Note ' || n"),
      each('opportunity_products (name, opportunity_id, position)', "'Line ' || n, o, n"),
      each('opportunity_buckets (name, opportunity_id, position)', "'Bucket ' || n, o, n"),
      each('attachments (name, opportunity_id, content_type, size, sha256)', "'File ' || n, o, 'text/plain', 1, ''"),
    ])
      await client.query(insert, [rest])
    await client.query(
      `update opportunity_products p set bucket_id = b.id from opportunity_buckets b
        where b.opportunity_id = p.opportunity_id and b.position = p.position`,
    )
  } finally {
    client.release()
  }
  return { winner, losers: rest }
}

const TABLES = ['tasks', 'activities', 'opportunity_products', 'opportunity_buckets', 'attachments', 'stage_moves']

/** By table, how many statements changed or deleted rows of it while something was done. */
async function statementsOf(act: () => Promise<unknown>): Promise<Record<string, number>> {
  const { owner } = crm.app
  await owner.query('create table if not exists counted (name text)')
  await owner.query(`create or replace function count_statement() returns trigger security definer language plpgsql as $$
    begin if exists (select from rows) then insert into public.counted values (tg_table_name || ' ' || tg_op); end if; return null; end $$`)
  for (const table of TABLES)
    await owner.query(`create or replace trigger zz_update after update on ${table} referencing new table as rows for each statement
      execute function count_statement();
      create or replace trigger zz_delete after delete on ${table} referencing old table as rows for each statement
        execute function count_statement()`)
  await act()
  const { rows } = await owner.query('delete from counted returning name')
  const counts: Record<string, number> = {}
  for (const { name } of rows) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

test('a merge of 100 opportunities, and its undo, change each table by one statement, and all is as it was', async () => {
  const { winner, losers } = await many(100, 15)
  const before = await everythingOf(crm)
  let done: Row = {}
  const statements = await statementsOf(async () => {
    done = await merge(crm, 'opportunities', winner, losers)
  })
  expect(done.moved).toMatchObject({ tasks: 300, activities: 300, products: 300, attachments: 300, buckets: 3, stage_history: 100 })
  expect(done.dropped).toEqual({ buckets: 297 })
  expect(new Set(done.winner.products.map(({ position }: Row) => position)).size).toBe(300)
  const once = (operation: string, ...tables: string[]) => Object.fromEntries(tables.map((table) => [`${table} ${operation}`, 1]))
  expect(statements).toEqual({ ...once('UPDATE', ...TABLES), ...once('DELETE', 'opportunity_buckets') })
  const undoing = await statementsOf(async () => {
    expect((await undo(crm, 'opportunities', done.merge_id)).changed_since).toEqual([])
  })
  expect(undoing).toEqual(once('UPDATE', ...TABLES))
  expect(await everythingOf(crm)).toEqual(before)
}, 60_000)

test('losers with more than 25000 rows between them are refused before any write', async () => {
  const { winner, losers } = await many(2, 0)
  const client = await crm.app.owner.connect()
  try {
    await client.query('begin')
    await client.query('set local session_replication_role = replica')
    await client.query(
      "insert into activities (workspace_id, activity_type, deal_id) select $1, 'note', $2 from generate_series(1, 25000)",
      [crm.ws.id, losers[0]],
    )
    await client.query('commit')
  } finally {
    client.release()
  }
  expect(await crm.ws.post('/opportunities/merge', { winner_id: winner, loser_ids: losers })).toMatchObject(failed(409, 'CONFLICT'))
  expect(await crm.count('merges')).toBe(0)
  expect(await crm.count('opportunities')).toBe(3)
})
