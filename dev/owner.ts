import pg from 'pg'
import { findRun } from './runs.ts'
import { Complaint, readSettings } from './settings.ts'

/** The local database's address, for its owner. */
export const localDatabaseUrl = (port: number) => `postgres://postgres@127.0.0.1:${port}/crm`

/** The database that `npm run db` or `npm run dev` has started. */
export const localOwnerUrl = (): string => findRun()?.addresses.database ?? localDatabaseUrl(readSettings([]).ports['pg-port'])

/** DATABASE_ADMIN_URL, or the local database. */
export const ownerUrl = (): string => process.env.DATABASE_ADMIN_URL ?? localOwnerUrl()

/** Connects as the owner of the tables, who sees every workspace: for migrations and the command line only. */
export async function connectAsOwner(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  try {
    await client.connect()
    return client
  } catch (error) {
    if ((error as { code?: string }).code !== 'ECONNREFUSED') throw error
    throw new Complaint(`No database answers at ${new URL(url).host}: start it with "npm run db", or set DATABASE_ADMIN_URL.`)
  }
}
