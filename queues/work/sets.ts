import type { Message } from '../messages.ts'

/**
 * Sets of rows that are claimed by statements over many of them. They keep their tables and claims, and register where the tick
 * finds what is due, or whose own message was lost.
 */
export type WorkSet = {
  /** The type of its messages. */
  name: Message['type']
  queue: 'CAMPAIGNS' | 'IMPORTS' | 'MESSAGES' | 'WEBHOOKS'
  table: string
  /** The column with the time, which an index begins with. */
  due: string
  /** The condition for rows `t` that are to be enqueued. */
  where: string
  /** The column that a message names, and what it is called there; without them a message is about the workspace. */
  item?: { column: string; name: string }
}

/** Messages of a set that a tick sends, those of each workspace in turn. One that waits in its queue is not found again much more often. */
export const MOST_OF_SET = 100

const lost = "t.state = 'received' and t.created_at < now() - interval '30 seconds'"

export const SETS: WorkSet[] = [
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
