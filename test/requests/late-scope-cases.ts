import type { Case } from './late-calls.ts'

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

const CAME = `'{"thread_id": "00000000-0000-4000-8000-000000000009", "references": [], "attachments": [], "participants": ["late@example.com"], "snippet": "Late", "activity_body": "Late",
  "email": {"id": "00000000-0000-4000-8000-000000000009", "from_email": "late@example.com", "subject": "Late", "body_text": "Late", "internet_id": "late@example.com"}}'::jsonb`
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
      'as many as there may be': `set visibility = 'restricted', access = jsonb_build_array(jsonb_build_object('user_id', $other, 'permission', 'read')),
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
    afterwards: `select (select array_agg(email) = '{late@example.com}' from email_participants where workspace_id = $ws and thread_id = $row)
      and (select array_agg(contact_id::text) = array[${FIRST}] from email_thread_links where workspace_id = $ws and thread_id = $row)`,
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
