import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { checkServer } from '../../dev/database-checks.ts'
import { ensureLoginRoles } from '../../dev/login-roles.ts'
import { migrate, presentSchema } from '../../dev/migrate.ts'
import { applyMigrations, type Migration, OUTSIDE } from '../../dev/migrations.ts'
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
    says:
      'ep-calm-sun-1-pooler.invalid is a connection pooler, which does not keep the session that a migration needs: use the direct ' +
      'host, ep-calm-sun-1.invalid.',
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
    'The role "owner" lacks BYPASSRLS: connect as the role that was created with the Neon project, or run \'alter role "owner" ' +
      "bypassrls' as a superuser.",
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

describe('a database', () => {
  const schema = presentSchema()
  const [baseline] = schema.migrations as [Migration]
  const url = postgres.url('state')
  let owner: pg.Client
  beforeAll(async () => {
    await superuser.query('create database state')
    await migrate(url)
    owner = await connect(url)
  })
  afterAll(() => owner.end())
  const remember = (when: number, hash: string) =>
    owner.query('update drizzle.__drizzle_migrations set created_at = $1, hash = $2 where created_at = $3', [when, hash, baseline.when])

  test('that had the same tables before the baseline was written is taken over', async () => {
    await remember(baseline.when, 'the last of the former migrations')
    await expect(migrate(url)).resolves.toBeUndefined()
  })

  test('that has this schema is left alone, whoever has locked its tables; what somebody has replaced is put back', async () => {
    await migrate(url)
    const request = await connect(url)
    await request.query('begin; lock table contacts, api_keys in access exclusive mode')
    await migrate(url)
    await request.query('rollback')
    await request.end()
    const texts = () =>
      owner.query(`select (select prosrc from pg_proc where proname = 'touch') as touch,
        (select pg_get_triggerdef(oid) from pg_trigger where tgname = 'keep_maker') as keep_maker`)
    const before = (await texts()).rows
    await owner.query(`create or replace function touch() returns trigger language plpgsql as 'begin return new; end'`)
    await migrate(url)
    expect((await texts()).rows).toEqual(before)
    await owner.query('create or replace trigger keep_maker before insert on api_keys for each row execute function keep_key_maker()')
    await migrate(url)
    expect((await texts()).rows).toEqual(before)
  })

  test('that requests write to gets the functions of a release meanwhile; only a table whose trigger changes waits for them', async () => {
    const requests = await connect(url)
    await requests.query(`begin; do $$ declare t record; begin
      for t in select oid::regclass as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace loop
        execute format('lock table %s in row exclusive mode', t.name);
      end loop; end $$`)
    const withText = (name: string, from: string, to: string) => {
      expect(schema.functions[name]).toContain(from)
      return { ...schema, functions: { ...schema.functions, [name]: schema.functions[name]!.replace(from, to) } }
    }
    await migrate(url, withText('history.sql', 'begin', 'begin /* of the release */'))
    expect((await owner.query(`select from pg_proc where prosrc like '%/* of the release */%'`)).rowCount).toBe(1)

    const changed = withText('access.sql', 'keep_maker before insert or update of key_hash on', 'keep_maker before insert or update on')
    const waits = migrate(url, changed)
    await expect.poll(async () => (await owner.query(WAITING.replace('contacts', 'api_keys'))).rowCount, { timeout: 10_000 }).toBe(1)
    await requests.query('commit')
    await waits
    const { rows } = await owner.query(`select pg_get_triggerdef(oid) as text from pg_trigger where tgname = 'keep_maker'`)
    expect(rows[0].text).toContain('BEFORE INSERT OR UPDATE ON')
    await requests.end()
    await migrate(url)
  })

  test('that is older is refused in one sentence, and nothing is changed', async () => {
    await remember(baseline.when - 1000, 'an earlier one')
    await expect(migrate(url)).rejects.toThrow('This database is older than the first release')
    expect((await owner.query('select from drizzle.__drizzle_migrations')).rowCount).toBe(schema.migrations.length)
    await owner.query('update drizzle.__drizzle_migrations set created_at = $1 where created_at = $2', [
      baseline.when,
      baseline.when - 1000,
    ])
  })

  test('whose migration was edited afterwards is refused with its name', async () => {
    const edited = { tag: '9998_edited', when: baseline.when + 9e9, statements: ['select 1'], hash: 'before', inTransaction: true }
    await migrate(url, { ...schema, migrations: [...schema.migrations, edited] })
    const changed = { ...schema, migrations: [...schema.migrations, { ...edited, hash: 'after' }] }
    await expect(migrate(url, changed)).rejects.toThrow('The migration 9998_edited differs from the one that this database has')
  })

  test('whose table a request has locked gets its migration as soon as the request has ended, and no reader waits meanwhile', async () => {
    const request = await connect(url)
    await request.query('begin; select from contacts limit 1')
    const add = {
      tag: '9999_add',
      when: baseline.when + 9.5e9,
      statements: ['alter table contacts add column shoe int'],
      hash: 'a',
      inTransaction: true,
    }
    const applied = applyMigrations(owner, [add])
    const reader = await connect(url)
    await expect.poll(async () => (await reader.query(WAITING)).rowCount, { timeout: 10_000 }).toBe(1)
    // It would wait behind the migration for as long as that waits for the request.
    await reader.query(`set statement_timeout = '10s'; select from contacts limit 1`)
    await request.query('commit')
    await applied
    expect((await reader.query('select shoe from contacts limit 1')).rowCount).toBe(0)
    await Promise.all([request.end(), reader.end()])
  })

  test('in which the build of an index was interrupted gets it when the migration runs again', async () => {
    await owner.query('create table places (name text); insert into places values (1), (1)')
    const statement = 'create unique index concurrently if not exists places_by_name on places (name)'
    const build = {
      tag: '9999_index',
      when: baseline.when + 9.7e9,
      statements: [`${OUTSIDE}\n${statement}`],
      hash: 'b',
      inTransaction: false,
    }
    await expect(applyMigrations(owner, [build])).rejects.toThrow('could not create unique index')
    const isValid = async () =>
      (await owner.query(`select indisvalid from pg_index where indexrelid = 'places_by_name'::regclass`)).rows[0].indisvalid
    expect(await isValid()).toBe(false)
    await owner.query('truncate places')
    await applyMigrations(owner, [build])
    expect(await isValid()).toBe(true)
  })

  test('whose migration fails in the middle has none of it, and all of it when the command runs again', async () => {
    const [first, half] = ['9999_first', '9999_half'].map((tag, n) => ({
      tag,
      when: baseline.when + 9.8e9 + n,
      hash: tag,
      inTransaction: true,
      statements: [`create table ${tag.slice(5)}s (name text)`, `insert into places values ('${tag}')`],
    })) as [Migration, Migration]
    await owner.query(`alter table places add constraint no_half check (name <> '9999_half')`)
    const release = { ...schema, migrations: [...schema.migrations, first, half] }
    const state = async () => (await owner.query(`select to_regclass('firsts') as first, to_regclass('halfs') as half`)).rows[0]

    await expect(migrate(url, release)).rejects.toThrow('violates check constraint "no_half"')
    expect(await state()).toEqual({ first: 'firsts', half: null })
    // The Worker that is running goes on: its functions are still those of the release before.
    await createWorkspace(owner, { name: 'Meanwhile', ownerEmail: 'bo@example.com', ownerName: 'Bo' })

    await owner.query('alter table places drop constraint no_half')
    await migrate(url, release)
    expect(await state()).toEqual({ first: 'firsts', half: 'halfs' })
    expect((await owner.query(`select name from places where name like '9999%' order by 1`)).rows).toEqual([
      { name: '9999_first' },
      { name: '9999_half' },
    ])
  })

  test('keeps the functions of the previous release, and no older ones', async () => {
    await owner.query(
      `create function released_before() returns int language sql as 'select 1';
        create function long_gone() returns int language sql as 'select 1'`,
    )
    await migrate(url, { ...schema, released: ['released_before()'] })
    const { rows } = await owner.query(`select proname from pg_proc where proname in ('released_before', 'long_gone')`)
    expect(rows).toEqual([{ proname: 'released_before' }])
  })
})

const WAITING = `select from pg_locks where not granted and relation = 'contacts'::regclass`

test('without an address, and without --local, the command says how it is called', () => {
  const { stderr, status } = spawnSync(process.execPath, [join(root, 'dev/migrate.ts')], {
    encoding: 'utf8',
    env: { ...process.env, DATABASE_ADMIN_URL: '' },
  })
  expect({ status, says: stderr.split('\n')[0] }).toEqual({ status: 1, says: 'Name the database to migrate.' })
})
