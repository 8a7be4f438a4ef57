import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate as applyMigrations } from 'drizzle-orm/node-postgres/migrator'
import type pg from 'pg'
import { checkAddress, checkServer, isLocal } from './database-checks.ts'
import { ensureLoginRoles, revokeTemporary } from './login-roles.ts'
import { connectAsOwner, ownerUrl } from './owner.ts'
import { program } from './program.ts'
import { root } from './settings.ts'

const EXTENSIONS = ['pg_trgm', 'unaccent', 'vector']

/**
 * Brings a database to the newest migration, once it is known to suit: first the login roles `app` and `jobs` and the extensions when missing.
 * The role of the connection string owns everything; the login roles own nothing.
 */
export async function migrate(url: string): Promise<void> {
  checkAddress(url)
  const client = await connectAsOwner(url)
  try {
    await checkServer(client)
    // Concurrent deployments run one after the other.
    await client.query(`select pg_advisory_lock(hashtext('migrate'))`)
    await ensureLoginRoles(client, isLocal(url))
    await revokeTemporary(client)
    for (const extension of EXTENSIONS) await client.query(`create extension if not exists ${extension}`)
    // Tables call the primitives in defaults, generated columns, indexes and policies; all other functions name tables.
    await replaceFunctions(client, isPrimitive)
    await applyMigrations(drizzle(client), { migrationsFolder: join(root, 'schema/migrations') })
    await replaceFunctions(client, (name) => !isPrimitive(name))
    // Refreshes what merges and purges look up in the catalogue, for the current tables.
    await client.query('call remember_catalog()')
    await dropObsoleteFunctions(client)
  } finally {
    await client.end()
  }
}

const FUNCTIONS = join(root, 'schema/functions')
/** Whether tables call the functions of the file. */
const isPrimitive = (name: string) => name.startsWith('primitives')

/** Creates or replaces the functions and triggers of these files, in one transaction. A function may call one that is defined after it. */
async function replaceFunctions(client: pg.Client, isWanted: (name: string) => boolean): Promise<void> {
  const files = readdirSync(FUNCTIONS).filter(isWanted).sort()
  const texts = files.map((name) => readFileSync(join(FUNCTIONS, name), 'utf8'))
  await client.query(['begin', 'set local check_function_bodies = off', ...texts, 'commit'].join(';\n'))
}

/** Drops functions that an earlier release defined and this one does not: first their triggers, and those that others depend on last. */
async function dropObsoleteFunctions(client: pg.Client): Promise<void> {
  const texts = readdirSync(FUNCTIONS).map((name) => readFileSync(join(FUNCTIONS, name), 'utf8'))
  const defined = texts.flatMap((text) => [...text.matchAll(/^create or replace (?:function|procedure|aggregate) (\w+)/gm)])
  const names = defined.map(([, name]) => name)
  const triggers = await client.query<{ name: string }>(
    `select format('%I on %s', t.tgname, t.tgrelid::regclass) as name from pg_trigger t join pg_proc p on p.oid = t.tgfoid
      where not t.tgisinternal and t.tgparentid = 0 and p.pronamespace = 'public'::regnamespace and p.proname <> all ($1)`,
    [names],
  )
  for (const { name } of triggers.rows) await client.query(`drop trigger ${name}`)
  const { rows } = await client.query<{ name: string }>(
    `select format('%s %s', case p.prokind when 'p' then 'procedure' when 'a' then 'aggregate' else 'function' end, p.oid::regprocedure) as name
      from pg_proc p where p.pronamespace = 'public'::regnamespace and p.proname <> all ($1)
        and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`,
    [names],
  )
  let left = rows.map(({ name }) => name)
  while (left.length > 0) {
    const refused: string[] = []
    for (const name of left) await client.query(`drop ${name}`).catch(() => refused.push(name))
    if (refused.length === left.length) throw new Error(`Functions of an earlier release are still in use: ${refused.join(', ')}`)
    left = refused
  }
}

const usage = `Usage: npm run migrate

Brings the database of DATABASE_ADMIN_URL, or that of "npm run dev" or "npm run db", to the newest migration. It can be run again at any time.
APP_DB_PASSWORD and JOBS_DB_PASSWORD set the passwords of the roles "app" and "jobs".`

await program(import.meta, { usage }, async () => {
  await migrate(ownerUrl())
  const { host, pathname } = new URL(ownerUrl())
  console.log(`${host}${pathname} is at the newest migration.`)
})
