import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { checkAddress, checkServer, isLocal } from './database-checks.ts'
import { ensureLoginRoles, revokeTemporary } from './login-roles.ts'
import { applyMigrations, checkState, inTransaction, isAhead, readMigrations } from './migrations.ts'
import { connectAsOwner, localOwnerUrl } from './owner.ts'
import { program } from './program.ts'
import { Complaint, root } from './settings.ts'

const EXTENSIONS = ['pg_trgm', 'unaccent', 'vector']

/** What a database is brought to: migrations, and the texts of the files of functions by their names. */
export interface Schema {
  migrations: ReturnType<typeof readMigrations>
  functions: Record<string, string>
  /** The signatures of functions that the previous release has, whose Worker may still be running. */
  released: string[]
}

const FUNCTIONS = join(root, 'schema/functions')

/** The schema of this folder. */
export function presentSchema(): Schema {
  const files = readdirSync(FUNCTIONS).sort()
  return {
    migrations: readMigrations(join(root, 'schema/migrations')),
    functions: Object.fromEntries(files.map((name) => [name, readFileSync(join(FUNCTIONS, name), 'utf8')])),
    released: JSON.parse(readFileSync(join(root, 'schema/released.json'), 'utf8')).functions,
  }
}

/**
 * Brings a database to the newest migration, once it is known to suit: first the login roles `app` and `jobs` and the extensions when
 * missing. The role of the connection string owns everything; the login roles own nothing.
 */
export async function migrate(url: string, schema = presentSchema()): Promise<void> {
  checkAddress(url)
  const client = await connectAsOwner(url)
  try {
    await checkServer(client)
    // Concurrent deployments run one after the other.
    await client.query(`select pg_advisory_lock(hashtext('migrate'))`)
    await checkState(client, schema.migrations)
    await ensureLoginRoles(client, isLocal(url))
    await revokeTemporary(client)
    if (await isPresent(client, schema)) return
    for (const extension of EXTENSIONS) await client.query(`create extension if not exists ${extension}`)
    // Tables call the primitives in defaults, generated columns, indexes and policies; all other functions name tables.
    const primitives = await replaceFunctions(client, textsOf(schema, isPrimitive), schema.released)
    await applyMigrations(client, schema.migrations)
    // Merges and purges look up the present tables in functions that are made from the catalogue.
    const others = await replaceFunctions(
      client,
      [...textsOf(schema, (name) => !isPrimitive(name)), 'call remember_catalog()'],
      schema.released,
    )
    await inTransaction(client, async () => {
      const inUse = await dropObsoleteFunctions(client, [primitives, others], schema.released)
      // Tables of a later release, which was rolled back, keep the functions that they call.
      if (inUse.length > 0 && !(await isAhead(client, schema.migrations)))
        throw new Error(`Functions of an earlier release are still in use: ${inUse.join(', ')}`)
      await noteSchema(client, schema)
    })
  } finally {
    await client.end()
  }
}

/** Identifies the versions of all functions, triggers and policies that a database has, which change when anything writes one anew. */
const PRESENT = `md5(concat(
  (select string_agg(concat(p.oid, ':', p.xmin), ',' order by p.oid) from pg_proc p where p.pronamespace = 'public'::regnamespace),
  (select string_agg(concat(t.oid, ':', t.xmin), ',' order by t.oid) from pg_trigger t where not t.tgisinternal and t.tgparentid = 0),
  (select string_agg(concat(p.oid, ':', p.xmin), ',' order by p.oid) from pg_policy p where p.polname = 'being_deleted')))`

/** Whether a migration to the same schema was the last that has written functions, triggers and policies. */
async function isPresent(client: pg.ClientBase, schema: Schema): Promise<boolean> {
  const { rows } = await client.query(
    `select obj_description(to_regnamespace('drizzle'), 'pg_namespace') = concat($1::text, ' ', ${PRESENT}) as same`,
    [hashOf(schema)],
  )
  return rows[0].same === true
}

/** Notes that the database has this schema. */
async function noteSchema(client: pg.ClientBase, schema: Schema): Promise<void> {
  const { rows } = await client.query(`select ${PRESENT} as present`)
  await client.query(`comment on schema drizzle is '${hashOf(schema)} ${rows[0].present}'`)
}

const hashOf = ({ migrations, functions, released }: Schema) =>
  createHash('md5')
    .update(JSON.stringify([migrations.map(({ hash }) => hash), functions, released]))
    .digest('hex')

/** Whether tables call the functions of the file. */
const isPrimitive = (name: string) => name.startsWith('primitives')
function textsOf({ functions }: Schema, isWanted: (name: string) => boolean): string[] {
  const texts = Object.entries(functions).flatMap(([name, text]) => (isWanted(name) ? [text] : []))
  return 'primitives-triggers.sql' in functions ? texts.map(writingTriggers) : texts
}

/** The text, whose triggers are written only where they differ. */
const writingTriggers = (text: string) =>
  text.replace(/^create (?:or replace|constraint) trigger [^;]*/gm, (statement) => `call write_trigger($trigger$${statement}$trigger$)`)

/**
 * Creates or replaces functions and triggers in one transaction, whose id it returns. A function may call one that is defined after it.
 * Those that stand in the way of their own replacement are dropped first, which a later release needs as well as the return to a former
 * one.
 */
async function replaceFunctions(client: pg.ClientBase, texts: string[], released: string[]): Promise<string> {
  const drops: string[] = []
  for (;;) {
    try {
      return await inTransaction(client, async () => {
        await client.query(['set local check_function_bodies = off', ...drops, ...texts].join(';\n'))
        const { rows } = await client.query('select pg_current_xact_id()::xid::text as id')
        return rows[0].id
      })
    } catch (error) {
      const needed = (await dropsFor(client, error, released)).filter((drop) => !drops.includes(drop))
      if (needed.length === 0) throw error
      drops.push(...needed)
    }
  }
}

/**
 * What must be dropped before the functions can be written: one whose parameters or result have got other names or types (PostgreSQL names
 * it), or, when a grant names a function that another release has with other parameters too, all of that name that the Worker of the
 * previous release does not call.
 */
async function dropsFor(client: pg.ClientBase, error: unknown, released: string[]): Promise<string[]> {
  const { code, hint = '', message } = error as { code?: string; hint?: string; message: string }
  const [, changed] = /^Use DROP \w+ (.+) first\.$/.exec(hint) ?? []
  if (code === '42P13' && changed) return [`drop routine ${changed}`]
  const [, shared] = /^(?:function|procedure|routine) name "(\w+)" is not unique$/.exec(message) ?? []
  if (code !== '42725' || !shared) return []
  const { rows } = await client.query<{ name: string }>(
    `select p.oid::regprocedure::text as name from pg_proc p
      where p.pronamespace = 'public'::regnamespace and p.proname = $1 and p.oid::regprocedure::text <> all ($2)`,
    [shared, released],
  )
  return rows.map(({ name }) => `drop routine ${name}`)
}

/**
 * Drops functions that neither this release nor the previous one defines, and triggers that this one does not: what the transactions
 * `written` have not replaced, and no trigger that they have found as it is to be. Those on which others depend go last. Returns those that
 * tables use.
 */
async function dropObsoleteFunctions(client: pg.ClientBase, written: string[], released: string[]): Promise<string[]> {
  const triggers = await client.query<{ name: string }>(
    `select format('%I on %s', t.tgname, t.tgrelid::regclass) as name from pg_trigger t join pg_proc p on p.oid = t.tgfoid
      where not t.tgisinternal and t.tgparentid = 0 and p.pronamespace = 'public'::regnamespace and t.xmin::text <> all ($1)
        and t.oid <> all (string_to_array(coalesce(current_setting('app.written_triggers', true), ''), ',')::oid[])`,
    [written],
  )
  for (const { name } of triggers.rows) await client.query(`drop trigger ${name}`)
  const { rows } = await client.query<{ name: string }>(
    `select format('%s %s', case p.prokind when 'p' then 'procedure'
      when 'a' then 'aggregate' else 'function' end, p.oid::regprocedure) as name
      from pg_proc p where p.pronamespace = 'public'::regnamespace and p.xmin::text <> all ($1) and p.oid::regprocedure::text <> all ($2)
        and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`,
    [written, released],
  )
  let left = rows.map(({ name }) => name)
  while (left.length > 0) {
    const refused: string[] = []
    for (const name of left) await dropUnlessUsed(client, name).catch(() => refused.push(name))
    if (refused.length === left.length) return refused
    left = refused
  }
  return []
}

/** The savepoint keeps the transaction usable when something still depends on the function. */
async function dropUnlessUsed(client: pg.ClientBase, name: string): Promise<void> {
  await client.query('savepoint obsolete')
  try {
    await client.query(`drop ${name}`)
  } catch (error) {
    await client.query('rollback to obsolete')
    throw error
  }
}

const usage = `Usage: DATABASE_ADMIN_URL='postgres://<owner>:<password>@<host>/<database>?sslmode=verify-full' npm run migrate
       npm run migrate -- --local

Brings this database, or with --local that of "npm run dev" or "npm run db", to the newest migration. It can be run again at any time.
APP_DB_PASSWORD and JOBS_DB_PASSWORD set the passwords of the roles "app" and "jobs".`

await program(import.meta, { usage, options: { local: { type: 'boolean' } } }, async ({ local }) => {
  const url = local ? localOwnerUrl() : process.env.DATABASE_ADMIN_URL
  if (!url) throw new Complaint(`Name the database to migrate.\n\n${usage}`)
  await migrate(url)
  const { host, pathname } = new URL(url)
  console.log(`${host}${pathname} is at the newest migration.`)
})
