import { eq, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { bookings, scheduledEventTypes } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db, type Statement } from '../../../data/db.ts'
import { between, listWhere, sortKeys } from '../../../data/lists.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { compiledSelect, mapResult, oneOrThrow } from '../../../data/query.ts'
import { withoutRequired } from '../../../data/required-fields.ts'
import { columnsFor, lockForUpdate } from '../../../data/store.ts'
import { assertState, stateAfter } from '../../../data/transitions.ts'
import { BOOKING_TRANSITIONS, type BookingTransition } from '../rules/states.ts'
import { Booking, type BookingDetail, ListedBooking } from '../schemas/bookings.ts'
import { byStart } from './by-start.ts'

const fields = columnsFor(bookings, Booking)
const listed = columnsFor(bookings, ListedBooking)
const all = compiledSelect(db.select(fields).from(bookings))
export const bookingRecord = (id: string) => oneOrThrow(all.where(eq(bookings.id, id)), 'booking', id)

export const bookingFilters = ['status', 'event_type_id', 'host_id', 'contact_id', 'deal_id', 'series_id'] as const
export const BOOKING_SORTS = ['starts_at', 'created_at', 'updated_at']

/** Bookings, by default in the order of their start, or of their creation if a filter concerns it. */
export function listBookings(sent: Record<string, unknown>) {
  const query = byStart(sent)
  return read(
    page({
      select: (keys: Keys) => db.select({ ...listed, ...keys }).from(bookings),
      id: bookings.id,
      where: [
        ...listWhere(bookings, Object.fromEntries(bookingFilters.map((name) => [name, true])), query),
        ...between(bookings.starts_at, 'starts', query),
      ],
      sorts: sortKeys(bookings, BOOKING_SORTS),
      name: 'bookings',
      query: query as PageQuery,
    }),
  )
}

const detailed = compiledSelect(
  db
    .select({
      ...listed,
      event_type_name: scheduledEventTypes.name,
      event_type_slug: scheduledEventTypes.slug,
      company_slug: sql<string>`(select w.slug from workspaces w)`.as('company_slug'),
    })
    .from(bookings)
    .innerJoin(scheduledEventTypes, eq(scheduledEventTypes.id, bookings.event_type_id)),
)

/** A booking with the link to the booker's page. */
export function getBooking(ctx: Ctx, id: string): Plan<v.InferOutput<typeof BookingDetail>> {
  const found = oneOrThrow(detailed.where(eq(bookings.id, id)), 'booking', id)
  return read(
    mapResult(found, ({ company_slug, ...booking }) => ({
      ...booking,
      management_url: booking.management_token && `${ctx.appUrl}/book/${company_slug}/manage/${booking.management_token}`,
    })),
  )
}

/** Locks a booking, and asserts that this can be done with it in its status. */
export const assertOpen = (ctx: Pick<Ctx, 'ifMatch'>, id: string, step: BookingTransition): Statement[] => [
  lockForUpdate(ctx, bookings, id, 'booking'),
  assertState(bookings, 'status', id, BOOKING_TRANSITIONS[step], 'The booking'),
]

const setStatus = (id: string, step: BookingTransition): Statement =>
  sql`update bookings set status = ${stateAfter(sql`status`, BOOKING_TRANSITIONS[step])} where id = ${id}`

/** Cancels a booking. Its time is free again, and the opportunity's next action stays. */
export function cancelBooking(ctx: Ctx, id: string, reason: string | null = null, step: 'cancel' | 'decline' = 'cancel') {
  return plan([...assertOpen(ctx, id, step), ...cancellation(id, reason)], bookingRecord(id))
}

export const cancellation = (id: string, reason: string | null): Statement[] => [
  sql`update bookings set status = 'cancelled', cancelled_at = now(), cancellation_reason = ${reason} where id = ${id}`,
]

export const confirmBooking = (ctx: Ctx, id: string) =>
  plan([...assertOpen(ctx, id, 'confirm'), setStatus(id, 'confirm')], bookingRecord(id))

const MARKS = { mark_attended: 'Attended', mark_late: 'Was late for', mark_no_show: 'Did not attend' } as const
export type Mark = keyof typeof MARKS

/** Notes the outcome of a booking, and logs it as an activity of the contact and the opportunity, once. */
export function markBooking(ctx: Ctx, id: string, mark: Mark) {
  const { confirmed: status } = BOOKING_TRANSITIONS[mark]
  return plan(
    [
      ...assertOpen(ctx, id, mark),
      ...withoutRequired([
        sql`insert into activities (activity_type, contact_id, deal_id, subject, outcome, occurred_at, duration_seconds)
          select 'meeting', b.contact_id, b.deal_id, concat(${`${MARKS[mark]}: `}::text, t.name), ${status},
            b.starts_at, b.duration_minutes * 60
          from bookings b join scheduled_event_types t on t.id = b.event_type_id
          where b.id = ${id} and b.status <> ${status} and num_nonnulls(b.contact_id, b.deal_id) > 0`,
      ]),
      mark === 'mark_attended' &&
        sql`update opportunities set next_action_type = null, next_action_note = null, next_action_at = null
          where id = (select deal_id from bookings where id = ${id})
          and num_nonnulls(next_action_type, next_action_note, next_action_at) > 0`,
      setStatus(id, mark),
    ],
    bookingRecord(id),
  )
}
