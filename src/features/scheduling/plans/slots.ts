import type { Ctx } from '../../../context.ts'
import { type Plan, read } from '../../../data/plan.ts'
import { mapResult } from '../../../data/query.ts'
import { invalid } from '../../../errors.ts'
import { MOST_CLAIM_MINUTES, NEAREST_DAYS } from '../rules/limits.ts'
import { checksOf, findSlots, nearestSlots, type Slot, type SlotRequest, slotAt } from '../rules/slots.ts'
import { instantOf, parseStart, SKIPPED_MESSAGE, START_MESSAGE, type Start, windowAround } from '../rules/times.ts'
import { bookingKey, dateLabel, localDate, offsetText, timeLabel } from '../rules/words.ts'
import { DAY, dayOfDate, instantsOf, MINUTE, type ZoneTable } from '../rules/zone-table.ts'
import type { AvailableSlots, CheckAvailability, Slot as SlotOut } from '../schemas/bookings.ts'
import { assertHost, contextFor, durationFor, knownFacts, readFacts, type StoredFacts, tableFor, zoneFor } from './facts.ts'

const iso = (at: number) => new Date(at).toISOString()

/** A slot as responses show it, on the wall clock of a zone. */
export const showSlot = (slot: Slot, table: ZoneTable): SlotOut => ({
  starts_at: iso(slot.start),
  ends_at: iso(slot.end),
  key: bookingKey(table, slot.start),
  label: `${dateLabel(table, slot.start)}, ${timeLabel(table, slot.start)}`,
  timezone: table.zone,
  utc_offset: offsetText(table, slot.start),
  host_ids: slot.hosts.map(({ user_id }) => user_id),
  seats_left: slot.seats_left,
})

/** A start that was sent as text. @throws VALIDATION_ERROR. */
export function startFrom(text: string): Start {
  const start = parseStart(text)
  if (!start) throw invalid([{ path: 'starts_at', message: START_MESSAGE }])
  return start
}

/** The instant of a start in a zone. @throws VALIDATION_ERROR for a time that the clocks skip. */
export function startIn(start: Start, table: ZoneTable): number {
  const at = instantOf(start, table)
  if (at === undefined) throw invalid([{ path: 'starts_at', message: SKIPPED_MESSAGE }])
  return at
}

export const nearestShown = (context: Parameters<typeof nearestSlots>[0], request: SlotRequest, start: number, table: ZoneTable) => {
  const { before, after } = nearestSlots(context, request, start)
  return { nearest_before: before ? showSlot(before, table) : null, nearest_after: after ? showSlot(after, table) : null }
}

/** Checks one time, and always returns its free neighbours. */
export function checkAvailability(ctx: Ctx, input: CheckAvailability): Plan<ReturnType<typeof checkTime>> {
  const [from, to] = windowAround(startFrom(input.starts_at), NEAREST_DAYS)
  return read(mapResult(readFacts({ ...input, from, to }), (found) => checkTime(knownFacts(found), input, ctx.now.getTime(), [from, to])))
}

function checkTime(stored: StoredFacts, input: CheckAvailability, now: number, [from, to]: [number, number]) {
  const table = tableFor(zoneFor(stored, input.timezone), from, to)
  const start = startIn(startFrom(input.starts_at), table)
  const request = { now, duration_minutes: durationFor(stored, input.duration_minutes), host_id: assertHost(stored, input.host_id) }
  const context = contextFor(stored, from, to)
  const slot = slotAt(context, request, start)
  return {
    available: slot !== undefined,
    timezone: table.zone,
    slot: slot ? showSlot(slot, table) : null,
    ...nearestShown(context, request, start, table),
    ...(input.explain && { checks: checksOf(context, request, start) }),
  }
}

/** The most slots of a response. */
const MOST_SLOTS = 2_000

/** The free times of a range of days, grouped by day. */
export function availableSlots(ctx: Ctx, input: AvailableSlots) {
  const [from, to] = [dayOfDate(input.from) * DAY - 14 * 60 * MINUTE, dayOfDate(input.to) * DAY + DAY + 14 * 60 * MINUTE]
  return read(mapResult(readFacts({ ...input, from, to }), (found) => slotDays(knownFacts(found), input, ctx.now.getTime(), [from, to])))
}

type DaysRequest = Pick<AvailableSlots, 'from' | 'to' | 'timezone' | 'duration_minutes' | 'host_id'>

/** The slots between two local days, and their time zone. */
export function slotsBetween(stored: StoredFacts, input: DaysRequest, now: number, [from, to]: [number, number], most = MOST_SLOTS) {
  const table = tableFor(zoneFor(stored, input.timezone), from, to)
  const range = instantsOf(table, dayOfDate(input.from) * DAY, (dayOfDate(input.to) + 1) * DAY)
  const [first, last] = [range[0]?.[0] ?? from, range.at(-1)?.[1] ?? to]
  const request = { now, duration_minutes: durationFor(stored, input.duration_minutes), host_id: assertHost(stored, input.host_id) }
  const slots = findSlots(contextFor(stored, from - MOST_CLAIM_MINUTES * MINUTE, to), request, first, last, most + 1)
  return { table, slots: slots.slice(0, most), complete: slots.length <= most, duration_minutes: request.duration_minutes }
}

function slotDays(stored: StoredFacts, input: AvailableSlots, now: number, window: [number, number]) {
  const { table, slots, complete, duration_minutes } = slotsBetween(stored, input, now, window)
  const days = Map.groupBy(slots, ({ start }) => localDate(table, start))
  return {
    event_type_id: stored.event_type.id,
    event_type_name: stored.event_type.name,
    duration_minutes,
    timezone: table.zone,
    days: [...days].map(([date, found]) => ({
      date,
      label: dateLabel(table, (found[0] as Slot).start),
      slots: found.map((slot) => showSlot(slot, table)),
    })),
    complete,
  }
}
