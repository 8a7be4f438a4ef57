import { escapeHtml } from '../../../lib/html.ts'

/** What is wrong with a field, by the id of the field. */
export type Fault = { field: string; message: string }
export type Typed = Record<string, string>

/** The words of a form in the language of its page. */
export type FormTexts = { problem: string; optional: string; please_choose: string }

/** What is wrong with a form, with a link to each field. */
export const faultSummary = (texts: FormTexts, faults: Fault[]): string =>
  faults.length === 0
    ? ''
    : `<div class="errors" role="alert" tabindex="-1" autofocus><h2>${texts.problem}</h2><ul>${faults
        .map(({ field, message }) => `<li><a href="#${escapeHtml(field)}">${escapeHtml(message)}</a></li>`)
        .join('')}</ul></div>`

/** `isEither`: one of several fields of which one is needed, as its hint says. */
type Field = { id: string; label: string; required?: boolean; isEither?: boolean; hint?: string }

/** The parts of a form that show what was typed before, and what is wrong with it. */
export function fieldsOf(texts: FormTexts, typed: Typed, faults: Fault[]) {
  const faultOf = (id: string) => faults.find(({ field }) => field === id)?.message
  const value = (id: string) => escapeHtml(typed[id] ?? '')
  const attributes = ({ id, required, hint }: Field) => {
    const described = [hint && `${id}-hint`, faultOf(id) && `${id}-error`].filter(Boolean).join(' ')
    return `id="${id}" name="${id}"${required ? ' required' : ''}${described ? ` aria-describedby="${described}"` : ''}\
${faultOf(id) ? ' aria-invalid="true"' : ''}`
  }
  const notes = ({ id, hint }: Field) =>
    `${hint ? `<small id="${id}-hint">${escapeHtml(hint)}</small>` : ''}\
${faultOf(id) ? `<span class="wrong" id="${id}-error">${escapeHtml(faultOf(id) as string)}</span>` : ''}`
  const labelled = (field: Field, control: string) =>
    `<div class="field"><label for="${field.id}">${named(field)}</label>${notes(field)}${control}</div>`
  const named = ({ label, required, isEither }: Field) =>
    `${escapeHtml(label)}${required || isEither ? '' : ` <small>(${texts.optional})</small>`}`
  return {
    line: (field: Field, rest: string) => labelled(field, `<input ${attributes(field)} value="${value(field.id)}" ${rest}>`),
    area: (field: Field, most: number) =>
      labelled(field, `<textarea ${attributes(field)} rows="3" maxlength="${most}">${value(field.id)}</textarea>`),
    select: (field: Field, options: string[]) =>
      labelled(
        field,
        `<select ${attributes(field)}><option value="">${texts.please_choose}</option>${options
          .map((option) => `<option${typed[field.id] === option ? ' selected' : ''}>${escapeHtml(option)}</option>`)
          .join('')}</select>`,
      ),
    radios: (field: Field, options: [value: string, label: string][]) =>
      `<fieldset class="field" id="${field.id}"${faultOf(field.id) ? ` aria-describedby="${field.id}-error"` : ''}>\
<legend>${named(field)}</legend>${notes(field)}${options
        .map(
          ([option, label]) =>
            `<label class="choice"><input type="radio" name="${field.id}" value="${escapeHtml(option)}"\
${typed[field.id] === option ? ' checked' : ''}${field.required ? ' required' : ''}>${escapeHtml(label)}</label>`,
        )
        .join('')}</fieldset>`,
  }
}

/** What mail programs send to the address of a `List-Unsubscribe` header (RFC 8058, 3.2). */
export const isOneClick = (fields: Typed): boolean => fields['List-Unsubscribe'] === 'One-Click'
