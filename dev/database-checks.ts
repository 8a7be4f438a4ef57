import type pg from 'pg'
import { Complaint } from './settings.ts'

const LOCAL_HOSTS = ['127.0.0.1', 'localhost', '[::1]']
const TLS_MODES = ['require', 'verify-ca', 'verify-full']

/** The oldest PostgreSQL that has everything the migrations use, such as uuidv7(). */
const OLDEST_SERVER = 18

export const isLocal = (url: string) => LOCAL_HOSTS.includes(new URL(url).hostname)

/** Refuses an address that migrations must not use, before the password is sent to it. */
export function checkAddress(url: string): void {
  if (!URL.canParse(url)) throw new Complaint('DATABASE_ADMIN_URL must be an address such as postgres://owner:password@host/database.')
  const { hostname, searchParams } = new URL(url)
  if (/^[^.]*-pooler(\.|$)/.test(hostname)) {
    throw new Complaint(
      `${hostname} is a connection pooler, which does not keep the session that a migration needs: use the direct host, ` +
        `${hostname.replace('-pooler', '')}.`,
    )
  }
  const mode = searchParams.get('sslmode') ?? process.env.PGSSLMODE
  if (!isLocal(url) && !TLS_MODES.includes(mode ?? '')) {
    throw new Complaint(`The connection to ${hostname} would not be encrypted: add "?sslmode=verify-full" to DATABASE_ADMIN_URL.`)
  }
}

/** Refuses a server or an owner role that could not run the application, before anything is changed. */
export async function checkServer(client: pg.ClientBase, oldest = OLDEST_SERVER): Promise<void> {
  const { rows } = await client.query(
    `select current_setting('server_version') as version, current_setting('server_version_num')::int / 10000 as major,
      rolname as role, rolbypassrls or rolsuper as bypasses from pg_roles where rolname = current_user`,
  )
  const { version, major, role, bypasses } = rows[0]
  if (major < oldest) throw new Complaint(`The server runs PostgreSQL ${version}: upgrade it to ${oldest} or newer, or use another server.`)
  if (!bypasses) {
    // Row-level security is forced, so without this the owner's functions would see no rows.
    throw new Complaint(
      `The role "${role}" lacks BYPASSRLS: connect as the role that was created with the Neon project, or run 'alter role "${role}" ` +
        "bypassrls' as a superuser.",
    )
  }
}
