import { eq, sql } from 'drizzle-orm'
import { bookingHolds } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db } from '../../../data/db.ts'
import { hand, handed } from '../../../data/handed.ts'
import { plan } from '../../../data/plan.ts'
import { compiledSelect, mapResult, oneOrThrow, plainRows } from '../../../data/query.ts'
import { columnsFor } from '../../../data/store.ts'
import { invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { HOLD_SECONDS } from '../rules/limits.ts'
import { Hold, type NewHold } from '../schemas/bookings.ts'
import { claim, claimedAt } from './claims.ts'
import { knownFacts, type StoredFacts } from './facts.ts'

const all = compiledSelect(db.select(columnsFor(bookingHolds, Hold)).from(bookingHolds))
const record = (id: string) => oneOrThrow(all.where(eq(bookingHolds.id, id)), 'hold', id)

/** Seats are booked at once: several people hold the same time of a session without being in each other's way. */
function factsToHold(stored: StoredFacts | null): StoredFacts {
  const known = knownFacts(stored)
  if (known.event_type.seats > 1) throw invalid([{ path: 'event_type', message: 'has several seats, which cannot be held: book one' }])
  return known
}

/** Keeps a time for a call or session for three minutes. It has one hold, so another one replaces it. */
export async function createHold(ctx: Ctx, input: NewHold) {
  const id = newId()
  const expires_at = new Date(ctx.now.getTime() + HOLD_SECONDS * 1_000).toISOString()
  const decision = await claim(ctx, { ...input, hold_id: id, expires_at }, factsToHold)
  if (!decision) return plan([], record(id))
  const { stored, slot } = decision
  const times = { starts_at: new Date(slot.start).toISOString(), ends_at: new Date(slot.end).toISOString(), expires_at }
  const row = { id, owner: input.owner, event_type_id: stored.event_type.id, host_ids: claimedAt().host_ids, ...times }
  return plan([db.insert(bookingHolds).values(row)], record(id))
}

/** Frees the time that a call or session holds, if it holds one. */
export function releaseHold(owner: string) {
  const released = plainRows<{ released: boolean }>(sql`select ${handed('released_hold')}::boolean`, ['released'])
  return plan(
    [hand('released_hold', sql`to_jsonb(close_hold(${owner}, 'released') is not null)`)],
    mapResult(released, ([row]) => ({ owner, released: row?.released ?? false })),
  )
}
