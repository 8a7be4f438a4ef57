import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { copyServer, type Postgres, startPostgres } from '../dev/postgres.ts'

/** The migrated database that every other one is copied from. */
export const TEMPLATE = 'crm_template'

/** With what the folders of servers that are a file's own begin. */
export const OWN_SERVER = 'own-'

/** `url` is its superuser's. */
export type Database = { name: string; url: string }

/** `crash` kills the server as a power failure would, and starts it again. */
type Server = Database & { stop: () => Promise<void>; crash: () => Promise<void> }

/** A fresh copy of the migrated database, or of another one of the server. */
export async function createDatabase(template = TEMPLATE, name = `crm_${randomBytes(6).toString('hex')}`): Promise<Database> {
  const server = inject('postgresUrl')
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  // Through the log, each of its pages would be written twice.
  await client.query(`create database ${name} template ${template} strategy file_copy`)
  // As in the migrated one; a session in the copy would cost as much as the copy.
  await client.query(`revoke temporary on database ${name} from public`)
  await client.end()
  return { name, url: server.replace(/\/postgres$/, `/${name}`) }
}

/** A database that the Worker of a test uses, and the connections of its superuser. */
export interface Place {
  port: number
  name: string
  owner: pg.Pool
  /** Ends the connections of its superuser, and with them their settings; `owner` is a new pool. */
  renewOwner(): Promise<void>
  /** Kills PostgreSQL, and starts it again on the same data. */
  crash(): Promise<void>
  close(): Promise<void>
}

/** A fresh copy of the migrated database, on the common server or on one of its own, or the given one, which stays. */
export async function openPlace({ ownServer, database: given }: { ownServer?: boolean | 'durable'; database?: Database }): Promise<Place> {
  const server = ownServer ? await createServer(ownServer === 'durable') : undefined
  const database = server ?? given ?? (await createDatabase())
  const place: Place = {
    port: Number(new URL(database.url).port),
    name: database.name,
    owner: openPool(database.url, 4),
    async renewOwner() {
      await place.owner.end()
      place.owner = openPool(database.url, 4)
    },
    async crash() {
      if (ownServer !== 'durable') throw new Error('Only a durable server survives a crash')
      await server?.crash()
    },
    async close() {
      await place.owner.end()
      await server?.stop()
      if (!server && !given) await dropDatabase(database)
    },
  }
  return place
}

/** Connections as the superuser of a database. One that is dropped with its database is no test's failure. */
export function openPool(url: string, max?: number): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, ...(max && { max }) })
  pool.on('error', () => {})
  // Also while a connection ends that a test has taken from the pool: the server may stop first.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** Removes a database that nothing else uses. */
export async function dropDatabase({ name }: Database): Promise<void> {
  const client = new pg.Client({ connectionString: inject('postgresUrl') })
  await client.connect()
  await client.query(`drop database ${name} with (force)`)
  await client.end()
}

/**
 * A migrated database on a server of its own. Events are read below the oldest open transaction of the whole server, so on the common
 * server the transactions of other test files delay them. So would automatic analysis, which `counting` turns off. `from` is the data
 * directory of a stopped server.
 */
export async function createServer(durable = false, from = inject('seed')): Promise<Server> {
  const dir = mkdtempSync(join(inject('servers'), OWN_SERVER))
  // Readable for the user that the server may run as.
  chmodSync(dir, 0o755)
  const data = join(dir, 'postgres')
  copyServer(from, data)
  let postgres = await startPostgres(data, { durable, counting: true })
  const stop = async () => {
    await postgres.stop()
    rmSync(dir, { recursive: true, force: true })
  }
  const crash = async () => {
    await killPostgres(data, postgres)
    postgres = await startPostgres(data, { durable, counting: true, port: postgres.port })
  }
  return { name: TEMPLATE, url: postgres.url(TEMPLATE), stop, crash }
}

/** Ends the server and all its processes at once, as a power failure would. */
export async function killPostgres(dataDir: string, { exited }: Postgres): Promise<void> {
  const server = Number(readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n')[0])
  const { stdout } = spawnSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
  const children = [...stdout.matchAll(/^\s*(\d+)\s+(\d+)\s*$/gm)].filter(([, , parent]) => Number(parent) === server)
  for (const pid of [server, ...children.map(([, pid]) => Number(pid))]) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
  await exited
}

/** Waits until every transaction that has begun to write has ended, so that all its events can be read. */
export async function settled(owner: pg.Pool): Promise<void> {
  const { rows } = await owner.query('select pg_snapshot_xmax(pg_current_snapshot())::text as last')
  for (let isOpen = true; isOpen; ) {
    const found = await owner.query('select pg_snapshot_xmin(pg_current_snapshot()) < $1::xid8 as open', [rows[0].last])
    isOpen = found.rows[0].open
  }
}
