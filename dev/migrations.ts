import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { Complaint } from './settings.ts'

/** One file of `schema/migrations`. `when` orders migrations, and a database remembers it for those that it has. */
export interface Migration {
  tag: string
  when: number
  statements: string[]
  hash: string
  inTransaction: boolean
}

/** The first line of a migration that builds indexes concurrently, which PostgreSQL does outside of transactions only. */
export const OUTSIDE = '-- Outside a transaction: each statement can be repeated.'
export const BREAKPOINT = '--> statement-breakpoint'
/** How long a statement waits for a lock, behind which all other requests for the table would queue up. */
const LOCK_TIMEOUT = '3s'
const ATTEMPTS = 20

/** The migrations of a folder in their order. */
export function readMigrations(folder: string): Migration[] {
  const journal = JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8'))
  return journal.entries.map(({ tag, when }: { tag: string; when: number }) => {
    const sql = readFileSync(join(folder, `${tag}.sql`), 'utf8').replaceAll('\r\n', '\n')
    const hash = createHash('sha256').update(sql).digest('hex')
    return { tag, when, statements: sql.split(BREAKPOINT), hash, inTransaction: !sql.startsWith(OUTSIDE) }
  })
}

/** Raises a Complaint for a database that has none of the states from which these migrations lead on. */
export async function checkState(client: pg.ClientBase, migrations: Migration[]): Promise<void> {
  const applied = await appliedTo(client)
  const [baseline, ...later] = migrations as [Migration, ...Migration[]]
  if (applied.size > 0 && !applied.has(baseline.when))
    throw new Complaint(
      'This database is older than the first release, and nothing leads from there to the present tables. ' +
        'Export what you need with the version ' +
        'that made it, and start with an empty database (locally: npm run dev -- --reset).',
    )
  const changed = later.find(({ when, hash }) => applied.has(when) && applied.get(when) !== hash)
  if (changed)
    throw new Complaint(
      `The migration ${changed.tag} differs from the one that this database has: take the change back, and write it as a new migration.`,
    )
}

/** Whether the database has a later migration than these: that of a release which was rolled back. */
export async function isAhead(client: pg.ClientBase, migrations: Migration[]): Promise<boolean> {
  const newest = Math.max(...migrations.map(({ when }) => when))
  return [...(await appliedTo(client)).keys()].some((when) => when > newest)
}

/** Applies the migrations that the database does not have, each in a transaction of its own, or outside of one. */
export async function applyMigrations(client: pg.ClientBase, migrations: Migration[]): Promise<void> {
  await client.query(`create schema if not exists drizzle;
    create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`)
  const applied = await appliedTo(client)
  for (const migration of migrations.filter(({ when }) => !applied.has(when))) {
    const { hash, when, statements } = migration
    const note = { text: 'insert into drizzle.__drizzle_migrations (hash, created_at) values ($1, $2)', values: [hash, when] }
    if (migration.inTransaction)
      await inTransaction(client, async () => {
        for (const statement of statements) await client.query(statement)
        await client.query(note)
      })
    else {
      for (const statement of statements) await repeatable(client, statement)
      await client.query(note)
    }
  }
}

/** When the migrations of a database were written, with their hashes. */
async function appliedTo(client: pg.ClientBase): Promise<Map<number, string>> {
  const { rows } = await client.query(`select to_regclass('drizzle.__drizzle_migrations') is not null as exists`)
  if (!rows[0].exists) return new Map()
  const { rows: found } = await client.query('select created_at, hash from drizzle.__drizzle_migrations')
  return new Map(found.map(({ created_at, hash }) => [Number(created_at), hash]))
}

/** Runs the work in a transaction that gives up when a lock is held by others, and tries again, so that requests never wait for long. */
export async function inTransaction<Out>(client: pg.ClientBase, work: () => Promise<Out>): Promise<Out> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query(`begin; set local lock_timeout = '${LOCK_TIMEOUT}'`)
      const result = await work()
      await client.query('commit')
      return result
    } catch (error) {
      await client.query('rollback')
      if (!isLocked(error)) throw error
      if (attempt === ATTEMPTS)
        throw new Complaint(
          `A table stayed locked in ${ATTEMPTS} attempts of ${LOCK_TIMEOUT}: end the long transactions, and run it again.`,
        )
      await sleep(Math.min(attempt * 200, 3_000))
    }
  }
}

/** lock_not_available and deadlock_detected. */
const isLocked = (error: unknown) => ['55P03', '40P01'].includes((error as { code?: string }).code ?? '')

/** Runs a statement outside of a transaction. What an interrupted build has left of its index is dropped first. */
async function repeatable(client: pg.ClientBase, statement: string): Promise<void> {
  const [, index] = /create (?:unique )?index concurrently if not exists "?(\w+)"?/i.exec(statement) ?? []
  if (index) {
    const { rowCount } = await client.query('select from pg_index where indexrelid = to_regclass($1) and not indisvalid', [index])
    if (rowCount) await client.query(`drop index concurrently "${index}"`)
  }
  await client.query(statement)
}
