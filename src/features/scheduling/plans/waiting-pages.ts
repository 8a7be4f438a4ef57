import { sql } from 'drizzle-orm'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { handedText } from '../../../data/handed.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { constant, mapResult, plainRows, type Query } from '../../../data/query.ts'
import { toZone } from '../../../domain/time-zones.ts'
import { AppError } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { rowOfToken } from '../../../lib/link-tokens.ts'
import { redirectTo, type WebPage } from '../../../lib/web-page.ts'
import type { Typed } from '../../pages/rules/form-fields.ts'
import { href } from '../../pages/rules/html.ts'
import { type LinkedPlace, placePage } from '../rules/pages/confirm-page.ts'
import { linkPage, type PageView } from '../rules/pages/layout.ts'
import type { BookerAnswer } from '../rules/questions.ts'
import { offered, refusedForm, startOf } from './booking-pages.ts'
import { claim } from './claims.ts'
import { bookingStatements } from './create-booking.ts'
import type { StoredFacts } from './facts.ts'
import { assertPerson } from './page-challenges.ts'
import { checkVisitorForm, FormRefused, readVisitorForm } from './page-forms.ts'
import { bookedPage, countedVisit, type PageQuery, siteFramed, timesAddress, viewFor } from './page-visits.ts'
import { remember } from './voice-call.ts'
import { joinLine } from './waiting-list.ts'

type Page = string | WebPage

/** Puts a visitor in line for a time that is full. Who is in line already stays there, so a form that is sent again does no harm. */
export async function joinFromPage(ctx: Ctx, params: { company_slug: string; event_type_slug: string }, typed: Typed): Promise<Plan<Page>> {
  const { company_slug, event_type_slug: event_type } = params
  const query: PageQuery = { lang: typed.lang, tz: typed.tz, duration: typed.duration }
  const view = viewFor(ctx, `/book/${company_slug}/${event_type}`, query)
  const form = readVisitorForm(typed)
  const { token, name, notes, addresses } = form
  const at = startOf(typed.at)
  if (token === undefined || at === undefined) return plan([], constant<Page>(redirectTo(timesAddress(view, query))))
  let facts: StoredFacts | undefined
  const check = async (found: StoredFacts | null) => {
    facts = offered(found, event_type)
    const { faults, answers } = checkVisitorForm(form, { questions: facts.event_type.questions, needsEmail: true }, view.texts)
    if (faults.length > 0) throw new FormRefused(faults)
    await assertPerson(ctx, view, facts, typed)
    return { stored: facts, answers }
  }
  const time = {
    starts_at: new Date(at).toISOString(),
    timezone: toZone(typed.tz ?? ''),
    duration_minutes: Number(typed.duration) || undefined,
  }
  const person = { id: newId(), name, email: addresses.email ?? '', phone: addresses.phone, notes }
  try {
    const statements = await joinLine(ctx, { ...person, ...time, event_type, source: 'page' }, check)
    const visit = { caller: null, call_key: `page/waiting/${event_type}/${token}`, call_id: null }
    const isAdded = sql`${handedText('waiting_entry')} = ${person.id}`
    const counted = facts && countedVisit(ctx, facts.event_type.id, visit, isAdded)('requested', null)
    return plan([...(statements ?? []), ...(counted ?? [])], constant<Page>(redirectTo(timesAddress(view, { ...query, done: 'waiting' }))))
  } catch (error) {
    return refusedForm(ctx, view, error, typed, { at, token, facts })
  }
}

type Params = { company_slug: string; token: string }
type Linked = LinkedPlace & {
  email: string
  phone: string | null
  notes: string | null
  answers: BookerAnswer[]
  duration_minutes: number
  created_at: number
  booking_id: string | null
  event_type_id: string
  slug: string
  company_slug: string
}

const linked = (id: string): Query<Linked> =>
  mapResult(plainRows<{ found: Linked | null }>(call('linked_entry', id), ['found']), ([row]) => {
    if (!row?.found) throw new AppError('NOT_FOUND', 'No such page')
    return row.found
  })

const viewOf = (ctx: Ctx, { company_slug, token }: Params, lang: string | undefined) =>
  viewFor(ctx, `/book/${encodeURIComponent(company_slug)}/waiting/${token}`, { lang })
const timesOf = ({ company_slug, slug }: Linked) => `/book/${encodeURIComponent(company_slug)}/${encodeURIComponent(slug)}`
const backTo = ({ path, kept }: PageView) => redirectTo(kept.lang ? `${path}?lang=${kept.lang}` : path)

/** The page of an entry of a waiting list. It changes nothing, because mail programs follow links by themselves. */
export async function showPlace(ctx: Ctx, params: Params, query: PageQuery): Promise<Plan<Page>> {
  const view = viewOf(ctx, params, query.lang)
  const place = await ctx.read(linked(rowOfToken(params.token)))
  const { booking_id, company_slug, workspace } = place
  if (booking_id) return plan([], bookedPage(booking_id, company_slug, view))
  return read(constant<Page>(siteFramed(view, workspace.sites, (framed) => placePage(framed, place, timesOf(place), ctx.now.getTime()))))
}

/** Takes the person off the list. The page says so then, as it does for an entry that has ended before. */
export async function leaveFromPage(ctx: Ctx, params: Params, typed: Typed): Promise<Plan<Page>> {
  const view = viewOf(ctx, params, typed.lang)
  await ctx.read(linked(rowOfToken(params.token)))
  return plan([call('leave_waiting_list', rowOfToken(params.token))], constant<Page>(backTo(view)))
}

/** Books the seat that is offered. A second press of the button leads to the booking that the first has made. */
export async function acceptFromPage(ctx: Ctx, params: Params, typed: Typed): Promise<Plan<Page>> {
  const view = viewOf(ctx, params, typed.lang)
  const id = rowOfToken(params.token)
  const place = await ctx.read(linked(id))
  const { company_slug, state, email, phone, timezone, duration_minutes, workspace } = place
  if (place.booking_id) return plan([], bookedPage(place.booking_id, company_slug, view))
  if (state !== 'offered' || (place.expires_at ?? 0) <= ctx.now.getTime()) return plan([], constant<Page>(backTo(view)))
  const owner = `waiting_list/${id}`
  const call = { caller: null, call_key: owner, call_id: null }
  const booking_id = newId()
  const time = { event_type: place.event_type_id, starts_at: new Date(place.starts_at).toISOString(), timezone, duration_minutes }
  try {
    const claimed = { ...time, booker: { email, phone }, owner, booking_id, call, chosen_at: place.created_at }
    const decision = await claim(ctx, claimed, (stored) => offered(stored, place.slug))
    if (!decision) return plan([], constant<Page>(''))
    return plan(
      [
        ...(await bookingStatements(ctx, decision, { ...place, id: booking_id, attendees: [], source: 'page' })),
        sql`update waiting_list_entries set state = 'booked', booking_id = ${booking_id}::uuid, due_at = null
          where id = ${id}::uuid and state = 'offered'`,
        remember(call, 'booked', booking_id),
      ],
      bookedPage(booking_id, company_slug, view),
    )
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'SLOT_UNAVAILABLE') throw error
    const { not_free: title, back_times: text } = view.texts
    const back = { title, workspace, href: href(timesOf(place), view.kept), text }
    return plan([], constant<Page>(siteFramed(view, workspace.sites, (framed) => linkPage(framed, back), 409)))
  }
}
