import { sql } from 'drizzle-orm'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { constant, mapResult, plainRows, type Query } from '../../../data/query.ts'
import { dispositionOf } from '../../../domain/file-names.ts'
import { toZone } from '../../../domain/time-zones.ts'
import { AppError } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { redirectTo, WebPage } from '../../../lib/web-page.ts'
import type { Typed } from '../../pages/rules/form-fields.ts'
import { clock } from '../../pages/rules/html.ts'
import { bookingPage, isChangeable, type LinkedBooking } from '../rules/pages/booking-page.ts'
import { calendarFile } from '../rules/pages/calendar-file.ts'
import { timesPage } from '../rules/pages/choices.ts'
import { type FormPage, moveForm } from '../rules/pages/form-page.ts'
import type { PageView } from '../rules/pages/layout.ts'
import { monthPage } from '../rules/pages/month.ts'
import { slotAt } from '../rules/slots.ts'
import { windowAround } from '../rules/times.ts'
import { MINUTE } from '../rules/zone-table.ts'
import { nearestOf, startOf } from './booking-pages.ts'
import { factsToMove, moveStatements } from './change-booking.ts'
import { claim } from './claims.ts'
import { contextFor, readFacts, type StoredFacts } from './facts.ts'
import { reasonOf } from './page-forms.ts'
import { monthWindow, shownMonth } from './page-months.ts'
import { daysWindow, type PageQuery, pageDuration, pageZone, shownTimes, siteFramed, viewFor } from './page-visits.ts'

type Params = { company_slug: string; token: string }
type Page = string | WebPage

const pathOf = ({ company_slug, token }: Params) => `/book/${encodeURIComponent(company_slug)}/manage/${token}`
const after = (params: Params, done: string, { kept }: PageView) =>
  redirectTo(`${pathOf(params)}?done=${done}${kept.lang ? `&lang=${kept.lang}` : ''}`)

/** The booking of a link. The grant has found the token before. */
const linked = ({ token }: Params): Query<LinkedBooking> =>
  mapResult(plainRows<{ booking: LinkedBooking | null }>(call('linked_booking', token), ['booking']), ([row]) => {
    if (!row?.booking) throw new AppError('NOT_FOUND', 'No such page')
    return row.booking
  })

/** The page of a booking. It changes nothing, because mail programs follow links by themselves. */
export function showBooking(ctx: Ctx, params: Params, query: PageQuery): Plan<Page> {
  const view = viewFor(ctx, pathOf(params), { lang: query.lang })
  return read(
    mapResult(
      linked(params),
      (booking): Page => siteFramed(view, booking.sites, (framed) => bookingPage(framed, booking, query.done, ctx.now.getTime())),
    ),
  )
}

/** The booking as a calendar file. */
export const showCalendarFile = (params: Params): Plan<Page> =>
  read(
    mapResult(linked(params), (booking): Page => {
      const headers = {
        'Content-Type': 'text/calendar; charset=utf-8; method=PUBLISH',
        'Content-Disposition': dispositionOf('booking.ics'),
      }
      return new WebPage(200, calendarFile(booking), headers)
    }),
  )

/** Cancels the booking of a link. One that is cancelled already, or has begun, stays as it is. */
export async function cancelFromPage(ctx: Ctx, params: Params, typed: Typed): Promise<Plan<Page>> {
  const view = viewFor(ctx, pathOf(params), { lang: typed.lang })
  const booking = await ctx.read(linked(params))
  const done = constant<Page>(after(params, 'cancelled', view))
  if (!isChangeable(booking, ctx.now.getTime())) return plan([], done)
  // The second of two concurrent requests finds the booking cancelled. Both lead to the page that says so.
  const cancel = sql`update bookings set status = 'cancelled', cancelled_at = now(), cancellation_reason = ${reasonOf(typed)}
    where id = ${booking.id}::uuid and status in ('pending', 'confirmed') and starts_at > now()`
  return plan([cancel], done)
}

/** The page at which the booking of a link gets another time. */
export async function showMove(ctx: Ctx, params: Params, sent: PageQuery): Promise<Plan<Page>> {
  const booking = await ctx.read(linked(params))
  const query = { ...sent, tz: sent.tz ?? booking.timezone }
  const view = viewFor(ctx, `${pathOf(params)}/move`, query)
  if (!isChangeable(booking, ctx.now.getTime())) return plan([], constant<Page>(redirectTo(pathOf(params))))
  const at = startOf(query.at)
  const month = at === undefined ? monthWindow(query, ctx.now) : undefined
  const window = month?.window ?? (at === undefined ? daysWindow(query, ctx.now).window : windowAround({ instant: at }, 1))
  return read(
    mapResult(readFacts({ booking_id: booking.id, from: window[0], to: window[1] }), (found): Page => {
      const stored = factsToMove(found)
      const duration = pageDuration(stored, query.duration)
      const request = { now: ctx.now.getTime(), duration_minutes: duration }
      if (at !== undefined && slotAt(contextFor(stored, ...window), request, at))
        return siteFramed(view, booking.sites, (framed) =>
          moveForm(framed, formOf(view, stored, booking, { at, duration, query, faults: [] }), before(view, booking)),
        )
      const note = at === undefined ? '' : `<p class="note" role="status">${view.texts.gone}</p>`
      const about = `${note}<p>${view.texts.now_at(before(view, booking))}</p>`
      const back = { path: pathOf(params), text: view.texts.your_booking }
      const common = { title: booking.event_type, workspace: workspaceOf(booking), about, back }
      if (month)
        return siteFramed(view, booking.sites, (framed) => monthPage(framed, { ...common, ...shownMonth(stored, query, month, ctx.now) }))
      const page = { ...common, ...shownTimes(stored, { ...query, at: undefined }, ctx.now) }
      return siteFramed(view, booking.sites, (framed) => timesPage(framed, page))
    }),
  )
}

const workspaceOf = ({ workspace, color, logo, sites }: LinkedBooking) => ({ name: workspace, color, logo, sites })
const before = ({ texts }: PageView, { timezone, starts_at, ends_at }: LinkedBooking) => clock(texts, timezone).range(starts_at, ends_at)

type FormParts = Pick<FormPage, 'faults' | 'nearest'> & { at: number; duration: number; query: PageQuery }

function formOf(view: PageView, stored: StoredFacts, booking: LinkedBooking, { at, duration, query, ...rest }: FormParts): FormPage {
  const zone = pageZone(stored, query)
  const carried = { tz: zone, lang: view.kept.lang }
  const place = { action: view.path, times: view.path, title: view.texts.move, workspace: workspaceOf(booking) }
  return { ...place, zone, start: at, end: at + duration * MINUTE, carried, ...rest }
}

/** Moves the booking of a link. The same form sent again finds it at its new time already. */
export async function moveFromPage(ctx: Ctx, params: Params, typed: Typed): Promise<Plan<Page>> {
  const booking = await ctx.read(linked(params))
  const query: PageQuery = { lang: typed.lang, tz: typed.tz, duration: typed.duration }
  const view = viewFor(ctx, `${pathOf(params)}/move`, query)
  const at = startOf(typed.at)
  if (at === undefined) return plan([], constant<Page>(redirectTo(view.path)))
  const done = constant<Page>(after(params, 'moved', view))
  if (booking.starts_at === at) return plan([], done)
  if (!isChangeable(booking, ctx.now.getTime())) return plan([], constant<Page>(redirectTo(pathOf(params))))
  const id = newId()
  let facts: StoredFacts | undefined
  const known = (found: StoredFacts | null) => {
    facts = factsToMove(found)
    return facts
  }
  try {
    const decision = await claim(
      ctx,
      {
        starts_at: new Date(at).toISOString(),
        timezone: toZone(typed.tz ?? ''),
        duration_minutes: Number(typed.duration) || undefined,
        booking_id: id,
        moved: { id: booking.id },
      },
      known,
    )
    return plan(decision ? moveStatements(ctx, decision, id) : [], done)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'INVALID_STATE' && (await ctx.read(linked(params))).starts_at === at) return plan([], done)
    if (error.code === 'VALIDATION_ERROR') return plan([], constant<Page>(redirectTo(view.path)))
    if (error.code !== 'SLOT_UNAVAILABLE' || !facts) throw error
    const parts = { at, duration: pageDuration(facts, typed.duration), query, nearest: nearestOf(error) }
    const page = formOf(view, facts, booking, { ...parts, faults: [{ field: 'at', message: view.texts.gone }] })
    return plan([], constant<Page>(siteFramed(view, booking.sites, (framed) => moveForm(framed, page, before(view, booking)), 409)))
  }
}
