import { escapeHtml } from '../lib/html.ts'

/** One word in braces; it is a merge tag if there are no spaces in it. Braces around anything else, as in CSS, are text. */
const TAG = /\{\s*([\p{L}_][\p{L}\p{N}_]*)\s*\}/gu

/** The words in braces that are not one of the known merge tags, as they are written. */
export function unknownTags(template: string, known: readonly string[]): string[] {
  const tags = [...template.matchAll(TAG)].map(([tag]) => tag)
  return [...new Set(tags)].filter((tag) => !known.some((name) => tag === `{${name}}`))
}

/**
 * Replaces the merge tags of a template by their values. Nothing in a value is read as a template, and a tag without a value of its own stays as it
 * is written. `encode` makes a value safe for where it is inserted, such as HTML.
 */
export const renderTemplate = (template: string, values: Record<string, string>, encode = (value: string) => value): string =>
  template.replace(TAG, (tag, name: string) => (tag === `{${name}}` && Object.hasOwn(values, name) ? encode(values[name] as string) : tag))

const MARKUP = /<\/?[a-z][^<>]*>/i

/** The two bodies of an email from a template, which is HTML if it has a tag of HTML, and plain text otherwise. */
export function renderBodies(template: string, values: Record<string, string>): { text: string; html: string } {
  if (!MARKUP.test(template)) {
    const text = renderTemplate(template, values)
    return { text, html: escapeHtml(text).replace(/\r?\n/g, '<br>\n') }
  }
  return { text: renderTemplate(textOf(template), values), html: renderTemplate(template, values, escapeHtml) }
}

const CODE_BEGINS = /<(style|script)\b/gi
const CODE_ENDS = { style: /<\/style\s{0,20}>/gi, script: /<\/script\s{0,20}>/gi }

/** HTML without its styles and scripts. It is read once, also if one of many has no end: that one stays, as the rest of the text does. */
function withoutCode(html: string): string {
  let [kept, from] = ['', 0]
  for (const begins of html.matchAll(CODE_BEGINS)) {
    if (begins.index < from) continue
    const ends = CODE_ENDS[begins[1]?.toLowerCase() as keyof typeof CODE_ENDS]
    ends.lastIndex = begins.index
    const end = ends.exec(html)
    if (!end) break
    kept += html.slice(from, begins.index)
    from = end.index + end[0].length
  }
  return kept + html.slice(from)
}

/** The text of HTML: without tags, styles and scripts, with a line for each block. */
export const textOf = (html: string): string =>
  withoutCode(html)
    .replace(/<(br|\/p|\/div|\/h[1-6]|\/li|\/tr)\b[^<>]*>/gi, '\n')
    .replace(/<\/?[a-z!][^<>]*>/gi, '')
    .replace(/&nbsp;/g, ' ')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&')
    .replace(/(?<![ \t])[ \t]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
