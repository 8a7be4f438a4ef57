import { sql } from 'drizzle-orm'
import { call } from '../../../data/call.ts'
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

export const enabledWebhooks = (workspaceId: string): Statement => call('enabled_webhooks', workspaceId, MAX_WEBHOOKS)

/** The event types that some of the webhooks receive, as an SQL text[]. */
const typesOf = (webhooks: Subscription[]): string =>
  `{${EVENT_TYPES.filter((type) => webhooks.some(({ event_types }) => isSubscribed(event_types, type))).join(',')}}`

export const nextEvents = (workspaceId: string, webhooks: Subscription[]): Statement =>
  call('read_feed', workspaceId, 'webhooks', typesOf(webhooks), MAX_FED)

export const nextReplayed = (workspaceId: string, webhook: Subscription): Statement =>
  call('read_webhook_replay', workspaceId, webhook.id, typesOf([webhook]), MAX_FED)

const adding = (workspaceId: string, rows: object[]): Statement[] =>
  rows.length > 0 ? [call('add_webhook_deliveries', workspaceId, JSON.stringify(rows))] : []

/** Adds the deliveries of events and moves on, in one transaction. */
export function fanOut(workspaceId: string, webhooks: Subscription[], { from, to, events }: Fed): Statement[] {
  const moved = call('move_follower', workspaceId, 'webhooks', JSON.stringify(from), to && JSON.stringify(to))
  return [moved, ...adding(workspaceId, deliveriesOf(webhooks, events.map(shownEvent)))]
}

/** The same for the next part of a replay, which ends when it has no more events or has sent MAX_REPLAYED. */
export function fanOutReplay(workspaceId: string, webhook: Subscription, { id, from, to, count, events, replayed }: Replay): Statement[] {
  const rows = deliveriesOf([webhook], events.map(shownEvent), id).slice(0, MAX_REPLAYED - replayed)
  const ends = count < MAX_FED || replayed + rows.length >= MAX_REPLAYED
  const next = ends ? null : JSON.stringify(to)
  return [call('move_webhook_replay', workspaceId, webhook.id, id, JSON.stringify(from), next, rows.length), ...adding(workspaceId, rows)]
}

export const disableForKey = (workspaceId: string, webhookId: string): Statement =>
  call('disable_webhook', workspaceId, webhookId, 'key_invalid')

export const dueWebhooks = (workspaceId: string): Statement =>
  sql`select coalesce(json_agg(w), '[]') from due_webhooks(${workspaceId}::uuid, ${MAX_WEBHOOKS}::int) w`
