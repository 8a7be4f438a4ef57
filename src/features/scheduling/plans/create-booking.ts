import { bookings, opportunityContacts } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db, type Statement } from '../../../data/db.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { withoutRequired } from '../../../data/required-fields.ts'
import { toEmailAddress } from '../../../domain/email-addresses.ts'
import { toE164 } from '../../../domain/phone.ts'
import { AppError, invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { cutText } from '../../../lib/text.ts'
import { createContact } from '../../contacts/plans/contacts.ts'
import { createOpportunity } from '../../opportunities/plans/opportunities.ts'
import { MANAGEMENT_HOURS } from '../rules/limits.ts'
import { type BookerAnswer, readAnswers, splitAnswer } from '../rules/questions.ts'
import type { Check } from '../rules/slots.ts'
import type { Booking, NewBooking } from '../schemas/bookings.ts'
import { bookingRecord } from './bookings.ts'
import { claim, claimedAt, type Decision } from './claims.ts'
import { knownFacts, type StoredFacts } from './facts.ts'

const ADDRESS = 'must be an email address, such as ana@example.com'

/** @throws INVALID_ATTENDEE_EMAIL with the index of an address that is none. */
export function attendeesOf(attendees: string[]): string[] {
  const known = attendees.map((address, index) => {
    const stored = toEmailAddress(address.trim())
    if (stored === undefined) throw new AppError('INVALID_ATTENDEE_EMAIL', `attendees.${index} ${ADDRESS}`, { index })
    return stored
  })
  return [...new Set(known)]
}

/**
 * The addresses of a booking in the form in which they are stored. @throws INVALID_EMAIL, then INVALID_ATTENDEE_EMAIL, then
 * VALIDATION_ERROR.
 */
export function addressesOf({ email, phone, attendees }: Pick<NewBooking, 'email' | 'phone' | 'attendees'>) {
  const own = email ? toEmailAddress(email) : null
  if (own === undefined) throw new AppError('INVALID_EMAIL', `email ${ADDRESS}`)
  const others = attendeesOf(attendees)
  const number = phone ? toE164(phone) : null
  if (number === undefined) throw invalid([{ path: 'phone', message: 'must be a complete phone number, such as +61 412 345 678' }])
  if (!own && !number) throw invalid([{ path: 'email', message: 'Send the email address or the phone number of the booker' }])
  return { email: own, phone: number, attendees: others }
}

type SentAnswer = Parameters<typeof readAnswers>[1][number]

/** Answers that were sent as `key=answer`. @throws VALIDATION_ERROR. */
export function linesOf(lines: string[]): SentAnswer[] {
  return lines.map((line, index) => {
    const split = splitAnswer(line)
    if (!split) throw invalid([{ path: `answers.${index}`, message: 'must be a key and an answer, such as budget=5000' }])
    return { ...split, index }
  })
}

/** The answers to the questions of an event type. @throws VALIDATION_ERROR that names each question without a valid answer. */
export function answersOf({ questions }: Pick<StoredFacts['event_type'], 'questions'>, sent: SentAnswer[]): BookerAnswer[] {
  const { answers, faults } = readAnswers(questions, sent)
  if (faults.length > 0)
    throw invalid(faults.map(({ index, message }) => ({ path: index === null ? 'answers' : `answers.${index}`, message })))
  return answers
}

export type Source = 'api' | 'voice' | 'page'

/** Books a time: claims it, finds or creates the contact, and creates or reuses an opportunity. Two round trips. */
export async function createBooking(ctx: Ctx, input: NewBooking): Promise<Plan<Booking>> {
  const addresses = addressesOf(input)
  const id = newId()
  let answers: BookerAnswer[] = []
  const known = (found: StoredFacts | null) => {
    const stored = knownFacts(found)
    answers = answersOf(stored.event_type, linesOf(input.answers))
    return stored
  }
  const decision = await claim(ctx, { ...input, booker: bookerOf(addresses), booking_id: id }, known)
  if (!decision) return plan([], bookingRecord(id))
  return plan(await bookingStatements(ctx, decision, { ...input, ...addresses, answers, id, source: 'api' }), bookingRecord(id))
}

type Addresses = ReturnType<typeof addressesOf>
export const bookerOf = ({ email, phone }: Addresses) => ({ email, phone })

type Booked = Addresses & { id: string; name: string; notes?: string | null | undefined; answers: BookerAnswer[]; source: Source }

/** What follows a claim: the contact and the opportunity, as far as they are new, and the booking. */
export async function bookingStatements(ctx: Ctx, decision: Decision, booked: Booked): Promise<Statement[]> {
  const { id, name, email, phone, attendees, notes = null, answers, source } = booked
  const parties = await partiesOf(ctx, decision, booked)
  const row = { ...parties.linked, id, name, email, phone, attendees, notes, answers, source }
  return [...parties.statements, ...insertBooking(decision, row)]
}

/** The contact and the opportunity of a booking, and the statements that create those that are new. */
export async function partiesOf(
  ctx: Ctx,
  decision: Decision,
  { name, email, phone, source }: Pick<Booked, 'name' | 'email' | 'phone' | 'source'>,
) {
  const { stored } = decision
  const contact = stored.contact ? { id: stored.contact.id, statements: [] } : await newContact(ctx, name, { email, phone }, source)
  const deal = stored.opportunity_id ? { id: stored.opportunity_id, statements: [] } : newOpportunity(ctx, decision, name, contact.id)
  return { linked: { contact_id: contact.id, deal_id: deal.id }, statements: withoutRequired([...contact.statements, ...deal.statements]) }
}

type BookingRow = Pick<
  typeof bookings.$inferInsert,
  'contact_id' | 'deal_id' | 'name' | 'email' | 'phone' | 'attendees' | 'notes' | 'answers' | 'source'
> & {
  id: string
} & Partial<
    Pick<
      typeof bookings.$inferInsert,
      'uid' | 'sequence' | 'rescheduled_from_id' | 'status' | 'location' | 'video_meet_link' | 'management_token' | 'series_id'
    >
  >

/** The booking of the hosts that were claimed for one of the slots, and the proof that its time was free. */
export function insertBooking(decision: Decision, row: BookingRow, slotIndex = 0): Statement[] {
  const { stored, slot, table, duration_minutes, wall_start, checks } = decision
  const { event_type } = stored
  const insert = db.insert(bookings).values({
    event_type_id: event_type.id,
    status: event_type.requires_confirmation ? 'pending' : 'confirmed',
    starts_at: new Date(slot.start).toISOString(),
    ends_at: new Date(slot.end).toISOString(),
    duration_minutes,
    timezone: table.zone,
    wall_start,
    location: event_type.location,
    video_meet_link: event_type.meeting_link,
    uid: `${row.id}@bookings`,
    ...claimedAt(slotIndex),
    management_token_expires_at: new Date(slot.end + MANAGEMENT_HOURS * 3_600_000).toISOString(),
    ...row,
  })
  return [insert, recordProof(row.id, checks)]
}

/** Stores the rules that a booking has passed, in the transaction that claims its time. */
export const recordProof = (bookingId: string, checks: Check[]): Statement => call('record_proof', bookingId, JSON.stringify(checks))

const CONTACT_SOURCE = { api: 'api', voice: 'voice_call', page: 'form_submission' } as const

/** A contact with the booker's name and addresses. The last word of the name is the last name. */
export async function newContact(ctx: Ctx, name: string, { email, phone }: { email: string | null; phone: string | null }, source: Source) {
  const [, first_name = name, last_name] = /^(.+?)(?<!\s)\s+(\S+)$/.exec(name) ?? []
  const input = {
    first_name: cutText(first_name, 120),
    ...(last_name && { last_name: cutText(last_name, 120) }),
    ...(email && { email }),
    ...(phone && { phone }),
    source: CONTACT_SOURCE[source],
  }
  const id = newId()
  return { id, statements: (await createContact(ctx, input, id)).statements }
}

/** An opportunity in the pipeline of the event type, whose owner is the host, with the booker as its primary contact. */
function newOpportunity(ctx: Ctx, { stored: { event_type, contact }, candidates }: Decision, name: string, contactId: string) {
  const id = newId()
  // With one set of hosts it is known who leads; otherwise it is whoever was claimed.
  const [only, ...others] = candidates.map(([host]) => host)
  const isOne = only !== undefined && others.length === 0
  const input = {
    name: cutText(`${event_type.name}: ${name}`, 200),
    ...(isOne && { assigned_to: only }),
    ...(event_type.pipeline_id && { pipeline_id: event_type.pipeline_id }),
    ...(contact?.customer_id && { customer_id: contact.customer_id }),
  }
  const { statements } = createOpportunity(ctx, input, id, isOne ? {} : { assigned_to: claimedAt().host_id })
  const link = db.insert(opportunityContacts).values({ opportunity_id: id, contact_id: contactId, is_primary: true })
  return { id, statements: [...statements, link] }
}
