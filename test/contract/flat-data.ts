import { existsSync, renameSync } from 'node:fs'
import pg from 'pg'
import { inject } from 'vitest'
import { fillAll } from '../../bench/fill.ts'
import { migrate } from '../../dev/migrate.ts'
import { copyServer, startPostgres } from '../../dev/postgres.ts'
import { createWorkspace } from '../../dev/workspace.ts'
import { createDatabase, createServer, type Database, openPool, TEMPLATE } from '../database.ts'
import { proving } from '../proof.ts'
import type { Identity } from '../workspace.ts'

/** What several files use, so that a run fills it once. */
export const FILLED_SIZES = proving ? [200, 500, 20_000, 20_000] : [200, 500, 10_000, 2_000]

/** `stop` ends the server of the database, unless it is the common one. */
type Filled = { database: Database; workspaces: Identity[]; stop: () => Promise<void> }

/**
 * A database with filled workspaces of these sizes, in this order. It is on a server of its own, because transactions of other test files
 * would delay what the background reads, and so move its cost from one call to the next. With PROVE_KEEP (see test/global.ts) it is on the
 * common server, and one that an earlier run filled is used again, with the current functions and migrations; a run changes few of its
 * records.
 */
export async function filledDatabase(sizes: number[]): Promise<Filled> {
  if (process.env.PROVE_KEEP) return keptDatabase(`filled_${sizes.join('_')}`, sizes)
  const server = await createServer(false, await filledServer(sizes))
  return { database: server, workspaces: await workspacesOf(server.url), stop: () => server.stop() }
}

async function keptDatabase(name: string, sizes: number[]): Promise<Filled> {
  const isKept = await exists(name)
  const database = isKept ? { name, url: inject('postgresUrl').replace(/\/postgres$/, `/${name}`) } : await createDatabase(TEMPLATE, name)
  if (isKept) {
    await migrate(database.url)
    // Those of earlier runs would be read with every event.
    await using(database.url, (pool) => pool.query('delete from webhooks'))
  } else await using(database.url, (pool) => fillSizes(pool, sizes))
  return { database, workspaces: await workspacesOf(database.url), stop: async () => {} }
}

/**
 * The data directory of a stopped server with such a database. The first file of a run that needs it fills it, and another one waits for
 * that.
 */
async function filledServer(sizes: number[]): Promise<string> {
  const data = `${inject('seed')}-${sizes.join('-')}`
  return using(inject('postgresUrl'), async (pool) => {
    const lock = await pool.connect()
    await lock.query('select pg_advisory_lock(1)')
    if (!existsSync(data)) {
      const filling = `${data}-filling`
      copyServer(inject('seed'), filling)
      const postgres = await startPostgres(filling, { durable: false, counting: true })
      try {
        await using(postgres.url(TEMPLATE), (pool) => fillSizes(pool, sizes))
      } finally {
        await postgres.stop()
      }
      renameSync(filling, data)
    }
    lock.release(true)
    return data
  })
}

async function using<Out>(url: string, work: (pool: pg.Pool) => Promise<Out>): Promise<Out> {
  const pool = openPool(url)
  try {
    return await work(pool)
  } finally {
    await pool.end()
  }
}

async function workspacesOf(url: string): Promise<Identity[]> {
  const sql = 'select id, user_id as "userId", key_id as "keyId", key as "apiKey" from proof.workspaces order by at'
  return (await using(url, (pool) => pool.query<Identity>(sql))).rows
}

async function exists(name: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: inject('postgresUrl') })
  await client.connect()
  const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
  await client.end()
  return rowCount === 1
}

/** The secret of a key is only known when it is created, so it is stored beside the workspaces. */
async function fillSizes(pool: pg.Pool, sizes: number[]): Promise<void> {
  await pool.query('create schema proof; create table proof.workspaces (at int, id uuid, user_id uuid, key_id uuid, key text)')
  const workspaces = []
  for (const [at, size] of sizes.entries()) {
    const made = await createWorkspace(pool, { name: `Number ${at}`, ownerEmail: `owner${at}@example.com`, ownerName: `Owner ${at}` })
    await pool.query('insert into proof.workspaces values ($1, $2, $3, $4, $5)', [
      at,
      made.workspace_id,
      made.user_id,
      made.key_id,
      made.key,
    ])
    workspaces.push({ id: made.workspace_id, size })
  }
  await fillAll(pool, workspaces)
}
