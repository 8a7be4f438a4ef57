import { sql } from 'drizzle-orm'
import { batch } from '../src/data/batch.ts'
import type { ClaimedCopy } from '../src/domain/calendars/copies.ts'
import { type Env, jobsDatabaseOf } from '../src/env.ts'
import { newId } from '../src/lib/ids.ts'
import { calendarAccessOf } from '../src/services/calendars/access.ts'
import { copyBooking } from '../src/services/calendars/copy-booking.ts'
import type { MessageOf } from './messages.ts'

/** Copies of a claim: a Worker has six connections. Its seconds are longer than any worker takes for it. */
const CLAIMED = 6
const LEASE = 180
/** Claims per message, after which another one continues. */
const MAX_CLAIMS = 10

/**
 * Makes the calendars of hosts agree with the bookings of a workspace: creates, changes and removes their events. The provider is called between two transactions: the
 * first notes what is about to happen, the second what has happened. Repeated messages claim different ones.
 */
export async function copyBookings(env: Env, message: MessageOf<'bookings.copy'>): Promise<void> {
  const { workspace_id } = message
  const database = jobsDatabaseOf(env)
  const access = calendarAccessOf(env)
  for (let count = 0; count < MAX_CLAIMS; count++) {
    const claimId = newId()
    const [claimed] = (await batch(database, [
      sql`select claim_booking_copies(${workspace_id}::uuid, ${claimId}::uuid, ${CLAIMED}::int, ${LEASE}::int)`,
    ])) as [ClaimedCopy[]]
    if (claimed.length === 0) return
    const outcomes = await Promise.all(claimed.map((copy) => copyBooking(access, workspace_id, copy)))
    for (const [index, outcome] of outcomes.entries())
      await batch(database, [
        sql`select settle_booking_copy(${workspace_id}::uuid, ${claimed[index]?.id}::uuid, ${claimId}::uuid, ${JSON.stringify(outcome)}::jsonb)`,
      ])
    await env.EVENTS.send({ type: 'events.deliver', workspace_id }).catch(() => {})
  }
  await env.WEBHOOKS.send(message)
}
