import * as v from 'valibot'
import { cancelBooking, confirmBooking } from '../../src/features/scheduling/plans/bookings.ts'
import { rescheduleBooking, updateBooking } from '../../src/features/scheduling/plans/change-booking.ts'
import { attendeesOf } from '../../src/features/scheduling/plans/create-booking.ts'
import { createHold, releaseHold } from '../../src/features/scheduling/plans/holds.ts'
import { bookingProof } from '../../src/features/scheduling/plans/proofs.ts'
import { reassignBooking } from '../../src/features/scheduling/plans/reassign.ts'
import { createSeries } from '../../src/features/scheduling/plans/series.ts'
import { BookingProof, BookingSeries, NewSeries } from '../../src/features/scheduling/schemas/booking-records.ts'
import {
  Booking,
  BookingAttendees,
  BookingPatch,
  CancelBooking,
  Hold,
  NewHold,
  NewHost,
  ReleasedHold,
  RescheduleBooking,
} from '../../src/features/scheduling/schemas/bookings.ts'
import { created, one, scopes } from '../../src/http/modes.ts'
import { bookingsApi, params } from './bookings.ts'

const access = scopes('scheduling:write')
const CHANGES = ['NOT_FOUND', 'INVALID_STATE', 'PRECONDITION_FAILED'] as const

bookingsApi.patch(
  '/:booking_id',
  {
    id: 'updateBooking',
    summary: 'Update a booking',
    description: 'Its time is changed by moving it.',
    access,
    params,
    body: BookingPatch,
    returns: Booking,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, body }) => updateBooking(ctx, params.booking_id, body),
)
bookingsApi.post(
  '/:booking_id/reschedule',
  {
    id: 'rescheduleBooking',
    summary: 'Move a booking to another time',
    description:
      'Returns a new booking in place of the old one, which is cancelled in the same transaction. It may overlap its own old time. ' +
      'It keeps the calendar entry, the opportunity and, if free, the host.',
    access,
    params,
    body: RescheduleBooking,
    returns: created(Booking),
    errors: [...CHANGES, 'SLOT_UNAVAILABLE'],
  },
  ({ ctx, params, body }) => rescheduleBooking(ctx, params.booking_id, body),
)
bookingsApi.post(
  '/:booking_id/reassign',
  {
    id: 'reassignBooking',
    summary: 'Give a booking to another host',
    description:
      'The time stays. The new host’s time is claimed and the former host’s is freed in one transaction. ' +
      'The opportunity follows if it was assigned to the former host. Further hosts of the booking stay.',
    access,
    params,
    body: NewHost,
    returns: Booking,
    errors: [...CHANGES, 'SLOT_UNAVAILABLE'],
  },
  ({ ctx, params, body }) => reassignBooking(ctx, params.booking_id, body.host_id),
)
bookingsApi.get(
  '/:booking_id/proof',
  {
    id: 'getBookingProof',
    summary: 'Get the checks that a booking passed',
    description: 'Each rule that the time passed when it was claimed, and how old the values were by which it was decided.',
    access: scopes('scheduling:read'),
    params,
    returns: one(BookingProof),
    errors: ['NOT_FOUND'],
  },
  ({ params }) => bookingProof(params.booking_id),
)
bookingsApi.post(
  '/:booking_id/confirm',
  { id: 'confirmBooking', summary: 'Confirm a pending booking', access, params, returns: Booking, errors: [...CHANGES] },
  ({ ctx, params }) => confirmBooking(ctx, params.booking_id),
)
bookingsApi.post(
  '/:booking_id/decline',
  {
    id: 'declineBooking',
    summary: 'Decline a pending booking',
    description: 'Its time is free again.',
    access,
    params,
    body: CancelBooking,
    returns: Booking,
    errors: [...CHANGES],
  },
  ({ ctx, params, body }) => cancelBooking(ctx, params.booking_id, body.reason, 'decline'),
)
bookingsApi.put(
  '/:booking_id/attendees',
  {
    id: 'setBookingAttendees',
    summary: 'Replace the further attendees of a booking',
    access,
    params,
    body: BookingAttendees,
    returns: Booking,
    errors: ['NOT_FOUND', 'INVALID_ATTENDEE_EMAIL', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, body }) => updateBooking(ctx, params.booking_id, { attendees: attendeesOf(body.attendees) }),
)
bookingsApi.post(
  '/series',
  {
    id: 'createBookingSeries',
    summary: 'Book a time that recurs',
    description:
      'Every occurrence is checked by all rules. All are booked in one transaction or, with `on_unavailable: skip`, those that are ' +
      'free; the others are reported. They share the contact and the opportunity.',
    access,
    body: NewSeries,
    returns: created(BookingSeries),
    errors: ['INVALID_EMAIL', 'INVALID_ATTENDEE_EMAIL', 'SLOT_UNAVAILABLE', 'CONFLICT'],
  },
  ({ ctx, body }) => createSeries(ctx, body),
)
bookingsApi.post(
  '/holds',
  {
    id: 'createBookingHold',
    summary: 'Hold a time for three minutes',
    description: 'The time is not free for others. Its owner books it by sending `owner`.',
    access,
    body: NewHold,
    returns: Hold,
    errors: ['SLOT_UNAVAILABLE'],
  },
  ({ ctx, body }) => createHold(ctx, body),
)
bookingsApi.post(
  '/holds/release',
  {
    id: 'releaseBookingHold',
    summary: 'Release the time that a call or session holds',
    description: 'When the call has ended, or the booker has gone back. It can be repeated safely.',
    access,
    body: v.strictObject({ owner: NewHold.entries.owner }),
    returns: ReleasedHold,
  },
  ({ body }) => releaseHold(body.owner),
)
