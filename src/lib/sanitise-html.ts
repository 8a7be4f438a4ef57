import { QuoteType, Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import { DROPPED, KEPT, keepsAttribute, VOID } from './html-allowed.ts'
import { HtmlWriter } from './html-writer.ts'
import { safeStyle } from './safe-style.ts'

const LINK = /^(?:https?:\/\/|mailto:|tel:)/i
const IMAGE = /^(?:https?:\/\/|cid:)/i
// biome-ignore lint/suspicious/noControlCharactersInRegex: browsers ignore some of them within addresses, and PostgreSQL stores no null
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g
/** Browsers remove these from an address before they look at its scheme. */
const LINE_BREAKS = /[\t\n\r]/g

/** `remoteImages`: `block` keeps the address of an image in data-remote-src, so that showing the text tells its sender nothing. */
export type SanitiseOptions = { remoteImages: 'keep' | 'block' }

/**
 * HTML with only the elements, attributes and styles of an allow-list, each written anew with its text escaped: nothing of the source is
 * copied as it is, elements that are open at the end are closed, and an unfinished tag is left out. Costs time in proportion to the length.
 * Empty if nothing is left.
 */
export function sanitiseHtml(html: string, { remoteImages }: SanitiseOptions): string {
  const reader = new EmailReader(html, remoteImages === 'block')
  const tokenizer = new Tokenizer({ decodeEntities: true }, reader)
  tokenizer.write(html)
  tokenizer.end()
  return reader.writer.finish().trim()
}

class EmailReader implements TokenizerCallbacks {
  readonly writer = new HtmlWriter()
  readonly #html: string
  readonly #blocksImages: boolean
  /** The element whose content is left out, and how many of its name are open. */
  #dropped: { name: string; depth: number } | null = null
  #tag = ''
  #attributes = new Map<string, string>()
  #attribute = ''
  #value = ''

  constructor(html: string, blocksImages: boolean) {
    this.#html = html
    this.#blocksImages = blocksImages
  }

  ontext(start: number, end: number): void {
    this.#text(this.#html.slice(start, end))
  }

  ontextentity(codePoint: number): void {
    this.#text(String.fromCodePoint(codePoint))
  }

  #text(text: string): void {
    if (!this.#dropped) this.writer.text(text.replace(CONTROLS, ''))
  }

  onopentagname(start: number, end: number): void {
    this.#tag = this.#html.slice(start, end).toLowerCase()
    this.#attributes.clear()
  }

  onattribname(start: number, end: number): void {
    this.#attribute = this.#html.slice(start, end).toLowerCase()
    this.#value = ''
  }

  onattribdata(start: number, end: number): void {
    this.#value += this.#html.slice(start, end)
  }

  onattribentity(codePoint: number): void {
    this.#value += String.fromCodePoint(codePoint)
  }

  onattribend(quote: QuoteType): void {
    // Of attributes with the same name, browsers use the first.
    if (keepsAttribute(this.#tag, this.#attribute) && !this.#attributes.has(this.#attribute))
      this.#attributes.set(this.#attribute, quote === QuoteType.NoValue ? '' : this.#value.replace(CONTROLS, ''))
  }

  onopentagend(): void {
    const name = this.#tag
    if (this.#dropped) this.#dropped.depth += this.#dropped.name === name ? 1 : 0
    else if (DROPPED.has(name)) this.#dropped = { name, depth: 1 }
    else if (KEPT.has(name)) this.writer.start(name, this.#kept())
  }

  onselfclosingtag(): void {
    // Only in SVG and MathML does the slash end the element.
    if (!this.isInForeignContext() && this.#tag !== 'svg' && this.#tag !== 'math') this.onopentagend()
  }

  onclosetag(start: number, end: number): void {
    const name = this.#html.slice(start, end).toLowerCase()
    if (this.#dropped) this.#endIn(this.#dropped, name)
    else if (KEPT.has(name) && !VOID.has(name)) this.writer.end(name)
  }

  #endIn(dropped: { name: string; depth: number }, name: string): void {
    if (dropped.name === name) dropped.depth -= 1
    if (dropped.depth === 0) this.#dropped = null
  }

  /** In SVG and MathML, the content of script and style is read as markup. */
  isInForeignContext(): boolean {
    return this.#dropped?.name === 'svg' || this.#dropped?.name === 'math'
  }

  oncomment(): void {}
  oncdata(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}

  #kept(): [name: string, value: string][] {
    const kept = [...this.#attributes].map(([name, value]) => this.#safe(name, value)).filter((attribute) => attribute !== null)
    return this.#tag === 'a' ? [...kept, ['rel', 'noopener noreferrer nofollow']] : kept
  }

  #safe(name: string, value: string): [name: string, value: string] | null {
    const address = value.replace(LINE_BREAKS, '').trim()
    if (name === 'href') return LINK.test(address) ? [name, address] : null
    if (name === 'style') return withText(name, safeStyle(value))
    if (name !== 'src') return [name, value]
    if (!IMAGE.test(address)) return null
    return [this.#blocksImages && !/^cid:/i.test(address) ? 'data-remote-src' : name, address]
  }
}

const withText = (name: string, value: string): [string, string] | null => (value === '' ? null : [name, value])
