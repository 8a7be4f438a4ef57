/** What a spreadsheet takes for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r\n\uFF0B\uFF0D\uFF1D\uFF20]/
/** Numbers and phone numbers in E.164 compute to themselves. */
const HARMLESS = /^(?:[+-]?\d+(?:\.\d+)?)$/
/** What has to be read back without its first apostrophe. */
const MARKED = /^'+[=+\-@\t\r\n\uFF0B\uFF0D\uFF1D\uFF20]/

/**
 * A text that no spreadsheet computes with: `=1+1` becomes `'=1+1`. Numbers and `+61412345678` stay, and so usable. A text that begins
 * that way itself gets another apostrophe, so that `unmarked` gives every text back.
 */
export const marked = (text: string): string => (MARKED.test(text) ? `'${text}` : defused(text))

/** The same for a cell as it stood in a file, whose apostrophe is a mark already. */
export const defused = (cell: string): string => (FORMULA.test(cell) && !HARMLESS.test(cell) ? `'${cell}` : cell)

export const unmarked = (text: string): string => (MARKED.test(text) ? text.slice(1) : text)

/** A record of a CSV file (RFC 4180), with its line ending. */
export const csvRecord = (cells: string[], safely = marked): string => `${cells.map((cell) => csvCell(safely(cell))).join(',')}\r\n`

function csvCell(safe: string): string {
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Several values in one cell: `a; b`. Where one of them has a semicolon, as JSON. */
export const joined = (values: string[]): string =>
  values.some((value) => /[;[]/.test(value) || value.trim() !== value || value === '') ? JSON.stringify(values) : values.join('; ')
