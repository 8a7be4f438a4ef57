import type pg from 'pg'
import { createWorkspace, type NewWorkspace } from '../dev/workspace.ts'
import { LOADS } from './loads.ts'
import { COMPILED_QUEUE } from './queue-loads.ts'
import { traces } from './traces.ts'
import { changed, id, LEAD_SOURCES, name, OWNERS, STAKEHOLDER_TYPES, stamps, word } from './values.ts'

/** Creates two workspaces that grow side by side; the first one is measured. */
export async function createWorkspaces(client: pg.PoolClient, labels = ['Measured', 'Beside']): Promise<NewWorkspace[]> {
  const made = []
  for (const label of labels) {
    const workspace = await createWorkspace(client, { name: label, ownerEmail: `${label}@example.com`, ownerName: label })
    await prepare(client, workspace.workspace_id, label)
    made.push(workspace)
  }
  return made
}

/** The members, lead sources and stakeholder types that the rows of `fill` refer to. */
export async function prepare(client: pg.PoolClient, workspaceId: string, label: string): Promise<void> {
  await enter(client, workspaceId)
  await client.query(
    `insert into users (id, email, full_name) select ${id('user', 'n')}, '${label}' || n || '@example.com', ${name} || ' ' || ${word}
      from generate_series(1, ${OWNERS}) n`,
  )
  await client.query(`insert into memberships (user_id) select ${id('user', 'n')} from generate_series(1, ${OWNERS}) n`)
  await client.query(
    `insert into lead_sources (id, name) select ${id('leadSource', 'n')}, 'Source ' || n from generate_series(1, ${LEAD_SOURCES}) n`,
  )
  await client.query(
    `insert into stakeholder_types (id, name) select ${id('stakeholderType', 'n')}, 'Kind ' || n
      from generate_series(1, ${STAKEHOLDER_TYPES}) n`,
  )
  await client.query('update crm_settings set custom_fields_strict = false where workspace_id = $1', [workspaceId])
  await client.query(
    `insert into lists (name, object, kind, filter, visibility)
      values ('Newcastle', 'contacts', 'live', '{"field": "city", "op": "eq", "value": "Newcastle"}', 'shared')`,
  )
  await client.query(
    `insert into scheduled_event_types (id, name, slug) values (${id('eventType', '1')}, 'First meeting', 'first-meeting')`,
  )
  await client.query(COMPILED_QUEUE)
  await client.query('reset session_replication_role')
}

/**
 * Fills a workspace from `from` rows up to `size`, in sets, without triggers and foreign key checks. Creation times are spread as if it
 * had grown steadily to the size `last`. With `tables` only these are filled.
 */
export async function fill(
  client: pg.PoolClient,
  workspaceId: string,
  from: number,
  size: number,
  last = size,
  tables?: string[],
): Promise<void> {
  await enter(client, workspaceId)
  for (const { table, count, columns, unstamped } of LOADS.filter(({ table }) => !tables || tables.includes(table))) {
    const names = Object.keys(columns)
    const values = names.map((column) => columns[column]!(size))
    const stamped = `select n, ${stamps(count(last))} as created from generate_series(${from ? count(from) + 1 : 1}, ${count(size)}) n`
    await client.query(
      unstamped
        ? `insert into ${table} (${names.join(', ')}) select ${values.join(', ')} from (${stamped}) rows`
        : `insert into ${table} (${names.join(', ')}, created_at, updated_at) select ${values.join(', ')}, created, ${changed}
          from (${stamped}) rows`,
    )
  }
  for (const statement of tables ? [] : traces(stamps(last)))
    await client.query(`with added as (select n from generate_series(${from + 1}, ${size}) n) ${statement}`)
  await client.query('select order_links($1)', [workspaceId])
  await client.query('reset session_replication_role')
  await client.query('select recount_opportunities($1), recount_records($1)', [workspaceId])
}

/** Fills workspaces of these sizes, two at a time, each in its own session. Then it creates the indexes and vacuums the tables. */
export async function fillAll(database: pg.Pool, workspaces: { id: string; size: number }[]): Promise<void> {
  const numbered = workspaces.map((workspace, at) => ({ ...workspace, label: `Number ${at} of ` }))
  const definitions = await dropIndexes(database)
  await bySessions(
    database,
    numbered.sort((a, b) => b.size - a.size),
    async (session, { id, size, label }) => {
      await prepare(session, id, label)
      await fill(session, id, 0, size)
    },
  )
  // The indexes of one table belong to one session: two sessions would choose the same name for the index of a partition.
  await bySessions(database, [...Map.groupBy(definitions, ({ table }) => table).values()], async (session, indexes) => {
    await session.query(`set maintenance_work_mem = '512MB'`)
    for (const { definition } of indexes) await session.query(definition)
  })
  const { rows } = await database.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      order by coalesce((select sum(pg_relation_size(relid)) from pg_partition_tree(oid)), pg_relation_size(oid)) desc`,
  )
  await bySessions(database, rows, (session, { name }) => session.query(`vacuum (analyze) ${name}`))
}

/** Loading rows is faster when the indexes are created afterwards. */
export async function withoutIndexes(client: pg.PoolClient, load: () => Promise<void>): Promise<void> {
  const definitions = await dropIndexes(client)
  await load()
  await client.query(`set maintenance_work_mem = '256MB'`)
  for (const { definition } of definitions) await client.query(definition)
}

/** Drops the indexes that are not unique, and returns the statements that create them. Indexes of a partition follow that of its table. */
async function dropIndexes(database: pg.Pool | pg.PoolClient): Promise<{ table: string; definition: string }[]> {
  const { rows } = await database.query<{ name: string; table: string; definition: string }>(
    `select indexrelid::regclass::text as name, indrelid::regclass::text as table,
      replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as definition
      from pg_index i join pg_class c on c.oid = indexrelid
      where c.relnamespace = 'public'::regnamespace and not indisprimary and not indisunique and not indisexclusion
      and not c.relispartition`,
  )
  for (const { name } of rows) await database.query(`drop index ${name}`)
  return rows
}

/** Processes the items in order, in two sessions that are closed afterwards. */
async function bySessions<Item>(
  database: pg.Pool,
  items: Item[],
  work: (session: pg.PoolClient, item: Item) => Promise<unknown>,
): Promise<void> {
  const left = items.values()
  const runOne = async () => {
    const session = await database.connect()
    try {
      for (const item of left) await work(session, item)
    } finally {
      session.release(true)
    }
  }
  await Promise.all([runOne(), runOne()])
}

/** Assigns the session to the workspace, and disables triggers. */
async function enter(client: pg.PoolClient, workspaceId: string): Promise<void> {
  await client.query(
    `select set_config('app.workspace_id', $1, false), set_config('session_replication_role', 'replica', false), setseed(0.5)`,
    [workspaceId],
  )
  // Twelve hexadecimal digits of time, the version, and a suffix that differs by workspace.
  const tail = workspaceId.replaceAll('-', '').slice(-15)
  await client.query(`create or replace function pg_temp.nth_id(kind int, n bigint) returns uuid immutable language sql return
    (lpad(to_hex(1700000000000 + n * 100), 12, '0') || '7' || lpad(to_hex(kind), 3, '0') || '8' || '${tail}')::uuid`)
}
