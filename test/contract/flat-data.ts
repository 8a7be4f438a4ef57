import pg from 'pg'
import { inject } from 'vitest'
import { fillAll } from '../../bench/fill.ts'
import { migrate } from '../../dev/migrate.ts'
import { createWorkspace } from '../../dev/workspace.ts'
import { createDatabase, createServer, type Database, TEMPLATE } from '../database.ts'
import type { Identity } from '../workspace.ts'

/** `stop` ends the server of the database, unless it is the common one. */
type Filled = { database: Database; workspaces: Identity[]; stop: () => Promise<void> }

/**
 * A database with filled workspaces of these sizes, in this order. It is on a server of its own, because transactions of other test files would
 * delay what the background reads, and so move its cost from one call to the next. With PROVE_KEEP (see test/global.ts) it is on the common
 * server, and one that an earlier run filled is used again, with the current functions and migrations; a run changes few of its records.
 */
export async function filledDatabase(sizes: number[]): Promise<Filled> {
  const name = `filled_${sizes.join('_')}`
  const keeps = process.env.PROVE_KEEP !== undefined
  const isKept = keeps && (await exists(name))
  const server = keeps ? undefined : await createServer()
  const common = () => ({ name, url: inject('postgresUrl').replace(/\/postgres$/, `/${name}`) })
  const filled = server ?? (isKept ? common() : await createDatabase(TEMPLATE, name))
  const pool = new pg.Pool({ connectionString: filled.url })
  try {
    if (isKept) {
      await migrate(filled.url)
      // Those of earlier runs would be read with every event.
      await pool.query('delete from webhooks')
    }
    if (!isKept) await fillSizes(pool, sizes)
    const { rows } = await pool.query<Identity>(
      'select id, user_id as "userId", key_id as "keyId", key as "apiKey" from proof.workspaces order by at',
    )
    return { database: filled, workspaces: rows, stop: async () => server?.stop() }
  } finally {
    await pool.end()
  }
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
