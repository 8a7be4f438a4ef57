import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { revokeTemporary } from '../dev/login-roles.ts'

/** The migrated database that every other one is copied from. */
export const TEMPLATE = 'crm_template'

/** `url` is its superuser's. */
export type Database = { name: string; url: string }

/** A fresh copy of the migrated database, or of another one of the server. */
export async function createDatabase(template = TEMPLATE, name = `crm_${randomBytes(6).toString('hex')}`): Promise<Database> {
  const server = inject('postgresUrl')
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  // A large database is copied file by file, a small one faster through the log.
  await client.query(`create database ${name} template ${template} strategy ${template === TEMPLATE ? 'wal_log' : 'file_copy'}`)
  await client.end()
  const url = server.replace(/\/postgres$/, `/${name}`)
  const copy = new pg.Client({ connectionString: url })
  await copy.connect()
  await revokeTemporary(copy)
  await copy.end()
  return { name, url }
}
