import { readRecords } from './read.ts'

const DELIMITERS = [',', ';', '\t', '|'] as const
export type Delimiter = (typeof DELIMITERS)[number]

const SAMPLE_LINES = 50

/**
 * Detects the delimiter. The first line may declare it (`sep=;`, as Excel writes); otherwise it is the one that splits most lines into
 * the same number of cells. `begin` is the number of characters before the first record.
 */
export function detectDelimiter(text: string): { delimiter: Delimiter; begin: number } {
  const declared = /^sep=(.)\r?\n/.exec(text)
  const named = DELIMITERS.find((delimiter) => delimiter === declared?.[1])
  if (declared && named) return { delimiter: named, begin: declared[0].length }
  const rated = DELIMITERS.map((delimiter) => ({ delimiter, rate: rateOf(text, delimiter) }))
  return { delimiter: rated.reduce((best, other) => (other.rate > best.rate ? other : best)).delimiter, begin: 0 }
}

/** The number of cells that most lines have; 0 for a delimiter that splits nothing. */
function rateOf(text: string, delimiter: string): number {
  const { records } = readRecords(text, { delimiter, line: 1, atEnd: true, maxRecords: SAMPLE_LINES })
  const counts = Map.groupBy(records, ({ cells }) => cells.length)
  const [width, alike] = [...counts].reduce((a, b) => (b[1].length > a[1].length ? b : a), [1, []] as [number, unknown[]])
  return width < 2 ? 0 : (alike.length / records.length) * Math.min(width, 10)
}

/** Values that are never a column's name: email addresses, numbers, dates, URLs. */
const VALUE = /^[^\s@]+@[^\s@]+\.[a-z]{2,}$|^[-+$€£]?[\d.,\s]*\d$|^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|^https?:\/\//i

/** Whether the first record is a header: its cells are distinct, and none looks like a value. */
export function isHeader(cells: string[]): boolean {
  const named = cells.map((cell) => cell.trim()).filter((cell) => cell !== '')
  return named.length > 0 && !named.some((cell) => VALUE.test(cell)) && new Set(named).size >= named.length / 2
}

/** Unique names for the columns: `Email`, `Email (2)`. A column without a name is named after its position. */
export function columnNames(cells: string[], width: number): string[] {
  const seen = new Set<string>()
  return Array.from({ length: Math.max(cells.length, width) }, (_, at) => {
    const label =
      (cells[at] ?? '')
        .toWellFormed()
        .replace(/[\p{Cc}\s]+/gu, ' ')
        .trim()
        .slice(0, 200) || `Column ${at + 1}`
    let name = label
    for (let again = 2; seen.has(name); again++) name = `${label} (${again})`
    seen.add(name)
    return name
  })
}
