/** A record of a CSV file. `line` is its line number, counted from 1; the next record begins at `end` in the text and on `next_line`. */
export type CsvRecord = { line: number; cells: string[]; end: number; next_line: number; fault?: string }
export type Records = {
  records: CsvRecord[]
  /** The number of characters consumed. */
  end: number
  /** The number of the next line. */
  line: number
  /** The number of malformed records, including those before this text. */
  faults: number
}
type Reading = {
  delimiter: string
  line: number
  /** True when the file ends with this text. */
  atEnd: boolean
  maxRecords?: number
  /** The number found before this text. */
  faults?: number
}

/**
 * A quoted cell with more characters than this is treated as one whose quote was never closed. The limit shrinks as such faults
 * accumulate, so that a text of nothing but quotes is read as fast as any other.
 */
const LONGEST_CELL = 65_536
const longestAfter = (faults: number) => (faults < 100 ? LONGEST_CELL : faults < 1000 ? 4096 : 128)
/** The most cells read from a record; no real table has more. */
const MAX_CELLS = 10_000
const UNCLOSED = 'A quotation mark opened on this line is never closed: close it, or double it if it is part of the text'

/**
 * Reads the complete records of a text, according to RFC 4180 and to what programs really write: any line ending, quotes inside a cell,
 * blanks after a closing quote. A record that may continue after the text is left for the next call. Blank lines are skipped. An unclosed
 * quote affects only its own line: `fault` says so, and the next line is read normally.
 */
export function readRecords(text: string, { delimiter, line, atEnd, maxRecords = Number.POSITIVE_INFINITY, faults = 0 }: Reading): Records {
  const records: CsvRecord[] = []
  let at = 0
  let here = line
  let faultCount = faults
  while (at < text.length && records.length < maxRecords) {
    const next = skipBlankLines(text, at, atEnd)
    here += next.lines
    at = next.at
    const read = at < text.length ? recordAt(text, at, { delimiter, atEnd, longest: longestAfter(faultCount) }) : undefined
    if (!read) break
    const { cells, end, lines, fault } = read
    if (fault) faultCount += 1
    if (cells.some((cell) => cell.trim() !== '')) records.push({ line: here, cells, end, next_line: here + lines, ...(fault && { fault }) })
    at = end
    here += lines
  }
  return { records, end: at, line: here, faults: faultCount }
}

/** Skips empty lines, of which a file may have millions. The last character may be half of a line ending. */
function skipBlankLines(text: string, start: number, atEnd: boolean): { at: number; lines: number } {
  let [at, lines] = [start, 0]
  for (;;) {
    const code = text.charCodeAt(at)
    if (code !== 10 && (code !== 13 || (at + 1 >= text.length && !atEnd))) return { at, lines }
    at += code === 13 && text.charCodeAt(at + 1) === 10 ? 2 : 1
    lines += 1
  }
}

type Read = { cells: string[]; end: number; lines: number; fault?: string }
type Cell = { value: string; end: number; lines: number }
type Manner = { delimiter: string; atEnd: boolean; longest: number }

function recordAt(text: string, start: number, manner: Manner): Read | undefined {
  const { delimiter, atEnd } = manner
  const cells: string[] = []
  let at = start
  let lines = 1
  for (;;) {
    const cell = text[at] === '"' ? quotedAt(text, at, manner) : plainAt(text, at, delimiter)
    if (cell === 'cut') return undefined
    if (cell === 'unclosed') return restOfLine(text, at, cells, lines, atEnd)
    if (cells.length < MAX_CELLS) cells.push(cell.value)
    lines += cell.lines
    if (text[cell.end] === delimiter) {
      at = cell.end + 1
      continue
    }
    const end = skipLineBreak(text, cell.end)
    // The cell may continue after the last character, or a line ending may be cut in half there.
    if (!atEnd && (cell.end >= text.length || (end === text.length && text[cell.end] === '\r' && end === cell.end + 1))) return undefined
    return { cells, end, lines }
  }
}

function plainAt(text: string, start: number, delimiter: string): Cell {
  const separator = delimiter.charCodeAt(0)
  let end = start
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end)
    if (code === separator || code === 10 || code === 13) break
  }
  return { value: text.slice(start, end), end, lines: 0 }
}

function quotedAt(text: string, start: number, { delimiter, atEnd, longest }: Manner): Cell | 'cut' | 'unclosed' {
  let from = start + 1
  for (;;) {
    const quote = text.indexOf('"', from)
    const length = (quote < 0 ? text.length : quote) - start
    if (length > longest) return 'unclosed'
    if (quote < 0) return atEnd ? 'unclosed' : 'cut'
    if (text[quote + 1] === '"') {
      from = quote + 2
      continue
    }
    const end = skipBlanks(text, quote + 1, delimiter)
    if (end >= text.length && !atEnd) return 'cut'
    const inside = text.slice(start + 1, quote)
    const lines = breaksIn(inside)
    if (end >= text.length || text[end] === delimiter || text[end] === '\n' || text[end] === '\r')
      return { value: inside.replaceAll('""', '"'), end, lines }
    // Within a line, the quote is part of the text. After a line break it opens another cell, so this one was never closed.
    if (lines > 0) return 'unclosed'
    from = quote + 1
  }
}

/** The rest of a line with an unclosed quote. */
function restOfLine(text: string, at: number, cells: string[], lines: number, atEnd: boolean): Read | undefined {
  const rest = plainAt(text, at, '\n')
  if (rest.end >= text.length && !atEnd) return undefined
  return { cells: [...cells, rest.value], end: skipLineBreak(text, rest.end), lines, fault: UNCLOSED }
}

function skipLineBreak(text: string, at: number): number {
  if (text[at] === '\r') return text[at + 1] === '\n' ? at + 2 : at + 1
  return text[at] === '\n' ? at + 1 : at
}

function skipBlanks(text: string, at: number, delimiter: string): number {
  let end = at
  while (text[end] !== delimiter && (text[end] === ' ' || text[end] === '\t')) end++
  return end
}

const breaksIn = (text: string): number => (/[\r\n]/.test(text) ? (text.match(/\r\n|\r|\n/g) ?? []).length : 0)
