import { escapeHtml } from '../../../../lib/html.ts'
import { clock, hidden, href, paragraphs } from '../../../pages/rules/html.ts'
import { type Brand, branded, documentOf, type PageView } from './layout.ts'

export type Workspace = Brand & { sites: string[] }
export type OfferedType = { name: string; slug: string; description: string | null; duration_minutes: number }

/** The page of a workspace: what can be booked. */
export function companyPage(view: PageView, { event_types, ...workspace }: Workspace & { event_types: OfferedType[] }): string {
  const { texts, path, kept } = view
  const cards = event_types.map(
    (type) =>
      `<li class="card"><h2><a href="${href(`${path}/${type.slug}`, kept)}">${escapeHtml(type.name)}</a></h2><p>` +
      `${texts.minutes(type.duration_minutes)}</p>${paragraphs(type.description && shortened(type.description))}</li>`,
  )
  const list = cards.length > 0 ? `<p>${texts.choose_type}</p><ul class="plain">${cards.join('')}</ul>` : `<p>${texts.no_types}</p>`
  return documentOf(view, { title: texts.book(workspace.name), ...branded(workspace), body: list })
}

/** A page of a hundred event types must stay small. */
const shortened = (text: string) => (text.length > 200 ? `${text.slice(0, 199).toWellFormed()}…` : text)

/** `full`: the times that have no free seat, for which there is a waiting list. */
export type Day = { date: string; noon: number; starts: number[]; full: number[]; seats_left: Map<number, number> }
export type TimesPage = {
  title: string
  workspace: Workspace
  about: string
  zone: string
  /** The instant at which it is shown. */
  now: number
  /** Whether the visitor can choose the zone: times of a place are shown in that of the place. */
  hasChoice: boolean
  duration: number
  durations: number[]
  days: Day[]
  /** Whether several people share a time. */
  hasSeats: boolean
  /** The date whose times are shown. */
  day: string | undefined
  earlier: string | undefined
  later: string | undefined
  /** Where the next free day is looked for if there are no times. */
  next: string | undefined
  back?: { path: string; text: string }
}

/** A day of more times does not say how many seats each has left, to stay small. */
const MOST_WITH_SEATS = 150

/** The page at which a visitor chooses a day and a time. */
export function timesPage(view: PageView, page: TimesPage): string {
  const { texts, path, kept } = view
  const { date, time } = clock(texts, page.zone)
  const shown = page.days.find((day) => day.date === page.day)
  const short = new Intl.DateTimeFormat(texts.locale, { timeZone: 'UTC', weekday: 'short', day: 'numeric', month: 'short' })
  const labelOf = (day: Day) => escapeHtml(short.format(Date.parse(day.date)))
  const from = page.days[0]?.date
  const dayLinks = page.days.map((day) =>
    day.starts.length + day.full.length === 0
      ? `<li><span>${labelOf(day)}<small>${texts.none}</small></span></li>`
      : `<li><a href="${href(path, { ...kept, from, day: day.date })}#times"${day === shown ? ' aria-current="date"' : ''}>` +
        `${labelOf(day)}<small>${day.starts.length > 0 ? texts.free(day.starts.length) : texts.none}</small></a></li>`,
  )
  const hasSeats = page.hasSeats && shown && shown.starts.length <= MOST_WITH_SEATS
  const seatsOf = (at: number) => {
    const seats = shown?.full.includes(at) ? texts.full : hasSeats && texts.seats(shown.seats_left.get(at) ?? 0)
    return seats ? `<small>${seats}</small>` : ''
  }
  // Relative addresses keep a page of nearly three hundred times small.
  const times =
    shown &&
    [...shown.starts, ...shown.full]
      .sort((a, b) => a - b)
      .map(
        (at) =>
          `<li><a href="${href('', { ...kept, day: undefined, from: undefined, at: new Date(at).toISOString().replace('.000', '') })}">` +
          `${escapeHtml(time(at))}${seatsOf(at)}</a></li>`,
      )
  const turn = (to: string | undefined, text: string) =>
    to ? `<a href="${href(path, { ...kept, day: undefined, from: to })}">${text}</a>` : '<span></span>'
  const nextFree = page.next ? `<p><a class="button" href="${href(path, { ...kept, next: page.next })}">${texts.next_free}</a></p>` : ''
  const body = `${page.about}
<p id="zone">${escapeHtml(texts.times_in(page.zone, time(page.now)))}</p>
${settingsForm(view, page)}
<h2 id="days">${texts.choose_time}</h2>
<nav aria-label="${texts.days}"><ul class="plain days">${dayLinks.join('')}</ul>
<div class="pages">${turn(page.earlier, texts.earlier)}${turn(page.later, texts.later)}</div></nav>
${
  times && shown
    ? `<h2 id="times">${escapeHtml(date(shown.noon))}</h2><ul class="plain times">${times.join('')}</ul>`
    : `<p role="status">${texts.no_times}</p>${nextFree}`
}
<p><a href="${href(path, { ...kept, month: (page.day ?? from ?? '').slice(0, 7) })}">${texts.month_view}</a></p>
${page.back ? `<p><a href="${href(page.back.path, { lang: kept.lang })}">${page.back.text}</a></p>` : ''}`
  const here = { tz: page.hasChoice ? page.zone : undefined, from, day: page.day }
  return documentOf(view, { title: page.title, ...branded(page.workspace), body, here })
}

const option = (value: string, isChosen: boolean, label = value) =>
  `<option${label === value ? '' : ` value="${escapeHtml(value)}"`}${isChosen ? ' selected' : ''}>${escapeHtml(label)}</option>`

/** The time zone and, if there are several, the duration. */
function settingsForm({ texts, path, kept }: PageView, { zone, hasChoice, duration, durations }: TimesPage): string {
  const zones = hasChoice
    ? `<div class="field"><label for="tz">${texts.zone}</label><select id="tz" name="tz">${zoneNames(zone)
        .map((name) => option(name, name === zone))
        .join('')}</select></div>`
    : ''
  const lengths =
    durations.length > 1
      ? `<div class="field"><label for="duration">${texts.duration}</label><select id="duration" name="duration">${durations
          .map((minutes) => option(String(minutes), minutes === duration, texts.minutes(minutes)))
          .join('')}</select></div>`
      : ''
  if (!zones && !lengths) return ''
  return (
    `<form method="get" action="${escapeHtml(path)}">${hidden({ ...kept, tz: undefined, duration: undefined })}${zones}${lengths}` +
    `<button type="submit">${texts.show}</button></form>`
  )
}

const zoneNames = (zone: string): string[] => [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', zone])].sort()
