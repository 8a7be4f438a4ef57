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
