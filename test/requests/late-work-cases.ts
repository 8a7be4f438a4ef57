import type { Case } from './late-calls.ts'

const anHour = "interval '1 hour'"
/** A run of an automation, as its worker has left it. */
const run: Pick<Case, 'table' | 'set'> = {
  table: 'automation_runs',
  set: "state = 'waiting', ended_at = null, claimed_until = null, moves = 3",
}
const NEXT = `jsonb_build_object('id', t.id, 'moves', 3, 'state', 'waiting', 'place', t.place, 'due_at', now(),
  'rests', false, 'steps', '[]'::jsonb)`
const MOVED = {
  'another move': 'set moves = 4',
  ...Object.fromEntries(
    ['paused', 'completed', 'failed', 'cancelled', 'stopped'].map((state) => [`a run that is ${state}`, `set state = '${state}'`]),
  ),
}
/** The step that a run stores with the request that it makes. */
const step = (name: string, finished = `'{"rows": [["late"]]}'::jsonb`): Record<string, Case> => ({
  [name]: {
    ...run,
    args: {
      p_run:
        `${NEXT} || jsonb_build_object('steps', jsonb_build_array(jsonb_build_object('sequence', 9000, 'step_id', $other, 'type', ` +
        "'late', 'state', 'done')))",
      p_finished: finished,
    },
    changes: 'automation_runs',
    late: MOVED,
  },
})

/** What workers store about automations, webhooks, imports, events and schedules. */
export const WORK: Record<string, Case> = {
  pause_automation: {
    table: 'automations',
    where: 'version_id is not null',
    set: "state = 'published'",
    before: [
      `insert into automation_versions select (jsonb_populate_record(v, jsonb_build_object('id', $other, 'number', 9000))).*
         from automation_versions v where v.workspace_id = $ws and v.id = (select version_id from automations where id = $row)`,
    ],
    args: { p_version: 't.version_id', p_reason: "'late'" },
    changes: 'automations',
    late: { 'an earlier version': { p_version: '$other' }, 'an automation that is paused': "set state = 'paused'" },
  },
  enrol_list_part: {
    table: 'auto_queue_list_enrolments',
    set: "state = 'running', ended_at = null",
    args: { p_id: 't.id', p_after: 't.after_id', p_last: 'null', p_ids: "'{}'", p_depth: '0' },
    changes: 'auto_queue_list_enrolments',
    late: {
      'an earlier part': { p_after: '$other' },
      'an enrolment that has ended': "set state = 'completed'",
      'a list that was deleted': 'set list_id = null',
    },
  },
  fail_list_enrolment: {
    table: 'auto_queue_list_enrolments',
    set: "state = 'running', ended_at = null",
    args: { p_id: 't.id', p_error: "'late'" },
    changes: 'auto_queue_list_enrolments',
    late: { 'an enrolment that has ended': "set state = 'completed'" },
  },
  settle_runs: {
    ...run,
    args: { p_runs: `jsonb_build_array(${NEXT})` },
    changes: 'automation_runs',
    late: { ...MOVED, 'an event that has come': { p_runs: `jsonb_build_array(${NEXT} || '{"rests": true}')` } },
  },
  ...step('take_step'),
  ...step('hold_step', `jsonb_build_object('rows', jsonb_build_array(jsonb_build_array($other)))`),
  ...step('await_step', `jsonb_build_object('rows', jsonb_build_array(jsonb_build_array($other)))`),
  take_turn: {
    table: 'automation_runs',
    set: 'turn = null',
    args: { p_run: 't.id', p_step: '$other', p_sequence: '3' },
    changes: 'automation_counts',
    late: { 'a turn that is taken': `set turn = '{"sequence": 3, "number": 7}'` },
  },
  end_incoming: {
    table: 'incoming_requests',
    set: "state = 'received', ended_at = null",
    args: { p_request: 't.id', p_state: "'done'", p_result: 'null', p_code: 'null', p_message: 'null' },
    changes: 'incoming_requests',
    late: { 'a request that has ended': "set state = 'failed'" },
  },
  disable_webhook: {
    table: 'webhooks',
    set: "status = 'enabled'",
    args: { p_webhook: 't.id', p_reason: "'late'" },
    changes: 'webhooks',
    late: { 'a webhook that is disabled': "set status = 'disabled'" },
  },
  move_webhook_replay: {
    table: 'webhook_states',
    key: 'webhook_id',
    set: "replay_id = $other, replay_xid = '5', replay_event_id = $other, replay_until_xid = '9', replay_until_id = $other",
    args: {
      p_webhook: 't.webhook_id',
      p_replay: '$other',
      p_from: "jsonb_build_object('xid', '5', 'id', $other)",
      p_to: "jsonb_build_object('xid', '7', 'id', $other)",
      p_added: '1',
    },
    changes: 'webhook_states',
    late: {
      'another replay': { p_replay: '$row' },
      'another transaction': { p_from: "jsonb_build_object('xid', '4', 'id', $other)" },
      'another event': { p_from: "jsonb_build_object('xid', '5', 'id', $row)" },
    },
  },
  move_follower: {
    table: 'feed_followers',
    key: 'follower',
    args: {
      p_follower: 't.follower',
      p_from: "jsonb_build_object('xid', t.xid, 'id', t.event_id)",
      p_to: "jsonb_build_object('xid', t.xid, 'id', $other)",
    },
    changes: 'feed_followers',
    late: {
      'another transaction': { p_from: "jsonb_build_object('xid', '3', 'id', t.event_id)" },
      'another event': { p_from: "jsonb_build_object('xid', t.xid, 'id', $other)" },
    },
  },
  fail_import: {
    table: 'imports',
    set: "state = 'running'",
    args: { p_id: 't.id', p_reason: "'late'" },
    changes: 'imports',
    late: Object.fromEntries(
      ['ready', 'checked', 'finished', 'failed', 'cancelled', 'undone'].map((state) => [
        `an import that is ${state}`,
        `set state = '${state}'`,
      ]),
    ),
  },
  lock_schedule_run: {
    table: 'schedule_runs',
    set: 'ended_at = null, status = null',
    args: { p_run: 't.id', p_last: 'null' },
    accepted: '%::text is not null',
    late: {
      'a later part': { p_last: '$other' },
      'an earlier part': 'set last_id = $other',
      'a fire that has ended': "set ended_at = now(), status = 'failed'",
    },
  },
  fail_schedule_run: {
    table: 'schedule_runs',
    set: 'ended_at = null, status = null',
    args: { p_run: 't.id', p_code: "'INTERNAL'", p_message: "'late'" },
    changes: 'schedule_runs',
    late: { 'a fire that has ended': "set ended_at = now(), status = 'failed'" },
  },
  fire_due_schedules: {
    table: 'auto_schedules',
    args: {
      p_fires: `jsonb_build_array(jsonb_build_object('workspace_id', t.workspace_id, 'id', t.id, 'version', t.version,
        'next_run_at', t.next_run_at,
        'due', jsonb_build_array('2026-01-01T00:00:00Z'), 'next', now() + ${anHour}, 'missed', false))`,
    },
    changes: 'auto_schedules',
    late: {
      'another version': {
        p_fires: `jsonb_build_array(jsonb_build_object('workspace_id', t.workspace_id, 'id', t.id, 'version', t.version - 1,
          'next_run_at', t.next_run_at,
          'due', jsonb_build_array('2026-01-01T00:00:00Z'), 'next', now()))`,
      },
      'a time that has fired': {
        p_fires: `jsonb_build_array(jsonb_build_object('workspace_id', t.workspace_id, 'id', t.id, 'version', t.version,
          'next_run_at', '2026-01-01T00:00:00Z',
          'due', jsonb_build_array('2026-01-01T00:00:00Z'), 'next', now()))`,
      },
    },
  },
  finish_birthdays: {
    table: 'birthday_schedules',
    key: 'workspace_id',
    isAboutAll: true,
    row: { next_at: 'now()' },
    args: { p_lease: 't.next_at', p_next: `now() + ${anHour}` },
    changes: 'birthday_schedules',
    late: { 'a lease that has ended': { p_lease: `t.next_at - ${anHour}` } },
  },
  complete_approval: {
    table: 'approvals',
    set: "status = 'approved', executed_at = null",
    args: { p_id: 't.id', p_status: "'failed'", p_response_status: '409', p_response_body: "'{}'" },
    changes: 'approvals',
    late: {
      'an approval that is executed': 'set executed_at = now()',
      'an execution that was rolled back': { p_status: "'executed'" },
      ...Object.fromEntries(['pending', 'rejected', 'failed'].map((s) => [`an approval that is ${s}`, `set status = '${s}'`])),
    },
  },
  save_list_walk: {
    table: 'lists',
    before: ['insert into tracked_lists (workspace_id, list_id, walk_from) values ($ws, $row, $other)'],
    args: { p_list: 't.id', p_from: '$other', p_to: '$ws', p_records: "'{}'", p_members: "'{}'", p_most: '10', p_minutes: '10' },
    changes: 'tracked_lists',
    late: {
      'an earlier part': { p_from: '$ws' },
      'a walk that has ended': 'update tracked_lists set walk_from = null where workspace_id = $ws',
      'a walk that has begun again': 'update tracked_lists set walk_from = $row where workspace_id = $ws',
    },
  },
  'save_list_walk of the last part': {
    table: 'lists',
    set: 'tracks_membership = true, tracked_since = null',
    before: ['insert into tracked_lists (workspace_id, list_id, walk_from) values ($ws, $row, $other)'],
    args: { p_list: 't.id', p_from: '$other', p_to: 'null', p_records: "'{}'", p_members: "'{}'", p_most: '10', p_minutes: '10' },
    changes: 'lists',
    also: ['tracked_lists'],
    afterwards: "select tracked_since > now() - interval '1 hour' from lists where workspace_id = $ws and id = $row",
    late: {
      'a list that is no longer tracked': 'set tracks_membership = false',
      'a list whose members are known': "set tracked_since = '2026-01-01T00:00:00Z'",
    },
  },
  lock_tracked_list: {
    table: 'lists',
    before: ['insert into tracked_lists (workspace_id, list_id) values ($ws, $row)'],
    args: { p_list: 't.id' },
    accepted: '%',
    late: { 'a list that is not tracked': 'delete from tracked_lists where workspace_id = $ws' },
  },
  end_list_tracking_batch: {
    table: 'feed_followers',
    key: 'follower',
    isAboutAll: true,
    before: [
      "insert into feed_followers (workspace_id, follower, xid, event_id) values ($ws, 'late', '5', $other)",
      `insert into feed_followers (workspace_id, follower, xid, event_id) values ($ws, 'lists', '5', $other)
        on conflict (workspace_id, follower) do update set xid = '5', event_id = $other`,
    ],
    args: {
      p_from: "jsonb_build_object('xid', '5', 'id', $other)",
      p_to: "jsonb_build_object('xid', '7', 'id', $other)",
      p_touches: "'{}'",
    },
    afterwards: "select array_agg(follower) = '{lists}' from feed_followers where workspace_id = $ws and xid = '7'",
    changes: 'feed_followers',
    late: {
      'another transaction': { p_from: "jsonb_build_object('xid', '4', 'id', $other)" },
      'another event': { p_from: "jsonb_build_object('xid', '5', 'id', $ws)" },
    },
  },
  end_whatsapp_event: {
    table: 'whatsapp_events',
    row: { event: "'{}'" },
    args: { p_id: 't.id', p_error: 'null' },
    changes: 'whatsapp_events',
    late: { 'an event that has ended': "set state = 'done'", 'an event that has failed': "set state = 'failed'" },
  },
}
