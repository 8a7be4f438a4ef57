import { invalid } from '../../errors.ts'
import { columnNames, detectDelimiter, isHeader } from './dialect.ts'
import { bytesOf, decode, detectEncoding, type Encoding } from './encoding.ts'
import { type Place, type Scanned, type Source, scan } from './scan.ts'

/** What a CSV file turns out to be. `first` is where its first record with values begins; `samples` are the first different values of a column. */
export type Description = {
  encoding: Encoding
  delimiter: string
  has_header: boolean
  columns: { name: string; samples: string[] }[]
  preview: string[][]
  total: number
  first: Place
}

const SAMPLE_BYTES = 65_536
const BOM_BYTES = 3
const SAMPLES = 5
const SAMPLED_ROWS = 100
const PREVIEW_ROWS = 10
const SHOWN = 200

/** More than any table of people has: the file is none. */
const MOST_COLUMNS = 500

/** A file has at most so many records. */
export const MAX_RECORDS = 250_000

const tooMany = () =>
  invalid([
    { path: 'file', message: `has more than ${MAX_RECORDS.toLocaleString('en')} lines: split it, and import one part after the other` },
  ])

/**
 * Reads a file through once: how it is written, what its columns are called, and how many records it has. `utf8` says whether all of it is.
 * @throws AppError VALIDATION_ERROR for more columns than can be, and as soon as there are more records than may be.
 */
export async function describeCsv(source: Source, utf8: boolean): Promise<Description> {
  const beginning = await source.read({ offset: 0, length: SAMPLE_BYTES + BOM_BYTES })
  const { encoding, begin } = detectEncoding(beginning, utf8)
  const sample = decode(encoding, beginning.subarray(begin, begin + SAMPLE_BYTES), false)
  const dialect = detectDelimiter(sample)
  const start = { byte: begin + bytesOf(encoding, sample.slice(0, dialect.begin)), line: dialect.begin > 0 ? 2 : 1 }
  const { delimiter } = dialect
  const head: Scanned[] = []
  let count = 0
  for await (const records of scan(source, start, { encoding, delimiter })) {
    if (head.length <= SAMPLED_ROWS) head.push(...records.slice(0, SAMPLED_ROWS + 1 - head.length))
    count += records.length
    // One more may be the header.
    if (count > MAX_RECORDS + 1) throw tooMany()
  }
  const [header] = head
  const width = header?.cells.length ?? 0
  if (width > MOST_COLUMNS) throw invalid([{ path: 'file', message: `has ${width} columns: at most ${MOST_COLUMNS} can be read` }])
  const has_header = header !== undefined && isHeader(header.cells)
  const rows = (has_header ? head.slice(1) : head).map(({ cells }) => cells.map(shown))
  const names = columnNames(has_header ? header.cells : [], has_header ? 0 : width)
  const total = count - Number(has_header)
  if (total > MAX_RECORDS) throw tooMany()
  return {
    encoding,
    delimiter,
    has_header,
    columns: names.map((name, at) => ({ name, samples: samplesOf(rows, at) })),
    preview: rows.slice(0, PREVIEW_ROWS),
    total,
    first: has_header ? header.next : start,
  }
}

/** As it can be stored and shown: well-formed, without NUL, not too long. */
const shown = (cell: string) => cell.slice(0, SHOWN).toWellFormed().replaceAll('\0', '\uFFFD')

function samplesOf(rows: string[][], at: number): string[] {
  const values = rows.map((cells) => (cells[at] ?? '').trim()).filter((value) => value !== '')
  return [...new Set(values)].slice(0, SAMPLES)
}
