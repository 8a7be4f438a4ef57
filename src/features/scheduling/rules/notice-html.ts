import { readableOn, toHexColour } from '../../../domain/colours.ts'
import { renderTemplate } from '../../../domain/templates.ts'
import { escapeHtml } from '../../../lib/html.ts'

const COLOR = '#1d4ed8'
const LINE = '#cbd5e1'
/** A line such as `Where: {location}`; or a sentence that ends with such a label and an address. */
const LABELLED = /^(?:(.*[.!?])\s+)?([^:{}.!?]{1,60}):\s*(\S.*)$/
const ADDRESS = /^\{\s*[a-z_]+_url\s*\}$/
/** The addresses that are what the reader is meant to do next. */
const ACTION = /^\{\s*(?:management_url|rebook_url)\s*\}$/

type Values = Record<string, string>
type Line = { text: string; before: string; label: string; value: string }

const lineOf = (text: string): Line => {
  const [, before = '', label = '', value = ''] = LABELLED.exec(text) ?? []
  return { text, before, label, value }
}

/**
 * The HTML of a notice's plain template: a paragraph of labelled lines is a table, an address to act on a button, and any other address a
 * link with its label. A line of the template is a line of the HTML, so that the lines of a link that a reader does not get can be left out
 * (see fillManagementUrl).
 */
export function noticeHtml(template: string, values: Values, color: string | null | undefined): string {
  const blocks = template.split(/\n{2,}/).map((paragraph) => blockOf(paragraph.split('\n').map(lineOf), values, color))
  return `<div style="max-width:36em;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif">\n${blocks.join('\n')}\n</div>`
}

function blockOf(lines: Line[], values: Values, color: string | null | undefined): string {
  const render = (text: string) => renderTemplate(escapeHtml(text), values, escapeHtml)
  const actions = lines.filter(({ value }) => ACTION.test(value))
  if (actions.length === lines.length)
    return lines.map(({ before, label, value }) => paragraph(render(before)) + buttonOf(render(label), render(value), color)).join('\n')
  if (lines.every(({ before, value }) => before === '' && ADDRESS.test(value)))
    return `<p style="margin:0 0 16px">\n${lines.map(({ label, value }) => linkOf(render(label), render(value))).join('<br>\n')}\n</p>`
  if (lines.length > 1 && lines.every(({ before, value }) => before === '' && value !== ''))
    return `<table role="presentation" style="border:1px solid ${LINE};border-radius:8px;border-spacing:12px 6px;margin:0 0 16px">
${lines.map(({ label, value }) => rowOf(render(label), render(value))).join('\n')}
</table>`
  return paragraph(lines.map(({ text }) => render(text)).join('<br>\n'))
}

const paragraph = (html: string): string => (html === '' ? '' : `<p style="margin:0 0 16px">${html}</p>\n`)
const linkOf = (label: string, url: string): string => `<a href="${url}">${label}</a>`
const rowOf = (label: string, value: string): string =>
  `<tr><td style="vertical-align:top;white-space:nowrap">${label}</td><td style="vertical-align:top;overflow-wrap:anywhere"><strong>` +
  `${linked(value)}</strong></td></tr>`
/** An address as a link to it. */
const linked = (html: string): string => (/^https:\/\/[^\s"<>]+$/.test(html) ? linkOf(html, html) : html)

function buttonOf(label: string, url: string, color: string | null | undefined): string {
  const background = (color && toHexColour(color)) || COLOR
  const style =
    `display:inline-block;padding:12px 20px;border-radius:8px;background:${background};color:${readableOn(background)};` +
    'text-decoration:none;font-weight:600'
  return `<p style="margin:0 0 16px"><a href="${url}" style="${style}">${label}</a></p>`
}
