import { sql } from 'drizzle-orm'
import type { Ctx } from '../../../context.ts'
import type { Statement } from '../../../data/db.ts'
import { asJson, decodeResult, mapResult, plainRows } from '../../../data/query.ts'
import { AppError, invalid } from '../../../errors.ts'
import { choiceLines, chooseFrom, spokenSlot } from '../rules/voice/texts.ts'
import { MINUTE } from '../rules/zone-table.ts'
import type { CallMemory, OpenBooking } from './facts.ts'
import {
  type Caller,
  callerOf,
  listKey,
  rememberList,
  type SignedCall,
  type SpokenBooking,
  upcomingBookings,
  type VoiceCall,
} from './voice-call.ts'

export const NO_BOOKING = 'There is no upcoming booking for this phone number'
/** The most bookings that a caller can choose from. */
export const MOST_CHOICES = 10
/** How long a result and a list are remembered without the id of a call, in milliseconds. */
const REMEMBERED = 10 * MINUTE

/** The last list that was read out. `at`: when, in milliseconds since 1970. */
type HeardList = { at: number; bookings: OpenBooking[] }
/** `recent`: the caller's open bookings since the first result of this tool call. */
type Known = { memory: CallMemory[]; heard: HeardList | null; recent: SpokenBooking[] }

/** The booking that is meant, and the caller's other ones; what to ask; or the booking that an earlier, equal tool call has changed. */
type ChosenBooking = { booking: SpokenBooking; others: OpenBooking[] } | { text: string; statements: Statement[] } | { done: string }

export const openOf = (bookings: SpokenBooking[]): OpenBooking[] => bookings.map(({ id, start }) => [id, start])

/** Finds the one booking that a caller means, or what must be asked first. Undefined in the first round trip. */
export async function chosenBooking(ctx: Ctx, call: SignedCall, outcome: 'cancelled' | 'rescheduled'): Promise<ChosenBooking | undefined> {
  const caller = callerOf(call)
  const known = await readKnown(ctx, call, caller)
  if (!known) return undefined
  const now = ctx.now.getTime()
  const what = outcome === 'cancelled' ? 'cancelled' : 'moved'
  const bookings = known.recent.filter(({ start }) => start > now)
  const ask = (reason?: string): ChosenBooking => {
    if (bookings.length === 0) throw new AppError('NOT_FOUND', NO_BOOKING)
    const listed = bookings.slice(0, MOST_CHOICES)
    return { text: chooseFrom(what, choiceLines(listed), reason), statements: [rememberList(listKey(call, caller), openOf(listed))] }
  }
  const repeated = repetition(call, known, outcome, now)
  if (repeated === 'outdated') return ask(`This tool call was carried out before, and the bookings have changed since. It is not repeated.`)
  if (repeated !== undefined) return { done: repeated }
  const isOld = known.heard !== null && !isRemembered(call, known.heard, now)
  const booking = choose(call, bookings, isOld ? 'old' : known.heard)
  if (booking === 'outdated') return ask('The booking with this number has changed since the list was read out.')
  return booking ? { booking, others: openOf(bookings.filter(({ id }) => id !== booking.id)) } : ask()
}

async function readKnown(ctx: Ctx, call: VoiceCall, caller: Caller): Promise<Known | undefined> {
  const { call_key, call_id } = call
  const since = sql`least(now(), (select r.created_at from voice_results r where r.call_key = ${call_key}))`
  const recent = upcomingBookings(caller, since)
  const heard = sql`(select jsonb_build_object('at', epoch_ms(r.created_at), 'bookings', r.bookings)
    from voice_results r where r.call_key = ${listKey(call, caller)})`
  // What is remembered are further columns of the same query.
  const query = plainRows<Omit<Known, 'recent'> & { rows: unknown[][] }>(
    sql`select call_memory(${call_key}, ${call_id}), ${heard}, ${asJson(recent)}`,
    ['memory', 'heard', 'rows'],
  )
  const decoded = mapResult(query, ([row]): Known | undefined => row && { ...row, recent: decodeResult(recent, row.rows) })
  return ctx.assume<Known | undefined>(decoded, undefined, (value) =>
    value === undefined ? sql`false` : sql`is_call_unchanged(${call_key}, ${call_id}, ${JSON.stringify(value.memory)}::jsonb)`,
  )
}

const isRemembered = ({ call_id }: VoiceCall, stored: { at: number } | null, now: number): boolean =>
  stored !== null && (call_id !== null || now - stored.at < REMEMBERED)

/**
 * The booking of an earlier tool call that this one repeats. Without an id of the tool call, an equal one is a repetition only while the
 * caller's bookings are as it left them, and no list was read out since, whose numbers may differ. `outdated`: a repetition after something
 * has changed.
 */
function repetition(call: VoiceCall, { memory, heard, recent }: Known, outcome: string, now: number): string | 'outdated' | undefined {
  const before = memory.find(({ same, booking_id, ...result }) => same && booking_id !== null && result.outcome === outcome)
  if (!before?.booking_id) return undefined
  const isUnchanged = haveSame(openOf(recent.filter(({ start }) => start > before.at)), before.bookings)
  if (call.hasToolCallId) return isUnchanged ? before.booking_id : 'outdated'
  const isEqual = isUnchanged && isRemembered(call, before, now) && !(heard && heard.at > before.at)
  return isEqual ? before.booking_id : undefined
}

function haveSame(bookings: OpenBooking[], others: OpenBooking[] | null): boolean {
  const known = new Map(others)
  return others !== null && bookings.length === others.length && bookings.every(([id, start]) => known.get(id) === start)
}

/**
 * The booking that a selector names; undefined to ask. A number is that of the list which was read out, if one was: bookings may have come
 * and gone since.
 */
function choose({ args }: VoiceCall, bookings: SpokenBooking[], heard: HeardList | 'old' | null): SpokenBooking | 'outdated' | undefined {
  if (bookings.length === 0) throw new AppError('NOT_FOUND', NO_BOOKING)
  const only = bookings.length === 1 ? bookings[0] : undefined
  const { booking_selector: selector } = args
  if (selector === undefined) return only
  const named = bookings.filter(({ id, table, start }) => selector === id || spokenSlot(table, start).endsWith(`[${selector}]`))
  if (named.length > 0) return named.length === 1 ? named[0] : undefined
  const number = /^\d{1,3}$/.test(selector) ? Number(selector) : 0
  if (heard === 'old') return only
  const numbers = heard?.bookings.length ?? bookings.length
  if (number < 1 || number > numbers) throw invalid([{ path: 'booking_selector', message: `it must be a number from 1 to ${numbers}` }])
  if (!heard) return bookings[number - 1]
  const [id, start] = heard.bookings[number - 1] as OpenBooking
  return bookings.find((booking) => booking.id === id && booking.start === start) ?? 'outdated'
}
