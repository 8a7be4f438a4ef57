import { sql } from 'drizzle-orm'
import type { Ctx } from '../../../context.ts'
import type { Statement } from '../../../data/db.ts'
import { AppError } from '../../../errors.ts'
import { candidatesOf, startingCount } from '../rules/assignment.ts'
import { PERIODS } from '../rules/facts.ts'
import { NEAREST_DAYS } from '../rules/limits.ts'
import { type Check, capsOf, checksOf, periodsOf, type Slot, slotAt } from '../rules/slots.ts'
import { windowAround } from '../rules/times.ts'
import { bookingKey } from '../rules/words.ts'
import { DAY, dayAt, MINUTE, type ZoneTable } from '../rules/zone-table.ts'
import { assertHost, contextFor, durationFor, factsOf, readFacts, type StoredFacts, type ToolCall, tableFor, zoneFor } from './facts.ts'
import { checkCalendars } from './live-check.ts'
import { nearestShown, startFrom, startIn } from './slots.ts'

/** A time that is to be claimed, for a booking or as a hold. */
export type ClaimRequest = {
  /** Its id, slug or name. A booking that is moved has one. */
  event_type?: string
  starts_at: string
  timezone?: string | null | undefined
  duration_minutes?: number | undefined
  host_id?: string | null | undefined
  /** The call or session whose hold this replaces. */
  owner?: string | null | undefined
  /** Who books: the contact is found by these, or must be unknown. */
  booker?: { email: string | null; phone: string | null } | undefined
  contact_id?: string | null | undefined
  /** The tool call that asks for it. */
  call?: ToolCall | undefined
  /** The booking that gives its time back. */
  moved?: { id: string } | undefined
  /** Refuses the caller before the time is decided about, by throwing. It is called again whenever the request is planned again. */
  admit?: (stored: StoredFacts) => Promise<void>
  /** When the time was chosen, of one that is held since; notice and horizon count from then. */
  chosen_at?: number | undefined
} & (ClaimedFor | { claimed_for: (stored: StoredFacts) => ClaimedFor })

export type ClaimedFor = { booking_id: string } | { hold_id: string; expires_at: string }

/** A booking that an earlier tool call has made. */
export type Repeated = { repeated: string }

export type Known = (stored: StoredFacts | null) => StoredFacts

/** What was decided about a claim. The hosts are the first choice; `claimed_now` has those that were claimed. */
export type Decision = {
  stored: StoredFacts
  slot: Slot
  /** The rules that the time has passed. */
  checks: Check[]
  table: ZoneTable
  duration_minutes: number
  wall_start: string
  candidates: string[][]
}

/**
 * Decides about a claim and makes it, as the first step of the request's transaction. The first round trip reads the facts of the day; the
 * second confirms them and claims the first free set of hosts. If the facts or the hosts have changed, everything is rolled back and
 * decided again. Undefined in a round trip that only reads. `known` reports an event type that does not exist. @throws SLOT_UNAVAILABLE
 * with the nearest free times, which take a round trip of their own.
 */
export const claim = (ctx: Ctx, request: ClaimRequest, known: Known): Promise<Decision | undefined> =>
  claimOrRepeat(ctx, request, known, () => undefined) as Promise<Decision | undefined>

/** As claim. `repeated` finds the booking that an earlier tool call of the same call has made at this time. */
export async function claimOrRepeat(
  ctx: Ctx,
  request: ClaimRequest,
  known: Known,
  repeated: (stored: StoredFacts, start: number) => string | undefined,
): Promise<Decision | Repeated | undefined> {
  const window = windowAround(startFrom(request.starts_at), 1)
  let decision: Decision | Repeated | 'refused' | undefined
  await ctx.assume<StoredFacts | null | undefined>(factsFor(request, window), undefined, async (stored) => {
    if (stored === undefined) return sql`false`
    const wanted = wantedTime(known(stored), request, ctx.now, window)
    const before = repeated(wanted.stored, wanted.start)
    if (before !== undefined) {
      decision = { repeated: before }
      return sql`true`
    }
    await request.admit?.(wanted.stored)
    const claimed = 'claimed_for' in request ? { ...request, ...request.claimed_for(wanted.stored) } : request
    const free = decide(wanted)
    const decided = free && (!('hold_id' in claimed) || 'claimed_for' in request) ? await checkCalendars(ctx, free) : free
    decision = decided ?? 'refused'
    return decided ? claimStatement([decided], claimed, window) : sql`true`
  })
  if (decision !== 'refused') return decision
  const wide = windowAround(startFrom(request.starts_at), NEAREST_DAYS)
  const around = await ctx.assume<StoredFacts | null | undefined>(factsFor(request, wide), undefined, (stored) =>
    stored === undefined ? sql`false` : sql`true`,
  )
  if (around === undefined) return undefined
  throw unavailable(wantedTime(known(around), request, ctx.now, wide))
}

const factsFor = ({ event_type, owner, contact_id, booker, moved, call }: ClaimRequest, [from, to]: [number, number]) =>
  readFacts({ event_type, owner, contact_id, ...booker, ...call, booking_id: moved?.id, from, to })

/**
 * What is known about a time that is to be claimed. @throws VALIDATION_ERROR for a time, a duration or a host that the event type does not
 * have.
 */
function wantedTime(stored: StoredFacts, request: ClaimRequest, now: Date, [from, to]: [number, number]) {
  const { moved } = stored
  const table = tableFor(zoneFor(stored, request.timezone ?? moved?.timezone), from, to)
  // Within a call, the time of a booking that is moved is one that was offered, and not one on the clocks of the booking.
  const heard = request.call && moved ? tableFor(zoneFor(stored, request.timezone), from, to) : table
  const start = startIn(startFrom(request.starts_at), heard)
  const duration_minutes = durationFor(stored, request.duration_minutes ?? moved?.duration_minutes)
  const slot = { now: request.chosen_at ?? now.getTime(), duration_minutes, host_id: assertHost(stored, request.host_id) }
  return { stored, table, heard, start, context: contextFor(stored, from, to), slot }
}
type WantedTime = ReturnType<typeof wantedTime>

/** Undefined if the time is not free. */
function decide({ stored, table, start, context, slot: wanted }: WantedTime): Decision | undefined {
  const slot = slotAt(context, wanted, start)
  if (!slot) return undefined
  const candidates = candidatesOf(factsOf(stored), slot, { host_id: wanted.host_id, kept: stored.moved?.host_id })
  const checks = checksOf(context, wanted, start)
  return { stored, slot, checks, table, duration_minutes: wanted.duration_minutes, wall_start: bookingKey(table, start), candidates }
}

const unavailable = ({ stored, heard, start, context, slot }: WantedTime) =>
  new AppError(
    'SLOT_UNAVAILABLE',
    stored.event_type.is_active ? 'This time is not free' : 'This event type cannot be booked at present',
    nearestShown(context, slot, start, heard),
  )

const iso = (at: number) => new Date(at).toISOString()

/** The time and the counters of one booking, as claim_slots takes them. */
function slotOf({ stored, slot, candidates }: Decision, booking_id: string | undefined) {
  const { event_type: rules } = stored
  const context = contextFor(stored, slot.start, slot.end)
  const periods = periodsOf(dayAt(context.table, slot.start))
  const caps = capsOf(context.facts)
  return {
    booking_id,
    claim_from: iso(slot.start - rules.buffer_before_minutes * MINUTE),
    claim_to: iso(slot.end + rules.buffer_after_minutes * MINUTE),
    starts_at: iso(slot.start),
    ends_at: iso(slot.end),
    candidates,
    counts: [
      ...PERIODS.map((period) => [rules.id, period, periods[period], caps[period]]),
      ...context.hosts.map((host) => [host.user_id, 'day', periodsOf(dayAt(host.table, slot.start)).day, host.max_per_day]),
    ],
  }
}

/** Claims the times of these decisions, which are of the same facts. `window`: that of the facts. */
export function claimStatement(
  decisions: Decision[],
  request: Pick<ClaimRequest, 'booker' | 'moved' | 'owner' | 'call'> & ({ booking_ids: string[] } | ClaimedFor),
  [from, to]: [number, number],
): Statement {
  const { stored, slot } = decisions[0] as Decision
  const { event_type: rules, hosts } = stored
  const context = contextFor(stored, slot.start, slot.end)
  const { booker, moved, owner, call } = request
  // A booking that is moved no longer counts for its hosts.
  const freed = stored.moved?.claimed ? stored.moved.host_ids : []
  const shares = context.hosts.map((host) =>
    freed.includes(host.user_id) ? { ...host, booked: Math.max(0, (host.booked ?? 0) - 1) } : host,
  )
  const ids = 'booking_ids' in request ? request.booking_ids : 'booking_id' in request ? [request.booking_id] : []
  const parameters = {
    event_type_id: rules.id,
    fingerprint: stored.fingerprint,
    hosts: hosts.map(({ user_id }) => user_id),
    // The window of scheduling_facts.
    window_from: iso(from - DAY),
    window_to: iso(to + 2 * DAY),
    slots: decisions.map((decision, index) => slotOf(decision, ids[index])),
    shares: Object.fromEntries(shares.map((host) => [host.user_id, host.booked ?? startingCount(host, shares)])),
    seats: rules.seats,
    ...(owner && { owner }),
    ...(call && { call_key: call.call_key, call_id: call.call_id, memory: stored.memory }),
    ...(moved && { moved: moved.id, moved_version: stored.moved?.version }),
    ...(booker && { ...booker, contact_id: stored.contact?.id ?? null, booker: booker.email ?? booker.phone }),
    ...('hold_id' in request && { hold_id: request.hold_id, expires_at: request.expires_at }),
  }
  return sql`claim_slots(${JSON.stringify(parameters)}::jsonb)`
}

/**
 * What was claimed for one of the slots: the hosts as a uuid[], the first of them, what the booking is counted in, and of a seat the seats
 * that it is one of.
 */
export const claimedAt = (slot = 0) => ({
  host_ids: sql<string[]>`array(select jsonb_array_elements_text(claimed_now(${slot}::int) -> 'host_ids')::uuid)`,
  host_id: sql<string>`(claimed_now(${slot}::int) -> 'host_ids' ->> 0)::uuid`,
  claimed: sql<Record<string, unknown>>`claimed_now(${slot}::int) -> 'claimed'`,
  session_id: sql<string>`(claimed_now(${slot}::int) #>> '{claimed,session_id}')::uuid`,
})
