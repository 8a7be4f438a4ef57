import { invalid } from '../errors.ts'
import { utf8In } from './receive.ts'

/** One field of a form. Its body must be read before the next part is requested. */
export type Part = { name: string /** Only for files. */; file_name: string | undefined; body: AsyncGenerator<Uint8Array> }

/** The maximum number of fields in a form, and of header bytes of each. */
const MAX_PARTS = 20
const MAX_HEADER_BYTES = 16_384
const [CR, LF, DASH] = [13, 10, 45]

const malformed = () => invalid([{ path: 'file', message: 'must be a valid multipart/form-data body' }])

/** The boundary parameter of a Content-Type. */
export function boundaryIn(contentType: string): string {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (!boundary) throw malformed()
  return boundary
}

/** Streams the parts of a form (RFC 7578); only the chunk that has just arrived is in memory. @throws AppError for a malformed form. */
export async function* partsOf(stream: ReadableStream<Uint8Array>, boundary: string): AsyncGenerator<Part> {
  const reader = new Scanner(stream, new TextEncoder().encode(`\r\n--${boundary}`))
  // Anything before the first boundary is ignored.
  for await (const _ of reader.untilDelimiter());
  for (let count = 0; await reader.hasPart(); count++) {
    if (count === MAX_PARTS) throw invalid([{ path: '', message: `The form has more than ${MAX_PARTS} fields: send the file alone` }])
    const part = { ...namesIn(await reader.headers()), body: reader.untilDelimiter() }
    yield part
    for await (const _ of part.body);
  }
}

function namesIn(headers: string): Pick<Part, 'name' | 'file_name'> {
  const disposition = /^content-disposition:\s*form-data\s*(;.*)$/im.exec(headers)?.[1] ?? ''
  const parameter = (name: string) => new RegExp(`;\\s*${name}=(?:"([^"]*)"|([^\\s;"]+))`, 'i').exec(disposition)
  const [, quoted, plain] = parameter('name') ?? []
  const name = quoted ?? plain
  if (name === undefined) throw malformed()
  const file = parameter('filename')
  return { name: unescaped(name), file_name: file ? unescaped(file[1] ?? file[2] ?? '') : undefined }
}

/** Reverses the escapes that browsers use in names. */
const unescaped = (text: string) => text.replace(/%22|%0d|%0a/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))

/** Reads a stream delimiter by delimiter. */
class Scanner {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #delimiter: Uint8Array
  /** Received but unprocessed bytes. They start with a line break, because the first delimiter needs none before it. */
  #rest: Uint8Array = Uint8Array.of(CR, LF)

  constructor(stream: ReadableStream<Uint8Array>, delimiter: Uint8Array) {
    this.#reader = stream.getReader()
    this.#delimiter = delimiter
  }

  async #more(): Promise<void> {
    const { value, done } = await this.#reader.read()
    if (done) throw malformed()
    if (this.#rest.length === 0) this.#rest = value
    else {
      const joined = new Uint8Array(this.#rest.length + value.length)
      joined.set(this.#rest)
      joined.set(value, this.#rest.length)
      this.#rest = joined
    }
  }

  async *untilDelimiter(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const at = this.#find()
      const isWhole = at + this.#delimiter.length <= this.#rest.length
      if (at > 0) yield this.#rest.subarray(0, at)
      this.#rest = this.#rest.subarray(isWhole ? at + this.#delimiter.length : at)
      if (isWhole) return
      await this.#more()
    }
  }

  /** The position where the delimiter begins, or may begin at the end of the received bytes. */
  #find(): number {
    for (let at = this.#rest.indexOf(CR); at >= 0; at = this.#rest.indexOf(CR, at + 1)) {
      const length = Math.min(this.#delimiter.length, this.#rest.length - at)
      let same = 1
      while (same < length && this.#rest[at + same] === this.#delimiter[same]) same++
      if (same === length) return at
    }
    return this.#rest.length
  }

  /** Reads what follows a delimiter: two dashes end the form, a line break begins a part. */
  async hasPart(): Promise<boolean> {
    for (;;) {
      while (this.#rest.length < 2) await this.#more()
      const [first, second] = this.#rest
      if (first === DASH && second === DASH) return false
      if (first === CR && second === LF) return true
      // White space may follow a boundary.
      if (first !== 32 && first !== 9) throw malformed()
      this.#rest = this.#rest.subarray(1)
    }
  }

  /** The header lines of a part, which precede its body. */
  async headers(): Promise<string> {
    for (;;) {
      const end = this.#endOfHeaders()
      if (end >= 0) {
        const text = utf8In(this.#rest.subarray(2, end))
        this.#rest = this.#rest.subarray(end + 4)
        return text
      }
      if (this.#rest.length > MAX_HEADER_BYTES) throw malformed()
      await this.#more()
    }
  }

  /** The position of the blank line that ends the headers: that of the line break before it. */
  #endOfHeaders(): number {
    const limit = Math.min(this.#rest.length - 3, MAX_HEADER_BYTES)
    for (let at = 0; at < limit; at++)
      if (this.#rest[at] === CR && this.#rest[at + 1] === LF && this.#rest[at + 2] === CR && this.#rest[at + 3] === LF) return at
    return -1
  }
}
