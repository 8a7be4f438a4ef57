import { escapeHtml } from '../../../../lib/html.ts'
import { challengePart } from '../../../pages/rules/challenge.ts'
import { type Fault, faultSummary, fieldsOf, type Typed } from '../../../pages/rules/form-fields.ts'
import { clock, hidden, href, type Params } from '../../../pages/rules/html.ts'
import type { Question } from '../questions.ts'
import type { Workspace } from './choices.ts'
import { branded, documentOf, type PageView } from './layout.ts'

export type FormPage = {
  title: string
  workspace: Workspace
  zone: string
  start: number
  end: number
  /** The address that the form is sent to, and the one at which another time is chosen. */
  action: string
  times: string
  /** What the form carries besides the fields. */
  carried: Params
  faults: Fault[]
  /** The nearest free times, if the chosen one is no longer free. */
  nearest?: number[]
  /** Whether a phone number alone is not enough. */
  needsEmail?: boolean
  /** How many guests the visitor can name. */
  guests?: number
  /** Whether the time is full, and the form puts its visitor in line. */
  waits?: boolean
}

/** The id of the field of a question, in which its key cannot be mistaken for another field. */
export const questionField = (key: string) => `q_${key}`
const MOST_LINE = 2_000

/** The page at which a visitor gives name, addresses and answers, and books. `nearest` replaces the time by a choice of others. */
export function bookingForm(view: PageView, page: FormPage, questions: Question[], typed: Typed): string {
  const { texts } = view
  const fields = fieldsOf(texts, typed, page.faults)
  const questionFields = questions.map(({ key, label, type, required, options }) => {
    const field = { id: questionField(key), label, required }
    if (type === 'choice') return fields.select(field, options)
    if (type === 'yes_no')
      return fields.radios(field, [
        ['yes', texts.yes],
        ['no', texts.no],
      ])
    if (type === 'date') return fields.line(field, 'type="date"')
    if (type === 'number') return fields.line(field, 'type="text" inputmode="decimal"')
    return fields.area(field, MOST_LINE)
  })
  // Somebody who has named guests sees them, also when none are allowed any more.
  const guests =
    page.guests || typed.guests
      ? fields.area({ id: 'guests', label: texts.guests, hint: texts.guests_hint(page.guests ?? 0) }, MOST_LINE)
      : ''
  const email = { id: 'email', label: texts.email, ...(page.needsEmail ? { required: true } : { isEither: true, hint: texts.email_hint }) }
  const phone = { id: 'phone', label: texts.phone, isEither: !page.needsEmail, hint: texts.phone_hint }
  const form = `<h2>${texts.your_details}</h2>
${fields.line({ id: 'name', label: texts.name, required: true }, 'autocomplete="name" maxlength="200"')}
${fields.line(email, 'type="email" autocomplete="email" maxlength="320"')}
${fields.line(phone, 'type="tel" autocomplete="tel" maxlength="40"')}
${guests}
${questionFields.join('\n')}
${fields.area({ id: 'notes', label: texts.notes }, 5_000)}
<div class="trap" aria-hidden="true"><label for="website">${texts.leave_empty}</label>\
<input id="website" name="website" tabindex="-1" autocomplete="off"></div>
${view.challenge ? challengePart(view.challenge.widget, { language: view.language, texts, fault: challengeFault(page) }) : ''}
<button type="submit">${page.waits ? texts.wait : texts.confirm}</button>`
  return formPage(view, page, form)
}

const challengeFault = ({ faults }: FormPage) => faults.find(({ field }) => field === 'challenge')?.message

/** The page at which a visitor confirms the new time of a booking. */
export const moveForm = (view: PageView, page: FormPage, before: string): string =>
  formPage(view, page, `<p>${escapeHtml(view.texts.now_at(before))}</p><button type="submit">${view.texts.move_here}</button>`)

function formPage(view: PageView, page: FormPage, fields: string): string {
  const { texts } = view
  const { range } = clock(texts, page.zone)
  const length = page.end - page.start
  const time = page.nearest
    ? nearestTimes(view, page, page.nearest)
    : `<p class="note"><strong>${escapeHtml(range(page.start, page.end))}</strong></p>${hidden({ at: new Date(page.start).toISOString() })}`
  const body = `${faultSummary(texts, page.faults)}${page.waits ? `<p>${texts.wait_about}</p>` : ''}
<form method="post" action="${escapeHtml(page.action)}" novalidate>
${hidden({ ...page.carried, duration: String(length / 60_000) })}
${time}
<p><a href="${href(page.times, view.kept)}">${texts.back_times}</a></p>
${fields}
</form>`
  const title = page.faults.length > 0 ? `${texts.error}: ${page.title}` : page.title
  const here = { tz: page.zone, at: new Date(page.start).toISOString() }
  return documentOf(view, { title, ...branded(page.workspace), body, here })
}

function nearestTimes({ texts }: PageView, { zone, start, end }: FormPage, nearest: number[]): string {
  const { range } = clock(texts, zone)
  const choices = nearest.map(
    (at, index) =>
      `<label class="choice"><input type="radio" name="at" value="${new Date(at).toISOString()}"${index === 0 ? ' checked' : ''}>` +
      `${escapeHtml(range(at, at + end - start))}</label>`,
  )
  return `<fieldset class="field" id="at"><legend>${texts.nearest}</legend>${choices.join('')}</fieldset>`
}
