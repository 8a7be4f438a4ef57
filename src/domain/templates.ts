import { escapeHtml } from '../lib/html.ts'

/** One word in braces; it is a merge tag if there are no spaces in it. Braces around anything else, as in CSS, are text. */
const TAG = /\{\s*([\p{L}_][\p{L}\p{N}_]*)\s*\}/gu

/** The words in braces that are not one of the known merge tags, as they are written. */
export function unknownTags(template: string, known: readonly string[]): string[] {
  const tags = [...template.matchAll(TAG)].map(([tag]) => tag)
  return [...new Set(tags)].filter((tag) => !known.some((name) => tag === `{${name}}`))
}

/**
 * Replaces the merge tags of a template by their values. Nothing in a value is read as a template, and a tag without a value of its own
 * stays as it is written. `encode` makes a value safe for where it is inserted, such as HTML.
 */
export const renderTemplate = (template: string, values: Record<string, string>, encode = (value: string) => value): string =>
  template.replace(TAG, (tag, name: string) => (tag === `{${name}}` && Object.hasOwn(values, name) ? encode(values[name] as string) : tag))

const MARKUP = /<\/?[a-z][^<>]*>/i

/**
 * The two bodies of an email from a template, which is HTML if it has a tag of HTML, and plain text otherwise. `htmlOf` makes the HTML of a
 * plain one; without it each line is a line.
 */
export function renderBodies(
  template: string,
  values: Record<string, string>,
  htmlOf?: (template: string) => string,
): { text: string; html: string } {
  if (!MARKUP.test(template)) {
    const text = renderTemplate(template, values)
    return { text, html: htmlOf?.(template) ?? escapeHtml(text).replace(/\r?\n/g, '<br>\n') }
  }
  return { text: renderTemplate(textOf(template), values), html: renderTemplate(template, values, escapeHtml) }
}

/** A tag, a comment or a declaration of HTML. */
const HTML_TAG = /<(\/?)([a-z][a-z0-9]*)\b([^<>]*)>|<![^<>]*>/gi
const LINE_ENDS = new Set(['p', 'div', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'li', 'tr'])
const HREF = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i
/** Addresses that a reader of the text can follow; a merge tag becomes one. */
const FOLLOWED = /^(?:https?:\/\/|\{)/i

/**
 * The text of HTML: without tags, styles and scripts, with a line for each block. The address of a link stands after its words, unless they
 * are the address.
 */
export function textOf(html: string, { links }: { links: 'keep' | 'drop' } = { links: 'keep' }): string {
  let [text, at] = ['', 0]
  let skipped: string | undefined
  let link: { address: string; from: number } | undefined
  const add = (to: number) => {
    if (skipped === undefined) text += html.slice(at, to)
  }
  for (const { 0: tag, 1: slash, 2: found = '', 3: attributes = '', index } of html.matchAll(HTML_TAG)) {
    const name = found.toLowerCase()
    add(index)
    at = index + tag.length
    if (name === 'style' || name === 'script') skipped = slash ? undefined : name
    else if (skipped !== undefined) continue
    else if (name === 'br' || (slash && LINE_ENDS.has(name))) text += '\n'
    else if (name === 'a' && links === 'keep') {
      if (link) text = withAddress(text, link)
      const [, ...address] = slash ? [] : (HREF.exec(attributes) ?? [])
      link = slash ? undefined : { address: address.find(Boolean)?.trim() ?? '', from: text.length }
    }
  }
  add(html.length)
  return decodeEntities(link ? withAddress(text, link) : text)
    .replace(/(?<![ \t])[ \t]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

function withAddress(text: string, { address, from }: { address: string; from: number }): string {
  const words = text.slice(from).trim()
  if (!FOLLOWED.test(address) || words.includes(address)) return text
  return words === '' ? text.slice(0, from) + address : `${text.trimEnd()} (${address})`
}

const NAMED: Record<string, string> = { nbsp: ' ', lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }
const decodeEntities = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : whole
  })
