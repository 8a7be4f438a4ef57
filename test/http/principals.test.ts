import { sql } from 'drizzle-orm'
import { Hono } from 'hono'
import * as v from 'valibot'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contactsApi } from '../../routes/contacts.ts'
import { products } from '../../schema/index.ts'
import { db } from '../../src/data/db.ts'
import { plan } from '../../src/data/plan.ts'
import { constant, WithWarnings } from '../../src/data/query.ts'
import { databaseOf, jobsDatabaseOf } from '../../src/env.ts'
import { execute } from '../../src/http/execute.ts'
import { raw } from '../../src/http/modes.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { newId } from '../../src/lib/ids.ts'
import { startInProcess } from './in-process.ts'

/** Principals other than keys and approvals: what `authorize` makes of each. */
const router = new Hono<App>()
const callbacks = endpoints(router, { base: '', path: '/callbacks', tag: 'Callbacks' })
/** What the provider's signature proves; null when it proves nothing. */
let grant: object | null = null

callbacks.post(
  '',
  {
    id: 'receiveCallback',
    summary: 'Receive a callback',
    access: {
      scopes: ['products:write'],
      principal: () => ({ kind: 'provider_callback', id: 'provider', grant: sql`select ${grant && JSON.stringify(grant)}::jsonb` }),
    },
    body: raw(() => ({})),
    returns: v.object({ id: v.string() }),
  },
  () => {
    const id = newId()
    return plan([db.insert(products).values({ id, name: 'Called back' } as never)], constant({ id }))
  },
)

let app: Awaited<ReturnType<typeof startInProcess>>
beforeAll(async () => {
  app = await startInProcess()
})
afterAll(() => app.close())

test('a provider callback acts within its grant, and is the cause of what it changes', async () => {
  const call = async () => {
    const response = await app.call(router, '/', { method: 'POST', body: '{}' })
    return { status: response.status, body: (await response.json()) as { data: { id: string }; error: { code: string } } }
  }
  const workspace_id = app.workspace.id
  expect(await call()).toMatchObject({ status: 401, body: { error: { code: 'UNAUTHENTICATED' } } })
  grant = { workspace_id, scopes: ['products:read'] }
  expect(await call()).toMatchObject({ status: 403, body: { error: { code: 'INSUFFICIENT_SCOPE' } } })
  grant = { workspace_id, scopes: ['products:*'], expires_at: new Date(0) }
  expect(await call()).toMatchObject({ status: 401, body: { error: { code: 'UNAUTHENTICATED' } } })
  grant = { workspace_id, scopes: ['products:*'] }
  const { status, body } = await call()
  expect(status).toBe(200)
  const { rows } = await app.owner.query('select cause_type, user_id, key_id from changes where entity_id = $1', [body.data.id])
  expect(rows).toEqual([{ cause_type: 'provider', user_id: null, key_id: null }])
})

test('an automation run has the present rights of its publisher, within the key that published it', async () => {
  const endpoint = contactsApi.endpoints.find(({ id }) => id === 'createContact')
  if (!endpoint) throw new Error('No createContact')
  const automation_run_id = newId()
  const run = async (key: { keyId: string }, database = jobsDatabaseOf(app.env)) => {
    const input = { params: {}, query: {}, body: { first_name: 'Ana' } }
    const caller = { kind: 'automation_run' as const, automation_run_id, workspace_id: app.workspace.id, key_id: key.keyId, depth: 0 }
    return execute(database, { endpoint, input, caller, requestId: newId(), now: new Date(), appUrl: '' }).then(
      ({ kind, value }) => ({ kind, value: value instanceof WithWarnings ? value.data : value }),
      (error: { code: string }) => error.code,
    )
  }
  await expect(run(app.workspace, databaseOf(app.env))).resolves.toBeUndefined()
  const created = await run(app.workspace)
  expect(created).toMatchObject({ kind: 'done' })
  const { rows } = await app.owner.query('select cause_type, cause_id from changes where entity_id = $1', [
    (created as { value: { id: string } }).value.id,
  ])
  expect(rows).toEqual([{ cause_type: 'automation_run', cause_id: automation_run_id }])
  const publisher = await app.workspace.key({ level: 'approval' })
  expect(await run(publisher)).toMatchObject({ kind: 'held' })
  expect(await run(await app.workspace.key({ scopes: ['contacts:read'] }))).toBe('INSUFFICIENT_SCOPE')
  await app.owner.query("update memberships set role = 'client_viewer' where user_id = $1", [publisher.userId])
  expect(await run(publisher)).toBe('FORBIDDEN')
  await app.owner.query("update memberships set status = 'removed' where user_id = $1", [publisher.userId])
  expect(await run(publisher)).toBe('UNAUTHENTICATED')
})

test('without a principal nobody has a scope, as in cron jobs, and neither has one without a workspace', async () => {
  const { rows } = await app.owner.query(
    `select has_scopes('{contacts:read}') as nobody, role_reads('{contacts}') as reads,
       allows(jsonb_populate_record(null::authority, a || jsonb_build_object('workspace_id', $1::uuid)), '{contacts:read}') as somebody,
       allows(jsonb_populate_record(null::authority, a), '{contacts:read}') as nowhere
     from (select '{"scopes": ["*:*"], "role_scopes": ["*:*"]}'::jsonb as a) each`,
    [app.workspace.id],
  )
  expect(rows).toEqual([{ nobody: false, reads: [], somebody: true, nowhere: false }])
})
