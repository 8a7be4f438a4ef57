import { escapeHtml } from '../../../../lib/html.ts'
import { href } from '../../../pages/rules/html.ts'
import type { Workspace } from './choices.ts'
import { branded, documentOf, type PageView } from './layout.ts'

export type MonthPage = {
  title: string
  workspace: Workspace
  about: string
  zone: string
  /** The days of the month with the number of their free times. */
  days: { date: string; free: number }[]
  earlier: string | undefined
  later: string | undefined
  back: { path: string; text: string }
}

const A_WEEK = 7
/** How many days after Monday a date is. */
const weekdayOf = (date: string) => (new Date(date).getUTCDay() + 6) % A_WEEK

/** The page at which a visitor chooses a day of a month. */
export function monthPage(view: PageView, page: MonthPage): string {
  const { texts, path, kept } = view
  const named = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(texts.locale, { timeZone: 'UTC', ...options })
    return (date: string) => escapeHtml(format.format(Date.parse(date)))
  }
  const [monthOf, dateOf, weekday, short] = [
    named({ month: 'long', year: 'numeric' }),
    named({ weekday: 'long', day: 'numeric', month: 'long' }),
    named({ weekday: 'long' }),
    named({ weekday: 'narrow' }),
  ]
  const first = page.days[0]?.date ?? ''
  // Any Monday, and the days after it.
  const week = Array.from({ length: A_WEEK }, (_, index) => `2026-06-0${index + 1}`)
  const cell = ({ date, free }: MonthPage['days'][number]) => {
    const number = Number(date.slice(-2))
    return free === 0
      ? `<td><span>${number}</span></td>`
      : `<td><a href="${href(path, { ...kept, from: date, day: date })}#times" aria-label="${dateOf(date)}: ${texts.free(free)}">` +
          `${number}</a></td>`
  }
  const cells = [...Array.from({ length: weekdayOf(first) }, () => '<td></td>'), ...page.days.map(cell)]
  const rows = Array.from(
    { length: Math.ceil(cells.length / A_WEEK) },
    (_, row) => `<tr>${cells.slice(row * A_WEEK, (row + 1) * A_WEEK).join('')}</tr>`,
  )
  const turn = (to: string | undefined) =>
    to ? `<a href="${href(path, { ...kept, month: to })}">${monthOf(`${to}-01`)}</a>` : '<span></span>'
  const body = `${page.about}
<p id="zone">${escapeHtml(texts.dates_in(page.zone))}</p>
<nav id="days" aria-label="${texts.days}"><table class="month"><caption>${monthOf(first)}</caption>
<thead><tr>${week.map((date) => `<th scope="col" aria-label="${weekday(date)}">${short(date)}</th>`).join('')}</tr></thead>\
<tbody>${rows.join('')}</tbody></table>
<div class="pages">${turn(page.earlier)}${turn(page.later)}</div></nav>
${page.days.some(({ free }) => free > 0) ? '' : `<p role="status">${texts.no_times}</p>`}
<p><a href="${href(path, kept)}">${texts.list_view}</a></p>
<p><a href="${href(page.back.path, { lang: kept.lang })}">${page.back.text}</a></p>`
  return documentOf(view, { title: page.title, ...branded(page.workspace), body, here: { month: first.slice(0, 7) } })
}
