import type { Ctx } from '../../../context.ts'
import { call as callFunction } from '../../../data/call.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { constant, mapResult } from '../../../data/query.ts'
import { toZone } from '../../../domain/time-zones.ts'
import { AppError } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { toUtcText } from '../../../lib/text.ts'
import { redirectTo, type WebPage } from '../../../lib/web-page.ts'
import type { Fault, Typed } from '../../pages/rules/form-fields.ts'
import { href, paragraphs } from '../../pages/rules/html.ts'
import { companyPage, timesPage } from '../rules/pages/choices.ts'
import { bookingForm, type FormPage } from '../rules/pages/form-page.ts'
import { certainHosts, hostsOf } from '../rules/pages/hosts.ts'
import { linkPage, type PageView } from '../rules/pages/layout.ts'
import { monthPage } from '../rules/pages/month.ts'
import type { BookerAnswer } from '../rules/questions.ts'
import { slotAt } from '../rules/slots.ts'
import { windowAround } from '../rules/times.ts'
import { MINUTE } from '../rules/zone-table.ts'
import { claimOrRepeat } from './claims.ts'
import { bookingStatements } from './create-booking.ts'
import { contextFor, readFacts, type StoredFacts } from './facts.ts'
import { assertPerson, challengedView } from './page-challenges.ts'
import { awaitConfirmation, checkMail, claimedFor, mustConfirm, sent } from './page-confirmations.ts'
import { checkVisitorForm, FormRefused, readVisitorForm } from './page-forms.ts'
import { monthWindow, shownMonth } from './page-months.ts'
import {
  bookedPage,
  countedVisit,
  daysWindow,
  type PageQuery,
  pageDuration,
  pageZone,
  type StoredWorkspace,
  shownTimes,
  siteFramed,
  storedWorkspace,
  timesAddress,
  viewFor,
} from './page-visits.ts'
import { isFull } from './waiting-list.ts'

type Params = { company_slug: string; event_type_slug: string }
type Page = string | WebPage

const NO_PAGE = () => new AppError('NOT_FOUND', 'No such page')

/** The page of a workspace. */
export function showCompany(ctx: Ctx, company: string, query: PageQuery): Plan<Page> {
  const view = viewFor(ctx, `/book/${company}`, query)
  return read(
    mapResult(storedWorkspace, (workspace): Page => {
      const { tz: _, duration: __, ...kept } = view.kept
      const bare = { ...view, kept }
      return siteFramed(bare, workspace.sites, (page) => companyPage(page, workspace))
    }),
  )
}

/** The facts of an event type that visitors may book, found by its slug alone. @throws NOT_FOUND */
export function offered(stored: StoredFacts | null, slug: string): StoredFacts {
  if (!stored?.event_type.is_active || stored.event_type.slug !== slug) throw NO_PAGE()
  return stored
}

/** A start in an address or a form: a timestamp with Z. */
export const startOf = (text: string | undefined): number | undefined => {
  const utc = text === undefined ? undefined : toUtcText(text)
  return utc === undefined ? undefined : Date.parse(utc)
}

/** The page of an event type: its free times, and with `at` the form for one of them. It changes nothing. */
export async function showEventType(ctx: Ctx, { company_slug, event_type_slug }: Params, query: PageQuery): Promise<Plan<Page>> {
  const path = `/book/${company_slug}/${event_type_slug}`
  const view = viewFor(ctx, path, query)
  const workspace = await ctx.read(storedWorkspace)
  const at = startOf(query.at)
  const month = at === undefined ? monthWindow(query, ctx.now) : undefined
  const window = month?.window ?? (at === undefined ? daysWindow(query, ctx.now).window : windowAround({ instant: at }, 1))
  const facts = readFacts({ event_type: event_type_slug, from: window[0], to: window[1] })
  return read(
    mapResult(facts, (found): Page => {
      const stored = offered(found, event_type_slug)
      if (query.done === 'mail' || query.done === 'waiting')
        return siteFramed(view, workspace.sites, (framed) => donePage(framed, stored, workspace, query.done as 'mail' | 'waiting'))
      if (month) {
        const back = { path: `/book/${company_slug}`, text: view.texts.back_types }
        const page = {
          title: stored.event_type.name,
          workspace,
          about: aboutOf(view, stored),
          back,
          ...shownMonth(stored, query, month, ctx.now),
        }
        return siteFramed(view, workspace.sites, (framed) => monthPage(framed, page))
      }
      if (at === undefined)
        return siteFramed(view, workspace.sites, (framed) => timesOf(ctx, framed, query, stored, workspace, `/book/${company_slug}`))
      const duration = pageDuration(stored, query.duration)
      const isFree = slotAt(contextFor(stored, ...window), { now: ctx.now.getTime(), duration_minutes: duration }, at)
      const waits = !isFree && isFull(stored, at, duration, ctx.now.getTime(), window)
      if (!isFree && !waits) return redirectTo(timesAddress(view, { ...query, done: 'taken' }))
      const page = formOf(view, stored, workspace, {
        at,
        zone: pageZone(stored, query),
        duration,
        token: crypto.randomUUID(),
        faults: [],
        waits,
      })
      return siteFramed(challengedView(ctx, view, stored), workspace.sites, (framed) =>
        bookingForm(framed, page, stored.event_type.questions, prefilled(query)),
      )
    }),
  )
}

const prefilled = ({ name = '', email = '', phone = '' }: PageQuery): Typed => ({ name, email, phone })

/** The page after a form that has booked nothing yet. */
const donePage = (view: PageView, { event_type }: StoredFacts, workspace: StoredWorkspace, done: 'mail' | 'waiting') => {
  const { check_mail, check_mail_text, on_list, on_list_text, back_times: text } = view.texts
  const [title, about] = done === 'mail' ? [check_mail, check_mail_text] : [on_list, on_list_text]
  const back = href(view.path, view.kept)
  return linkPage(view, { title: `${title}: ${event_type.name}`, workspace, about, href: back, text })
}

function timesOf(ctx: Ctx, view: PageView, query: PageQuery, stored: StoredFacts, workspace: StoredWorkspace, back: string): string {
  const { name, duration_minutes } = stored.event_type
  const shown = shownTimes(stored, query, ctx.now)
  const about =
    `${query.done === 'taken' ? `<p class="note" role="status">${view.texts.gone}</p>` : ''}<p>` +
    `${view.texts.minutes(shown.duration ?? duration_minutes)}</p>${aboutOf(view, stored)}`
  return timesPage(view, { title: name, workspace, about, ...shown, back: { path: back, text: view.texts.back_types } })
}

/** Who the booking is with, what it is about and where it takes place. */
const aboutOf = ({ texts }: PageView, { event_type, hosts }: StoredFacts): string =>
  `${hostsOf(texts, certainHosts(event_type, hosts))}${paragraphs(event_type.description)}${paragraphs(event_type.location)}`

type FormParts = { at: number; zone: string; duration: number; token: string; faults: Fault[]; nearest?: number[]; waits?: boolean }

function formOf(
  view: PageView,
  { event_type }: StoredFacts,
  workspace: StoredWorkspace,
  { at, zone, duration, token, waits = false, ...rest }: FormParts,
): FormPage {
  const carried = { token, tz: zone, lang: view.kept.lang, wait: waits ? 'yes' : undefined }
  return {
    title: event_type.name,
    workspace,
    zone,
    start: at,
    end: at + duration * MINUTE,
    action: view.path,
    times: view.path,
    carried,
    waits,
    needsEmail: waits || event_type.confirm_email,
    guests: waits ? 0 : event_type.max_guests,
    ...rest,
  }
}

/**
 * Books a time for a visitor. A form that is sent again leads to the booking that it has made. What is wrong with it, and a time that
 * somebody else has taken, are shown with the form and all that was typed.
 */
export async function bookFromPage(ctx: Ctx, { company_slug, event_type_slug }: Params, typed: Typed): Promise<Plan<Page>> {
  const query: PageQuery = { lang: typed.lang, tz: typed.tz, duration: typed.duration }
  const view = viewFor(ctx, `/book/${company_slug}/${event_type_slug}`, query)
  const form = readVisitorForm(typed)
  const { name, notes } = form
  const at = startOf(typed.at)
  if (form.token === undefined || at === undefined) return plan([], constant<Page>(redirectTo(timesAddress(view, query))))
  const id = newId()
  const call = { caller: null, call_key: `page/${event_type_slug}/${form.token}`, call_id: null }
  let facts: StoredFacts | undefined
  let answers: BookerAnswer[] = []
  let attendees: string[] = []
  const known = (found: StoredFacts | null) => {
    facts = offered(found, event_type_slug)
    const { questions, confirm_email, max_guests } = facts.event_type
    const checked = checkVisitorForm(form, { questions, needsEmail: confirm_email, most_guests: max_guests }, view.texts)
    if (checked.faults.length > 0) throw new FormRefused(checked.faults)
    ;({ answers, attendees } = checked)
    return facts
  }
  try {
    const decision = await claimOrRepeat(
      ctx,
      {
        event_type: event_type_slug,
        starts_at: new Date(at).toISOString(),
        timezone: toZone(typed.tz ?? ''),
        duration_minutes: Number(typed.duration) || undefined,
        booker: form.addresses,
        claimed_for: claimedFor(ctx, id, at),
        call,
        admit: (stored) => assertPerson(ctx, view, stored, typed),
      },
      known,
      ({ memory }) => {
        const before = memory?.find(({ same, outcome }) => same && (outcome === 'booked' || outcome === 'requested'))
        return before && (before.booking_id ?? '')
      },
    )
    if (!decision) return plan([], constant<Page>(''))
    const isAsked = facts?.event_type.confirm_email
    const page = (booking: string) => (isAsked ? constant<Page>(checkMail(view, query)) : bookedPage(booking, company_slug, view))
    if ('repeated' in decision) return plan([], page(decision.repeated))
    const visitor = { id, name, notes, answers, attendees, ...form.addresses, company_slug }
    const counted = countedVisit(ctx, decision.stored.event_type.id, call)
    if (mustConfirm(decision.stored))
      return sent(plan([...awaitConfirmation(ctx, decision, visitor), ...counted('requested', null)], page('')))
    const contact = decision.stored.contact?.id
    return plan(
      [
        !!contact && callFunction('assert_few_bookings', contact),
        ...(await bookingStatements(ctx, decision, { ...visitor, source: 'page' })),
        ...counted('booked', id),
      ],
      page(id),
    )
  } catch (error) {
    return refusedForm(ctx, view, error, typed, { at, token: form.token, facts })
  }
}

/** Shows the form again with what is wrong. @throws any other error. */
export async function refusedForm(
  ctx: Ctx,
  view: PageView,
  error: unknown,
  typed: Typed,
  { at, token, facts }: { at: number; token: string; facts: StoredFacts | undefined },
): Promise<Plan<Page>> {
  const isTaken = error instanceof AppError && error.code === 'SLOT_UNAVAILABLE'
  // The event type has changed since the form was shown.
  if (error instanceof AppError && error.code === 'VALIDATION_ERROR') return plan([], constant<Page>(redirectTo(timesAddress(view, typed))))
  if (!facts || !(isTaken || error instanceof FormRefused)) throw error
  const duration = pageDuration(facts, typed.duration)
  const faults = error instanceof FormRefused ? error.faults : [{ field: 'at', message: view.texts.taken }]
  const parts = {
    at,
    token,
    duration,
    zone: pageZone(facts, typed),
    waits: typed.wait !== undefined,
    faults,
    ...(isTaken && { nearest: nearestOf(error) }),
  }
  const workspace = await ctx.read(storedWorkspace)
  const { questions } = facts.event_type
  const form = formOf(view, facts, workspace, parts)
  const shown = challengedView(ctx, view, facts)
  const status = error instanceof FormRefused ? error.status : 409
  return plan([], constant<Page>(siteFramed(shown, workspace.sites, (framed) => bookingForm(framed, form, questions, typed), status)))
}

type Nearest = Record<'nearest_before' | 'nearest_after', { starts_at: string } | null>
/** The nearest free times that SLOT_UNAVAILABLE names. */
export const nearestOf = ({ details }: AppError): number[] => {
  const { nearest_before: before, nearest_after: after } = details as Nearest
  return [before, after].flatMap((slot) => (slot ? [Date.parse(slot.starts_at)] : []))
}
