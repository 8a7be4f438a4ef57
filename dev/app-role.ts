import type pg from 'pg'
import { Complaint } from './settings.ts'

/** The login role of the Worker. A password that is given is set in any case, so that changing it takes another migrate and no more. */
export async function ensureAppRole(client: pg.ClientBase, local: boolean): Promise<void> {
  const exists = (await client.query(`select from pg_roles where rolname = 'app'`)).rowCount
  if (exists && local) return
  const password = local ? 'app' : process.env.APP_DB_PASSWORD
  if (!password) {
    if (exists) return
    throw new Complaint('Set APP_DB_PASSWORD: the database has no role "app" yet, and the Worker signs in as it.')
  }
  // Hashing is most of the cost of a local connection, and the local password is no secret.
  if (local) await client.query('set scram_iterations = 1')
  await client.query(`${exists ? 'alter' : 'create'} role app login password ${client.escapeLiteral(password)}`)
}
