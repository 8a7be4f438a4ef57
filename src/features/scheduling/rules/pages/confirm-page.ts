import { escapeHtml } from '../../../../lib/html.ts'
import { clock, hidden, href } from '../../../pages/rules/html.ts'
import type { BookerAnswer } from '../questions.ts'
import type { WaitingState } from '../states.ts'
import type { Workspace } from './choices.ts'
import { branded, documentOf, type PageView } from './layout.ts'

/** What a visitor has typed whose address is not confirmed yet. */
export type AwaitedForm = {
  name: string
  email: string
  phone: string | null
  notes: string | null
  answers: BookerAnswer[]
  /** The addresses of guests. */
  attendees?: string[]
  duration_minutes: number
  timezone: string
}

/** A time that waits for a press of a button. Instants are milliseconds since 1970. */
export type AwaitedTime = {
  event_type: string
  workspace: Workspace
  name: string
  starts_at: number
  ends_at: number
  timezone: string
  expires_at: number
}

/** The time of a page, and who wants it. */
export function awaitedList(
  { texts }: PageView,
  { event_type, starts_at, ends_at, timezone, name }: Omit<AwaitedTime, 'expires_at'>,
): string {
  const { range } = clock(texts, timezone)
  return `<dl><dt>${texts.what}</dt><dd>${escapeHtml(event_type)}</dd>
<dt>${texts.when}</dt><dd>${escapeHtml(range(starts_at, ends_at))}</dd>
<dt>${texts.who}</dt><dd>${escapeHtml(name)}</dd></dl>`
}

const momentOf = ({ texts }: PageView, timezone: string, at: number): string => {
  const { date, time } = clock(texts, timezone)
  return `${date(at)}, ${time(at)}`
}

/** A form of one button. */
export const buttonForm = ({ kept }: PageView, action: string, text: string, style = ''): string =>
  `<form method="post" action="${escapeHtml(action)}">${hidden({ lang: kept.lang })}<p>` +
  `<button${style && ` class="${style}"`} type="submit">${text}</button></p></form>`

/** An entry of a waiting list, as whoever has its link sees it. */
export type LinkedPlace = Omit<AwaitedTime, 'expires_at'> & { state: WaitingState; expires_at: number | null }

/**
 * The page of an entry: with a seat that is offered a button that takes it, and while it is open one that leaves the list. `times` is where
 * other times are chosen.
 */
export function placePage(view: PageView, place: LinkedPlace, times: string, now: number): string {
  const { texts, path, kept } = view
  const { state, workspace, timezone, expires_at } = place
  const isOffered = state === 'offered' && (expires_at ?? 0) > now
  const isOpen = state === 'waiting' || isOffered
  const title = isOffered ? texts.offered : isOpen ? texts.on_list : texts.off_list
  const about = isOffered
    ? texts.offered_text(momentOf(view, timezone, expires_at ?? 0))
    : isOpen
      ? texts.on_list_text
      : texts.off_list_text
  const take = isOffered ? buttonForm(view, `${path}/accept`, texts.confirm) : ''
  const leave = isOpen
    ? buttonForm(view, `${path}/leave`, texts.leave, 'quiet')
    : `<p><a href="${href(times, kept)}">${texts.back_times}</a></p>`
  const body = `${awaitedList(view, place)}<p class="note" role="status">${escapeHtml(about)}</p>${take}${leave}`
  return documentOf(view, { title, ...branded(workspace), body })
}

/** The page that the link of an email leads to. It books nothing until its button is pressed. */
export function confirmPage(view: PageView, awaited: AwaitedTime): string {
  const { texts, path } = view
  const { workspace, timezone, expires_at } = awaited
  const until = `<p class="note">${escapeHtml(texts.held_until(momentOf(view, timezone, expires_at)))}</p>`
  const body = `${awaitedList(view, awaited)}${until}${buttonForm(view, path, texts.confirm)}`
  return documentOf(view, { title: texts.confirm_title, ...branded(workspace), body })
}
