import { type Case, NOBODY } from './late-calls.ts'

/** The files that a message of the ledger has through its row in a table of a channel. */
const filesOf = (table: string, column: string, other: string): Case => ({
  table,
  set: 'message_id = $row',
  before: [`update message_media set status = 'attached', ${column} = $row, ${other} = null where workspace_id = $ws`],
  args: { p_message: 't.message_id' },
  differs: [{ message_id: 'gen_random_uuid()' }, { message_id: 'gen_random_uuid()' }],
  accepted: "(% <> '[]')",
  late: {
    'another message': { p_message: '$other' },
    'a file that is not there yet': "update message_media set status = 'waiting' where workspace_id = $ws",
  },
})

const CAME = `'{"thread_id": "00000000-0000-4000-8000-000000000009", "references": [], "attachments": [], "participants": \
["late@example.com"], "snippet": "Late", "activity_body": "Late",
  "email": {"id": "00000000-0000-4000-8000-000000000009", "from_email": "late@example.com", "subject": "Late", "body_text": "Late", \
"internet_id": "late@example.com"}}'::jsonb`
const FIRST = '(select min(id::text) from contacts where workspace_id = $ws)'
/** What a thread has one of, and may have no more of. */
const PARTS = {
  email_participants: ['thread_id, email', "'one@example.com'"],
  email_thread_links: ['thread_id, contact_id', '(select max(id::text)::uuid from contacts where workspace_id = $ws)'],
}
const added = (thread: string) =>
  Object.entries(PARTS).map(
    ([table, [columns, value]]) =>
      `insert into ${table} (workspace_id, ${columns}, last_message_at) values ($ws, ${thread}, ${value}, now())`,
  )

const CLAIMED = "claim_id = $other, claimed_until = now() + interval '1 hour', due_at = now() + interval '1 hour'"
const hours = (from: number, to: number) => [from, to].map((hour) => `2027-01-01T${String(hour).padStart(2, '0')}:00:00Z`)
const busy = (calendar: string, source: string, ...times: [number, number][]) =>
  times.map(
    ([from, to]) => `insert into busy_times (workspace_id, host_id, calendar_id, source, starts_at, ends_at, read_at)
      select $ws, user_id, ${calendar}, '${source}', '${hours(from, to).join("', '")}', '2026-01-01'
        from connection_calendars where id = $row`,
  )
/** A copy of the delivery, as it is and with these columns. */
const delivery = (id: number, columns: string) =>
  `insert into webhook_deliveries
     select (jsonb_populate_record(d,
     jsonb_build_object('id', '00000000-0000-4000-8000-00000000001${id}'::uuid, 'event_id', gen_random_uuid()) || ${columns})).*
     from webhook_deliveries d where d.workspace_id = $ws and d.id = $row`
const result = (state: string) =>
  `jsonb_build_array(jsonb_build_object('id', t.id, 'state', '${state}', 'outcome', 'failure', 'seconds', 60))`
/** A delivery that waits for another one of its record. */
const WAITS = `'{"state": "pending", "due_at": null, "claim_id": null, "record_id": "${NOBODY}"}'::jsonb`

/** Functions that must reach what they are given, and nothing beside it. */
export const SCOPES: Record<string, Case> = {
  take_campaign_room: {
    table: 'email_campaigns',
    before: [
      ...['minute', 'hour', 'example.com'].map(
        (
          scope,
        ) => `insert into campaign_windows (workspace_id, campaign_id, scope, began_at, taken) values ($ws, $row, '${scope}', now(), 1)
          on conflict (workspace_id, campaign_id, scope) do update set taken = 1`,
      ),
    ],
    args: { p_campaign: 't.id', p_count: '2' },
    afterwards: `select jsonb_object_agg(scope, taken) = '{"minute": 3, "hour": 3, "example.com": 1}' from campaign_windows
      where workspace_id = $ws and campaign_id = $row and scope in ('minute', 'hour', 'example.com')`,
    late: { 'another campaign': { p_campaign: '$other' } },
  },
  assert_restricted_room: {
    table: 'notepads',
    isAboutAll: true,
    before: ["update notepads set visibility = 'workspace', access = '[]' where workspace_id = $ws"],
    args: { p_id: '$other', p_most: '1' },
    accepted: '%::text is not null',
    late: {
      'as many as there may be': `set visibility = 'restricted',
        access = jsonb_build_array(jsonb_build_object('user_id', $other, 'permission', 'read')),
        owner_id = (select user_id from memberships where workspace_id = $ws limit 1)`,
    },
  },
  files_of_message: filesOf('sms_messages', 'sms_message_id', 'whatsapp_message_id'),
  'files_of_message of WhatsApp': filesOf('whatsapp_messages', 'whatsapp_message_id', 'sms_message_id'),
  erase_files: {
    table: 'files',
    where: 'id in (select file_id from documents where workspace_id = $ws)',
    args: { p_files: 'array[t.id]', p_documents: 'array(select d.id from documents d where d.workspace_id = $ws and d.file_id = t.id)' },
    changes: 'files',
    late: { 'a document that stays': { p_documents: "'{}'" } },
  },
  claim_unclear: {
    table: 'campaign_recipients',
    set: "status = 'queued', batch_id = $other, due_at = now() - interval '1 hour'",
    args: { p_campaign: 't.campaign_id', p_lease: '60' },
    differs: [
      { campaign_id: 'gen_random_uuid()', batch_id: 'gen_random_uuid()', due_at: "now() - interval '2 hours'" },
      { batch_id: 'null' },
    ],
    changes: 'campaign_recipients',
    late: {
      'a batch that is not due': "set due_at = now() + interval '1 minute'",
      'a recipient of no batch': 'set batch_id = null',
      'another campaign': { p_campaign: '$other' },
    },
  },
  mark_stale_calendars: {
    table: 'connection_calendars',
    isAboutAll: true,
    set: "busy_from = true, stale_since = null, synced_at = now() - interval '30 days'",
    args: { p_limit: '1' },
    changes: 'connection_calendars',
    late: {
      'a calendar that was read': 'update connection_calendars set synced_at = now()',
      'what was announced': 'update connection_calendars set stale_since = now()',
      'a calendar that no booking needs': 'update connection_calendars set busy_from = false',
      'no room for another': { p_limit: '0' },
    },
  },
  add_email: {
    table: 'email_threads',
    before: [
      ...Object.keys(PARTS).map((table) => `delete from ${table} where workspace_id = $ws and thread_id = $row`),
      ...added('$other'),
    ],
    args: {
      p: `${CAME} || jsonb_build_object('thread', jsonb_build_object('id', t.id, 'is_new', false, 'contact_id', ${FIRST}))
        || jsonb_build_object('email', jsonb_build_object('direction', 'inbound') || (${CAME} -> 'email'))`,
      p_max_links: '1',
      p_max_participants: '1',
    },
    changes: 'email_messages',
    also: ['email_threads', 'email_messages', 'email_participants', 'email_thread_links', 'conversations', 'changes_open', 'outbox_open'],
    afterwards: `select exists (select from email_participants where workspace_id = $ws and thread_id = $row and email = 'late@example.com')
      and exists (select from email_thread_links where workspace_id = $ws and thread_id = $row and contact_id::text = ${FIRST})`,
    late: Object.fromEntries(added('$row').map((text, at) => [`as many ${['participants', 'links'][at]} as there may be`, text])),
  },
  receive_email: {
    table: 'inbound_emails',
    row: { provider_message_id: "'late'" },
    args: { p_id: 't.id', p: CAME, p_max_links: '1', p_max_participants: '1' },
    changes: 'inbound_emails',
    accepted: '%',
    late: { 'an email that was stored': "set state = 'done'", 'an email that was given up': "set state = 'failed'" },
  },
  hold_calendar: {
    table: 'connection_calendars',
    set: CLAIMED,
    args: { p_id: 't.id', p_claim: '$other', p_lease: '60' },
    differs: [{ outside_id: "''" }, { outside_id: "'~'" }],
    accepted: '((%).id = $row)',
    also: ['connection_calendars'],
    late: { 'another claim': { p_claim: '$row' } },
  },
  store_calendar_page: {
    table: 'connection_calendars',
    set: `${CLAIMED}, busy_from = true`,
    before: [
      'delete from busy_times where workspace_id = $ws',
      ...busy('$row', 'late', [10, 13], [9, 13], [10, 12], [8, 9]),
      ...busy('$row', 'other', [12, 13]),
      ...busy('$other', 'late', [12, 13]),
    ],
    args: {
      p_id: 't.id',
      p_claim: '$other',
      p_lease: '60',
      p_events: `'${JSON.stringify([
        { source: 'late', times: [hours(10, 13), hours(12, 13), hours(12, 13), hours(10, 11)] },
        { source: 'more', times: [hours(8, 9)] },
      ])}'`,
      p_read_at: "'2026-06-01'",
      p_full: 'true',
    },
    changes: 'busy_times',
    also: ['connection_calendars'],
    afterwards: `select string_agg(concat_ws(' ', case when calendar_id <> $row then 'another' end, source,
        to_char(starts_at at time zone 'UTC', 'HH24'),
        to_char(ends_at at time zone 'UTC', 'HH24'), to_char(read_at, 'MM')), ',' order by calendar_id = $row, source, starts_at, ends_at)
      = 'another late 12 13 01,late 10 11 06,late 10 13 06,late 12 13 06,more 08 09 06,other 12 13 01' from busy_times
        where workspace_id = $ws and calendar_id in ($row, $other)`,
    late: { 'another claim': { p_claim: '$row' } },
  },
  settle_webhook: {
    table: 'webhook_deliveries',
    set: "state = 'pending', claim_id = $other, due_at = now(), ended_at = null, record_id = $other",
    before: [
      delivery(1, `${WAITS} || '{"state": "succeeded"}'`),
      delivery(2, WAITS),
      delivery(3, WAITS),
      delivery(4, `${WAITS} || '{"record_id": "00000000-0000-4000-8000-000000000008"}'`),
      delivery(5, `${WAITS} || '{"record_id": "00000000-0000-4000-8000-000000000008", "state": "failed"}'`),
      delivery(0, `${WAITS} || '{"webhook_id": "00000000-0000-4000-8000-000000000008"}'`),
    ],
    args: {
      p_webhook: 't.webhook_id',
      p_claim: '$other',
      p_results: result('failed'),
    },
    differs: Array(2).fill({ record_id: 'gen_random_uuid()' }),
    changes: 'webhook_deliveries',
    also: ['webhook_deliveries', 'webhook_states'],
    touches: ['webhook_deliveries'],
    afterwards: `select string_agg(right(id::text, 1), '' order by id) = '2' from webhook_deliveries
      where workspace_id = $ws and due_at is not null and id::text like '00000000-0000-4000-8000-00000000001_'`,
    late: { 'another claim': { p_claim: '$row' }, 'a delivery that is tried again': { p_results: result('pending') } },
  },
  latest_deletion: {
    table: 'deleted_rows',
    where: "action = 'deleted'",
    isAboutAll: true,
    args: { p_table: 't.table_name', p_id: 't.row_id' },
    accepted: '(%).row_id is not null',
    late: {
      'a record of another kind': { p_table: "'companies'" },
      'a record that was not deleted': { p_id: '$other' },
      'a row that was unlinked': "set action = 'unlinked'",
    },
  },
}
