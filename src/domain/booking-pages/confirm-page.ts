import { escapeHtml } from '../../lib/html.ts'
import type { BookerAnswer } from '../scheduling/questions.ts'
import type { Workspace } from './choices.ts'
import { clock, documentOf, hidden, type PageView } from './layout.ts'

/** What a visitor has typed whose address is not confirmed yet. */
export type AwaitedForm = {
  name: string
  email: string
  phone: string | null
  notes: string | null
  answers: BookerAnswer[]
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
export function awaitedList({ texts }: PageView, { event_type, starts_at, ends_at, timezone, name }: AwaitedTime): string {
  const { range } = clock(texts, timezone)
  return `<dl><dt>${texts.what}</dt><dd>${escapeHtml(event_type)}</dd>
<dt>${texts.when}</dt><dd>${escapeHtml(range(starts_at, ends_at))}</dd>
<dt>${texts.who}</dt><dd>${escapeHtml(name)}</dd></dl>`
}

/** A form of one button. */
export const buttonForm = ({ kept }: PageView, action: string, text: string, style = ''): string =>
  `<form method="post" action="${escapeHtml(action)}">${hidden({ lang: kept.lang })}<p><button${style && ` class="${style}"`} type="submit">${text}</button></p></form>`

/** The page that the link of an email leads to. It books nothing until its button is pressed. */
export function confirmPage(view: PageView, awaited: AwaitedTime): string {
  const { texts, path } = view
  const { workspace, timezone, expires_at } = awaited
  const until = `<p class="note">${escapeHtml(texts.held_until(clock(texts, timezone).time(expires_at)))}</p>`
  const body = `${awaitedList(view, awaited)}${until}${buttonForm(view, path, texts.confirm)}`
  return documentOf(view, { title: texts.confirm_title, workspace: workspace.name, color: workspace.color, body })
}
