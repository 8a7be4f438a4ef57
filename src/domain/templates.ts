import { escapeHtml } from '../lib/html.ts'

/** A merge tag: one word in braces. Braces around anything else, as in CSS, are text. */
const TAG = /\{\s*([\p{L}_][\p{L}\p{N}_]*)\s*\}/gu

/** The merge tags of a template that are not among the known ones, as they are written. */
export function unknownTags(template: string, known: readonly string[]): string[] {
  const tags = [...template.matchAll(TAG)].filter(([, name]) => !known.includes(name as string)).map(([tag]) => tag)
  return [...new Set(tags)]
}

/**
 * Replaces the merge tags of a template by their values. Nothing in a value is read as a template, and a tag without a value of its own stays as it
 * is written. `encode` makes a value safe for where it is inserted, such as HTML.
 */
export const renderTemplate = (template: string, values: Record<string, string>, encode = (value: string) => value): string =>
  template.replace(TAG, (tag, name: string) => (Object.hasOwn(values, name) ? encode(values[name] as string) : tag))

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
const textOf = (html: string): string =>
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
