import { invalid } from '../../errors.ts'
import { columnNames, detectDelimiter, isHeader } from './dialect.ts'
import { bytesOf, decode, detectEncoding, type Encoding } from './encoding.ts'
import { Samples } from './samples.ts'
import { type Place, type Scanned, type Source, scan } from './scan.ts'

/**
 * The properties of a CSV file. `first` is where the first non-empty record begins; `samples` are the first distinct values of a column,
 * and one that says who must not be contacted.
 */
export type Description = {
  encoding: Encoding
  delimiter: string
  has_header: boolean
  columns: { name: string; samples: string[] }[]
  /** The first records, each cell cut. */
  preview: { line: number; cells: string[] }[]
  total: number
  first: Place
}

const SAMPLE_BYTES = 65_536
const BOM_BYTES = 3
export const SAMPLED_ROWS = 100
const PREVIEW_ROWS = 10
const SHOWN = 200

/** A file with more columns is not a table of records. */
export const MAX_COLUMNS = 500

/** The most records in a file. */
export const MAX_RECORDS = 250_000

export const tooMany = () =>
  invalid([
    { path: 'file', message: `has more than ${MAX_RECORDS.toLocaleString('en')} lines: split it, and import one part after the other` },
  ])

/**
 * Reads a file once and determines its format, its columns and its number of records. `utf8` says whether all of it is valid UTF-8.
 * @throws AppError VALIDATION_ERROR for too many columns, or as soon as there are too many records.
 */
export async function describeCsv(source: Source, utf8: boolean): Promise<Description> {
  const beginning = await source.read({ offset: 0, length: SAMPLE_BYTES + BOM_BYTES })
  const { encoding, begin } = detectEncoding(beginning, utf8)
  const sample = decode(encoding, beginning.subarray(begin, begin + SAMPLE_BYTES), false)
  const dialect = detectDelimiter(sample)
  const start = { byte: begin + bytesOf(encoding, sample.slice(0, dialect.begin)), line: dialect.begin > 0 ? 2 : 1 }
  const { delimiter } = dialect
  const head: Scanned[] = []
  const samples = new Samples()
  let count = 0
  for await (const records of scan(source, start, { encoding, delimiter })) {
    const width = records[0]?.cells.length ?? 0
    if (count === 0 && width > MAX_COLUMNS)
      throw invalid([{ path: 'file', message: `has ${width} columns: at most ${MAX_COLUMNS} can be read` }])
    if (head.length <= SAMPLED_ROWS)
      head.push(...records.slice(0, SAMPLED_ROWS + 1 - head.length).map((record) => ({ ...record, cells: excerpts(record.cells) })))
    for (const { cells } of count === 0 ? withoutHeader(records) : records) samples.add(cells)
    count += records.length
    // One more record may be the header.
    if (count > MAX_RECORDS + 1) throw tooMany()
  }
  return { encoding, delimiter, ...describeTable({ head, count, start, samples }) }
}

/**
 * The first records of a table, the number of all records, the position of the first one, the number of columns beyond those of the header,
 * and samples of the columns.
 */
export type Table = { head: Scanned[]; count: number; start: Place; width?: number; samples: Samples }

/** Describes a table whose first record may be a header. @throws AppError VALIDATION_ERROR for too many records. */
export function describeTable({ head, count, start, samples, width = 0 }: Table): Omit<Description, 'encoding' | 'delimiter'> {
  const [header] = head
  const has_header = header !== undefined && isHeader(header.cells)
  const names = has_header ? columnNames(header.cells, width) : columnNames([], Math.max(width, header?.cells.length ?? 0))
  const shown = (cells: string[]) => padded(cells.map(displayable), width)
  const lines = (has_header ? head.slice(1) : head).map(({ line, cells }) => ({ line, cells: shown(cells) }))
  const total = count - Number(has_header)
  if (total > MAX_RECORDS) throw tooMany()
  return {
    has_header,
    columns: names.map((name, at) => ({ name, samples: samples.of(at) })),
    preview: lines.slice(0, PREVIEW_ROWS),
    total,
    first: has_header ? header.next : start,
  }
}

/** The first records of a table without its header. */
export const withoutHeader = <Row extends { cells: string[] }>(rows: Row[]): Row[] =>
  rows[0] && isHeader(excerpts(rows[0].cells)) ? rows.slice(1) : rows

/** The cells of a row with empty ones up to a width. */
export const padded = (cells: string[], width: number): string[] =>
  cells.length < width ? [...cells, ...Array<string>(width - cells.length).fill('')] : cells

/** The columns, first records and number of records of rows whose columns are known. @throws AppError as soon as there are too many. */
export async function describeRows(
  scanned: AsyncIterable<Scanned[]>,
  names: readonly string[],
): Promise<Pick<Description, 'columns' | 'preview' | 'total'>> {
  const head: { line: number; cells: string[] }[] = []
  const samples = new Samples()
  let total = 0
  for await (const records of scanned) {
    for (const { line, cells } of records.slice(0, Math.max(0, SAMPLED_ROWS - head.length)))
      head.push({ line, cells: excerpts(cells).map(displayable) })
    for (const { cells } of records) samples.add(cells)
    total += records.length
    if (total > MAX_RECORDS) throw tooMany()
  }
  return { columns: names.map((name, at) => ({ name, samples: samples.of(at) })), preview: head.slice(0, PREVIEW_ROWS), total }
}

/**
 * The part of a row that the description needs, copied: a slice of a string keeps the whole string in memory, here megabytes for each row.
 */
export const excerpts = (cells: string[]) => cells.slice(0, MAX_COLUMNS).map((cell) => ` ${cell.slice(0, SHOWN)}`.slice(1))

/** Makes a cell storable and presentable: well-formed, without NUL, and limited in length. */
const displayable = (cell: string) => cell.slice(0, SHOWN).toWellFormed().replaceAll('\0', '\uFFFD')
