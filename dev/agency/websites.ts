import type pg from 'pg'
import { LOG_TAIL_BYTES, type SYNC_STATUSES, SYNCS_KEPT } from '../../src/features/agency/rules/agency.ts'
import { logTail } from '../../src/features/agency/rules/build-logs.ts'

type Database = pg.ClientBase | pg.Pool

export type NewWebsite = { client_id: string; name: string; repository: string; branch?: string }

/** Records a website of a client, once for each branch of a repository, and returns its id. */
export async function recordWebsite(database: Database, agencyId: string, website: NewWebsite): Promise<string> {
  const { rows } = await database.query('select record_agency_website($1, $2) as id', [agencyId, JSON.stringify(website)])
  return rows[0].id
}

export type NewSync = {
  /** Of a sync that was recorded before. */
  id?: string
  website_id: string
  status: (typeof SYNC_STATUSES)[number]
  commit?: string
  preview_url?: string
  /** The whole log, of which the end is kept. */
  log?: string
  started_at?: string
  ended_at?: string
}

/** Records how far a sync is, and returns its id. `secrets` are those that the build was given: they are masked in its log. */
export async function recordSync(database: Database, agencyId: string, { log, ...sync }: NewSync, secrets: string[] = []): Promise<string> {
  const row = JSON.stringify({ ...sync, ...(log !== undefined && { log_tail: logTail(log, secrets) }) })
  const { rows } = await database.query('select record_website_sync($1, $2, $3, $4) as id', [agencyId, row, LOG_TAIL_BYTES, SYNCS_KEPT])
  return rows[0].id
}
