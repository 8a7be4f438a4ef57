import type { PoolClient } from 'pg'
import { tenantTables } from '../contract/state.ts'
import type { Harness } from '../harness.ts'
import { columnsOf, uniqueOf, varied } from './neighbours.ts'

/**
 * Copies of the rows of a workspace, which a call about the rows themselves must leave alone. Strangers have other ids wherever the rows
 * have one of the workspace, so that they refer to each other as the rows do; twins have another key, and belong to what the rows belong
 * to. What is changed of them is counted by sequences, which keep their value when a dry run is rolled back.
 */
export interface OtherRows {
  count: number
  /** The tables with a copy that was changed since the last call. */
  touched(): Promise<string[]>
}

type Column = Awaited<ReturnType<typeof columnsOf>>[number]

/** Logs, what triggers keep about other rows, and what a workspace has once. */
const LEFT_OUT =
  /^(account_grants|deleted_rows|api_key_uses|api_keys|changes|changes_.*|outbox|outbox_.*|idempotency|memberships|roles|requests|requests_.*|timeline_changes|record_times|record_time_checks|record_counts|record_count_deltas|opportunity_(deltas|totals|periods)|search_words|feed_followers|crm_settings)$/

export async function addOtherRows(app: Harness, workspaceId: string): Promise<OtherRows> {
  const client = await app.owner.connect()
  try {
    const tables = (await tenantTables(app.owner)).filter((table) => !LEFT_OUT.test(table))
    await client.query('begin; set local session_replication_role = replica; create schema beside; create sequence beside."all"')
    const all = new Map<string, Column[]>()
    for (const table of tables) all.set(table, await columnsOf(client, table))
    const withId = tables.filter((table) => all.get(table)?.some(({ name, type }) => name === 'id' && type === 'uuid'))
    await client.query(
      `create table beside.ids as
        ${withId.map((table) => `select id from ${table} where workspace_id = '${workspaceId}'`).join(' union ')}`,
    )
    // The ids of copies follow all others: of equal rows the one with the lowest id is often taken.
    await client.query(`create unique index on beside.ids (id); create table beside.copies (id uuid primary key, n int);
      create function beside.copy_of(n int, id uuid) returns uuid immutable language sql return
        overlay(md5($1 || $2::text) placing 'f' from 1)::uuid;
      insert into beside.copies select beside.copy_of(n, id), n from beside.ids, generate_series(1, 2) n;
      grant usage on schema beside to public; analyze beside.ids;
      create function beside.other(n int, id uuid) returns uuid stable language sql return
        case when exists (select from beside.ids i where i.id = $2) then beside.copy_of($1, $2) else $2 end;
      create function beside.touch() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
      begin
        perform nextval('beside."all"'), nextval(format('beside.%I', tg_table_name || case c.n when 1 then '' else ':' end))
          from beside.copies c
          where c.id = any (array(select (to_jsonb(old) ->> k)::uuid from unnest(tg_argv) k));
        return null;
      end $$`)
    let count = 0
    for (const table of tables) count += await copyRows(client, table, all.get(table) ?? [], workspaceId)
    await client.query('commit')
    let last = '0'
    const seen = new Map<string, string>()
    return {
      count,
      async touched() {
        const { rows } = await app.owner.query('select last_value::text as last, is_called from beside."all"')
        if (!rows[0].is_called || rows[0].last === last) return []
        last = rows[0].last
        const { rows: found } = await app.owner.query<{ name: string; value: string }>(
          `select sequencename as name, last_value::text as value from pg_sequences
            where schemaname = 'beside' and sequencename <> 'all' and last_value is not null`,
        )
        const touched = found.filter(({ name, value }) => seen.get(name) !== value)
        for (const { name, value } of touched) seen.set(name, value)
        return touched.map(({ name }) => name).sort()
      },
    }
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

async function copyRows(client: PoolClient, table: string, columns: Column[], workspaceId: string) {
  const unique = await uniqueOf(client, table)
  const key = await keyOf(client, table)
  const { rows } = await client.query<{ place: string }>(`select ctid::text as place from ${table} where workspace_id = $1`, [workspaceId])
  let count = 0
  for (const isTwin of [false, true]) {
    const n = isTwin ? 2 : 1
    const ids = columns.filter(({ name, type }) => /^_?uuid$/.test(type) && name !== 'workspace_id' && (!isTwin || name === 'id'))
    if (isTwin && !ids.length) continue
    const others = Object.fromEntries(
      ids.map(({ name, type }) => [
        name,
        type === 'uuid' ? `beside.other(${n}, ${name})` : `array(select beside.other(${n}, u) from unnest(${name}) u)`,
      ]),
    )
    const values = varied(columns, unique, n, others)
    const { rowCount } = await client.query(
      `insert into ${table} (${columns.map(({ name }) => name)}) select ${columns.map(({ name }) => values[name] ?? name)} from ${table}
        where ctid = any ($1::tid[]) on conflict do nothing`,
      [rows.map(({ place }) => place)],
    )
    count += rowCount ?? 0
  }
  if (key.length > 0)
    await client.query(`create sequence beside.${table}; create sequence beside."${table}:";
      create trigger beside after update or delete on ${table} for each row
        execute function beside.touch(${key.map((name) => `'${name}'`)})`)
  return count
}

/** The ids in the key of a table. */
async function keyOf(client: PoolClient, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select a.attname as name from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey::int2[])
     where i.indrelid = $1::regclass and i.indisprimary and a.atttypid = 'uuid'::regtype and a.attname <> 'workspace_id'`,
    [table],
  )
  return rows.map(({ name }) => name)
}
