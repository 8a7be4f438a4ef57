import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { revokeTemporary } from '../dev/login-roles.ts'

/** The migrated database that every other one is copied from. */
export const TEMPLATE = 'crm_template'

/** A fresh copy of the migrated database; `url` is its superuser's. */
export async function createDatabase(): Promise<{ name: string; url: string }> {
  const name = `crm_${randomBytes(6).toString('hex')}`
  const server = inject('postgresUrl')
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(`create database ${name} template ${TEMPLATE}`)
  await client.end()
  const url = server.replace(/\/postgres$/, `/${name}`)
  const copy = new pg.Client({ connectionString: url })
  await copy.connect()
  await revokeTemporary(copy)
  await copy.end()
  return { name, url }
}
