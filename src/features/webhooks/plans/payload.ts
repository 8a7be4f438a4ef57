import { withMoney } from '../../../schemas/money.ts'
import { cursorOf, validFrom } from '../../events/plans/cursor.ts'
import type { Event } from '../../events/schemas/events.ts'
import { Event as EventSchema } from '../../events/schemas/events.ts'

/** An event with its position in the feed, as GET /events shows it. */
export type PlacedEvent = { event: Event; xid: string; workspace_id: string }

/** The body of a delivery: the same bytes for every attempt within the retention of events. `now`: milliseconds since 1970. */
export function bodyOf({ event, xid, workspace_id }: PlacedEvent, now: number): string {
  const cursor = cursorOf({ list: 'event-feed', workspace_id, at: validFrom(event.id, now), xid, id: event.id })
  return JSON.stringify({ type: event.type, timestamp: event.at, data: withMoney(EventSchema, event), cursor })
}

export const TEST_TYPE = 'webhook.test'
/** The body of a test. */
export const testBody = (at: string): string =>
  JSON.stringify({ type: TEST_TYPE, timestamp: at, data: { message: 'This is a test of the webhook.' }, cursor: null })

export const CONTENT_HEADERS = { 'content-type': 'application/json', 'user-agent': 'workspace-crm-webhooks/1.0' }
