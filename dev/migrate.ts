import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate as applyMigrations } from 'drizzle-orm/node-postgres/migrator'
import type pg from 'pg'
import { ensureAppRole } from './app-role.ts'
import { checkAddress, checkServer, isLocal } from './database-checks.ts'
import { connectAsOwner, ownerUrl } from './owner.ts'
import { main, root } from './settings.ts'

const EXTENSIONS = ['pg_trgm', 'unaccent', 'vector']

/**
 * Brings a database to the newest migration, once it is known to suit: first the login role `app` and the extensions when missing.
 * The role of the connection string owns everything; `app` owns nothing.
 */
export async function migrate(url: string): Promise<void> {
  checkAddress(url)
  const client = await connectAsOwner(url)
  try {
    await checkServer(client)
    // Two deployments at once take turns.
    await client.query(`select pg_advisory_lock(hashtext('migrate'))`)
    await ensureAppRole(client, isLocal(url))
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

await main(import.meta, async () => {
  await migrate(ownerUrl())
  const { host, pathname } = new URL(ownerUrl())
  console.log(`${host}${pathname} is at the newest migration.`)
})
