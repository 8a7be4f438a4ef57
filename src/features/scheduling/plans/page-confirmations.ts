import { createHash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { bookingConfirmations, bookingHolds } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call as callFunction } from '../../../data/call.ts'
import { db, type Statement } from '../../../data/db.ts'
import { type Plan, plan, read, waking } from '../../../data/plan.ts'
import { constant, mapResult, plainRows, type Query } from '../../../data/query.ts'
import { AppError } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { rowOfToken } from '../../../lib/link-tokens.ts'
import { redirectTo, type WebPage } from '../../../lib/web-page.ts'
import { sendMessage } from '../../messages/plans/send-message.ts'
import type { Typed } from '../../pages/rules/form-fields.ts'
import { href } from '../../pages/rules/html.ts'
import { CONFIRM_MINUTES, MOST_CONFIRMATIONS } from '../rules/limits.ts'
import { renderNotice } from '../rules/notice-texts.ts'
import { settingOf } from '../rules/notices.ts'
import { factsOfVisitor } from '../rules/page-facts.ts'
import type { Workspace } from '../rules/pages/choices.ts'
import { type AwaitedForm, type AwaitedTime, confirmPage } from '../rules/pages/confirm-page.ts'
import { linkPage, type PageView } from '../rules/pages/layout.ts'
import type { BookerAnswer } from '../rules/questions.ts'
import { MINUTE } from '../rules/zone-table.ts'
import { type ClaimedFor, claim, claimedAt, type Decision } from './claims.ts'
import { bookingStatements } from './create-booking.ts'
import type { StoredFacts } from './facts.ts'
import { bookedPage, type PageQuery, siteFramed, timesAddress, viewFor } from './page-visits.ts'
import { remember } from './voice-call.ts'

type Page = string | WebPage
type Params = { company_slug: string; token: string }

/**
 * Whether nothing is booked before the visitor has confirmed the email address, also one that a contact has: anybody can type it. A contact
 * with too many bookings learns of the limit by the link of the email, because a refusal would show every visitor that the address is
 * known.
 */
export const mustConfirm = ({ event_type }: StoredFacts): boolean => event_type.confirm_email

const ownerOf = (id: string) => `confirmation/${id}`
const expiryOf = (now: Date, start: number) => Math.min(now.getTime() + CONFIRM_MINUTES * MINUTE, start)

/** What a visitor's time is claimed as: a booking, or a hold until the address is confirmed. */
export const claimedFor =
  (ctx: Ctx, id: string, start: number) =>
  (stored: StoredFacts): ClaimedFor =>
    mustConfirm(stored) ? { hold_id: id, expires_at: new Date(expiryOf(ctx.now, start)).toISOString() } : { booking_id: id }

type Visitor = {
  id: string
  company_slug: string
  name: string
  email: string | null
  phone: string | null
  notes: string | null
  answers: BookerAnswer[]
  attendees: string[]
}

const emailHash = (email: string) => createHash('sha256').update(email.toLowerCase()).digest('hex')

/** What follows the claim of a time that must be confirmed: the hold, what was typed, and the email with the link. */
export function awaitConfirmation(ctx: Ctx, decision: Decision, visitor: Visitor): Statement[] {
  const { stored, slot, duration_minutes, table } = decision
  const { id, company_slug, name, phone, notes, answers, attendees } = visitor
  const email = visitor.email as string
  const email_hash = emailHash(email)
  const valid_until = expiryOf(ctx.now, slot.start)
  const [starts_at, expires_at] = [slot.start, valid_until].map((at) => new Date(at).toISOString()) as [string, string]
  const { event_type } = stored
  const form: AwaitedForm = { name, email, phone, notes, answers, attendees, duration_minutes, timezone: table.zone }
  const wanted = { id, name, email, phone, starts_at: slot.start, ends_at: slot.end, duration_minutes, timezone: table.zone }
  const workspace = { name: stored.workspace_name, slug: company_slug, color: stored.workspace_color }
  const facts = factsOfVisitor({ ...wanted, location: event_type.location, event_type, workspace, valid_until, now: ctx.now.getTime() })
  const to = { channel: 'email', recipient: email, is_booker: true, sequence: 0 } as const
  const message = sendMessage({
    ...renderNotice(settingOf(event_type.notices, 'email_confirmation'), facts, to, ctx.appUrl),
    channel: 'email',
    purpose: 'booking',
    contact_id: null,
    recipient: email,
    expires_at,
    dedupe_key: `booking_confirmation:${id}`,
  })
  if ('code' in message) throw new AppError(message.code, message.message)
  const hold = { id, owner: ownerOf(id), event_type_id: event_type.id, starts_at, ends_at: new Date(slot.end).toISOString(), expires_at }
  return [
    db.insert(bookingHolds).values({ ...hold, host_ids: claimedAt().host_ids, session_id: claimedAt().session_id }),
    callFunction('assert_few_confirmations', email_hash, MOST_CONFIRMATIONS),
    db.insert(bookingConfirmations).values({ id, event_type_id: event_type.id, starts_at, expires_at, form, email_hash }),
    message.statement,
  ]
}

/** The page after a form for an event type that has addresses confirmed. It is the same for every address. */
export const checkMail = (view: PageView, { tz }: PageQuery): WebPage => redirectTo(timesAddress(view, { tz, done: 'mail' }))
export const sent = <Out>(planned: Plan<Out>): Plan<Out> => waking('messages.send', planned)

type Awaited = Pick<AwaitedTime, 'event_type' | 'starts_at' | 'expires_at'> & {
  form: AwaitedForm | null
  created_at: number
  booking_id: string | null
  event_type_id: string
  slug: string
  company_slug: string
  workspace: Workspace
}

const awaited = (id: string): Query<Awaited> =>
  mapResult(plainRows<{ found: Awaited | null }>(callFunction('awaited_booking', id), ['found']), ([row]) => {
    if (!row?.found) throw new AppError('NOT_FOUND', 'No such page')
    return row.found
  })

const viewOf = (ctx: Ctx, { company_slug, token }: Params, lang: string | undefined) =>
  viewFor(ctx, `/book/${encodeURIComponent(company_slug)}/confirm/${token}`, { lang })

/** The page that the link of the email opens. It books nothing, because mail programs follow links by themselves. */
export async function showConfirmation(ctx: Ctx, params: Params, query: PageQuery): Promise<Plan<Page>> {
  const view = viewOf(ctx, params, query.lang)
  const found = await ctx.read(awaited(rowOfToken(params.token)))
  const { form, workspace } = found
  if (!form) return bookedAlready(found, view)
  const time = { ...found, ...form, ends_at: found.starts_at + form.duration_minutes * MINUTE }
  return read(constant<Page>(siteFramed(view, workspace.sites, (framed) => confirmPage(framed, time))))
}

const bookedAlready = ({ booking_id, company_slug }: Awaited, view: PageView): Plan<Page> => {
  if (!booking_id) throw new AppError('NOT_FOUND', 'No such page')
  return plan([], bookedPage(booking_id, company_slug, view))
}

/** Books the time that is held. A second press of the button leads to the booking that the first has made. */
export async function confirmFromPage(ctx: Ctx, params: Params, typed: Typed): Promise<Plan<Page>> {
  const view = viewOf(ctx, params, typed.lang)
  const id = rowOfToken(params.token)
  const found = await ctx.read(awaited(id))
  const { form, company_slug, starts_at, workspace } = found
  if (!form) return bookedAlready(found, view)
  const call = { caller: null, call_key: ownerOf(id), call_id: null }
  const { email, phone, timezone, duration_minutes } = form
  const booking_id = newId()
  const time = { event_type: found.event_type_id, starts_at: new Date(starts_at).toISOString(), timezone, duration_minutes }
  try {
    const decision = await claim(
      ctx,
      { ...time, booker: { email, phone }, owner: ownerOf(id), booking_id, call, chosen_at: found.created_at },
      (stored) => stored ?? missing(),
    )
    if (!decision) return plan([], constant<Page>(''))
    const contact = decision.stored.contact?.id
    const booked = { ...form, id: booking_id, attendees: form.attendees ?? [], source: 'page' as const }
    return plan(
      [
        !!contact && callFunction('assert_few_bookings', contact),
        ...(await bookingStatements(ctx, decision, booked)),
        sql`update booking_confirmations set form = null, booking_id = ${booking_id}::uuid where id = ${id}::uuid`,
        remember(call, 'booked', booking_id),
      ],
      bookedPage(booking_id, company_slug, view),
    )
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'SLOT_UNAVAILABLE') throw error
    const times = href(`/book/${encodeURIComponent(company_slug)}/${encodeURIComponent(found.slug)}`, view.kept)
    const { not_free: title, back_times: text } = view.texts
    return plan(
      [],
      constant<Page>(siteFramed(view, workspace.sites, (framed) => linkPage(framed, { title, workspace, href: times, text }), 409)),
    )
  }
}

const missing = () => {
  throw new AppError('NOT_FOUND', 'No such page')
}
