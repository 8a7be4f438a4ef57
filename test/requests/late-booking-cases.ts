import type { Case } from './late-calls.ts'

const LONG_AGO = "'2026-01-01T00:00:00Z'"
const AT = "'2027-01-01T00:00:00Z'"
const copied = `is_wanted = true, state = 'synced', calendar_id = (select id from connection_calendars where workspace_id = $ws limit 1),
  flag = null, outside_id = 'late', outside_version = '1', written_at = ${LONG_AGO}, seen_at = null,
  written_starts_at = '2026-06-01T00:00:00Z', written_ends_at = '2026-06-01T01:00:00Z'`
const change = (booking: string) => `jsonb_build_object('copy_id', t.id, 'booking_id', ${booking}, 'change', 'deleted', 'version', '2')`
const COPY_LATE = {
  'a copy that is to be removed': 'set is_wanted = false',
  'a copy that is being written': "set state = 'pending'",
  'a copy of another booking': { p_change: change('(select id from bookings where workspace_id = $ws and id <> t.booking_id limit 1)') },
}
/** Copies of other bookings, one in another calendar, and one of another event. */
const COPIES: Record<string, string>[] = [
  { booking_id: 'gen_random_uuid()', calendar_id: 'gen_random_uuid()' },
  { booking_id: 'gen_random_uuid()', outside_id: "'other'" },
]
const copyChange = (name: string, more: Record<string, string> = {}): Record<string, Case> => ({
  [name]: {
    table: 'booking_copies',
    set: copied,
    before: [
      "update bookings set status = 'confirmed' where workspace_id = $ws and id = (select booking_id from booking_copies where id = $row)",
    ],
    args: { p_change: change('t.booking_id'), ...more },
    differs: COPIES,
    changes: name === 'flag_copy' ? 'booking_copies' : 'bookings',
    late: COPY_LATE,
  },
})
const event = (more: string) =>
  'jsonb_build_array(\'{"id": "late", "version": "2", "is_deleted": false, "starts_at": "2026-06-02T00:00:00Z", "ends_at": ' +
  `"2026-06-02T01:00:00Z"}'::jsonb || '${more}')`
const notice = (more = '{}') =>
  `jsonb_build_array(jsonb_build_object('id', t.id, 'booking_id', t.booking_id,
    'version', (select b.version from bookings b where b.workspace_id = $ws and b.id = t.booking_id),
    'lease', t.wake_at, 'state', 'skipped', 'reason', 'late') || '${more}')`
const grant = {
  user_id: '(select user_id from memberships where workspace_id = $ws limit 1)',
  provider: "'google'",
  expires_at: "now() + interval '1 hour'",
}
const sealed = "decode('aa', 'hex')"

/** What workers and second round trips store about bookings, calendars and accounts. */
export const BOOKINGS: Record<string, Case> = {
  settle_calendar_channel: {
    table: 'connection_calendars',
    set: 'next_channel_id = $other',
    args: { p_id: 't.id', p_channel: '$other', p: `jsonb_build_object('expires_at', ${AT}, 'resource_id', 'late')` },
    changes: 'connection_calendars',
    late: { 'another channel': { p_channel: '$row' }, 'a calendar that waits for none': 'set next_channel_id = null' },
  },
  'settle_calendar_channel of a channel that was refused': {
    table: 'connection_calendars',
    set: 'next_channel_id = $other',
    args: { p_id: 't.id', p_channel: '$other', p: 'null' },
    changes: 'connection_calendars',
    late: { 'another channel': { p_channel: '$row' } },
  },
  notify_calendar: {
    table: 'connection_calendars',
    set: `due_at = now(), channel_id = $other, channel_secret_hash = ${sealed}`,
    args: { p_channel: '$other', p_hash: "'aa'" },
    changes: 'connection_calendars',
    late: {
      'another channel': { p_channel: '$row' },
      'another secret': { p_hash: "'bb'" },
      'a calendar that is not read': 'set due_at = null',
    },
  },
  'notify_calendar of the channel that follows': {
    table: 'connection_calendars',
    set: `due_at = now(), next_channel_id = $other, next_channel_secret_hash = ${sealed}`,
    args: { p_channel: '$other', p_hash: "'aa'" },
    changes: 'connection_calendars',
    late: { 'another channel': { p_channel: '$row' }, 'another secret': { p_hash: "'bb'" } },
  },
  ...copyChange('cancel_with_event'),
  ...copyChange('flag_copy', { p_flag: "'deleted'" }),
  outside_changes: {
    table: 'booking_copies',
    set: copied,
    args: { p_calendar: 't.calendar_id', p_events: event('{}'), p_read_at: AT },
    differs: COPIES,
    accepted: '(jsonb_array_length(%) = 1)',
    also: ['booking_copies'],
    late: {
      'a copy that is to be removed': 'set is_wanted = false',
      'a copy that is being written': "set state = 'pending'",
      'a copy of no booking': 'set booking_id = null',
      'what was written last': { p_events: event('{"version": "1"}') },
      'the same times': { p_events: event('{"starts_at": "2026-06-01T00:00:00Z", "ends_at": "2026-06-01T01:00:00Z"}') },
      'what was written meanwhile': { p_read_at: LONG_AGO },
    },
  },
  missing_copies: {
    table: 'booking_copies',
    set: copied,
    args: { p_calendar: 't.calendar_id', p_from: "'2026-06-01T00:00:00Z'", p_to: "'2026-06-01T01:00:00Z'", p_read_at: AT, p_limit: '10' },
    accepted: "(% <> '[]')",
    late: {
      'a copy that is to be removed': 'set is_wanted = false',
      'a copy that is being written': "set state = 'pending'",
      'a copy of no booking': 'set booking_id = null',
      'a copy that has a flag': "set flag = 'moved'",
      'what was written meanwhile': { p_read_at: LONG_AGO },
      'what was seen meanwhile': `set seen_at = ${AT}`,
      'what begins earlier': { p_from: "'2026-06-01T00:00:01Z'" },
      'what ends later': { p_to: "'2026-06-01T00:59:59Z'" },
    },
  },
  save_booking_notices: {
    table: 'booking_notices',
    set: "state = 'due', message_id = null, wake_at = now()",
    args: { p_decisions: notice() },
    changes: 'booking_notices',
    late: {
      'another lease': { p_decisions: notice(`{"lease": ${LONG_AGO.replaceAll("'", '"')}}`) },
      'a notice that was sent': "set state = 'sent'",
      'a notice that has a message': 'set message_id = $other',
    },
  },
  'save_booking_notices of a booking that has changed': {
    table: 'booking_notices',
    set: "state = 'due', message_id = null, wake_at = now()",
    args: { p_decisions: notice('{"version": 9000}') },
    changes: 'booking_notices',
    afterwards: "select state = 'due' and wake_at = send_at from booking_notices where workspace_id = $ws and id = $row",
    late: { 'a notice that was sent': "set state = 'sent', wake_at = now()" },
  },
  'save_booking_notices of a later time': {
    table: 'booking_notices',
    set: "state = 'due', message_id = null, wake_at = now()",
    args: { p_decisions: notice(`{"state": "due", "send_at": ${AT.replaceAll("'", '"')}}`) },
    changes: 'booking_notices',
    afterwards: `select state = 'due' and wake_at = ${AT} and send_at = ${AT} from booking_notices where workspace_id = $ws and id = $row`,
    late: { 'a notice that was sent': "set state = 'sent'" },
  },
  save_waiting_list: {
    table: 'waiting_list_entries',
    set: 'due_at = now()',
    args: { p_emails: "jsonb_build_array(jsonb_build_object('id', t.id, 'state', 'waiting', 'lease', t.due_at))" },
    changes: 'waiting_list_entries',
    late: {
      'another lease': { p_emails: `jsonb_build_array(jsonb_build_object('id', t.id, 'state', 'waiting', 'lease', ${LONG_AGO}))` },
      'an entry that has a seat': "set state = 'booked'",
    },
  },
  close_hold: {
    table: 'booking_holds',
    row: {
      owner: "'late'",
      event_type_id: '(select id from scheduled_event_types where workspace_id = $ws limit 1)',
      starts_at: AT,
      ends_at: AT,
      host_ids: "'{}'",
      expires_at: AT,
    },
    args: { p_owner: 't.owner', p_state: "'released'", p_booking: 'null' },
    changes: 'booking_holds',
    late: Object.fromEntries(['booked', 'released', 'expired'].map((state) => [`a hold that is ${state}`, `set state = '${state}'`])),
  },
  take_grant_request: {
    table: 'grant_requests',
    row: { ...grant, state_hash: sealed, sealed_verifier: "'late'" },
    args: { p_hash: "'aa'" },
    accepted: '% is not null',
    late: {
      'an account that waits': "set sealed_verifier = null, sealed_account = 'late'",
      'another state': { p_hash: "'bb'" },
      'a state that has expired': "set expires_at = now() - interval '1 second'",
    },
    also: ['grant_requests'],
  },
  take_held_account: {
    table: 'grant_requests',
    row: { ...grant, state_hash: sealed, sealed_account: "'late'" },
    args: { p_hash: "'aa'" },
    accepted: '% is not null',
    late: {
      'a state': "set sealed_account = null, sealed_verifier = 'late'",
      'another token': { p_hash: "'bb'" },
      'a token that has expired': "set expires_at = now() - interval '1 second'",
    },
    also: ['grant_requests'],
  },
  fail_account: {
    table: 'calendar_connections',
    set: "status = 'connected'",
    args: { p_account: 't.id', p_error: "'late'" },
    changes: 'calendar_connections',
    late: { 'a connection that has ended': "set status = 'disconnected'", 'a connection that is in error': "set status = 'error'" },
  },
  'fail_account of a mailbox': {
    table: 'mailboxes',
    set: "status = 'connected'",
    args: { p_account: 't.id', p_error: "'late'" },
    changes: 'mailboxes',
    late: { 'a mailbox that has ended': "set status = 'disconnected'" },
  },
  refresh_mailbox: {
    table: 'mailboxes',
    set: "status = 'connected'",
    args: { p_mailbox: 't.id', p_aliases: "'[]'" },
    changes: 'mailboxes',
    late: { 'a mailbox that has ended': "set status = 'disconnected'" },
  },
  refresh_connection_calendars: {
    table: 'calendar_connections',
    set: "status = 'connected'",
    args: {
      p_connection: 't.id',
      p_calendars: `'[{"id": "late", "name": "Late", "timezone": "UTC", "primary": false, "writable": true}]'`,
    },
    changes: 'connection_calendars',
    late: { 'a connection that has ended': "set status = 'disconnected'" },
  },
  end_notetaker: {
    table: 'notetakers',
    set: "state = 'scheduled'",
    args: { p_booking: 't.booking_id' },
    changes: 'notetakers',
    late: { 'a notetaker that is done': "set state = 'done'", 'a notetaker that has failed': "set state = 'failed'" },
  },
}
