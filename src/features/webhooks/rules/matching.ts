import { type EventFilter, matchesEvent } from './filter.ts'

/** An event as a follower of the feed reads it. */
export type FedEvent = {
  id: string
  xid: string
  type: string
  entity: string
  entity_id: string
  payload: Record<string, unknown>
  [field: string]: unknown
}

/**
 * What decides which events a webhook gets. `readable`: the kinds of records that it may read. `since`: the position from which it follows.
 */
export type Subscription = {
  id: string
  event_types: string[]
  filter: EventFilter | null
  since: string
  readable: string[] | null
  replay_id: string | null
}

export type NewDelivery = { webhook_id: string; event_id: string; event_type: string; record_id: string; replay_id?: string }

/** Whether a name in the list is the type, or the prefix of it: `contact.*`, or `*` for every type. */
export const isSubscribed = (names: string[], type: string): boolean =>
  names.some((name) => name === type || name === '*' || (name.endsWith('.*') && type.startsWith(name.slice(0, -1))))

/** Whether a webhook gets an event. */
export function wants({ event_types, filter, readable }: Subscription, event: FedEvent): boolean {
  return (
    isSubscribed(event_types, event.type) && readable?.includes(event.entity) === true && (filter === null || matchesEvent(filter, event))
  )
}

/**
 * The deliveries of events to webhooks, in the order of the events. Events from before a webhook was enabled are not for it, except in a
 * replay.
 */
export function deliveriesOf(webhooks: Subscription[], events: FedEvent[], replay?: string): NewDelivery[] {
  return events.flatMap((event) =>
    webhooks
      .filter((webhook) => (replay !== undefined || BigInt(event.xid) >= BigInt(webhook.since)) && wants(webhook, event))
      .map(({ id }) => ({
        webhook_id: id,
        event_id: event.id,
        event_type: event.type,
        record_id: event.entity_id,
        ...(replay !== undefined && { replay_id: replay }),
      })),
  )
}
