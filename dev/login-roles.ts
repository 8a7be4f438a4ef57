import type pg from 'pg'
import { Complaint } from './settings.ts'

/** The Worker's login roles. `jobs` has the privileges of `app`, and may call the functions that reach every workspace. */
const ROLES = [
  { role: 'app', variable: 'APP_DB_PASSWORD', user: 'requests' },
  { role: 'jobs', variable: 'JOBS_DB_PASSWORD', user: 'queues and cron jobs' },
]

/**
 * PostgreSQL ends what the Worker has abandoned before the Worker's deadline of 20 seconds (src/data/batch.ts), whoever holds it open. Rows
 * are looked up on solid-state storage; by default the planner takes a random read for four sequential ones, and reads tables from end to
 * end. No statement is long enough to be worth a compilation (100 ms and more) or processes of its own, and PostgreSQL decides on both by
 * costs that disabled ways of reading raise.
 */
const SETTINGS = {
  timezone: 'UTC',
  statement_timeout: '15s',
  lock_timeout: '8s',
  transaction_timeout: '18s',
  idle_in_transaction_session_timeout: '10s',
  random_page_cost: '1.1',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
}

/** Creates the Worker's login roles. A given password is always set, so that another `npm run migrate` changes it. */
export async function ensureLoginRoles(client: pg.ClientBase, local: boolean): Promise<void> {
  // Hashing is most of the cost of a local connection, and the local password is no secret.
  if (local) await client.query('set scram_iterations = 1')
  for (const { role, variable, user } of ROLES) {
    const exists = (await client.query('select from pg_roles where rolname = $1', [role])).rowCount
    if (exists && local) continue
    const password = local ? role : process.env[variable]
    if (!password && exists) continue
    if (!password) throw new Complaint(`Set ${variable}: the database has no role "${role}" yet, with which the Worker runs ${user}.`)
    await client.query(`${exists ? 'alter' : 'create'} role ${role} login password ${client.escapeLiteral(password)}`)
  }
  for (const { role } of ROLES)
    for (const [name, value] of Object.entries(SETTINGS)) await client.query(`alter role ${role} set ${name} = '${value}'`)
  const isMember = await client.query(`select from pg_auth_members where roleid = 'app'::regrole and member = 'jobs'::regrole`)
  if (!isMember.rowCount) await client.query('grant app to jobs')
}

/**
 * Lets only the owner create temporary tables in the connected database: a trigger of such a table would run inside the functions that run
 * as their owner. PostgreSQL grants this to everyone in each new database, copies included.
 */
export async function revokeTemporary(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string }>('select quote_ident(current_database()) as name')
  await client.query(`revoke temporary on database ${rows[0]!.name} from public, app, jobs`)
  const { rowCount } = await client.query(
    `select from pg_roles where rolname in ('app', 'jobs') and has_database_privilege(oid, current_database(), 'temporary')`,
  )
  if (rowCount)
    throw new Complaint(
      `The roles "app" and "jobs" may create temporary tables in the database ${rows[0]!.name}: connect as the database's ` +
        'owner, who can revoke this.',
    )
}
