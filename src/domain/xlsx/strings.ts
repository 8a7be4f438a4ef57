import { parseXml, type XmlHandler } from './xml.ts'
import { refused } from './zip.ts'

/** The most bytes of shared strings, with four for the position of each. */
const MAX_BYTES = 16 * 1024 * 1024
const BLOCK = 1024 * 1024
/** Short strings that are kept decoded, as those of the first rows are often repeated. */
const MAX_KEPT = 5_000
const SHORT = 60

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })

/** The shared strings of a workbook, as UTF-8, which takes half of the memory of a JavaScript string or less. */
export class SharedStrings {
  readonly #blocks: Uint8Array[] = []
  #ends = new Uint32Array(4096)
  #count = 0
  #size = 0
  readonly #kept = new Map<number, string>()

  add(text: string): void {
    const bytes = encoder.encode(text)
    if (this.#size + bytes.length + 4 * this.#count > MAX_BYTES)
      throw refused(
        `has more than ${MAX_BYTES / 1024 / 1024} MB of different texts: split the workbook, or save the sheet as CSV and send that`,
      )
    for (let at = 0; at < bytes.length; ) {
      const within = this.#size % BLOCK
      if (within === 0) this.#blocks.push(new Uint8Array(BLOCK))
      const piece = bytes.subarray(at, at + BLOCK - within)
      ;(this.#blocks.at(-1) as Uint8Array).set(piece, within)
      this.#size += piece.length
      at += piece.length
    }
    if (this.#count === this.#ends.length) {
      const larger = new Uint32Array(this.#ends.length * 2)
      larger.set(this.#ends)
      this.#ends = larger
    }
    this.#ends[this.#count++] = this.#size
  }

  /** The string with an index; undefined if there is none. */
  get(index: number): string | undefined {
    if (!(Number.isInteger(index) && index >= 0 && index < this.#count)) return undefined
    const kept = this.#kept.get(index)
    if (kept !== undefined) return kept
    const text = decoder.decode(this.#bytes(index === 0 ? 0 : (this.#ends[index - 1] as number), this.#ends[index] as number))
    if (text.length <= SHORT && this.#kept.size < MAX_KEPT) this.#kept.set(index, text)
    return text
  }

  #bytes(from: number, to: number): Uint8Array {
    const first = Math.floor(from / BLOCK)
    const begin = from % BLOCK
    if (from === to) return new Uint8Array()
    if (begin + to - from <= BLOCK) return (this.#blocks[first] as Uint8Array).subarray(begin, begin + to - from)
    const bytes = new Uint8Array(to - from)
    for (let at = from; at < to; ) {
      const within = at % BLOCK
      const piece = (this.#blocks[Math.floor(at / BLOCK)] as Uint8Array).subarray(within, within + to - at)
      bytes.set(piece, at - from)
      at += piece.length
    }
    return bytes
  }
}

/** Reads the shared strings. The runs of rich text are joined; phonetic readings are left out. */
export async function readStrings(chunks: AsyncIterable<Uint8Array>): Promise<SharedStrings> {
  const strings = new SharedStrings()
  const text = new RichText()
  await parseXml(chunks, {
    open(name) {
      if (name === 'si') text.clear()
      else text.open(name)
    },
    close(name) {
      if (name === 'si') strings.add(text.value)
      else text.close(name)
    },
    text: (part) => text.text(part),
  })
  return strings
}

/** Collects the text of a string item: that of its `t` elements, except in phonetic readings. */
export class RichText implements XmlHandler {
  value = ''
  #isText = false
  #phonetic = 0

  clear(): void {
    this.value = ''
    this.#isText = false
    this.#phonetic = 0
  }

  open(name: string): void {
    if (name === 'rPh') this.#phonetic++
    this.#isText = name === 't' && this.#phonetic === 0
  }

  close(name: string): void {
    if (name === 'rPh') this.#phonetic--
    this.#isText = false
  }

  text(text: string): void {
    if (this.#isText) this.value += unescaped(text)
  }
}

/** Replaces the escapes of characters that XML does not allow, such as `_x000D_`. */
export const unescaped = (text: string): string =>
  text.includes('_x') ? text.replace(/_x([0-9a-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))) : text
