import type { PoolClient } from 'pg'

/**
 * Rows beside those that a call changes or locks, which it must leave alone: a condition that is missing in a statement reaches them.
 * A twin differs from the row of a case in its key, and where a unique index requires it. A stranger is a copy of a row that a call has
 * changed or locked, with other ids in all columns. Twins are smaller and larger than the row, and all are stored before it. The other
 * rows of its table are neighbours too.
 */
export interface Neighbours {
  /** How many twins the row has. */
  twins: number
  /** Why others could not be added. */
  refusals: string[]
  /** The tables with a neighbour that is not as it was, or that is locked. */
  touched(): Promise<string[]>
}
/** The row of a case, and in what each twin differs too. */
export type Origin = { table: string; key: string; row: string; differs?: Record<string, string>[] | undefined }

type Column = { name: string; type: string }
/** Two ids before and after those that the program makes. */
const IDS = ['00000000-0000-4000-8000-000000000003', 'ffffffff-ffff-4fff-bfff-fffffffffff3']

/** Another value of a column, as SQL: one for each number. */
const OTHERS: Record<string, (column: string, n: number) => string> = {
  uuid: () => 'gen_random_uuid()',
  text: (column, n) => `${column} || ${n}`,
  int4: (column, n) => `${column} + ${n * 1_000_000}`,
  int8: (column, n) => `${column} + ${n * 1_000_000}`,
  int2: (column, n) => `${column} + ${n * 1000}`,
  bytea: (column, n) => `set_byte(${column}, 0, (get_byte(${column}, 0) + ${n}) % 256)`,
  date: (column, n) => `${column} + ${n * 1000}`,
  timestamptz: (column, n) => `${column} + interval '${n * 1000} days'`,
}

/** The places of the rows that were locked or changed since a savepoint with this number, by their table. At most 5 of a table. */
async function placesOf(client: PoolClient, tables: string[], since: string): Promise<Map<string, string[]>> {
  const places = new Map<string, string[]>()
  for (const name of tables) {
    // Who has locked or changed a row is in it, also after a rollback: a transaction, or one within it, which has a later number. In a
    // row that the transaction has written itself is the number of both.
    const { rows } = await client.query<{ place: string }>(
      `select ctid::text as place from ${name}, (select pg_current_xact_id()::text as own) o
       where xmax::text::bigint >= ${since} or (xmin::text = own and xmax::text not in ('0', own)) limit 5`,
    )
    const found = rows.map(({ place }) => place)
    if (found.length > 0) places.set(name, found)
  }
  return places
}

/** Begins a part of the transaction, and returns its number. */
export async function savepoint(client: PoolClient): Promise<string> {
  await client.query('savepoint called; create temp table if not exists savepoints (n int) on commit drop')
  return (await client.query<{ xmin: string }>('insert into savepoints values (1) returning xmin')).rows[0]?.xmin as string
}

/** The tables of tenants that the transaction has written to, or of which it has locked rows. */
async function tablesOf(client: PoolClient): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select distinct c.relname as name from pg_locks l join pg_class c on c.oid = l.relation and c.relkind = 'r'
       join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id'
     where l.pid = pg_backend_pid() and l.mode in ('RowShareLock', 'RowExclusiveLock') and c.relnamespace = 'public'::regnamespace
     order by 1`,
  )
  return rows.map(({ name }) => name)
}

/** The tables with a row that was locked since a savepoint, and not changed. */
export const lockedTables = async (client: PoolClient, since: string) => [...(await placesOf(client, await tablesOf(client), since)).keys()]

/** What was locked or changed since a savepoint, to which the transaction goes back. */
export async function reached(client: PoolClient, since: string): Promise<Map<string, string[]>> {
  const tables = await tablesOf(client)
  await client.query('rollback to savepoint called')
  return placesOf(client, tables, since)
}

/** Adds the neighbours of these rows, and of the row of the case. */
export async function addNeighbours(client: PoolClient, rows: Map<string, string[]>, origin?: Origin): Promise<Neighbours> {
  await client.query('create temp table neighbours (name text, stored jsonb, lock text) on commit drop')
  const refusals: string[] = []
  /** Copies rows with other values in these columns. Returns how many. */
  const copy = async (table: string, condition: string, columns: Column[], others: Record<string, string>) => {
    await client.query('savepoint added')
    try {
      const { rowCount } = await client.query(
        `with added as (insert into ${table} as t (${columns.map(({ name }) => name)})
           select ${columns.map(({ name }) => others[name] ?? name)}
           from ${table} where ${condition} returning to_jsonb(t) as stored)
         insert into neighbours select '${table}', stored, '0' from added`,
      )
      return rowCount ?? 0
    } catch (error) {
      // The other value is none that the column takes.
      refusals.push((error as Error).message)
      await client.query('rollback to savepoint added')
      return 0
    }
  }
  for (const [table, places] of rows) {
    const condition = `ctid = any ('{${places.map((place) => `"${place}"`)}}'::tid[])`
    const columns = await columnsOf(client, table)
    const ids = columns.filter(({ name, type }) => type === 'uuid' && name !== 'workspace_id')
    const others = Object.fromEntries(ids.map(({ name }) => [name, `case when ${name} is not null then gen_random_uuid() end`]))
    await copy(table, condition, columns, varied(columns, await uniqueOf(client, table), 3, others))
    // They are stored after the strangers then, and no longer locked.
    await client.query(`update ${table} set workspace_id = workspace_id where ${condition}`)
  }
  let twins = 0
  if (origin) {
    const { table, key, row } = origin
    const condition = `workspace_id = current_workspace() and ${key} = '${row}'`
    const columns = await columnsOf(client, table)
    const unique = await uniqueOf(client, table)
    for (const [n, id] of IDS.entries())
      twins += await copy(table, condition, columns, varied(columns, unique, n + 1, { ...origin.differs?.[n], [key]: `'${id}'` }))
    await client.query(`update ${table} set ${key} = ${key} where ${condition}`)
    await client.query(
      `insert into neighbours select '${table}', to_jsonb(t), xmax::text from ${table} t
         where workspace_id = current_workspace() and ${key} <> '${row}'
         and to_jsonb(t) not in (select stored from neighbours)`,
    )
  }
  return {
    twins,
    refusals,
    async touched() {
      const { rows: found } = await client.query<{ name: string }>('select distinct name from neighbours order by name')
      const touched: string[] = []
      for (const { name } of found) {
        const { rowCount } = await client.query(
          `select from neighbours n
            where name = '${name}' and not exists (select from ${name} t where to_jsonb(t) = n.stored and xmax::text = n.lock)`,
        )
        if (rowCount) touched.push(name)
      }
      return touched
    },
  }
}

/** These values, and one of another column for each unique index that has none of them. */
export function varied(columns: Column[], unique: string[][], n: number, given: Record<string, string>): Record<string, string> {
  const others = { ...given }
  for (const names of unique) {
    if (names.some((name) => name in others)) continue
    // A column with this ending is generated.
    const last = columns.find(({ name }) => name === names.at(-1)?.replace(/_norm$/, ''))
    const other = last && OTHERS[last.type]?.(last.name, n)
    if (last && other) others[last.name] = other
  }
  return others
}

export async function columnsOf(client: PoolClient, table: string): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `select quote_ident(a.attname) as name, t.typname as type from pg_attribute a join pg_type t on t.oid = a.atttypid
     where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum`,
    [table],
  )
  return rows
}

/** The columns of each unique index, or of its expressions; the last one is the one to vary. */
export async function uniqueOf(client: PoolClient, table: string): Promise<string[][]> {
  const { rows } = await client.query<{ names: string[] }>(
    `select coalesce((select array_agg(quote_ident(a.attname) order by k.n)
      from unnest(i.indkey::int2[]) with ordinality k(column_number, n)
           join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.column_number and a.attname <> 'workspace_id'),
         array(select quote_ident(a.attname) from pg_depend d
           join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid and a.attname <> 'workspace_id'
           where d.classid = 'pg_class'::regclass and d.objid = i.indexrelid and d.refobjid = i.indrelid
           order by a.atttypid = 'text'::regtype, a.attnum desc)) as names
     from pg_index i where i.indrelid = $1::regclass and i.indisunique`,
    [table],
  )
  return rows.map(({ names }) => names)
}
