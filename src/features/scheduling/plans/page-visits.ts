import { sql } from 'drizzle-orm'
import type { Ctx } from '../../../context.ts'
import { call as callFunction } from '../../../data/call.ts'
import type { Statement } from '../../../data/db.ts'
import { mapResult, plainRows, type Query } from '../../../data/query.ts'
import { dayAfter, dayIn } from '../../../domain/local-days.ts'
import { toZone } from '../../../domain/time-zones.ts'
import type { Env } from '../../../env.ts'
import { AppError, STATUS_OF } from '../../../errors.ts'
import { type LinkPurpose, readLinkToken } from '../../../lib/link-tokens.ts'
import { isCalendarDate } from '../../../lib/text.ts'
import { redirectTo, WebPage } from '../../../lib/web-page.ts'
import { addressOf, networkHash, partsOf } from '../../pages/plans/visits.ts'
import { imagesOf } from '../../pages/rules/html.ts'
import { languageOf } from '../../pages/rules/languages.ts'
import { pagePolicy, policyFor } from '../../pages/rules/policy.ts'
import { MOST_PAGE_VISITS } from '../rules/limits.ts'
import type { OfferedType, TimesPage, Workspace } from '../rules/pages/choices.ts'
import { messagePage, type PageView, viewOf } from '../rules/pages/layout.ts'
import { TEXTS } from '../rules/pages/texts.ts'
import { durationsOf } from '../rules/slots.ts'
import { fullStarts, withFreeSeats } from '../rules/waiting.ts'
import { DAY, dateOfDay, dayAt } from '../rules/zone-table.ts'
import { type StoredFacts, type ToolCall, type ToolOutcome, zoneFor } from './facts.ts'
import { slotsBetween } from './slots.ts'
import { remember } from './voice-call.ts'

/** What the address of an event type can fill in for its visitor, such as a link in an email to somebody who is known. */
type Prefilled = 'name' | 'email' | 'phone'

/** The parameters of the pages. `visitor_zone` is what the network knows of the visitor's time zone. */
export type PageQuery = Partial<
  Record<'lang' | 'tz' | 'day' | 'from' | 'next' | 'month' | 'at' | 'duration' | 'done' | 'visitor_zone' | Prefilled, string>
>

type Visit = { url: string; headers: Headers }

/** How many days a page of times has. */
const SHOWN_DAYS = 14
/** How many days are searched for the next free one, at a time. */
const SEARCHED_DAYS = 62

/**
 * Remembers what the form of a visitor has done, and counts it for the visitor's network and the event type: an IPv4 address, or the 64
 * bits of IPv6 that one customer of a provider has. The network is stored as a hash, for two days. Raises RATE_LIMITED for one too many
 * within an hour, if it `counts`.
 */
export function countedVisit(ctx: Ctx, eventType: string, call: ToolCall, counts = sql`true`) {
  const call_id = `page/${networkHash(ctx.received?.headers, eventType)}`
  return (outcome: ToolOutcome, booking: string | null): Statement[] => [
    sql`select assert_few_visits(${call_id}, ${MOST_PAGE_VISITS}::int) where ${counts}`,
    remember({ ...call, call_id }, outcome, booking),
  ]
}

/** A visitor of a workspace's booking page: reaches the workspace, if it has enabled the page, and has no scopes. */
export function pageVisitor({ url, headers, method }: Visit & { method: string }) {
  const [, , company = '', eventType = ''] = partsOf(url)
  const address = addressOf(headers)
  const rates =
    method === 'POST'
      ? [
          { rate: 'sends' as const, id: `book ${address}` },
          { rate: 'default' as const, id: `book ${company}/${eventType}` },
        ]
      : [{ rate: 'default' as const, id: `pages ${address}` }]
  return { kind: 'public_token' as const, id: `book ${company}`, grant: callFunction('booking_page_grant', company), rates }
}

/** The holder of the link of a booking, until it expires. The workspace is that of the booking, whatever its address is called now. */
export function linkVisitor({ url, headers, method }: Visit & { method: string }) {
  const token = partsOf(url)[4] ?? ''
  const rate = method === 'POST' ? ('sends' as const) : ('default' as const)
  const rates = [{ rate, id: `${rate === 'sends' ? 'book' : 'pages'} ${addressOf(headers)}` }]
  return { kind: 'public_token' as const, id: 'book link', grant: callFunction('booking_link_grant', token), rates }
}

/**
 * Who opens the link of an email that was sent to a visitor without a booking. Whether it has expired is found with its row. @throws
 * UNAUTHENTICATED for a token that was made up.
 */
const visitorWithLink =
  (purpose: LinkPurpose) =>
  ({ url, headers, method, env }: Visit & { method: string; env: Pick<Env, 'FILE_SECRET'> }) => {
    const target = readLinkToken(env.FILE_SECRET, purpose, partsOf(url)[4] ?? '')
    if (!target) throw new AppError('UNAUTHENTICATED', 'This link is not valid')
    const rate = method === 'POST' ? ('sends' as const) : ('default' as const)
    const rates = [{ rate, id: `${rate === 'sends' ? 'book' : 'pages'} ${addressOf(headers)}` }]
    const grant = sql`jsonb_build_object('workspace_id', ${target.workspace_id}::text, 'scopes', '[]'::jsonb)`
    return { kind: 'public_token' as const, id: `book ${purpose}`, grant, rates }
  }
export const waitingHolder = visitorWithLink('waiting_list')
export const confirmationHolder = visitorWithLink('booking_confirmation')

/**
 * The page for an error. One that a token is unknown or expired, and one that a page is not enabled, look the same. It has nothing to act
 * on, so any site may show it in a frame.
 */
export function failurePage(error: AppError, { url, headers }: Pick<Request, 'url' | 'headers'>): WebPage {
  const { pathname, searchParams } = new URL(url)
  const view = viewOf(pathname, languageOf(searchParams.get('lang') ?? undefined, headers.get('accept-language')))
  const { texts } = view
  const policy = pagePolicy(headers.get('sec-fetch-dest') === 'iframe' ? '*' : "'none'")
  const page = (status: number, title: string, text: string) => new WebPage(status, messagePage(view, title, text), policy)
  if (['UNAUTHENTICATED', 'NOT_FOUND', 'VALIDATION_ERROR'].includes(error.code)) return page(404, texts.not_found, texts.not_found_text)
  if (error.code === 'RATE_LIMITED') return page(429, texts.many, texts.many_text)
  if (['CONFLICT', 'INVALID_STATE', 'FORBIDDEN', 'SLOT_UNAVAILABLE'].includes(error.code))
    return page(409, texts.changed, texts.changed_text)
  return page(STATUS_OF[error.code], texts.failed, texts.failed_text)
}

/** A page that the sites of its workspace may show in a frame. */
export function siteFramed(view: PageView, sites: string[], render: (view: PageView) => string, status = 200): WebPage {
  const page = render({ ...view, sites })
  return new WebPage(status, page, policyFor(sites, imagesOf(page), view.challenge?.widget?.origin))
}

/** The view of a visitor: the language, and the parameters that further addresses keep. */
export function viewFor(ctx: Ctx, path: string, { lang, tz, duration, name, email, phone }: PageQuery): PageView {
  const language = languageOf(lang, ctx.received?.headers.get('accept-language') ?? null)
  return viewOf(path, language, { lang: lang && Object.hasOwn(TEXTS, lang) ? lang : undefined, tz, duration, name, email, phone })
}

export type StoredWorkspace = Workspace & { event_types: OfferedType[] }
export const storedWorkspace: Query<StoredWorkspace> = mapResult(
  plainRows<{ page: StoredWorkspace }>(callFunction('booking_page'), ['page']),
  ([row]) => row?.page as StoredWorkspace,
)

/** The zone of a page: that of the place, the chosen one, the visitor's, or that of the workspace. */
export const pageZone = (stored: StoredFacts, { tz, visitor_zone }: PageQuery): string =>
  zoneFor(stored, toZone(tz ?? '') ?? toZone(visitor_zone ?? '') ?? stored.workspace_zone)

/** One of the durations of the event type: the requested one, or else the usual one or that of the booking that is moved. */
export function pageDuration({ event_type, moved }: StoredFacts, requested: string | undefined): number {
  const durations = durationsOf(event_type)
  return [Number(requested), moved?.duration_minutes ?? 0].find((minutes) => durations.includes(minutes)) ?? event_type.duration_minutes
}

/** The first day of a page of times, and the window in which its times lie in every zone. */
export function daysWindow({ from, day, next }: PageQuery, now: Date): { first: string; window: [number, number] } {
  const today = dayIn('UTC', now)
  const wanted = [next, from, day].find((date) => date !== undefined && isCalendarDate(date) && date > today && date < dayAfter(today, 800))
  const first = wanted ?? dayAfter(today, -1)
  const days = SHOWN_DAYS + (next === undefined ? 0 : SEARCHED_DAYS)
  return { first, window: [Date.parse(first) - DAY, Date.parse(first) + (days + 2) * DAY] }
}

type Shown = Pick<
  TimesPage,
  'hasSeats' | 'zone' | 'now' | 'duration' | 'durations' | 'hasChoice' | 'days' | 'day' | 'earlier' | 'later' | 'next'
>

/** The days and times of a page, from facts about its window. */
export function shownTimes(stored: StoredFacts, query: PageQuery, now: Date): Shown {
  const zone = pageZone(stored, query)
  const { window, first: wanted } = daysWindow(query, now)
  const today = dayIn(zone, now)
  const duration = pageDuration(stored, query.duration)
  const waits = stored.event_type.waiting_list && !stored.moved
  const slotsOf = (from: string, to: string, most: number) =>
    slotsBetween(
      waits ? { ...stored, sessions: withFreeSeats(stored.sessions) } : stored,
      { from, to, timezone: zone, duration_minutes: duration, host_id: undefined },
      now.getTime(),
      window,
      most,
    )
  const begin = wanted < today ? today : wanted
  const first =
    query.next === undefined ? begin : (nextFree(slotsOf(begin, dayAfter(begin, SEARCHED_DAYS - 1), 1)) ?? dayAfter(begin, SEARCHED_DAYS))
  const last = dayAfter(first, SHOWN_DAYS - 1)
  // Two weeks of times every five minutes.
  const { table, slots } = slotsOf(first, last, 4_100)
  const isFull = waits ? fullStarts(stored.sessions) : new Set<number>()
  const left = new Map(slots.map(({ start, seats_left }) => [start, seats_left]))
  const starts = Map.groupBy(slots, ({ start }) => dateOfDay(dayAt(table, start)))
  const days = Array.from({ length: SHOWN_DAYS }, (_, index) => {
    const date = dayAfter(first, index)
    const found = (starts.get(date) ?? []).map(({ start }) => start)
    const [full, free] = [found.filter((at) => isFull.has(at)), found.filter((at) => !isFull.has(at))]
    return { date, noon: found[0] ?? Date.parse(`${date}T12:00:00Z`), starts: free, full, seats_left: left }
  })
  const free = days.filter((day) => day.starts.length + day.full.length > 0)
  const horizon = dayAfter(today, stored.event_type.horizon_days)
  const before = dayAfter(first, -SHOWN_DAYS)
  const later = last < horizon ? dayAfter(last, 1) : undefined
  return {
    zone,
    now: now.getTime(),
    duration,
    hasSeats: stored.event_type.seats > 1,
    hasChoice: stored.event_type.locked_timezone === null,
    durations: durationsOf(stored.event_type),
    days,
    day: (free.find(({ date }) => date === query.day) ?? free[0])?.date,
    earlier: first > today ? (before < today ? today : before) : undefined,
    later,
    next: free.length === 0 ? later : undefined,
  }
}

/** The date of the first of these times. */
const nextFree = ({ table, slots: [first] }: ReturnType<typeof slotsBetween>) => first && dateOfDay(dayAt(table, first.start))

/** Leads to the page of a booking that was made just now. */
export const bookedPage = (id: string, company: string, { kept }: PageView): Query<string | WebPage> =>
  mapResult(plainRows<{ token: string | null }>(sql`select management_token from bookings where id = ${id}::uuid`, ['token']), ([row]) => {
    if (!row?.token) throw new AppError('NOT_FOUND', 'No such page')
    return redirectTo(`/book/${encodeURIComponent(company)}/manage/${row.token}?done=booked${kept.lang ? `&lang=${kept.lang}` : ''}`)
  })

/** The address of the times of an event type, with what the visitor has chosen. */
export const timesAddress = (view: PageView, { tz, duration, done }: PageQuery) => {
  const set = Object.entries({ lang: view.kept.lang, tz, duration, done }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  return set.length > 0 ? `${view.path}?${new URLSearchParams(set)}` : view.path
}
