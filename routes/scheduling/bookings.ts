import { Hono } from 'hono'
import * as v from 'valibot'
import { bookings } from '../../schema/index.ts'
import {
  BOOKING_SORTS,
  cancelBooking,
  getBooking,
  listBookings,
  type Mark,
  markBooking,
} from '../../src/features/scheduling/plans/bookings.ts'
import { BY_START } from '../../src/features/scheduling/plans/by-start.ts'
import { createBooking } from '../../src/features/scheduling/plans/create-booking.ts'
import { movedTimes } from '../../src/features/scheduling/plans/moved-times.ts'
import { availableSlots, checkAvailability } from '../../src/features/scheduling/plans/slots.ts'
import { BOOKING_STATUSES } from '../../src/features/scheduling/rules/states.ts'
import { MovedTimes } from '../../src/features/scheduling/schemas/booking-records.ts'
import {
  AvailableSlots,
  Booking,
  BookingDetail,
  CancelBooking,
  CheckAvailability,
  CheckedTime,
  ListedBooking,
  NewBooking,
  SlotDays,
} from '../../src/features/scheduling/schemas/bookings.ts'
import { listQuery } from '../../src/http/lists.ts'
import { created, listOf, one, scopes } from '../../src/http/modes.ts'
import { history } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { describe, Enum, Id, QueryInstant } from '../../src/schemas/fields.ts'
import { SCHEDULING } from '../paths.ts'

export const bookingsRouter = new Hono<App>()
export const bookingsApi = endpoints(bookingsRouter, { path: SCHEDULING.bookings, tag: 'Scheduling Bookings' })

export const params = v.object({ booking_id: Id })
const of = (what: string) => v.optional(describe(Id, `Only bookings ${what}.`))

bookingsApi.get(
  '',
  {
    id: 'listBookings',
    summary: 'List bookings',
    access: scopes('company:read'),
    query: listQuery(
      bookings,
      {
        status: v.optional(Enum(BOOKING_STATUSES, 'Only bookings with this status.')),
        event_type_id: of('of this event type'),
        host_id: of('that this member leads'),
        contact_id: of('of this contact'),
        deal_id: of('of this opportunity'),
        series_id: of('of this series'),
        starts_after: v.optional(v.pipe(QueryInstant, v.description('Only bookings that start at this time or later.'))),
        starts_before: v.optional(v.pipe(QueryInstant, v.description('Only bookings that start at this time or earlier.'))),
      },
      BOOKING_SORTS,
      BY_START,
    ),
    returns: listOf(ListedBooking),
  },
  ({ query }) => listBookings(query),
)
bookingsApi.post(
  '/check-availability',
  {
    id: 'checkAvailability',
    summary: 'Check whether a time is free',
    description: 'Always returns the nearest free time before and after it, within two weeks.',
    access: scopes('company:read'),
    effect: 'read',
    body: CheckAvailability,
    returns: CheckedTime,
  },
  ({ ctx, body }) => checkAvailability(ctx, body),
)
bookingsApi.post(
  '/available-slots',
  {
    id: 'listAvailableSlots',
    summary: 'List the free times of a range of days',
    description: 'Grouped by day. Busy times of the hosts’ external calendars are left out.',
    access: scopes('company:read'),
    effect: 'read',
    body: AvailableSlots,
    returns: SlotDays,
  },
  ({ ctx, body }) => availableSlots(ctx, body),
)
bookingsApi.post(
  '',
  {
    id: 'createBooking',
    summary: 'Book a time',
    description:
      'The contact is found by any of its email addresses, else by any of its phone numbers, else created. ' +
      'An opportunity is created, or the open one is used if the event type says so. ' +
      'A booking that waits for approval reserves nothing, and fails if its time has been taken by then.',
    access: scopes('company:write'),
    body: NewBooking,
    returns: created(Booking),
    errors: ['INVALID_EMAIL', 'INVALID_ATTENDEE_EMAIL', 'SLOT_UNAVAILABLE', 'CONFLICT'],
  },
  ({ ctx, body }) => createBooking(ctx, body),
)
bookingsApi.get(
  '/moved-times',
  {
    id: 'listMovedBookingTimes',
    summary: 'List bookings whose local time has moved',
    description:
      'A booking keeps its instant. If the rules of its time zone change after it was booked, the wall clock shows another time then. ' +
      'Compares up to 500 upcoming bookings.',
    access: scopes('scheduling:read'),
    query: v.object({ starts_after: v.optional(v.pipe(QueryInstant, v.description('Only bookings that start at this time or later.'))) }),
    returns: one(MovedTimes),
  },
  ({ ctx, query }) => movedTimes(ctx, query.starts_after),
)
bookingsApi.get(
  '/:booking_id',
  {
    id: 'getBooking',
    summary: 'Get a booking',
    access: scopes('company:read'),
    params,
    returns: one(BookingDetail),
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params }) => getBooking(ctx, params.booking_id),
)
bookingsApi.post(
  '/:booking_id/cancel',
  {
    id: 'cancelBooking',
    summary: 'Cancel a booking',
    description: 'Its time is free again. The next action of the opportunity stays as it is.',
    access: scopes('company:write'),
    params,
    body: CancelBooking,
    returns: Booking,
    errors: ['NOT_FOUND', 'INVALID_STATE', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, body }) => cancelBooking(ctx, params.booking_id, body.reason),
)

const MARKS: [mark: Mark, path: string, id: string, summary: string, description: string][] = [
  [
    'mark_attended',
    '/mark-attended',
    'markBookingAttended',
    'Mark a booking as attended',
    'Clears the next action of the opportunity, and logs an activity.',
  ],
  ['mark_late', '/mark-late', 'markBookingLate', 'Mark the booker as late', 'Logs an activity.'],
  ['mark_no_show', '/mark-no-show', 'markBookingNoShow', 'Mark the booker as a no-show', 'Logs an activity.'],
]
for (const [mark, path, id, summary, description] of MARKS)
  bookingsApi.post(
    `/:booking_id${path}`,
    {
      id,
      summary,
      description: `${description} Possible in every status; a cancelled booking claims no time again.`,
      access: scopes('company:write'),
      params,
      returns: Booking,
      errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
    },
    ({ ctx, params }) => markBooking(ctx, params.booking_id, mark),
  )
history(bookingsApi, '/:booking_id/history', { entity: 'booking', table: bookings, param: 'booking_id', scopes: ['company:read'] })
