import { damaged } from './zip.ts'

/** What a document's parser calls. Names come without their prefix; attributes are read with `attribute`. */
export type XmlHandler = {
  open(name: string, attributes: string): void
  close(name: string): void
  text?(text: string): void
}

/** The longest tag and the longest text between two tags, in characters; a cell has at most 32,767. */
const LONGEST_TAG = 65_536
const LONGEST_TEXT = 1_000_000
const CDATA = '<![CDATA['
const ENDS: [begin: string, end: string][] = [
  ['<!--', '-->'],
  [CDATA, ']]>'],
  ['<?', '?>'],
]

/** Parses an XML document of a workbook as its text arrives. Other entities than the five of XML, and their declarations, are refused. */
export class XmlParser {
  readonly #handler: XmlHandler
  #rest = ''
  #text = ''

  constructor(handler: XmlHandler) {
    this.#handler = handler
  }

  push(text: string): void {
    const buffer = this.#rest === '' ? text : this.#rest + text
    let at = 0
    for (;;) {
      const tag = buffer.indexOf('<', at)
      if (this.#handler.text && (tag < 0 || tag > at)) this.#collect(buffer.slice(at, tag < 0 ? buffer.length : tag))
      at = tag < 0 ? buffer.length : tag
      const end = tag < 0 ? -1 : this.#markup(buffer, tag)
      if (end < 0) break
      at = end
    }
    this.#rest = buffer.slice(at)
    if (this.#rest.length > LONGEST_TEXT) throw damaged()
  }

  end(): void {
    if (this.#rest !== '') throw damaged()
  }

  #collect(text: string): void {
    this.#text += text
    if (this.#text.length > LONGEST_TEXT) throw damaged()
  }

  #flush(): void {
    if (this.#text === '') return
    this.#handler.text?.(decodeEntities(this.#text))
    this.#text = ''
  }

  /** Handles the markup at a position. Returns where it ends, or -1 if more text is needed. */
  #markup(buffer: string, at: number): number {
    const second = buffer[at + 1]
    if (second === undefined) return -1
    if (second === '!' || second === '?') return this.#special(buffer, at)
    const end = tagEnd(buffer, at + 1)
    if (end < 0) {
      if (buffer.length - at > LONGEST_TAG) throw damaged()
      return -1
    }
    this.#flush()
    if (second === '/') this.#handler.close(localName(buffer.slice(at + 2, end).trim()))
    else this.#element(buffer.slice(at + 1, end))
    return end + 1
  }

  #element(tag: string): void {
    const isEmpty = tag.endsWith('/')
    const inside = isEmpty ? tag.slice(0, -1) : tag
    const space = inside.search(/\s/)
    const name = localName(space < 0 ? inside : inside.slice(0, space))
    this.#handler.open(name, space < 0 ? '' : inside.slice(space))
    if (isEmpty) this.#handler.close(name)
  }

  #special(buffer: string, at: number): number {
    const form = ENDS.find(([begin]) => buffer.startsWith(begin, at))
    if (!form) {
      if (ENDS.some(([begin]) => begin.startsWith(buffer.slice(at)))) return -1
      throw damaged()
    }
    const [begin, close] = form
    const end = buffer.indexOf(close, at + begin.length)
    if (end < 0) return -1
    if (begin === CDATA && this.#handler.text) this.#collect(buffer.slice(at + begin.length, end).replaceAll('&', '&amp;'))
    return end + close.length
  }
}

/** Where a tag ends: at the first `>` outside of quotation marks. */
function tagEnd(buffer: string, from: number): number {
  let end = buffer.indexOf('>', from)
  for (let at = from; end >= 0; ) {
    const double = buffer.indexOf('"', at)
    const single = buffer.indexOf("'", at)
    const quote = double < 0 ? single : single < 0 ? double : Math.min(double, single)
    if (quote < 0 || quote > end) return end
    const closing = buffer.indexOf(buffer[quote] as string, quote + 1)
    if (closing < 0) return -1
    at = closing + 1
    if (at > end) end = buffer.indexOf('>', at)
  }
  return end
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

const patterns = new Map<string, RegExp>()

/** The value of an attribute; `*:id` has any prefix. */
export function attribute(attributes: string, name: string): string | undefined {
  let pattern = patterns.get(name)
  if (!pattern) {
    pattern = new RegExp(`\\s${name.replace('*', '[\\w.-]+')}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`)
    patterns.set(name, pattern)
  }
  const match = pattern.exec(attributes)
  return match ? decodeEntities((match[1] ?? match[2]) as string) : undefined
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const decodeEntities = (text: string): string =>
  text.includes('&')
    ? text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,4}));?/gi, (_, decimal, hex, name) => {
        const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : undefined
        if (code !== undefined) return code <= 0x10ffff ? String.fromCodePoint(code) : '\uFFFD'
        const known = NAMED[name]
        if (known === undefined) throw damaged()
        return known
      })
    : text

/** Parses the chunks of a document, which is UTF-8 unless it begins with the byte order mark of UTF-16. */
export async function parseXml(chunks: AsyncIterable<Uint8Array>, handler: XmlHandler): Promise<void> {
  const parser = new XmlParser(handler)
  for await (const text of textOf(chunks)) parser.push(text)
  parser.end()
}

export async function* textOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined
  for await (const chunk of chunks) {
    decoder ??= new TextDecoder(encodingOf(chunk))
    yield decoder.decode(chunk, { stream: true })
  }
  if (decoder) yield decoder.decode()
}

const encodingOf = ([a, b]: Uint8Array) => (a === 0xff && b === 0xfe ? 'utf-16le' : a === 0xfe && b === 0xff ? 'utf-16be' : 'utf-8')
