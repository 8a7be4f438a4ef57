import { bytesOf, decode, type Encoding } from './encoding.ts'
import { readRecords } from './read.ts'

/** A file that is read in ranges. */
export type Source = { size: number; read(range: { offset: number; length: number }): Promise<Uint8Array> }
/** The position where a record begins. */
export type Place = { byte: number; line: number }
export type Dialect = { encoding: Encoding; delimiter: string }
export type Scanned = {
  line: number
  cells: string[]
  fault?: string
  /** The position of the next record. */
  next: Place
}

const WINDOW = 512 * 1024
/** The longest record in bytes; a longer one is cut here. */
const LONGEST = 4 * 1024 * 1024

/** The most records in memory at a time: a window of one-letter lines has hundreds of thousands. */
const MAX_WINDOW_RECORDS = 2_000

/**
 * Reads the records of a file from a position on, several at a time. Only one window of the file and at most MAX_WINDOW_RECORDS of its
 * records are in memory.
 */
export async function* scan(source: Source, from: Place, { encoding, delimiter }: Dialect): AsyncGenerator<Scanned[]> {
  let { byte, line } = from
  let length = WINDOW
  while (byte < source.size) {
    const bytes = await source.read({ offset: byte, length })
    const atEnd = byte + bytes.length >= source.size
    let text = decode(encoding, bytes, atEnd)
    // Only the record that does not fit is cut.
    const isCut = length >= LONGEST && !atEnd
    let [isFirst, faults] = [true, 0]
    while (isFirst || !isCut) {
      const read = readRecords(text, { delimiter, line, atEnd: atEnd || isCut, maxRecords: isCut ? 1 : MAX_WINDOW_RECORDS, faults })
      if (read.end === 0) break
      isFirst = false
      faults = read.faults
      let [done, at] = [0, byte]
      const scanned = read.records.map(({ line, cells, end, next_line, fault }): Scanned => {
        at += bytesOf(encoding, text.slice(done, end))
        done = end
        return { line, cells, next: { byte: at, line: next_line }, ...(fault !== undefined && { fault }) }
      })
      if (scanned.length > 0) yield scanned
      byte = at + bytesOf(encoding, text.slice(done, read.end))
      line = read.line
      text = text.slice(read.end)
    }
    if (isFirst && length < LONGEST && !atEnd) {
      length *= 2
      continue
    }
    length = WINDOW
    if (atEnd) return
  }
}
