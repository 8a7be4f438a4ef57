import type { Message } from '../messages.ts'

/**
 * Sets of rows that are claimed by statements over many of them. They keep their tables and claims, and register where the tick
 * finds what is due, or whose own message was lost.
 */
export type WorkSet = {
  name: string
  /** The type of its messages; its name by default. */
  type?: Message['type']
  queue: 'APPROVALS' | 'CAMPAIGNS' | 'EVENTS' | 'IMPORTS' | 'MESSAGES' | 'WEBHOOKS'
  table: string
  /** The column with the time, which an index begins with. */
  due: string
  /** The condition for rows `t` that are to be enqueued. */
  where: string
  /** The column that a message names, and what it is called there; without them a message is about the workspace. */
  item?: { column: string; name: string }
}

/**
 * Messages about further items of workspaces that a tick sends after the first of each. One that waits in its queue is not found again much
 * more often.
 */
export const MOST_FURTHER = 100

const lost = "t.state = 'received' and t.created_at < now() - interval '30 seconds'"

const isActive = "t.state in ('checking', 'running', 'undoing')"

export const SETS: WorkSet[] = [
  {
    name: 'approval.run',
    queue: 'APPROVALS',
    table: 'approvals',
    due: 'decided_at',
    where: "t.status = 'approved' and t.decided_at < now() - interval '1 minute'",
    item: { column: 'id', name: 'approval_id' },
  },
  {
    name: 'import.run',
    queue: 'IMPORTS',
    table: 'imports',
    due: 'created_at',
    where: `${isActive} and exists (select from import_files f where f.workspace_id = t.workspace_id and f.import_id = t.id and f.touched_at < now() - interval '1 minute')`,
    item: { column: 'id', name: 'import_id' },
  },
  {
    name: 'custom-index.build',
    queue: 'IMPORTS',
    table: 'custom_indexes',
    due: 'updated_at',
    where: "t.status in ('building', 'clearing') and t.updated_at < now() - interval '20 seconds'",
    item: { column: 'field_id', name: 'field_id' },
  },
  { name: 'events.deliver', queue: 'EVENTS', table: 'feed_wakes', due: 'at', where: 't.since < pg_snapshot_xmin(pg_current_snapshot())' },
  {
    name: 'webhooks.replay',
    type: 'events.deliver',
    queue: 'EVENTS',
    table: 'webhook_states',
    due: 'replayed_at',
    where: 't.replay_id is not null',
  },
  { name: 'lists.track', queue: 'EVENTS', table: 'tracked_lists', due: 'walk_at', where: 't.walk_at <= now()' },
  {
    name: 'automations.run',
    queue: 'EVENTS',
    table: 'automation_runs',
    due: 'due_at',
    where: 't.due_at <= now() and (t.claimed_until is null or t.claimed_until <= now())',
  },
  {
    name: 'auto-queues.enrol',
    type: 'automations.run',
    queue: 'EVENTS',
    table: 'auto_queue_list_enrolments',
    due: 'created_at',
    where:
      "t.state = 'running' and exists (select from auto_queues q where q.workspace_id = t.workspace_id and q.id = t.auto_queue_id and q.state = 'active')",
  },
  { name: 'messages.send', queue: 'MESSAGES', table: 'messages', due: 'due_at', where: 't.due_at <= now()' },
  {
    name: 'schedule.run',
    queue: 'IMPORTS',
    table: 'schedule_runs',
    due: 'touched_at',
    where: "t.ended_at is null and t.touched_at < now() - interval '2 minutes'",
    item: { column: 'id', name: 'schedule_run_id' },
  },
  {
    name: 'campaign.send',
    queue: 'CAMPAIGNS',
    table: 'campaign_sends',
    due: 'due_at',
    where: 't.due_at <= now()',
    item: { column: 'campaign_id', name: 'campaign_id' },
  },
  {
    name: 'email.receive',
    queue: 'MESSAGES',
    table: 'inbound_emails',
    due: 'created_at',
    where: lost,
    item: { column: 'id', name: 'inbound_email_id' },
  },
  {
    name: 'email.scheduled',
    queue: 'MESSAGES',
    table: 'email_drafts',
    due: 'send_at',
    where: "t.status = 'scheduled' and t.send_at <= now()",
    item: { column: 'id', name: 'email_draft_id' },
  },
  {
    name: 'whatsapp.receive',
    queue: 'MESSAGES',
    table: 'whatsapp_events',
    due: 'created_at',
    where: lost,
    item: { column: 'id', name: 'whatsapp_event_id' },
  },
  {
    name: 'whatsapp.watch',
    queue: 'MESSAGES',
    table: 'whatsapp_pairings',
    due: 'due_at',
    where: "t.due_at < now() - interval '20 seconds'",
  },
  {
    name: 'webhook.deliver',
    queue: 'WEBHOOKS',
    table: 'webhook_states',
    due: 'due_at',
    where: 't.due_at <= now()',
    item: { column: 'webhook_id', name: 'webhook_id' },
  },
  { name: 'outgoing.send', queue: 'WEBHOOKS', table: 'outgoing_requests', due: 'due_at', where: 't.due_at <= now()' },
  {
    name: 'incoming.run',
    queue: 'WEBHOOKS',
    table: 'incoming_requests',
    due: 'created_at',
    where: lost,
    item: { column: 'id', name: 'request_id' },
  },
]

/** What the database knows of a set (due_work). */
export const sqlOfSet = ({ table, due, where, item }: WorkSet) => ({
  table,
  due,
  where,
  free: 'true',
  item: item ? `t.${item.column}` : 'null::uuid',
})
