import { eq, sql } from 'drizzle-orm'
import { bookingNotices, bookings } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db } from '../../../data/db.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import { Page } from '../../../data/paged.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { mapResult, oneOrThrow } from '../../../data/query.ts'
import { assertExists, columnsFor, lockForUpdate } from '../../../data/store.ts'
import { newId } from '../../../lib/ids.ts'
import { MOST_RESENDS, RESENDABLE, STATUSES_OF } from '../rules/notices.ts'
import { BookingNotice } from '../schemas/booking-notices.ts'

const columns = columnsFor(bookingNotices, BookingNotice)
const select = (keys: Keys) => db.select({ ...columns, ...keys }).from(bookingNotices)

/** A notice as the API shows it. */
const shown = <Row extends { recipient: string }>({ recipient, ...row }: Row) => ({ ...row, recipient: recipient || null })

/** Lists the notices of a booking, in the order in which they are due. */
export function listNotices(bookingId: string, query: PageQuery) {
  const rows = page({
    select,
    id: bookingNotices.id,
    where: [eq(bookingNotices.booking_id, bookingId)],
    sorts: { send_at: bookingNotices.send_at },
    name: `notices of ${bookingId}`,
    query: { ...query, sort: 'send_at' },
  })
  return plan(
    [assertExists(bookings, bookingId, 'booking')],
    mapResult(rows, ({ items, limit, next }) => new Page(items.map(shown), limit, next)),
  )
}

const TRUE_OF = JSON.stringify(STATUSES_OF)
const STATES = JSON.stringify(RESENDABLE)

/** Sends a notice once more, to the same recipient, if it is still true of the booking. */
export function resendNotice(ctx: Ctx, bookingId: string, noticeId: string): Plan<BookingNotice> {
  const id = newId()
  const own = sql`from booking_notices n join bookings b on b.id = n.booking_id where n.id = ${noticeId} and n.booking_id = ${bookingId}`
  const same = sql`s.booking_id = n.booking_id and s.kind = n.kind and s.channel = n.channel and s.recipient = n.recipient
    and s.offset_minutes = n.offset_minutes
    and s.sequence = n.sequence`
  return plan(
    [
      lockForUpdate(ctx, bookings, bookingId, 'booking'),
      sql`select assert_exists(exists (select ${own}), 'booking notice', ${noticeId}::uuid)`,
      sql`select assert_condition(${STATES}::jsonb ? n.state, 'INVALID_STATE', 'The notice is ' || n.state,
        jsonb_build_object('state', n.state, 'allowed', ${STATES}::jsonb)) ${own}`,
      sql`select assert_condition(${TRUE_OF}::jsonb -> n.kind ? b.status
        and not exists (select from bookings m where m.rescheduled_from_id = b.id), 'INVALID_STATE',
        'The booking is ' || replace(b.status, '_', ' '),
          jsonb_build_object('state', b.status, 'allowed', ${TRUE_OF}::jsonb -> n.kind)) ${own}`,
      sql`select assert_condition((select max(s.resend) from booking_notices s where ${same}) < ${MOST_RESENDS}::int, 'INVALID_STATE',
        'The notice has been sent again ${sql.raw(String(MOST_RESENDS))} times',
        jsonb_build_object('state', n.state, 'allowed', '[]'::jsonb)) ${own}`,
      sql`insert into booking_notices (id, booking_id, contact_id, kind, channel, recipient, is_booker, offset_minutes,
        sequence, resend, send_at, wake_at)
        select ${id}::uuid, n.booking_id, b.contact_id, n.kind, n.channel, n.recipient, n.is_booker, n.offset_minutes, n.sequence,
          (select max(s.resend) + 1 from booking_notices s where ${same}), now(), now() ${own}`,
      sql`select emit('booking.notice_requested', 'booking', ${bookingId}::uuid, jsonb_build_object('notice_id', ${id}::uuid))`,
    ],
    mapResult(oneOrThrow(db.select(columns).from(bookingNotices).where(eq(bookingNotices.id, id)), 'booking notice', id), shown),
  )
}
