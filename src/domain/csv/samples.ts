import { saysConsent } from '../../features/imports/rules/consent.ts'
import { isShortDate, orderIn } from '../../features/imports/rules/dates.ts'

const SAMPLES = 5
/** A text that may say consent has one of these parts: a file may have millions of cells. */
const MAY_SAY =
  /sub|opt|do ?n.?t|do not|\bn[oi]|nev|stop|dn[cd]|ab(?:ge)?meld|abbest|kein|pas |d[ée]s|baja|sin |afmeld|afgem|uitge|geen|refus|sperr/i
/** The longest text that is looked at, and the most different ones of a column. */
const LONGEST = 100
const MOST = 200

type Column = { first: Set<string>; seen: Set<string>; telling?: string; hasDates?: boolean; order?: string }

/**
 * Collects samples of each column: its first distinct values, wherever in the file they are; and one that says who must not be contacted,
 * and one that proves whether day or month comes first, which may come late.
 */
export class Samples {
  readonly #columns: Column[] = []

  add(cells: string[]): void {
    for (const [at, cell] of cells.entries()) {
      if (cell === '') continue
      this.#columns[at] ??= { first: new Set(), seen: new Set() }
      this.#addTo(this.#columns[at], cell)
    }
  }

  #addTo(column: Column, cell: string): void {
    const { first, seen } = column
    const text = cell.slice(0, 2 * LONGEST).trim()
    if (first.size < SAMPLES && text !== '') {
      first.add(copy(text))
      column.hasDates ||= isShortDate(text)
    }
    if (column.hasDates && column.order === undefined && orderIn(text)) column.order = copy(text)
    if (column.telling !== undefined || text.length > LONGEST || seen.has(text) || !MAY_SAY.test(text)) return
    if (seen.size < MOST) seen.add(copy(text))
    if (saysConsent(text)) column.telling = copy(text)
  }

  of(at: number): string[] {
    const column = this.#columns[at]
    return column ? [...new Set([...column.first, column.telling, column.order])].filter((text) => text !== undefined) : []
  }
}

/** A slice of a string keeps the whole string in memory. */
const copy = (text: string) => ` ${text}`.slice(1).toWellFormed().replaceAll('\0', '\uFFFD')
