import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import pg from 'pg'
import { migrate, presentSchema, type Schema } from '../../dev/migrate.ts'
import { root } from '../../dev/settings.ts'

/** The previous release: its schema, records in nearly every table, and its Worker. `npm run baseline` stores the present one. */
const FOLDER = join(root, 'test/data/baseline')
/** What `npm run migrate` must know of the previous release. */
const RELEASED = join(root, 'schema/released.json')

/** The values of each table as text, by column. */
type Rows = Record<string, Record<string, string | null>[]>
/** A workspace with records, as its key sees it. */
export type Seen = { id: string; userId: string; apiKey: string; keyId: string }
type Stored = Baseline & { rows: Rows }
/** `lists`: the paths of the lists that its Worker serves. `schema`: what its `npm run migrate` puts in force. */
export type Baseline = { workspace: Seen; lists: string[]; schema: Schema }

const pack = (name: string, content: string | Buffer) => writeFileSync(join(FOLDER, name), gzipSync(content, { level: 9 }))
const unpack = (name: string) => gunzipSync(readFileSync(join(FOLDER, name)))

/** The files of a migrated schema by which a later release is recognised as its successor. */
export type Released = { migrations: Record<string, string>; functions: string[] }
export const readReleased = (): Released => JSON.parse(readFileSync(RELEASED, 'utf8'))

/** Stores this database and the bundled Worker as the previous release of all that comes later. */
export async function storeBaseline(owner: pg.Pool, bundle: string, baseline: Omit<Baseline, 'schema'>): Promise<void> {
  mkdirSync(FOLDER, { recursive: true })
  const schema = presentSchema()
  pack('records.json.gz', JSON.stringify({ schema, rows: await readRows(owner), ...baseline } satisfies Stored))
  pack('worker.js.gz', readFileSync(join(bundle, 'worker.js')))
  const { rows } = await owner.query(`select p.oid::regprocedure::text as name from pg_proc p where p.pronamespace = 'public'::regnamespace
    and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e') order by 1`)
  const migrations = Object.fromEntries(schema.migrations.map(({ tag, hash }) => [tag, hash]))
  const released: Released = { migrations, functions: rows.map(({ name }) => name) }
  writeFileSync(RELEASED, `${JSON.stringify(released, null, 2)}\n`)
}

/** Brings an empty database to the previous release, with its records, and writes its Worker to a folder. */
export async function restoreBaseline(url: string, bundle: string): Promise<Baseline> {
  const { schema, rows, workspace, lists } = JSON.parse(unpack('records.json.gz').toString()) as Stored
  await migrate(url, schema)
  const owner = new pg.Client({ connectionString: url })
  await owner.connect()
  await writeRows(owner, rows)
  await owner.end()
  mkdirSync(bundle, { recursive: true })
  writeFileSync(join(bundle, 'worker.js'), unpack('worker.js.gz'))
  return { workspace, lists, schema }
}

type Columns = { name: string; columns: { name: string; type: string }[] }

/** The tables with the columns that are stored, and not generated. */
async function tablesOf(owner: pg.Pool | pg.Client): Promise<Columns[]> {
  const { rows } = await owner.query(`select c.relname as name, json_agg(json_build_object('name', quote_ident(a.attname),
      'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition group by c.relname order by 1`)
  return rows
}

async function readRows(owner: pg.Pool): Promise<Rows> {
  const rows: Rows = {}
  for (const { name, columns } of await tablesOf(owner)) {
    const found = await owner.query(`select ${columns.map((column) => `${column.name}::text as ${column.name}`)} from ${name}`)
    if (found.rows.length > 0) rows[name] = found.rows
  }
  return rows
}

/**
 * No trigger runs and no reference is checked, because the rows are consistent. As with pg_restore no function is found by its mere name,
 * so what generated columns and constraints call must name the schema.
 */
async function writeRows(owner: pg.Client, rows: Rows): Promise<void> {
  await owner.query("set session_replication_role = replica; set search_path = ''")
  for (const { name, columns } of await tablesOf(owner)) {
    if (!rows[name]) continue
    const as = (kind: (column: Columns['columns'][number]) => string) => columns.map(kind).join(', ')
    await owner.query(
      `insert into public.${name} (${as((column) => column.name)}) select ${as((column) => `${column.name}::${column.type}`)}
        from json_to_recordset($1) as given(${as((column) => `${column.name} text`)})`,
      [JSON.stringify(rows[name])],
    )
  }
}
