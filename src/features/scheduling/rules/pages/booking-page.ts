import { escapeHtml } from '../../../../lib/html.ts'
import { clock, hidden, href } from '../../../pages/rules/html.ts'
import type { BookingStatus } from '../states.ts'
import { entryOf, googleCalendarUrl, outlookCalendarUrl } from './calendar-links.ts'
import { hostsOf, type PageHost } from './hosts.ts'
import { documentOf, type PageView } from './layout.ts'

/** A booking as the holder of its link sees it; instants are milliseconds since 1970. */
export type LinkedBooking = {
  id: string
  status: BookingStatus
  starts_at: number
  ends_at: number
  updated_at: number
  timezone: string
  name: string
  notes: string | null
  location: string | null
  video_meet_link: string | null
  uid: string
  sequence: number
  duration_minutes: number
  event_type: string
  workspace: string
  color: string | null
  logo: string | null
  hosts: PageHost[]
  /** Where its visitor goes on after booking it. */
  redirect_url: string | null
  sites: string[]
}

const OPEN: BookingStatus[] = ['pending', 'confirmed']
/** Whether its visitor may still move or cancel it. */
export const isChangeable = ({ status, starts_at }: Pick<LinkedBooking, 'status' | 'starts_at'>, now: number): boolean =>
  OPEN.includes(status) && starts_at > now

function titleOf({ texts }: PageView, { status }: LinkedBooking, done: string | undefined): string {
  if (status === 'cancelled') return texts.cancelled
  if (status === 'pending') return texts.requested
  return done === 'booked' ? texts.booked : done === 'moved' ? texts.moved : texts.your_booking
}

/** A link that opens beside the page, because other hosts do not let themselves be shown in a frame. */
const outside = (url: string, text: string) =>
  `<a href="${escapeHtml(url)}" target="_blank" rel="noopener noreferrer">${escapeHtml(text)}</a>`
const isWeb = (link: string) => /^https?:\/\//i.test(link)

/** The page of a booking. `done` is what its visitor has just done. */
export function bookingPage(view: PageView, booking: LinkedBooking, done: string | undefined, now: number): string {
  const { texts, path, kept } = view
  const { range } = clock(texts, booking.timezone)
  const row = (name: string, value: string | null) => (value ? `<dt>${name}</dt><dd>${value}</dd>` : '')
  const link = booking.video_meet_link
  const list = `${hostsOf(texts, booking.hosts)}<dl>${row(texts.what, escapeHtml(booking.event_type))}
${row(texts.when, escapeHtml(range(booking.starts_at, booking.ends_at)))}
${row(texts.where, booking.location && escapeHtml(booking.location))}
${row(texts.link, link && (isWeb(link) ? outside(link, link) : escapeHtml(link)))}
${row(texts.who, escapeHtml(booking.name))}</dl>`
  const entry = entryOf(booking, booking.event_type, booking.workspace)
  const changes = isChangeable(booking, now)
    ? `<p>${texts.add_to_calendar}</p>
<ul><li>${outside(googleCalendarUrl(entry), 'Google Calendar')}</li><li>${outside(outlookCalendarUrl(entry), 'Outlook')}</li><li>\
<a href="${href(`${path}/booking.ics`, {})}">${texts.calendar}</a></li></ul>
<p><a class="button" href="${href(`${path}/move`, kept)}">${texts.move}</a></p>
<form method="post" action="${escapeHtml(`${path}/cancel`)}">${hidden({ lang: kept.lang })}
<h2>${texts.cancel}</h2>
<div class="field"><label for="reason">${texts.reason} <small>(${texts.optional})</small></label>\
<input id="reason" name="reason" maxlength="500"></div>
<button class="quiet" type="submit">${texts.cancel}</button></form>`
    : booking.status === 'cancelled'
      ? ''
      : `<p>${texts.over}</p>`
  const kept_link = done && booking.status !== 'cancelled' ? `<p class="note" role="status">${texts.keep_link}</p>` : ''
  const title = titleOf(view, booking, done)
  const { workspace, color, logo, status } = booking
  const booked = done === 'booked' && isChangeable(booking, now) ? (status === 'pending' ? 'requested' : 'confirmed') : undefined
  const next = booked && booking.redirect_url ? booking.redirect_url : undefined
  const onward = next
    ? `<p><a class="button" id="next" href="${escapeHtml(next)}" target="_top" rel="noreferrer">` +
      `${escapeHtml(texts.go_on(new URL(next).host))}</a></p>`
    : ''
  return documentOf(view, { title, workspace, color, logo, body: `${onward}${kept_link}${list}${changes}`, booked })
}
