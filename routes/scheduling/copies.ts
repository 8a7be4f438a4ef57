import * as v from 'valibot'
import { listCopies } from '../../src/features/calendars/plans/list-copies.ts'
import { BookingCopy } from '../../src/features/calendars/schemas/booking-copies.ts'
import { listOf, scopes } from '../../src/http/modes.ts'
import { pageQuery } from '../../src/schemas/fields.ts'
import { bookingsApi, params } from './bookings.ts'

bookingsApi.get(
  '/:booking_id/calendar-copies',
  {
    id: 'listBookingCopies',
    summary: 'List the copies of a booking in calendars',
    description:
      'A confirmed booking is copied into the calendar of each host that takes bookings, and the copy follows it. ' +
      'What the host changes in the calendar moves or cancels the booking, unless `on_external_change` of the event type or a ' +
      'conflict keeps it from that.',
    access: scopes('company:read'),
    params,
    query: v.strictObject(pageQuery),
    returns: listOf(BookingCopy),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listCopies(params.booking_id, query),
)
