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

/** The text of HTML: without tags, styles and scripts, with a line for each block. */
export const textOf = (html: string): string =>
  html
    .replace(/<(style|script)\b[^>]*>[\s\S]*?<\/\1\s*>/gi, '')
    .replace(/<(br|\/p|\/div|\/h[1-6]|\/li|\/tr)\b[^<>]*>/gi, '\n')
    .replace(/<\/?[a-z!][^<>]*>/gi, '')
    .replace(/&nbsp;/g, ' ')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&')
    .replace(/[ \t]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
