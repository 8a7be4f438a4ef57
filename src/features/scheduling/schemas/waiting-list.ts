import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { describe, Id, InstantOut, SingleLine } from '../../../schemas/fields.ts'
import { WAITING_STATES } from '../rules/states.ts'
import { Booking, NewBooking } from './bookings.ts'

const { event_type, starts_at, timezone, name, phone, notes, answers } = NewBooking.entries

export const NewWaitingListEntry = v.strictObject({
  event_type,
  starts_at,
  timezone,
  name,
  phone,
  notes,
  answers,
  email: describe(SingleLine(320), 'The email address to which a free seat is offered.', 'ana@example.com'),
})
export type NewWaitingListEntry = v.InferOutput<typeof NewWaitingListEntry>

const text = v.nullable(v.string())
export const WaitingListEntry = named(
  'WaitingListEntry',
  v.object({
    id: Id,
    event_type_id: Id,
    state: v.pipe(
      v.picklist(WAITING_STATES),
      v.description(
        '`offered`: a seat is kept until `offer_expires_at`. `lapsed`: it was not taken by then. `expired`: the time has begun.',
      ),
    ),
    starts_at: InstantOut,
    ends_at: InstantOut,
    duration_minutes: v.pipe(v.number(), v.integer()),
    timezone: v.pipe(v.string(), v.description('The time zone in which the person sees the time.')),
    contact_id: Id,
    name: v.string(),
    email: v.string(),
    phone: text,
    notes: text,
    answers: Booking.entries.answers,
    source: v.picklist(['api', 'page']),
    offered_at: v.nullable(InstantOut),
    offer_expires_at: v.nullable(InstantOut),
    booking_id: v.nullable(Id),
    ...timestamps,
  }),
)
export type WaitingListEntry = v.InferOutput<typeof WaitingListEntry>
