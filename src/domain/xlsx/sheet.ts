import { MAX_COLUMNS } from '../csv/describe.ts'
import { type NumberForm, numberText } from './numbers.ts'
import { RichText, unescaped } from './strings.ts'
import type { Workbook } from './workbook.ts'
import { attribute, textOf, XmlParser } from './xml.ts'
import { damaged, refused } from './zip.ts'

/** A row with values, and its number in the sheet. */
export type Row = { line: number; cells: string[] }
/** Rows of merged cells in one column, whose value is in the first of them. */
type Merged = { column: number; from: number; to: number }

const MAX_MERGED = 20_000
const NUMBER: NumberForm = { kind: 'number' }

/** Reads the rows of a workbook's sheet that have values, several at a time. @throws AppError VALIDATION_ERROR */
export async function* readRows(workbook: Workbook): AsyncGenerator<Row[]> {
  const sheet = new Sheet(workbook, await mergedCells(workbook))
  const parser = new XmlParser(sheet)
  for await (const text of textOf(workbook.read())) {
    parser.push(text)
    if (sheet.rows.length > 0) yield sheet.rows.splice(0)
  }
  parser.end()
}

/** The cells that are merged over several rows. They are listed after the rows, so the sheet is read twice. */
async function mergedCells(workbook: Workbook): Promise<Merged[]> {
  const found: Merged[] = []
  let [tail, hasAny] = ['', false]
  const parser = new XmlParser({
    open(name, attributes) {
      const [, column = '', from, toRow] = (name === 'mergeCell' && MERGED.exec(attribute(attributes, 'ref') ?? '')) || []
      if (!toRow || from === toRow) return
      if (found.length === MAX_MERGED)
        throw refused(`has more than ${MAX_MERGED.toLocaleString('en')} merged cells: unmerge them, and send the workbook again`)
      found.push({ column: columnOf(column), from: Number(from), to: Number(toRow) })
    },
    close: () => {},
  })
  for await (const text of textOf(workbook.read())) {
    const buffer = tail + text
    const at = hasAny ? 0 : buffer.search(/<(?:\w+:)?mergeCells/)
    if (at >= 0) parser.push(hasAny ? text : buffer.slice(at))
    hasAny ||= at >= 0
    tail = hasAny ? '' : buffer.slice(-TAIL)
  }
  return found.sort((a, b) => a.from - b.from)
}
const MERGED = /^\$?([A-Z]{1,3})\$?(\d{1,7}):\$?[A-Z]{1,3}\$?(\d{1,7})$/
/** The longest beginning of a tag that two pieces of text may have between them. */
const TAIL = 100

/** The index of a column, from its letters. */
export function columnOf(letters: string): number {
  let column = 0
  for (let at = 0; at < letters.length; at++) column = column * 26 + letters.charCodeAt(at) - 64
  return column - 1
}

type Cell = { column: number; type: string; form: NumberForm; hasFormula: boolean; hasValue: boolean }

/** Collects the rows of a sheet from its XML. */
class Sheet {
  readonly rows: Row[] = []
  readonly #workbook: Workbook
  readonly #merged: Merged[]
  #nextMerged = 0
  #open: (Merged & { value: string })[] = []
  #line = 0
  #cells: string[] = []
  #cell: Cell | undefined
  #column = -1
  #inside: 'v' | 'is' | undefined
  #value = ''
  readonly #rich = new RichText()

  constructor(workbook: Workbook, merged: Merged[]) {
    this.#workbook = workbook
    this.#merged = merged
  }

  open(name: string, attributes: string): void {
    if (name === 'row') this.#beginRow(attributes)
    else if (name === 'c') this.#beginCell(attributes)
    else if (!this.#cell) return
    else if (name === 'v') this.#inside = 'v'
    else if (name === 'is') this.#inside = 'is'
    else if (name === 'f') this.#cell.hasFormula = true
    else if (this.#inside === 'is') this.#rich.open(name)
  }

  close(name: string): void {
    if (name === 'row') this.#endRow()
    else if (name === 'c') this.#endCell()
    else if (!this.#cell) return
    else if (name === 'v' || name === 'is') {
      this.#cell.hasValue = true
      this.#inside = undefined
    } else if (this.#inside === 'is') this.#rich.close(name)
  }

  text(text: string): void {
    if (this.#inside === 'v') this.#value += text
    else if (this.#inside === 'is') this.#rich.text(text)
  }

  #beginRow(attributes: string): void {
    const line = Number(attribute(attributes, 'r') ?? this.#line + 1)
    if (!(Number.isInteger(line) && line > this.#line)) throw damaged()
    this.#line = line
    this.#cells = []
    this.#column = -1
  }

  #beginCell(attributes: string): void {
    const letters = /^[A-Z]{1,3}/.exec(attribute(attributes, 'r') ?? '')?.[0]
    this.#column = letters ? columnOf(letters) : this.#column + 1
    const form = this.#workbook.forms[Number(attribute(attributes, 's') ?? 0)] ?? NUMBER
    this.#cell = { column: this.#column, type: attribute(attributes, 't') ?? 'n', form, hasFormula: false, hasValue: false }
    this.#value = ''
    this.#rich.clear()
  }

  #endCell(): void {
    const cell = this.#cell
    this.#cell = undefined
    if (!cell) return
    const name = () => `${nameOf(cell.column)}${this.#line}`
    if (cell.hasFormula && !cell.hasValue)
      throw refused(`has formulas without results, first in ${name()}: open it in a spreadsheet program, save it, and send it again`)
    const text = this.#textOf(cell)
    if (text === undefined) throw damaged()
    if (text === '') return
    if (cell.column >= MAX_COLUMNS)
      throw refused(`has a value in column ${nameOf(cell.column)}: at most ${MAX_COLUMNS} columns can be read`)
    while (this.#cells.length < cell.column) this.#cells.push('')
    this.#cells[cell.column] = text
  }

  #textOf({ type, form }: Cell): string | undefined {
    switch (type) {
      case 's':
        return this.#value === '' ? '' : this.#workbook.strings?.get(Number(this.#value))
      case 'inlineStr':
        return this.#rich.value
      case 'str':
        return unescaped(this.#value)
      case 'b':
        return this.#value.trim() === '' ? '' : this.#value.trim() === '1' || this.#value.trim() === 'true' ? 'TRUE' : 'FALSE'
      case 'n':
        return numberText(this.#value, form, this.#workbook.dates)
      default:
        return this.#value
    }
  }

  #endRow(): void {
    const cells = this.#cells
    const isBlank = cells.every((cell) => cell.trim() === '')
    this.#openMerged()
    if (!isBlank) {
      for (const { column, value } of this.#open) {
        while (cells.length <= column) cells.push('')
        if (cells[column] === '') cells[column] = value
      }
      this.rows.push({ line: this.#line, cells })
    }
  }

  /** Updates the merged cells that this row is part of. A value fills the rows below it, but no other columns. */
  #openMerged(): void {
    this.#open = this.#open.filter(({ to }) => to >= this.#line)
    for (let next = this.#merged[this.#nextMerged]; next && next.from <= this.#line; next = this.#merged[++this.#nextMerged]) {
      const value = next.from === this.#line ? (this.#cells[next.column] ?? '') : ''
      if (value !== '') this.#open.push({ ...next, value })
    }
  }
}

/** The letters of a column, from its index. */
const nameOf = (column: number): string =>
  column < 26 ? String.fromCharCode(65 + column) : nameOf(Math.floor(column / 26) - 1) + nameOf(column % 26)
