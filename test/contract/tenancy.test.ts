import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type Harness, start } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import { seed } from './seed.ts'
import { tenantTables } from './state.ts'

/** Tables without workspace_id, each with the owner of its rows. */
const OF_THEIR_OWN = ['users', 'workspaces', 'public_images', 'public_image_uploads', 'published_skills']
const POLICY = '(workspace_id = ( SELECT current_workspace() AS current_workspace))'

let app: Harness
let ws: TestWorkspace
let tables: string[]
/** The Worker's login role. */
let role: pg.Client

beforeAll(async () => {
  app = await start()
  await seed(app, await app.workspace())
  ws = await app.workspace()
  await seed(app, ws)
  tables = [...(await tenantTables(app.owner)), ...(await tenantTables(app.owner, true))].sort()
  const { rows } = await app.owner.query('select current_database() as name')
  const url = new URL(inject('postgresUrl'))
  role = new pg.Client({ host: url.hostname, port: Number(url.port), user: 'app', password: 'app', database: rows[0].name })
  await role.connect()
})
afterAll(async () => {
  await role.end()
  await app.close()
})

/** Returns the first column of all rows of a query by the owner. */
async function found(sql: string, ...params: unknown[]): Promise<unknown[]> {
  const { rows } = await app.owner.query({ text: sql, values: params, rowMode: 'array' })
  return rows.map(([first]) => first)
}

/** Runs the work as role `app`, in a transaction that is rolled back. */
async function asApp<Out>(workspace: string | null, work: () => Promise<Out>): Promise<Out> {
  await role.query('begin')
  try {
    if (workspace) await role.query("select set_config('app.workspace_id', $1, true)", [workspace])
    return await work()
  } finally {
    await role.query('rollback')
  }
}

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: { code: string }) => error.code,
  )
const INSUFFICIENT_PRIVILEGE = '42501'

describe('every table', () => {
  test('belongs to a workspace, or to the few that do not', async () => {
    expect(tables.length).toBeGreaterThan(10)
    const all = await found("select relname from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace order by 1")
    expect(all).toEqual([...tables, ...OF_THEIR_OWN].sort())
  })

  test('has row-level security, for its owner too', async () => {
    const open = await found('select relname from pg_class where relname = any($1) and not (relrowsecurity and relforcerowsecurity)', [
      ...tables,
      ...OF_THEIR_OWN,
    ])
    expect(open).toEqual([])
  })

  test('of a workspace has the tenant policy, and those that are private to members or queues have policies that restrict it', async () => {
    const { rows } = await app.owner.query(
      `select tablename, policyname, permissive, cmd, qual, with_check, roles::text[] from pg_policies
        where tablename = any($1) and policyname <> 'being_deleted' order by tablename`,
      [tables],
    )
    const tenant = { policyname: 'tenant', permissive: 'PERMISSIVE', cmd: 'ALL', qual: POLICY, with_check: POLICY, roles: ['public'] }
    expect(rows.filter(({ permissive }) => permissive !== 'RESTRICTIVE')).toEqual(tables.map((tablename) => ({ tablename, ...tenant })))
    const restricting = rows.filter(({ permissive }) => permissive === 'RESTRICTIVE').map(({ tablename }) => tablename)
    const MAIL = [
      'conversations',
      'email_attachments',
      'email_drafts',
      'email_messages',
      'email_participants',
      'email_thread_links',
      'email_threads',
      'mailboxes',
      'messages',
    ]
    const NOTEPADS = ['changes', 'notepad_versions', 'notepads', 'outbox']
    const TWICE = ['changes', 'changes', 'outbox', 'outbox']
    expect(restricting).toEqual(
      [
        'activities',
        'automations',
        'calendar_connections',
        'connection_calendars',
        'export_views',
        'lists',
        ...MAIL,
        ...NOTEPADS,
        ...TWICE,
      ].toSorted(),
    )
  })

  test('whose rows go with a contact, a company or an opportunity hides those that are being deleted', async () => {
    const hiding = await found(
      "select tablename from pg_policies where policyname = 'being_deleted' and permissive = 'RESTRICTIVE' and cmd = 'SELECT' order by 1",
    )
    const going = await found(`select c.relname from pg_class c
        where c.relname in ('contacts', 'companies', 'opportunities') or exists (select from pg_constraint k
      where k.conrelid = c.oid and k.contype = 'f' and k.confdeltype = 'c'
      and k.confrelid in ('contacts'::regclass, 'companies'::regclass, 'opportunities'::regclass))
      order by 1`)
    expect(hiding).toEqual([...new Set([...going, 'activities'])].sort())
  })

  test('of a workspace has a workspace_id that is never null and comes from the session', async () => {
    const { rows } = await app.owner.query(
      `select table_name from information_schema.columns
        where column_name = 'workspace_id' and table_name = any($1) and (is_nullable = 'YES' or column_default <> 'current_workspace()')`,
      [tables],
    )
    expect(rows).toEqual([])
  })

  test('refers to others of a workspace by workspace_id and id together', async () => {
    const loose = await found(
      `select c.conname from pg_constraint c
       where c.contype = 'f' and c.conrelid::regclass::text = any($1) and c.confrelid::regclass::text = any($1)
         and not exists (
           select from unnest(c.conkey, c.confkey) as pair(child, parent)
           join pg_attribute a on a.attrelid = c.conrelid and a.attnum = pair.child and a.attname = 'workspace_id'
           join pg_attribute b on b.attrelid = c.confrelid and b.attnum = pair.parent and b.attname = 'workspace_id')`,
      tables,
    )
    expect(loose).toEqual([])
  })

  test('names its foreign keys <table>.<column>, so that a violation tells the field', async () => {
    const misnamed = await found(
      `select c.conname from pg_constraint c
       where c.contype = 'f' and c.conrelid::regclass::text = any($1) and c.confrelid::regclass::text = any($1)
         and not exists (select from unnest(c.conkey) as k(n) join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.n
           where c.conname = c.conrelid::regclass::text || '.' || a.attname)`,
      tables,
    )
    expect(misnamed).toEqual([])
  })
})

describe('the role of the Worker', () => {
  test('is nothing special', async () => {
    const { rows } = await app.owner.query(
      'select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication from pg_roles where rolname = $1',
      ['app'],
    )
    expect(rows).toEqual([{ rolsuper: false, rolbypassrls: false, rolcreaterole: false, rolcreatedb: false, rolreplication: false }])
    expect(await found("select roleid::regrole::text from pg_auth_members where member = 'app'::regrole")).toEqual([])
  })

  test('owns nothing', async () => {
    expect(await found("select relname from pg_class where relowner = 'app'::regrole")).toEqual([])
    expect(await found("select proname from pg_proc where proowner = 'app'::regrole")).toEqual([])
    expect(
      await found("select nspname from pg_namespace where nspowner = 'app'::regrole or has_schema_privilege('app', oid, 'CREATE')"),
    ).toEqual([])
  })

  test('cannot read the hash of a key', async () => {
    expect(await asApp(ws.id, () => refusal(role.query('select key_hash from api_keys')))).toBe(INSUFFICIENT_PRIVILEGE)
    expect(await asApp(ws.id, () => refusal(role.query('select * from api_keys')))).toBe(INSUFFICIENT_PRIVILEGE)
    expect(await asApp(ws.id, () => refusal(role.query('update api_keys set name = name where key_hash is not null')))).toBe(
      INSUFFICIENT_PRIVILEGE,
    )
  })

  test.each([
    'changes',
    'outbox',
    'idempotency',
    'stage_moves',
    'requests',
    'opportunity_deltas',
    'opportunity_totals',
    'opportunity_periods',
    'record_count_deltas',
    'record_counts',
  ])('cannot write %s', async (table) => {
    expect(
      await found("select has_any_column_privilege('app', $1, 'INSERT, UPDATE') or has_table_privilege('app', $1, 'DELETE')", table),
    ).toEqual([false])
  })

  test('cannot truncate any table, nor make a workspace or a change by itself', async () => {
    expect(
      await found("select relname from pg_class where relname = any($1) and has_table_privilege('app', oid, 'TRUNCATE')", [
        ...tables,
        ...OF_THEIR_OWN,
      ]),
    ).toEqual([])
    const own = `select proname::text from pg_proc
      where proname in ('create_workspace', 'record_versions') and has_function_privilege('app', oid, 'EXECUTE')`
    expect(await found(own)).toEqual([])
  })

  test('finds every function that runs as its owner bound to one schema', async () => {
    const loose = `select proname::text from pg_proc
      where prosecdef and pronamespace = 'public'::regnamespace
      and not coalesce(proconfig, '{}') && array['search_path=public', 'search_path=public, pg_temp']`
    expect(await found(loose)).toEqual([])
  })
})

describe('a session', () => {
  /** Counts the visible rows of each table. It names a column, because some tables grant only that. */
  async function seen(workspace: string | null): Promise<Record<string, number>> {
    const counts: Record<string, number> = {}
    for (const table of [...tables, ...OF_THEIR_OWN]) {
      const [column] = await found(
        `select attname::text from pg_attribute
          where attrelid = $1::regclass and attnum > 0 and has_column_privilege('app', attrelid, attnum, 'SELECT') limit 1`,
        table,
      )
      if (column)
        counts[table] = await asApp(workspace, async () =>
          Number((await role.query(`select count(${column}) from ${table}`)).rows[0].count),
        )
    }
    return counts
  }

  test('without a workspace sees no row of any table', async () => {
    // Public skills are for everybody; other tests publish some.
    const { published_skills: _, ...counts } = await seen(null)
    expect(Object.keys(counts).length).toBeGreaterThan(15)
    expect(Object.entries(counts).filter(([, count]) => count > 0)).toEqual([])
  })

  test('with a workspace sees its own rows, and all of them', async () => {
    const counts = await seen(ws.id)
    for (const table of tables.filter((table) => table in counts)) {
      // The automations of queues are hidden, and so are the views of members from a session without one.
      const shown = table === 'automations' ? 'and queue_id is null' : table === 'export_views' ? 'and private_to is null' : ''
      const [own] = await found(`select count(*)::int from ${table} where workspace_id = $1 ${shown}`, ws.id)
      expect(counts[table], table).toBe(own)
    }
    expect(counts.workspaces).toBe(1)
    expect(counts.users).toBe(counts.memberships)
  })

  test('without a workspace can add nothing, and with one nothing to another', async () => {
    const [other] = await found('select id from workspaces where id <> $1 limit 1', ws.id)
    const insert = (workspace: unknown) => role.query('insert into contacts (workspace_id, first_name) values ($1, $2)', [workspace, 'Ana'])
    expect(await asApp(null, () => refusal(insert(other)))).toBe(INSUFFICIENT_PRIVILEGE)
    expect(await asApp(ws.id, () => refusal(insert(other)))).toBe(INSUFFICIENT_PRIVILEGE)
    expect(await asApp(null, () => refusal(role.query("insert into contacts (first_name) values ('Ana')")))).not.toBe('done')
    const moved = () => refusal(role.query('update contacts set workspace_id = $1', [other]))
    expect(await asApp(ws.id, moved)).toBe(INSUFFICIENT_PRIVILEGE)
  })
})
