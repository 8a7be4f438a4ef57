/** Characters that a spreadsheet interprets as the start of a formula. */
const FORMULA = /^[=+\-@\t\r\n\uFF0B\uFF0D\uFF1D\uFF20]/
/** Numbers and phone numbers in E.164 are harmless: a spreadsheet shows them unchanged. */
const HARMLESS = /^(?:[+-]?\d+(?:\.\d+)?)$/
/** Text whose first apostrophe must be removed when it is read back. */
const MARKED = /^'+[=+\-@\t\r\n\uFF0B\uFF0D\uFF1D\uFF20]/

/**
 * Escapes text that a spreadsheet would evaluate: `=1+1` becomes `'=1+1`. Numbers and `+61412345678` remain usable. Text that already
 * begins with such an apostrophe gets another one, so that `unmarked` restores every text.
 */
export const marked = (text: string): string => (MARKED.test(text) ? `'${text}` : defused(text))

/** The same for a cell copied from a file, where an apostrophe is already an escape. */
export const defused = (cell: string): string => (FORMULA.test(cell) && !HARMLESS.test(cell) ? `'${cell}` : cell)

export const unmarked = (text: string): string => (MARKED.test(text) ? text.slice(1) : text)

/** A record of a CSV file (RFC 4180), with its line ending. */
export const csvRecord = (cells: string[], safely = marked): string => `${cells.map((cell) => csvCell(safely(cell))).join(',')}\r\n`

/** Quotes what a reader could take for a delimiter, also one that guesses a semicolon or a tab. */
function csvCell(safe: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Joins several values into one cell: `a; b`, or JSON when a value contains a semicolon. */
export const joined = (values: string[]): string =>
  values.some((value) => /[;[]/.test(value) || value.trim() !== value || value === '') ? JSON.stringify(values) : values.join('; ')
