import { type Description, describeTable, excerpts, MAX_RECORDS, padded, SAMPLED_ROWS, tooMany, withoutHeader } from '../csv/describe.ts'
import { Samples } from '../csv/samples.ts'
import type { Place, Scanned, Source } from '../csv/scan.ts'
import { readRows } from './sheet.ts'
import { openWorkbook } from './workbook.ts'
import { refused } from './zip.ts'

/** The most bytes of a sheet's rows as they are stored, and the most characters of one of them. */
const MAX_STORED = 300 * 1024 * 1024
const MAX_ROW = 1_000_000
const WINDOW = 512 * 1024
const LINE_FEED = 10

/** A converted workbook: the sheet that was read, the names of all, and the size of its stored rows in bytes. */
export type Converted = Description & { sheet: string; sheets: string[]; stored_size: number }

const encoder = new TextEncoder()

/**
 * Converts the sheet of a workbook to rows that can be read from any position on: a line of JSON each, with the row's number and its cells.
 * `store` takes them. @throws AppError VALIDATION_ERROR for a workbook that cannot be read, or is too large.
 */
export async function convertWorkbook(
  source: Source,
  chosen: string | undefined,
  store: (pieces: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<Converted> {
  const workbook = await openWorkbook(source, chosen)
  const head: Scanned[] = []
  const samples = new Samples()
  let [count, width, size] = [0, 0, 0]
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for await (const rows of readRows(workbook)) {
      const texts = rows.map(({ line, cells }) => `${JSON.stringify([line, cells])}\n`)
      let end = size
      for (const [n, { line, cells }] of rows.slice(0, Math.max(0, SAMPLED_ROWS + 1 - head.length)).entries()) {
        end += encoder.encode(texts[n]).length
        head.push({ line, cells: excerpts(cells), next: { byte: end, line: line + 1 } })
      }
      const bytes = encoder.encode(texts.join(''))
      width = rows.reduce((most, { cells }) => Math.max(most, cells.length), width)
      for (const { cells } of count === 0 ? withoutHeader(rows) : rows) samples.add(cells)
      count += rows.length
      size += bytes.length
      // One more row may be the header.
      if (count > MAX_RECORDS + 1) throw tooMany()
      const long = rows[texts.findIndex((text) => text.length > MAX_ROW)]
      if (long) throw refused(`has more than 1,000,000 characters in row ${long.line}: shorten its cells`)
      if (size > MAX_STORED) throw refused('has more than 300 MB of text: split the sheet')
      yield bytes
    }
  }
  await store(pieces())
  if (count === 0) throw refused(`has no values in the sheet ${JSON.stringify(workbook.sheet)}: choose another one with \`sheet\``)
  return {
    encoding: 'utf-8',
    delimiter: '',
    ...describeTable({ head, count, start: { byte: 0, line: 1 }, width, samples }),
    sheet: workbook.sheet,
    sheets: workbook.sheets,
    stored_size: size,
  }
}

/** Reads the stored rows of a workbook from a position on, filled up to the number of its columns. Only one window is in memory. */
export async function* scanRows(source: Source, from: Place, width: number): AsyncGenerator<Scanned[]> {
  let { byte } = from
  let length = WINDOW
  while (byte < source.size) {
    const bytes = await source.read({ offset: byte, length })
    const end = bytes.lastIndexOf(LINE_FEED) + 1
    if (bytes.length === 0 || (end === 0 && length > 4 * MAX_ROW)) throw new Error('The stored rows of a workbook end within a row')
    const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })
    const scanned: Scanned[] = []
    for (let at = 0; at < end; ) {
      const next = bytes.indexOf(LINE_FEED, at) + 1
      const [line, cells] = JSON.parse(decoder.decode(bytes.subarray(at, next))) as [number, string[]]
      scanned.push({ line, cells: padded(cells, width), next: { byte: byte + next, line: line + 1 } })
      at = next
    }
    if (scanned.length > 0) yield scanned
    byte += end
    length = end === 0 ? length * 2 : WINDOW
  }
}
