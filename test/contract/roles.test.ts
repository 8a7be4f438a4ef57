import { createHash, randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'
import { CALENDAR_JOBS } from './seed-calendars.ts'
import { COPY_JOBS } from './seed-copies.ts'
import { CHANNEL_JOBS } from './seed-media.ts'
import { WHATSAPP_JOBS } from './seed-whatsapp.ts'

let app: Harness
/** The sessions of the Worker's login roles. */
const sessions: Record<string, pg.Client> = {}
beforeAll(async () => {
  app = await start()
  const url = new URL(app.owner.options.connectionString!)
  for (const role of ['app', 'jobs']) {
    url.username = url.password = role
    sessions[role] = new pg.Client({ connectionString: url.href })
    await sessions[role].connect()
  }
})
afterAll(async () => {
  for (const session of Object.values(sessions)) await session.end()
  await app.close()
})

const INSUFFICIENT_PRIVILEGE = '42501'
const listed = async (sql: string, ...values: unknown[]): Promise<string[]> =>
  (await app.owner.query(`select name::text from (${sql}) as found(name) order by 1`, values)).rows.map(({ name }) => name)
const DEFINERS = "select proname from pg_proc where prosecdef and pronamespace = 'public'::regnamespace"
const may = (role: string) => `has_function_privilege('${role}', oid, 'execute')`
const refusalOf = (role: string, sql: string) =>
  sessions[role]!.query(sql).then(
    () => 'done',
    ({ code }: { code: string }) => code,
  )

/** The functions for queues and cron jobs. They accept any workspace, or continue what an earlier function of this list began. */
const JOBS = [
  'ack_events',
  'add_recipients',
  'add_webhook_deliveries',
  'announce_failures',
  'automation_batch',
  'await_step',
  'begin_automation_work',
  'begin_import',
  'begin_list_walk',
  'booking_facts',
  'build_custom_index',
  'check_record_times',
  'claim_birthdays',
  'claim_booking_notices',
  'claim_events',
  'claim_messages',
  'claim_outgoing',
  'claim_runs',
  'claim_webhook',
  'claim_zone_work',
  'complete_approval',
  'disable_webhook',
  'due_birthdays',
  'due_schedules',
  'due_suppression_lifts',
  'due_webhooks',
  'edit_whatsapp_messages',
  'email_files_after',
  'enabled_webhooks',
  'end_auto_reply',
  'end_incoming',
  'end_list_tracking_batch',
  'end_lost_runs',
  'end_snoozes',
  'end_suppression_lifts',
  'enrol_list_part',
  'exit_enrolments',
  'expire_approvals',
  'expire_auto_replies',
  'expire_holds',
  'expire_merge_undo',
  'expire_portal_attempts',
  'expire_public_images',
  'expire_rows',
  'expire_skill_runs',
  'expire_schedule_runs',
  'fail_email_draft',
  'fail_import',
  'fail_inbound_email',
  'fail_list_enrolment',
  'fail_schedule_run',
  'files_after',
  'finish_birthdays',
  'fire_due_schedules',
  'fold_record_counts_after',
  'fold_workspaces',
  'followers_of',
  'forget_unpaid_orders',
  'has_list_enrolments',
  'hold_step',
  'imports_after',
  'is_account_in_use',
  'is_restorable',
  'list_enrolment_part',
  'list_tracking_batch',
  'load_approval',
  'load_email_draft',
  'load_import',
  'load_inbound_email',
  'load_incoming',
  'load_schedule_run',
  'lock_campaign_send',
  'lock_schedule_run',
  'lock_tracked_list',
  'mark_stale_approvals',
  'move_follower',
  'move_webhook_replay',
  'note_skips',
  'pause_automation',
  'plan_booking_notices',
  'read_feed',
  'read_webhook_replay',
  'receive_email',
  'receive_sms',
  'record_call_reports',
  'record_dead_letter',
  'record_email_events',
  'record_requests',
  'record_sms_reports',
  'review_phone_bundle',
  'rotate_partitions',
  'run_deletion',
  'run_records',
  'run_restore',
  'save_birthdays',
  'save_booking_notices',
  'save_import_rows',
  'save_list_members',
  'save_list_walk',
  'save_schedule_part',
  'save_zone_batch',
  'send_email_draft',
  'send_reminders',
  'settle_messages',
  'settle_outgoing',
  'settle_runs',
  'settle_webhook',
  'stop_list_tracking',
  'stored_files_after',
  'sync_file_states',
  'take_step',
  'take_turn',
  'undo_import',
  'unfollow_feed',
  'unknown_public_images',
  'unknown_suppressions',
  'unreported_recipients',
  'voice_route',
  'waiting_campaigns',
  'wake_ended',
  'wake_notetaker',
  'wake_runs',
  'wake_waits',
  'zone_batch',
  ...WHATSAPP_JOBS,
]
/**
 * They do not name the workspace: two identify a caller, and thereby the workspace, by a secret (the hash of a key or of an invitation's
 * token), `emit` inserts rows whose workspace is the session's by default, `incoming_grant`, `booking_link_grant`, `booking_page_grant`,
 * `order_form_grant`, `reputation_grant`, `review_grant`, `payment_grant`, `portal_grant` and `work_feed_grant` find a workspace by a token
 * or by its public address,
 * `public_file`, `record_public_image` and `forget_public_image` are about images of no workspace, and `synced_until` reads no rows.
 */
const WITHOUT_NAME = [
  'accept_invitation',
  'begin_request',
  'booking_link_grant',
  'booking_page_grant',
  'email_inbox_grant',
  'emit',
  'forget_public_image',
  'incoming_grant',
  'order_form_grant',
  'payment_grant',
  'portal_grant',
  'public_file',
  'record_public_image',
  'reputation_grant',
  'review_grant',
  'synced_until',
  'whatsapp_token_grant',
  'work_feed_grant',
]

describe('a function that runs as its owner', () => {
  test('looks for tables in one schema, and last in that for temporary ones', async () => {
    expect((await listed(DEFINERS)).length).toBeGreaterThan(60)
    expect(await listed(`${DEFINERS} and not coalesce(proconfig, '{}') @> array['search_path=public, pg_temp']`)).toEqual([])
  })

  test('is not open to every role, not even a trigger', async () => {
    await app.owner.query('create role nobody_special')
    expect(await listed(`${DEFINERS} and ${may('nobody_special')}`)).toEqual([])
    await app.owner.query('drop role nobody_special')
  })

  test('that a request may call takes the workspace from its session', async () => {
    expect((await listed(`${DEFINERS} and ${may('app')}`)).length).toBeGreaterThan(15)
    expect(await listed(`${DEFINERS} and ${may('app')} and prosrc !~ '\\mcurrent_workspace\\(\\)'`)).toEqual(WITHOUT_NAME)
    expect(await listed(`${DEFINERS} and ${may('app')} and 'p_workspace' = any (proargnames)`)).toEqual([])
  })

  test('that accepts any workspace is for queues and cron jobs only', async () => {
    const expected = [...JOBS, ...CALENDAR_JOBS, ...COPY_JOBS, ...CHANNEL_JOBS].toSorted()
    expect(await listed(`${DEFINERS} and ${may('jobs')} and not ${may('app')}`)).toEqual(expected)
  })
})

test('a request cannot run what queues and cron jobs run, for its own workspace or another', async () => {
  const ws = await app.workspace()
  await sessions.app!.query("select set_config('app.workspace_id', $1, false)", [ws.id])
  const { rows } = await app.owner.query<{ name: string; call: string }>(
    `select proname as name, format('select %I(%s)', proname, (select string_agg('null::' || t::regtype, ', ' order by n)
      from unnest(proargtypes) with ordinality a(t, n))) as call from pg_proc where proname = any ($1)`,
    [[...JOBS, ...CALENDAR_JOBS, ...COPY_JOBS, ...CHANNEL_JOBS]],
  )
  expect(rows).toHaveLength(JOBS.length + CALENDAR_JOBS.length + COPY_JOBS.length + CHANNEL_JOBS.length)
  for (const { name, call } of rows) expect(await refusalOf('app', call), name).toBe(INSUFFICIENT_PRIVILEGE)
})

describe('begin_request', () => {
  const begin = (role: string, p: object) =>
    refusalOf(role, `select begin_request('${JSON.stringify({ request_id: randomUUID(), write: true, scopes: [], ...p })}')`)

  test('lets only queues and cron jobs act for an approval, an import, an automation run or an incoming webhook', async () => {
    const { id: workspace_id, keyId: key_id } = await app.workspace()
    const approval_id = randomUUID()
    for (const p of [
      { kind: 'approval', approval_id, workspace_id },
      // As a Worker of an earlier release names it.
      { approval_id, workspace_id },
      { kind: 'import', workspace_id, key_id, mode: 'import' },
      { kind: 'automation_run', automation_run_id: randomUUID(), workspace_id, key_id },
      { kind: 'incoming_webhook', incoming_request_id: randomUUID(), workspace_id, key_id },
    ]) {
      expect(await begin('app', p), JSON.stringify(p)).toBe(INSUFFICIENT_PRIVILEGE)
      expect(await begin('jobs', p), JSON.stringify(p)).toBe('approval_id' in p ? 'WK000' : 'done')
    }
  })

  test('takes neither an approval nor the mode of one from a key', async () => {
    const { apiKey } = await app.workspace()
    const key = { kind: 'key', key_hash: createHash('sha256').update(apiKey).digest('hex') }
    expect(await begin('app', key)).toBe('done')
    for (const p of [{ approval_id: randomUUID() }, { mode: 'approved' }, { mode: 'import' }])
      expect(await begin('app', { ...key, ...p }), JSON.stringify(p)).toBe(INSUFFICIENT_PRIVILEGE)
  })
})

describe.each(['app', 'jobs'])('the role %s', (role) => {
  test('cannot create a temporary table, whose triggers would run inside the functions of the owner', async () => {
    expect(await refusalOf(role, 'create temporary table contacts (id uuid)')).toBe(INSUFFICIENT_PRIVILEGE)
  })

  test('cannot pass row-level security, owns nothing, and belongs to no role but that of requests', async () => {
    const special = `select rolname from pg_roles
      where rolname = $1 and (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication)`
    expect(await listed(special, role)).toEqual([])
    const memberships = await listed('select roleid::regrole from pg_auth_members where member = $1::regrole', role)
    expect(memberships).toEqual(role === 'jobs' ? ['app'] : [])
    expect(await listed('select relname from pg_class where relowner = $1::regrole', role)).toEqual([])
    expect(await listed('select proname from pg_proc where proowner = $1::regrole', role)).toEqual([])
  })

  test('sees no row without a workspace', async () => {
    await sessions[role]!.query("select set_config('app.workspace_id', '', false)")
    expect((await sessions[role]!.query('select id from contacts')).rowCount).toBe(0)
    expect((await sessions[role]!.query('select id from workspaces')).rowCount).toBe(0)
  })

  test('ends its statements before the deadline of the Worker, and neither compiles nor parallelises them', async () => {
    const settings = await listed('select unnest(setconfig) from pg_db_role_setting where setrole = $1::regrole', role)
    expect(settings).toEqual([
      'TimeZone=UTC',
      'idle_in_transaction_session_timeout=10s',
      'jit=off',
      'lock_timeout=8s',
      'max_parallel_workers_per_gather=0',
      'random_page_cost=1.1',
      'statement_timeout=15s',
      'transaction_timeout=18s',
    ])
  })
})

test('the role of queues and cron jobs has no privileges of its own on tables', async () => {
  const direct = `select c.relname from pg_class c, aclexplode(c.relacl) a
    where c.relnamespace = 'public'::regnamespace and a.grantee = 'jobs'::regrole`
  expect(await listed(direct)).toEqual([])
})
