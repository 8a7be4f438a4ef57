import type { Ctx } from '../../../context.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { constant, mapResult } from '../../../data/query.ts'
import { AppError, invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { cutText } from '../../../lib/text.ts'
import type { Text } from '../../../lib/typed-text.ts'
import type { BookerAnswer, Question } from '../rules/questions.ts'
import { isNameOf, spokenEmail, spokenPhone, startArgument, textLine } from '../rules/voice/arguments.ts'
import type { ToolArguments } from '../rules/voice/envelope.ts'
import { bookingSentence } from '../rules/voice/texts.ts'
import { assertOpen, cancellation } from './bookings.ts'
import { factsToMove, moveStatements } from './change-booking.ts'
import { claimOrRepeat } from './claims.ts'
import { addressesOf, answersOf, bookerOf, bookingStatements } from './create-booking.ts'
import type { CallMemory, OpenBooking } from './facts.ts'
import {
  bookingText,
  callerOf,
  durationArgument,
  inFormat,
  knownType,
  listKey,
  orQuestion,
  remember,
  rememberList,
  type SpokenBooking,
  upcomingBookings,
  voiceCall,
  zoneArgument,
} from './voice-call.ts'
import { chosenBooking, MOST_CHOICES, NO_BOOKING, openOf } from './voice-choice.ts'

const OPEN = ['pending', 'confirmed']

/**
 * The booking that this tool call has already made, or another one of the same call: at this time, for this person, as far as names that
 * are spelled by ear can tell.
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
    const text = typeof args[key] === 'boolean' ? String(args[key]) : textLine(args[key])
    return !text ? [] : [{ key, text, index: null }]
  })

/** Books a time for a caller. The same time booked again within a call is the first booking. */
export async function voiceBook(ctx: Ctx, eventTypeId: string, body: unknown): Promise<Plan<Text>> {
  const call = await voiceCall(ctx, 'book', body, eventTypeId)
  const { args, sent, envelope } = call
  const { email, phone: given } = args
  const starts_at = orQuestion(() => startArgument(args))
  const name = args.name === undefined ? undefined : cutText(args.name, 200)
  if (starts_at === undefined) throw invalid([{ path: 'starts_at', message: 'it is missing' }])
  if (name === undefined) throw invalid([{ path: 'name', message: 'it is missing' }])
  const phone = given === undefined ? call.caller : spokenPhone(given)
  const addresses = addressesOf({ email: email && spokenEmail(email), phone, attendees: [] })
  const id = newId()
  let answers: BookerAnswer[] = []
  const decision = await claimOrRepeat(
    ctx,
    {
      event_type: eventTypeId,
      starts_at,
      timezone: zoneArgument(call),
      duration_minutes: durationArgument(call),
      booker: bookerOf(addresses),
      owner: call.call_id,
      booking_id: id,
      call: { caller: call.caller, call_key: call.call_key, call_id: call.call_id },
    },
    (found) => {
      const stored = knownType(found)
      answers = answersOf(stored.event_type, spokenAnswers(stored.event_type.questions, sent))
      return stored
    },
    ({ memory, event_type }, start) => madeBefore(memory, { event_type_id: event_type.id, start, name, email: addresses.email }),
  )
  const made = decision && 'repeated' in decision ? decision.repeated : id
  const text = bookingText(made, (booking) =>
    inFormat(envelope, `${booking.status === 'pending' ? 'Requested' : 'Booked'}: ${bookingSentence(booking)}`),
  )
  if (!decision || 'repeated' in decision) return plan([], text)
  const notes = args.notes === undefined ? undefined : cutText(args.notes, 5_000)
  const statements = await bookingStatements(ctx, decision, { ...addresses, id, name, notes, answers, source: 'voice' })
  return plan([...statements, remember(call, 'booked', id)], text)
}

/** Cancels a caller's booking; with several, asks which one first. */
export async function voiceCancel(ctx: Ctx, body: unknown): Promise<Plan<Text>> {
  const call = await voiceCall(ctx, 'cancel', body)
  const choice = await chosenBooking(ctx, call, 'cancelled')
  if (choice && 'text' in choice) return plan(choice.statements, constant(inFormat(call.envelope, choice.text)))
  const id = !choice ? newId() : 'done' in choice ? choice.done : choice.booking.id
  const text = bookingText(id, (booking) => inFormat(call.envelope, `Cancelled: ${bookingSentence(booking)}`))
  if (!choice || 'done' in choice) return plan([], text)
  const reason = call.args.reason === undefined ? null : cutText(call.args.reason, 500)
  return plan([...assertOpen(ctx, id, 'cancel'), ...cancellation(id, reason), remember(call, 'cancelled', id, choice.others)], text)
}

/** Moves a caller's booking to another time, in one transaction; with several, asks which one first. */
export async function voiceReschedule(ctx: Ctx, body: unknown): Promise<Plan<Text>> {
  const call = await voiceCall(ctx, 'reschedule', body)
  const starts_at = orQuestion(() => startArgument(call.args))
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
      starts_at,
      timezone: zoneArgument(call),
      duration_minutes,
      owner: call_id,
      booking_id: id,
      moved: { id: choice.booking.id },
      call: { caller, call_key, call_id },
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
  const call = await voiceCall(ctx, 'find', body)
  const caller = callerOf(call)
  const textOf = (found: SpokenBooking[]) => {
    if (found.length === 0) throw new AppError('NOT_FOUND', NO_BOOKING)
    return inFormat(call.envelope, found.map((booking, index) => `${index + 1}. ${bookingSentence(booking, booking.booker)}`).join('\n'))
  }
  const upcoming = mapResult(upcomingBookings(caller), (found) => found.slice(0, MOST_CHOICES))
  if (isSimulated) return read(mapResult(upcoming, textOf))
  // Read before, so that what is stored is exactly what the caller hears.
  const bookings = await ctx.read(upcoming)
  return plan([rememberList(listKey(call, caller), openOf(bookings))], constant(textOf(bookings)))
}
