import { sql } from 'drizzle-orm'
import type { Statement } from '../../../data/db.ts'
import { EVENT_TYPES } from '../../../domain/events.ts'
import { shownEvent } from '../../events/schemas/snapshots.ts'
import { deliveriesOf, type FedEvent, isSubscribed, type Subscription } from '../rules/matching.ts'
import { MAX_REPLAYED, MAX_WEBHOOKS } from '../rules/states.ts'

/** Events in a transaction. */
export const MAX_FED = 200

/** What read_feed and read_webhook_replay return. */
export type Fed = { from: object; to: object | null; count: number; events: FedEvent[] }
export type Replay = Fed & { id: string; replayed: number }

export const enabledWebhooks = (workspaceId: string): Statement => sql`select enabled_webhooks(${workspaceId}::uuid, ${MAX_WEBHOOKS}::int)`

/** The event types that some of the webhooks receive, as an SQL text[]. */
const typesOf = (webhooks: Subscription[]): string =>
  `{${EVENT_TYPES.filter((type) => webhooks.some(({ event_types }) => isSubscribed(event_types, type))).join(',')}}`

export const nextEvents = (workspaceId: string, webhooks: Subscription[]): Statement =>
  sql`select read_feed(${workspaceId}::uuid, 'webhooks', ${typesOf(webhooks)}::text[], ${MAX_FED}::int)`

export const nextReplayed = (workspaceId: string, webhook: Subscription): Statement =>
  sql`select read_webhook_replay(${workspaceId}::uuid, ${webhook.id}::uuid, ${typesOf([webhook])}::text[], ${MAX_FED}::int)`

const adding = (workspaceId: string, rows: object[]): Statement[] =>
  rows.length > 0 ? [sql`select add_webhook_deliveries(${workspaceId}::uuid, ${JSON.stringify(rows)}::jsonb)`] : []

/** Adds the deliveries of events and moves on, in one transaction. */
export function fanOut(workspaceId: string, webhooks: Subscription[], { from, to, events }: Fed): Statement[] {
  const moved = sql`select move_follower(${workspaceId}::uuid, 'webhooks', ${JSON.stringify(from)}::jsonb,
    ${to && JSON.stringify(to)}::jsonb)`
  return [moved, ...adding(workspaceId, deliveriesOf(webhooks, events.map(shownEvent)))]
}

/** The same for the next part of a replay, which ends when it has no more events or has sent MAX_REPLAYED. */
export function fanOutReplay(workspaceId: string, webhook: Subscription, { id, from, to, count, events, replayed }: Replay): Statement[] {
  const rows = deliveriesOf([webhook], events.map(shownEvent), id).slice(0, MAX_REPLAYED - replayed)
  const ends = count < MAX_FED || replayed + rows.length >= MAX_REPLAYED
  const next = ends ? null : JSON.stringify(to)
  return [
    sql`select move_webhook_replay(${workspaceId}::uuid, ${webhook.id}::uuid, ${id}::uuid, ${JSON.stringify(from)}::jsonb,
      ${next}::jsonb, ${rows.length}::int)`,
    ...adding(workspaceId, rows),
  ]
}

export const disableForKey = (workspaceId: string, webhookId: string): Statement =>
  sql`select disable_webhook(${workspaceId}::uuid, ${webhookId}::uuid, 'key_invalid')`

export const dueWebhooks = (workspaceId: string): Statement =>
  sql`select coalesce(json_agg(w), '[]') from due_webhooks(${workspaceId}::uuid, ${MAX_WEBHOOKS}::int) w`
