import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate as applyMigrations } from 'drizzle-orm/node-postgres/migrator'
import type pg from 'pg'
import { connectAsOwner, ownerUrl } from './owner.ts'
import { Complaint, main, root } from './settings.ts'

const EXTENSIONS = ['pg_trgm', 'unaccent', 'vector']

/**
 * Brings a database to the newest migration: first the login role `app` and the extensions when they are missing.
 * The role of the connection string owns everything; `app` owns nothing.
 */
export async function migrate(url: string): Promise<void> {
  const client = await connectAsOwner(url)
  try {
    // Two deployments at once take turns.
    await client.query(`select pg_advisory_lock(hashtext('migrate'))`)
    await createAppRole(client, isLocal(url))
    for (const extension of EXTENSIONS) await client.query(`create extension if not exists ${extension}`)
    await applyMigrations(drizzle(client), { migrationsFolder: join(root, 'schema/migrations') })
    await replaceFunctions(client)
  } finally {
    await client.end()
  }
}

/** What schema/functions says is in force, whatever a migration said before. */
async function replaceFunctions(client: pg.Client): Promise<void> {
  const folder = join(root, 'schema/functions')
  const files = readdirSync(folder).filter((name) => name.endsWith('.sql'))
  await client.query(['begin', ...files.sort().map((name) => readFileSync(join(folder, name), 'utf8')), 'commit'].join(';\n'))
}

async function createAppRole(client: pg.Client, local: boolean): Promise<void> {
  if ((await client.query(`select from pg_roles where rolname = 'app'`)).rowCount) return
  const password = local ? 'app' : process.env.APP_DB_PASSWORD
  if (!password) throw new Complaint('Set APP_DB_PASSWORD: the database has no role "app" yet, and the Worker signs in as it.')
  // Hashing is most of the cost of a local connection, and the local password is no secret.
  if (local) await client.query('set scram_iterations = 1')
  await client.query(`create role app login password ${client.escapeLiteral(password)}`)
}

const isLocal = (url: string) => ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname)

await main(import.meta, async () => {
  const { host, pathname } = new URL(ownerUrl())
  await migrate(ownerUrl())
  console.log(`${host}${pathname} is at the newest migration.`)
})
