import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import {
  Bool,
  describe,
  Id,
  InstantOut,
  Integer,
  IsoDate,
  Multiline,
  Name,
  optional,
  Phone,
  SAMPLE_ID,
  SingleLine,
  Url,
} from '../../../schemas/fields.ts'
import { Zone } from '../../../schemas/parsers.ts'
import { MOST_ANSWER, MOST_ATTENDEES, MOST_QUESTIONS, MOST_SLOT_DAYS } from '../rules/limits.ts'
import { CHECKS } from '../rules/slots.ts'
import { BOOKING_STATUSES, HOLD_STATES } from '../rules/states.ts'
import { parseStart, START_MESSAGE } from '../rules/times.ts'

const WHEN = 'When it starts: a timestamp with Z or an offset, or `YYYY-MM-DD HH:MM` in the time zone.'
const StartTime = v.pipe(
  v.string('must be text: a time, such as 2026-12-01 09:30'),
  v.check((text) => parseStart(text) !== undefined, START_MESSAGE),
  v.description(WHEN),
  v.examples(['2026-12-01 09:30']),
)
const EventTypeName = v.pipe(
  v.string('must be text: the id, slug or name of an event type'),
  v.trim(),
  v.minLength(1, 'must not be empty: send the id, slug or name of an event type'),
  v.maxLength(120, 'must be at most 120 characters long'),
  v.description('The id, slug or name of the event type.'),
  v.examples(['first-meeting']),
)
const ZONE =
  'The time zone in which times are read and shown. Defaults to that of the event type’s place, of the contact, or of the workspace.'
const which = {
  event_type: EventTypeName,
  duration_minutes: v.optional(describe(Integer(5, 720), 'One of the event type’s durations; the usual one unless sent.', 30)),
  timezone: optional(describe(Zone, ZONE)),
  host_id: optional(describe(Id, 'Only with this host.')),
}
const hold = {
  owner: optional(describe(SingleLine(120), 'The call or session that holds a time: its own hold does not block it.', 'call_7f2c')),
}

/** Checked by the service, so that a bad address has a code of its own. */
const Address = (description: string) => describe(SingleLine(320), description, 'ana@example.com')

export const NewBooking = v.strictObject({
  ...which,
  ...hold,
  starts_at: StartTime,
  name: describe(Name(200), 'The name of the booker.', 'Ana Lee'),
  email: optional(Address('The email address of the booker. An email address or a phone number is needed.')),
  phone: optional(describe(Phone, 'The phone number of the booker. Without a country prefix it is taken as Australian.')),
  attendees: v.optional(
    v.pipe(
      v.array(Address('An email address.'), 'must be a list of email addresses'),
      v.maxLength(MOST_ATTENDEES, `must have at most ${MOST_ATTENDEES} addresses`),
      v.description('The email addresses of further attendees.'),
      v.examples([['ben@example.com']]),
    ),
    [],
  ),
  notes: optional(describe(Multiline(5_000), 'What the booker says about it.')),
  answers: v.optional(
    v.pipe(
      v.array(Multiline(MOST_ANSWER + 50), 'must be a list of answers, such as ["budget=5000"]'),
      v.maxLength(MOST_QUESTIONS, `must have at most ${MOST_QUESTIONS} answers`),
      v.description('The answers to the questions of the event type, each as `key=answer`.'),
      v.examples([[]]),
    ),
    [],
  ),
})
export type NewBooking = v.InferOutput<typeof NewBooking>

export const RescheduleBooking = v.strictObject({
  starts_at: StartTime,
  duration_minutes: which.duration_minutes,
  timezone: which.timezone,
  ...hold,
})
export type RescheduleBooking = v.InferOutput<typeof RescheduleBooking>

export const BookingPatch = v.strictObject({
  notes: optional(Multiline(5_000)),
  location: optional(describe(SingleLine(255), 'Where it takes place.', '12 Bridge Street, Sydney')),
  video_meet_link: optional(describe(Url, 'The link of the video meeting. A notetaker follows it.', 'https://meet.example.com/first')),
})
export const CancelBooking = v.strictObject({ reason: optional(describe(SingleLine(500), 'Why it is cancelled.', 'Found another time')) })
export const BookingAttendees = v.strictObject({ attendees: NewBooking.entries.attendees })
export const NewHost = v.strictObject({ host_id: describe(Id, 'A host of the event type who is free at the time.') })

export const CheckAvailability = v.strictObject({
  ...which,
  ...hold,
  starts_at: StartTime,
  contact_id: optional(describe(Id, 'Whose time zone is used if none is sent.')),
  explain: v.optional(describe(Bool, 'Whether to return each rule, and whether the time passes it.', true)),
})
export type CheckAvailability = v.InferOutput<typeof CheckAvailability>

export const AvailableSlots = v.pipe(
  v.strictObject({
    ...which,
    ...hold,
    from: describe(IsoDate, 'The first day, in the time zone.', '2026-12-01'),
    to: describe(IsoDate, `The last day, at most ${MOST_SLOT_DAYS} days in all.`, '2026-12-05'),
    contact_id: CheckAvailability.entries.contact_id,
  }),
  v.check(({ from, to }) => from <= to, 'to must not be before from'),
  v.check(
    ({ from, to }) => (Date.parse(to) - Date.parse(from)) / 86_400_000 < MOST_SLOT_DAYS,
    `from and to must be at most ${MOST_SLOT_DAYS} days: send another request for later days`,
  ),
)
export type AvailableSlots = v.InferOutput<typeof AvailableSlots>

export const NewHold = v.strictObject({
  ...which,
  starts_at: StartTime,
  owner: describe(SingleLine(120), 'The call or session that holds the time. It has one hold: another one replaces it.', 'call_7f2c'),
})
export type NewHold = v.InferOutput<typeof NewHold>

const text = v.nullable(v.string())
const whole = v.pipe(v.number(), v.integer())

export const Slot = named(
  'Slot',
  v.object({
    starts_at: InstantOut,
    ends_at: InstantOut,
    key: v.pipe(v.string(), v.description('The start on the wall clock: names the slot in a call.'), v.examples(['2026-12-01 09:30'])),
    label: v.pipe(v.string(), v.description('The start as people write it.'), v.examples(['Tuesday 1 December 2026, 9:30 am'])),
    timezone: v.string(),
    utc_offset: v.pipe(v.string(), v.examples(['+11:00'])),
    host_ids: v.pipe(v.array(Id), v.description('The hosts who are free.')),
    seats_left: whole,
  }),
)
export type Slot = v.InferOutput<typeof Slot>

export const RuleCheck = v.object({
  check: v.picklist(CHECKS),
  passed: v.boolean(),
  host_id: v.pipe(v.nullable(Id), v.description('The host whom the rule is about.')),
})
export const CheckedTime = named(
  'CheckedTime',
  v.object({
    available: v.boolean(),
    timezone: v.string(),
    slot: v.pipe(v.nullable(Slot), v.description('The time, if it can be booked.')),
    nearest_before: v.nullable(Slot),
    nearest_after: v.nullable(Slot),
    checks: v.optional(v.array(RuleCheck)),
  }),
)
export const SlotDays = named(
  'SlotDays',
  v.object({
    event_type_id: Id,
    event_type_name: v.string(),
    duration_minutes: whole,
    timezone: v.string(),
    days: v.array(v.object({ date: v.pipe(v.string(), v.metadata({ format: 'date' })), label: v.string(), slots: v.array(Slot) })),
    complete: v.pipe(v.boolean(), v.description('Whether these are all slots of the range. If not, ask for fewer days.')),
  }),
)

const bookingOut = {
  id: Id,
  event_type_id: Id,
  status: v.picklist(BOOKING_STATUSES),
  starts_at: InstantOut,
  ends_at: InstantOut,
  duration_minutes: whole,
  timezone: v.string(),
  wall_start: v.pipe(
    v.string(),
    v.description('The start on the wall clock of the time zone when it was booked.'),
    v.examples(['2026-12-01 09:30']),
  ),
  host_id: Id,
  host_ids: v.array(Id),
  contact_id: v.nullable(Id),
  deal_id: v.pipe(v.nullable(Id), v.description('The id of the opportunity.')),
  name: v.string(),
  email: text,
  phone: text,
  attendees: v.array(v.string()),
  notes: text,
  answers: v.pipe(
    v.array(v.object({ key: v.string(), label: v.string(), answer: v.pipe(v.string(), v.description('The answer.')) })),
    v.description('The answers to the questions of the event type, as they were asked.'),
  ),
  location: text,
  video_meet_link: text,
  uid: v.pipe(v.string(), v.description('The UID of the calendar entry, which a rescheduled booking keeps.')),
  sequence: v.pipe(whole, v.description('How often the booking has been moved.')),
  rescheduled_from_id: v.nullable(Id),
  series_id: v.nullable(Id),
  source: v.picklist(['api', 'voice', 'page']),
  cancelled_at: v.nullable(InstantOut),
  cancellation_reason: text,
  management_token_expires_at: v.pipe(v.nullable(InstantOut), v.description('24 hours after the end. Null for older bookings.')),
  ...timestamps,
}
export const Booking = named('Booking', v.object(bookingOut))
export type Booking = v.InferOutput<typeof Booking>

const token = v.pipe(
  v.nullable(Id),
  v.description('Opens the booker’s page of the booking. Null for older bookings.'),
  v.examples([SAMPLE_ID]),
)
export const ListedBooking = named('ListedBooking', v.object({ ...bookingOut, management_token: token }))
export const BookingDetail = named(
  'BookingDetail',
  v.object({
    ...bookingOut,
    management_token: token,
    management_url: v.pipe(v.nullable(v.string()), v.description('The link to the booker’s page of the booking.')),
    event_type_name: v.string(),
    event_type_slug: v.string(),
  }),
)

export const Hold = named(
  'Hold',
  v.object({
    id: Id,
    owner: v.string(),
    event_type_id: Id,
    state: v.picklist(HOLD_STATES),
    starts_at: InstantOut,
    ends_at: InstantOut,
    host_ids: v.array(Id),
    expires_at: InstantOut,
    booking_id: v.nullable(Id),
    created_at: InstantOut,
  }),
)

export const ReleasedHold = named('ReleasedHold', v.object({ owner: v.string(), released: v.boolean() }))
