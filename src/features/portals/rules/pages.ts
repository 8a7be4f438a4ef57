import { escapeHtml } from '../../../lib/html.ts'
import { pageDocument } from '../../pages/rules/document.ts'
import { type Fault, faultSummary, fieldsOf } from '../../pages/rules/form-fields.ts'
import { hidden, type Params } from '../../pages/rules/html.ts'
import type { Language } from '../../pages/rules/languages.ts'
import type { PortalKind } from './kinds.ts'
import { PORTAL_TEXTS, type PortalTexts } from './texts.ts'

/** Where a page is, in which language, and the parameters that its addresses keep. */
export type PortalView = { path: string; language: Language; kept: Params }
export type PortalWorkspace = { name: string; color: string | null }

type ShownOrder = {
  title: string
  status: string
  is_done: boolean
  schedule_date: string | null
  schedule_time: string | null
  assignee: string | null
  address: string | null
}
type ShownTask = { title: string; status: string; due_at: string | null; all_day: boolean }
/** What the page of a portal shows (portal_page). */
export type PortalPage = {
  kind: PortalKind
  workspace: PortalWorkspace
  zone: string
  about: string | null
  work_orders: ShownOrder[]
  tasks: ShownTask[]
}

const STYLE = `
.state{display:inline-block;padding:.1rem .6rem;border:1px solid var(--line);border-radius:1rem;font-weight:600}\
.state.done{background:var(--tint)}.card h3{margin:0}.card dl{display:grid;grid-template-columns:minmax(5rem,max-content) 1fr;\
gap:.1rem .8rem;margin-top:.5rem}.card dd{margin:0;font-weight:400}`

const textsOf = ({ language }: PortalView) => PORTAL_TEXTS[language]
const documentOf = (view: PortalView, page: { title: string; workspace?: PortalWorkspace | undefined; body: string }) =>
  pageDocument(
    { ...view, languages: textsOf(view).language },
    { title: page.title, workspace: page.workspace?.name, color: page.workspace?.color, body: page.body, style: STYLE },
  )

/** The page that asks for the PIN. */
export function pinPage(view: PortalView, workspace: PortalWorkspace, faults: Fault[]): string {
  const texts = textsOf(view)
  const fields = fieldsOf(texts, {}, faults)
  const typed = 'type="text" inputmode="numeric" autocomplete="one-time-code" maxlength="40"'
  const body = `${faultSummary(texts, faults)}<p>${texts.about}</p>
<form method="post" action="${escapeHtml(view.path)}" novalidate>
${hidden(view.kept)}
${fields.line({ id: 'pin', label: texts.pin, required: true }, typed)}
<button type="submit">${texts.open}</button>
</form>`
  return documentOf(view, { title: faults.length > 0 ? `${texts.problem}: ${texts.title}` : texts.title, workspace, body })
}

/** A page that says one thing. */
export const portalMessage = (view: PortalView, title: string, text: string): string =>
  documentOf(view, { title, body: `<p>${escapeHtml(text)}</p>` })

/** A day and a time without a zone, in the words of a language. */
function localTime({ locale, all_day, not_planned }: PortalTexts, { schedule_date, schedule_time }: ShownOrder): string {
  if (!schedule_date) return not_planned
  const at = new Date(`${schedule_date}T${schedule_time ?? '00:00:00'}Z`)
  const date = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }).format(
    at,
  )
  const time = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', hour: 'numeric', minute: '2-digit' }).format(at)
  return `${date}, ${schedule_time ? time : all_day}`
}

const facts = (pairs: [string, string | null][]) =>
  `<dl>${pairs.flatMap(([term, value]) => (value === null ? [] : [`<dt>${term}</dt><dd>${escapeHtml(value)}</dd>`])).join('')}</dl>`

const orderCard = (texts: PortalTexts, order: ShownOrder): string =>
  `<li class="card"><h3>${escapeHtml(order.title)}</h3><p>\
<span class="state${order.is_done ? ' done' : ''}">${escapeHtml(order.status)}</span></p>${facts([
    [texts.when, localTime(texts, order)],
    [texts.who, order.assignee],
    [texts.where, order.address],
  ])}</li>`

function taskCard(texts: PortalTexts, zone: string, { title, status, due_at, all_day }: ShownTask): string {
  const style = { timeZone: zone, dateStyle: 'full', timeStyle: all_day ? undefined : 'short' } as const
  const due = due_at && new Intl.DateTimeFormat(texts.locale, style).format(new Date(due_at))
  const label = texts.task_status[status] ?? status
  return (
    `<li class="card"><h3>${escapeHtml(title)}</h3><p><span class="state">${escapeHtml(label)}</span></p>` +
    `${facts([[texts.due, due]])}</li>`
  )
}

const section = (title: string, cards: string[]) => (cards.length === 0 ? '' : `<h2>${title}</h2><ul class="plain">${cards.join('')}</ul>`)

/** The page of a portal: the work orders with their states, days and people, and for a stakeholder the tasks too. */
export function portalPage(view: PortalView, { workspace, zone, about, work_orders, tasks }: PortalPage): string {
  const texts = textsOf(view)
  const done = work_orders.filter(({ is_done }) => is_done).length
  const empty = work_orders.length + tasks.length === 0 ? `<p>${texts.nothing}</p>` : ''
  const body = `${empty}${work_orders.length > 0 ? `<p class="note">${texts.done(done, work_orders.length)}</p>` : ''}
${section(
  texts.work_orders,
  work_orders.map((order) => orderCard(texts, order)),
)}
${section(
  texts.tasks,
  tasks.map((task) => taskCard(texts, zone, task)),
)}
<p><small>${escapeHtml(texts.zone(zone))}</small></p>
<form method="post" action="${escapeHtml(`${view.path}/leave`)}">${hidden(view.kept)}\
<button class="quiet" type="submit">${texts.leave}</button></form>`
  return documentOf(view, { title: about === null ? texts.your_work : texts.progress(about), workspace, body })
}
