import { eq } from 'drizzle-orm'
import { bookingCopies, bookings } from '../../../../schema/index.ts'
import { db } from '../../../data/db.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import { plan } from '../../../data/plan.ts'
import { assertExists, columnsFor } from '../../../data/store.ts'
import { BookingCopy } from '../schemas/booking-copies.ts'

const columns = columnsFor(bookingCopies, BookingCopy)

const selectCopies = (keys: Keys) => db.select({ ...columns, ...keys }).from(bookingCopies)

/** Lists the events of a booking in the calendars of its hosts. */
export function listCopies(bookingId: string, query: PageQuery) {
  const rows = page({
    select: selectCopies,
    id: bookingCopies.id,
    where: [eq(bookingCopies.booking_id, bookingId)],
    sorts: { created_at: bookingCopies.created_at },
    name: `copies of ${bookingId}`,
    query,
  })
  return plan([assertExists(bookings, bookingId, 'booking')], rows)
}
