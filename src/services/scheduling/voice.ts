import { sql } from 'drizzle-orm'
import type { Ctx } from '../../context.ts'
import { type Plan, plan, read } from '../../data/plan.ts'
import { asJson, constant, decodeResult, mapResult, plainRows } from '../../data/query.ts'
import { dayAfter, dayIn } from '../../domain/local-days.ts'
import { countryOfPhone } from '../../domain/phone.ts'
import { NEAREST_DAYS } from '../../domain/scheduling/limits.ts'
import type { BookerAnswer, Question } from '../../domain/scheduling/questions.ts'
import { findSlots } from '../../domain/scheduling/slots.ts'
import { argument, daysArgument, spokenEmail, spokenPhone, startArgument } from '../../domain/scheduling/voice/arguments.ts'
import type { ToolArguments } from '../../domain/scheduling/voice/envelope.ts'
import {
  bookingSentence,
  chooseFrom,
  headerOf,
  MOST_SPOKEN,
  questionLines,
  quoted,
  spokenSlot,
} from '../../domain/scheduling/voice/texts.ts'
import { spokenTime, spokenZone } from '../../domain/scheduling/words.ts'
import { DAY } from '../../domain/scheduling/zone-table.ts'
import { hasManyZones, toZone } from '../../domain/time-zones.ts'
import { AppError, invalid } from '../../errors.ts'
import { newId } from '../../lib/ids.ts'
import type { Text } from '../../lib/typed-text.ts'
import { assertOpen, cancellation } from './bookings.ts'
import { factsToMove, moveStatements } from './change-booking.ts'
import { claimOrRepeat } from './claims.ts'
import { addressesOf, answersOf, bookerOf, bookingStatements } from './create-booking.ts'
import { type CallMemory, contextFor, readFacts, type StoredFacts, tableFor } from './facts.ts'
import { slotsBetween } from './slots.ts'
import { bookingText, callerOf, inFormat, remember, type SpokenBooking, upcomingBookings, type VoiceCall, voiceCall } from './voice-call.ts'

const OPEN = ['pending', 'confirmed']

function knownType(stored: StoredFacts | null): StoredFacts {
  if (!stored) throw new AppError('NOT_FOUND', 'There is no such event type')
  return stored
}

function zoneArgument({ args }: VoiceCall): string | undefined {
  const given = argument(args, 'timezone', 'time_zone')
  if (given === undefined) return undefined
  const zone = toZone(given)
  if (zone === undefined) throw invalid([{ path: 'timezone', message: 'it is not known' }])
  return zone
}

function durationArgument({ args }: VoiceCall): number | undefined {
  const given = argument(args, 'duration_minutes', 'duration')
  return given === undefined ? undefined : Number.parseInt(given, 10)
}

/** What to ask a caller whose time zone the number does not tell, because its country has several. */
function zoneQuestion(stored: StoredFacts, timezone: string | undefined, caller: string | null, zone: string): string[] {
  const country = caller === null ? undefined : countryOfPhone(caller)
  const isKnown = timezone !== undefined || stored.caller_zone || stored.event_type.locked_timezone
  if (isKnown || country === undefined || !hasManyZones(country)) return []
  return [
    `The country of the caller has several time zones. Ask which city the caller is in. If it has not ${spokenZone(zone)}, call this tool again with timezone.`,
  ]
}

/** The free times that a caller is offered: at most six, each with its key. */
export async function voiceSlots(ctx: Ctx, eventTypeId: string, body: unknown): Promise<Plan<Text>> {
  const call = await voiceCall('slots', body, eventTypeId)
  const now = ctx.now.getTime()
  // The days are those of a zone that the facts decide; the window has them in any zone.
  const { from, to } = daysArgument(call.args, dayIn('Etc/GMT+12', ctx.now), dayAfter)
  const window: [number, number] = [Date.parse(from) - 2 * DAY, Date.parse(to) + (NEAREST_DAYS + 2) * DAY]
  const timezone = zoneArgument(call)
  const { caller, call_key, call_id } = call
  const query = readFacts({ event_type: eventTypeId, from: window[0], to: window[1], caller, call_key, call_id })
  return read(
    mapResult(query, (found) => {
      const stored = knownType(found)
      const request = { from, to, timezone, duration_minutes: durationArgument(call), host_id: undefined }
      const { table, slots, duration_minutes } = slotsBetween(stored, request, now, window, MOST_SPOKEN)
      const { name, description } = stored.event_type
      const later =
        slots.length > 0
          ? undefined
          : findSlots(contextFor(stored, ...window), { now, duration_minutes }, Math.max(now, Date.parse(from)), window[1], 1)[0]
      const company = tableFor(stored.company?.timezone ?? stored.workspace_zone, ...window)
      const lines = [
        ...headerOf({ name, description, duration_minutes, hosts: stored.hosts.map((host) => host.name) }),
        `Today is ${spokenTime(table, now).replace(/,.*/, '')}. Times are in ${spokenZone(table.zone)}.`,
        ...zoneQuestion(stored, timezone, caller, table.zone),
        slots.length > 0 ? 'Available times:' : `There are no free times from ${from} to ${to}.`,
        ...slots.map(({ start }) => `- ${spokenSlot(table, start, company)}`),
        ...(later ? [`The next free time is ${spokenSlot(table, later.start, company)}.`] : []),
        slots.length > 0 ? 'Offer two or three of them. To book one, send the key in brackets as slot.' : 'Ask the caller for other days.',
        ...questionLines(stored.event_type.questions),
      ]
      return inFormat(call.envelope, lines.join('\n'))
    }),
  )
}

/** The booking that this call has already made at a time, or that this tool call has made before. */
function madeBefore(
  memory: CallMemory[] | null | undefined,
  eventTypeId: string | undefined,
  start: number,
  outcome: string,
): string | undefined {
  const found = memory?.find(
    ({ same, status, starts_at, event_type_id, ...done }) =>
      OPEN.includes(status ?? '') &&
      starts_at === start &&
      (eventTypeId === undefined || event_type_id === eventTypeId) &&
      (same ? done.outcome === outcome : done.outcome !== 'cancelled'),
  )
  return found?.booking_id ?? undefined
}

/** The answers that are arguments of a tool, under the keys of the questions. */
const spokenAnswers = (questions: Question[], args: ToolArguments) =>
  questions.flatMap(({ key }) => {
    const text = typeof args[key] === 'boolean' ? String(args[key]) : argument(args, key)
    return text === undefined ? [] : [{ key, text, index: null }]
  })

/** Books a time for a caller. The same time booked again within a call is the first booking. */
export async function voiceBook(ctx: Ctx, eventTypeId: string, body: unknown): Promise<Plan<Text>> {
  const call = await voiceCall('book', body, eventTypeId)
  const { args, envelope } = call
  const starts_at = startArgument(args)
  const name = argument(args, 'name', 'full_name', 'caller_name')?.slice(0, 200)
  if (starts_at === undefined) throw invalid([{ path: 'starts_at', message: 'it is missing' }])
  if (name === undefined) throw invalid([{ path: 'name', message: 'it is missing' }])
  const email = argument(args, 'email', 'email_address')
  const given = argument(args, 'phone', 'phone_number', 'caller_phone')
  const phone = given === undefined ? call.caller : spokenPhone(given)
  const addresses = addressesOf({ email: email && spokenEmail(email), phone, attendees: [] })
  const id = newId()
  let answers: BookerAnswer[] = []
  const decision = await claimOrRepeat(
    ctx,
    {
      ...{ event_type: eventTypeId, starts_at, timezone: zoneArgument(call), duration_minutes: durationArgument(call) },
      ...{ booker: bookerOf(addresses), owner: call.call_id, booking_id: id },
      call: { caller: call.caller, call_key: call.call_key, call_id: call.call_id },
    },
    (found) => {
      const stored = knownType(found)
      answers = answersOf(stored.event_type, spokenAnswers(stored.event_type.questions, args))
      return stored
    },
    (stored, start) => madeBefore(stored.memory, stored.event_type.id, start, 'booked'),
  )
  const made = decision && 'repeated' in decision ? decision.repeated : id
  const text = bookingText(made, (booking) =>
    inFormat(envelope, `${booking.status === 'pending' ? 'Requested' : 'Booked'}: ${bookingSentence(booking)}`),
  )
  if (!decision || 'repeated' in decision) return plan([], text)
  const notes = argument(args, 'notes', 'note', 'reason')?.slice(0, 5_000)
  const statements = await bookingStatements(ctx, decision, { ...addresses, id, name, notes, answers, source: 'voice' })
  return plan([...statements, remember(call, 'booked', id)], text)
}

type ChosenBooking = { booking: SpokenBooking } | { text: string } | { done: string }
type Known = { bookings: SpokenBooking[]; memory: CallMemory[] }

/** Finds the one booking that a caller means, or the question that must be request first. Undefined in the first round trip. */
async function chosenBooking(
  ctx: Ctx,
  call: VoiceCall,
  outcome: 'cancelled' | 'rescheduled',
): Promise<(ChosenBooking & { memory: CallMemory[] }) | undefined> {
  const upcoming = upcomingBookings(await callerOf(ctx, call))
  const { call_key, call_id } = call
  // The memory is a further row of the same query.
  const query = plainRows<{ memory: CallMemory[]; rows: unknown[][] }>(
    sql`select call_memory(${call_key}, ${call_id}), ${asJson(upcoming)}`,
    ['memory', 'rows'],
  )
  const decoded = mapResult(query, ([row]): Known | undefined => row && { memory: row.memory, bookings: decodeResult(upcoming, row.rows) })
  const known = await ctx.assume<Known | undefined>(decoded, undefined, (value) =>
    value === undefined ? sql`false` : sql`is_call_unchanged(${call_key}, ${call_id}, ${JSON.stringify(value.memory)}::jsonb)`,
  )
  if (!known) return undefined
  const { memory, bookings } = known
  const repeated = memory.find(({ same, booking_id, ...done }) => same && booking_id !== null && done.outcome === outcome)
  if (repeated?.booking_id) return { done: repeated.booking_id, memory }
  return { ...choose(call, bookings, outcome === 'cancelled' ? 'cancelled' : 'moved'), memory }
}

const NOT_FOUND = 'There is no upcoming booking for this phone number'

function choose({ args }: VoiceCall, bookings: SpokenBooking[], what: string): ChosenBooking {
  if (bookings.length === 0) throw new AppError('NOT_FOUND', NOT_FOUND)
  const selector = argument(args, 'booking_selector', 'selector', 'booking_id')
  const lines = bookings.map(({ name, table, start, company }) => `${quoted(name, 80)} on ${spokenSlot(table, start, company)}`)
  if (selector === undefined) return bookings.length === 1 ? { booking: bookings[0] as SpokenBooking } : { text: chooseFrom(what, lines) }
  const chosen = bookings.find(
    ({ id, table, start }, index) =>
      selector === String(index + 1) || selector === id || spokenSlot(table, start).endsWith(`[${selector}]`),
  )
  if (!chosen) throw invalid([{ path: 'booking_selector', message: `it must be a number from 1 to ${bookings.length}` }])
  return { booking: chosen }
}

/** Cancels a caller's booking; with several, asks which one first. */
export async function voiceCancel(ctx: Ctx, body: unknown): Promise<Plan<Text>> {
  const call = await voiceCall('cancel', body)
  const choice = await chosenBooking(ctx, call, 'cancelled')
  if (choice && 'text' in choice) return plan([], constant(inFormat(call.envelope, choice.text)))
  const id = !choice ? newId() : 'done' in choice ? choice.done : choice.booking.id
  const text = bookingText(id, (booking) => inFormat(call.envelope, `Cancelled: ${bookingSentence(booking)}`))
  if (!choice || 'done' in choice) return plan([], text)
  const reason = argument(call.args, 'reason')?.slice(0, 500) ?? null
  return plan([...assertOpen(ctx, id, 'cancel'), ...cancellation(id, reason), remember(call, 'cancelled', id)], text)
}

/** Moves a caller's booking to another time, in one transaction; with several, asks which one first. */
export async function voiceReschedule(ctx: Ctx, body: unknown): Promise<Plan<Text>> {
  const call = await voiceCall('reschedule', body)
  const starts_at = startArgument(call.args)
  if (starts_at === undefined) throw invalid([{ path: 'starts_at', message: 'it is missing' }])
  const choice = await chosenBooking(ctx, call, 'rescheduled')
  if (choice && 'text' in choice) return plan([], constant(inFormat(call.envelope, choice.text)))
  const id = newId()
  const moved = (bookingId: string) => bookingText(bookingId, (booking) => inFormat(call.envelope, `Moved: ${bookingSentence(booking)}`))
  if (!choice) return plan([], moved(id))
  if ('done' in choice) return plan([], moved(choice.done))
  const { caller, call_key, call_id } = call
  const decision = await claimOrRepeat(
    ctx,
    {
      ...{ starts_at, timezone: zoneArgument(call), duration_minutes: durationArgument(call), owner: call_id },
      ...{ booking_id: id, moved: { id: choice.booking.id }, call: { caller, call_key, call_id } },
    },
    factsToMove,
    (stored, start) => (stored.moved && Date.parse(stored.moved.starts_at) === start ? stored.moved.id : undefined),
  )
  if (!decision) return plan([], moved(id))
  if ('repeated' in decision) return plan([], moved(decision.repeated))
  return plan([...moveStatements(ctx, decision, id), remember(call, 'rescheduled', id)], moved(id))
}

/** The caller's upcoming bookings. */
export async function voiceFind(ctx: Ctx, body: unknown): Promise<Plan<Text>> {
  const call = await voiceCall('find', body)
  return read(
    mapResult(upcomingBookings(await callerOf(ctx, call)), (bookings) => {
      if (bookings.length === 0) throw new AppError('NOT_FOUND', NOT_FOUND)
      return inFormat(call.envelope, bookings.map((booking, index) => `${index + 1}. ${bookingSentence(booking)}`).join('\n'))
    }),
  )
}
