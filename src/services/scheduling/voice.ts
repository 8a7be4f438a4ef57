import type { Ctx } from '../../context.ts'
import { type Plan, plan, read } from '../../data/plan.ts'
import { constant, mapResult } from '../../data/query.ts'
import { dayAfter, dayIn } from '../../domain/local-days.ts'
import { countryOfPhone } from '../../domain/phone.ts'
import { NEAREST_DAYS } from '../../domain/scheduling/limits.ts'
import type { BookerAnswer, Question } from '../../domain/scheduling/questions.ts'
import { findSlots } from '../../domain/scheduling/slots.ts'
import { argument, daysArgument, isNameOf, spokenEmail, spokenPhone, startArgument } from '../../domain/scheduling/voice/arguments.ts'
import type { ToolArguments } from '../../domain/scheduling/voice/envelope.ts'
import { bookingSentence, headerOf, MOST_SPOKEN, questionLines, spokenSlot } from '../../domain/scheduling/voice/texts.ts'
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
import { type CallMemory, contextFor, type OpenBooking, readFacts, type StoredFacts, tableFor } from './facts.ts'
import { slotsBetween } from './slots.ts'
import {
  bookingText,
  callerOf,
  inFormat,
  listKey,
  remember,
  rememberList,
  upcomingBookings,
  type VoiceCall,
  voiceCall,
} from './voice-call.ts'
import { chosenBooking, MOST_CHOICES, NO_BOOKING, openOf } from './voice-choice.ts'

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

/**
 * The booking that this tool call has already made, or another one of the same call: at this time, for this person, as far as names that are spelled
 * by ear can tell.
 */
function madeBefore(
  memory: CallMemory[] | null | undefined,
  wanted: { event_type_id: string; start: number; name: string; email: string | null },
): string | undefined {
  const isFor = ({ name, email }: CallMemory) =>
    name === null || isNameOf(wanted.name, name) || isNameOf(name, wanted.name) || (email !== null && email === wanted.email)
  const found = memory?.find(
    (made) =>
      OPEN.includes(made.status ?? '') &&
      made.starts_at === wanted.start &&
      made.event_type_id === wanted.event_type_id &&
      (made.same ? made.outcome === 'booked' : made.outcome !== 'cancelled' && isFor(made)),
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
    ({ memory, event_type }, start) => madeBefore(memory, { event_type_id: event_type.id, start, name, email: addresses.email }),
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

/** Cancels a caller's booking; with several, asks which one first. */
export async function voiceCancel(ctx: Ctx, body: unknown): Promise<Plan<Text>> {
  const call = await voiceCall('cancel', body)
  const choice = await chosenBooking(ctx, call, 'cancelled')
  if (choice && 'text' in choice) return plan(choice.statements, constant(inFormat(call.envelope, choice.text)))
  const id = !choice ? newId() : 'done' in choice ? choice.done : choice.booking.id
  const text = bookingText(id, (booking) => inFormat(call.envelope, `Cancelled: ${bookingSentence(booking)}`))
  if (!choice || 'done' in choice) return plan([], text)
  const reason = argument(call.args, 'reason')?.slice(0, 500) ?? null
  return plan([...assertOpen(ctx, id, 'cancel'), ...cancellation(id, reason), remember(call, 'cancelled', id, choice.others)], text)
}

/** Moves a caller's booking to another time, in one transaction; with several, asks which one first. */
export async function voiceReschedule(ctx: Ctx, body: unknown): Promise<Plan<Text>> {
  const call = await voiceCall('reschedule', body)
  const starts_at = startArgument(call.args)
  if (starts_at === undefined) throw invalid([{ path: 'starts_at', message: 'it is missing' }])
  const choice = await chosenBooking(ctx, call, 'rescheduled')
  if (choice && 'text' in choice) return plan(choice.statements, constant(inFormat(call.envelope, choice.text)))
  const id = newId()
  const moved = (bookingId: string) => bookingText(bookingId, (booking) => inFormat(call.envelope, `Moved: ${bookingSentence(booking)}`))
  if (!choice) return plan([], moved(id))
  if ('done' in choice) return plan([], moved(choice.done))
  const { caller, call_key, call_id } = call
  const duration_minutes = durationArgument(call)
  const decision = await claimOrRepeat(
    ctx,
    {
      ...{ starts_at, timezone: zoneArgument(call), duration_minutes, owner: call_id },
      ...{ booking_id: id, moved: { id: choice.booking.id }, call: { caller, call_key, call_id } },
    },
    factsToMove,
    ({ moved: old }, start) =>
      old && Date.parse(old.starts_at) === start && (duration_minutes ?? old.duration_minutes) === old.duration_minutes
        ? old.id
        : undefined,
  )
  if (!decision) return plan([], moved(id))
  if ('repeated' in decision) return plan([], moved(decision.repeated))
  const open: OpenBooking[] = [...choice.others, [id, decision.slot.start]]
  return plan([...moveStatements(ctx, decision, id), remember(call, 'rescheduled', id, open)], moved(id))
}

/** The caller's upcoming bookings. The list is stored, unless it is only simulated. */
export async function voiceFind(ctx: Ctx, body: unknown, isSimulated: boolean): Promise<Plan<Text>> {
  const call = await voiceCall('find', body)
  const caller = await callerOf(ctx, call)
  // Read before, so that what is stored is exactly what the caller hears.
  const bookings = (await ctx.read(upcomingBookings(caller))).slice(0, MOST_CHOICES)
  if (bookings.length === 0) throw new AppError('NOT_FOUND', NO_BOOKING)
  const text = bookings.map((booking, index) => `${index + 1}. ${bookingSentence(booking)}`).join('\n')
  return plan([!isSimulated && rememberList(listKey(call, caller), openOf(bookings))], constant(inFormat(call.envelope, text)))
}
