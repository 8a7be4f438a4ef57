import { bytesOf, decode, type Encoding } from './encoding.ts'
import { readRecords } from './read.ts'

/** A file that is read piece by piece. */
export type Source = { size: number; read(range: { offset: number; length: number }): Promise<Uint8Array> }
/** Where a record begins. */
export type Place = { byte: number; line: number }
export type Dialect = { encoding: Encoding; delimiter: string }
export type Scanned = { line: number; cells: string[]; fault?: string /** Where the record behind it begins. */; next: Place }

const WINDOW = 512 * 1024
/** No record is longer, in bytes: what is, is cut there. */
const LONGEST = 4 * 1024 * 1024

/** The records of a file from a place on, as many at once as a window of it has. Only that window is in memory. */
export async function* scan(source: Source, from: Place, { encoding, delimiter }: Dialect): AsyncGenerator<Scanned[]> {
  let { byte, line } = from
  let length = WINDOW
  while (byte < source.size) {
    const bytes = await source.read({ offset: byte, length })
    const atEnd = byte + bytes.length >= source.size
    const text = decode(encoding, bytes, atEnd)
    const read = readRecords(text, { delimiter, line, atEnd: atEnd || length >= LONGEST })
    if (read.end === 0 && length < LONGEST) {
      length *= 2
      continue
    }
    length = WINDOW
    let [done, at] = [0, byte]
    const scanned = read.records.map(({ line, cells, end, next_line, fault }): Scanned => {
      at += bytesOf(encoding, text.slice(done, end))
      done = end
      return { line, cells, next: { byte: at, line: next_line }, ...(fault !== undefined && { fault }) }
    })
    if (scanned.length > 0) yield scanned
    if (atEnd) return
    byte = at + bytesOf(encoding, text.slice(done, read.end))
    line = read.line
  }
}
