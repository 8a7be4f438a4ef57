import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { checkServer } from '../../dev/database-checks.ts'
import { ensureLoginRoles } from '../../dev/login-roles.ts'
import { migrate } from '../../dev/migrate.ts'
import { startPostgres } from '../../dev/postgres.ts'
import { root } from '../../dev/settings.ts'
import { createWorkspace } from '../../dev/workspace.ts'

// Roles belong to the server, so these tests have one of their own.
const dir = mkdtempSync(join(tmpdir(), `workspace-crm-test-${process.pid}-migrate-`))
const postgres = await startPostgres(join(dir, 'postgres'), { durable: false })
const superuser = await connect(postgres.url('postgres'))
afterAll(async () => {
  await superuser.end()
  await postgres.stop()
  rmSync(dir, { recursive: true, force: true })
})
afterEach(() => void vi.unstubAllEnvs())

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}

/** `npm run migrate` with this address. */
function runMigrate(address: string) {
  const run = spawnSync(process.execPath, [join(root, 'dev/migrate.ts')], {
    encoding: 'utf8',
    env: { ...process.env, DATABASE_ADMIN_URL: address },
  })
  return { code: run.status, says: run.stderr.trim() }
}

test('an address that does not suit is refused before anything is sent to it', async () => {
  for (const query of ['', '?sslmode=disable', '?sslmode=prefer']) {
    await expect(migrate(`postgres://owner:secret@db.invalid/crm${query}`)).rejects.toThrow(
      'The connection to db.invalid would not be encrypted: add "?sslmode=verify-full" to DATABASE_ADMIN_URL.',
    )
  }
  await expect(migrate('db.invalid')).rejects.toThrow(
    'DATABASE_ADMIN_URL must be an address such as postgres://owner:password@host/database.',
  )
  expect(runMigrate('postgres://owner:secret@ep-calm-sun-1-pooler.invalid/crm?sslmode=verify-full')).toEqual({
    code: 1,
    says: 'ep-calm-sun-1-pooler.invalid is a connection pooler, which does not keep the session that a migration needs: use the direct host, ep-calm-sun-1.invalid.',
  })
})

test('an owner without BYPASSRLS is refused and nothing is changed; with it, workspaces can be created', async () => {
  await superuser.query(`create role owner login createrole password 'secret'`)
  await superuser.query('create database crm owner owner')
  const asSuperuser = await connect(postgres.url('crm'))
  // Only a superuser may create this one.
  await asSuperuser.query('create extension vector')
  await asSuperuser.end()
  const url = `postgres://owner:secret@127.0.0.1:${postgres.port}/crm`

  await expect(migrate(url)).rejects.toThrow(
    `The role "owner" lacks BYPASSRLS: connect as the role that was created with the Neon project, or run 'alter role "owner" bypassrls' as a superuser.`,
  )
  expect((await superuser.query(`select from pg_roles where rolname in ('app', 'jobs')`)).rowCount).toBe(0)

  await superuser.query('alter role owner bypassrls')
  await migrate(url)
  const owner = await connect(url)
  const made = await createWorkspace(owner, { name: 'First', ownerEmail: 'ana@example.com', ownerName: 'Ana' })
  expect(made.key).toMatch(/^wck_/)
  await owner.end()
})

test('a server that is too old is named', async () => {
  await expect(checkServer(superuser, 19)).rejects.toThrow(/^The server runs PostgreSQL 18\.\S+: upgrade it to 19 or newer/)
  await expect(checkServer(superuser)).resolves.toBeUndefined()
})

test.each([
  ['app', 'APP_DB_PASSWORD'],
  ['jobs', 'JOBS_DB_PASSWORD'],
])('the role %s: a changed %s takes effect; without one the role keeps its password', async (role, variable) => {
  const signIn = async (password: string) =>
    connect(`postgres://${role}:${password}@127.0.0.1:${postgres.port}/postgres`).then(
      async (client) => client.end().then(() => true),
      () => false,
    )
  vi.stubEnv(variable, 'first')
  await ensureLoginRoles(superuser, false)
  expect(await signIn('first')).toBe(true)
  vi.stubEnv(variable, `it's "second"`)
  await ensureLoginRoles(superuser, false)
  expect(await signIn('first')).toBe(false)
  expect(await signIn(encodeURIComponent(`it's "second"`))).toBe(true)
  vi.stubEnv(variable, undefined)
  await ensureLoginRoles(superuser, false)
  expect(await signIn(encodeURIComponent(`it's "second"`))).toBe(true)
})
