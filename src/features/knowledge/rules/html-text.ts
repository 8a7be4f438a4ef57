import { Parser } from 'htmlparser2'

/** The text of a page as markdown, and its title. */
export type HtmlText = { title: string | null; text: string }

const set = (names: string) => new Set(names.split(' '))
/** What is no text of the page, or belongs to every page of its site. */
const SKIPPED = set(
  'script style noscript template svg iframe object nav footer aside form button select textarea dialog canvas audio video',
)
/** Some programs put all of a page into one form. */
const SKIPPED_BUT_FORMS = new Set([...SKIPPED].filter((name) => name !== 'form'))
const BLOCKS = set(
  'address article blockquote body dd details div dl dt fieldset figcaption figure header hr html li main ol p pre section summary ' +
    'table tbody thead tfoot tr ul',
)
const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']
const HIDDEN = /display:none|visibility:hidden/
const SPACES = /[\s\u00a0]+/g

/** The text of HTML: headings, paragraphs, lists and tables. If the page marks its main content, only that. What is hidden is left out. */
export function htmlText(html: string): HtmlText {
  const found = read(html, SKIPPED)
  return found.text === '' ? read(html, SKIPPED_BUT_FORMS) : found
}

function read(html: string, skipped: Set<string>): HtmlText {
  const reader = new PageReader(skipped)
  const parser = new Parser(
    {
      onopentag: (name, attributes) => reader.open(name, attributes),
      onclosetag: (name) => reader.close(name),
      ontext: (text) => reader.text(text),
    },
    { decodeEntities: true },
  )
  parser.write(html)
  parser.end()
  return reader.end()
}

/** A row that is being read; `isSplit`: a table within one of its cells has been added before the rest of it. */
type Row = { cells: string[]; isSplit: boolean }

class PageReader {
  #skippedNames: Set<string>
  #all: string[] = []
  #main: string[] = []
  #title = ''
  #firstHeading: string | undefined
  #line = ''
  #prefix = ''
  #row: Row | undefined
  #isFirstRow = false
  /** The tables around this one. */
  #outer: { row: Row | undefined; isFirstRow: boolean }[] = []
  /** How many elements are open within one that is left out, in the title, in the main content, and in preformatted text. */
  #skipped = 0
  #depthOf = { title: 0, main: 0, pre: 0 }

  constructor(skippedNames: Set<string>) {
    this.#skippedNames = skippedNames
  }

  open(name: string, attributes: Record<string, string>): void {
    if (this.#skipped > 0 || this.#skippedNames.has(name) || isHidden(attributes)) {
      this.#skipped++
      return
    }
    if (name === 'br') this.#lineBreak()
    if (BLOCKS.has(name) || HEADINGS.includes(name)) this.#flush()
    if (name === 'main' || name === 'article') this.#depthOf.main++
    if (name === 'title') this.#depthOf.title++
    if (name === 'pre') this.#depthOf.pre++
    if (HEADINGS.includes(name)) this.#prefix = `${'#'.repeat(Number(name[1]))} `
    if (name === 'li') this.#prefix = '- '
    if (name === 'table') this.#beginTable()
    if (name === 'tr') this.#row = { cells: [], isSplit: false }
  }

  close(name: string): void {
    if (this.#skipped > 0) {
      this.#skipped--
      return
    }
    if (name === 'td' || name === 'th') this.#endCell()
    else if (name === 'tr') this.#endRow()
    else if (BLOCKS.has(name) || HEADINGS.includes(name)) this.#flush()
    // What follows one without text is neither.
    if (HEADINGS.includes(name) || name === 'li') this.#prefix = ''
    if (name === 'table') this.#endTable()
    if (name === 'main' || name === 'article') this.#depthOf.main--
    if (name === 'title') this.#depthOf.title--
    if (name === 'pre') this.#depthOf.pre--
  }

  text(text: string): void {
    if (this.#skipped > 0) return
    if (this.#depthOf.title > 0) this.#title += text
    else this.#line += this.#depthOf.pre > 0 && !this.#row ? text : text.replace(SPACES, ' ')
  }

  end(): HtmlText {
    this.#flush()
    const title = tidy(this.#title) || this.#firstHeading || null
    const parts = this.#main.length > 0 ? this.#main : this.#all
    return { title, text: parts.join('').trim() }
  }

  #lineBreak() {
    this.#line = this.#row ? `${this.#line} ` : `${this.#line.trimEnd()}\n`
  }

  #beginTable() {
    // What a cell has before a table within it is a row of its own.
    if (this.#row) {
      if (tidy(this.#line) !== '') this.#endCell()
      this.#addRow()
    }
    this.#outer.push({ row: this.#row && { cells: [], isSplit: true }, isFirstRow: this.#isFirstRow })
    this.#row = undefined
    this.#isFirstRow = true
  }

  #endTable() {
    const { row, isFirstRow } = this.#outer.pop() ?? { row: undefined, isFirstRow: false }
    this.#row = row
    this.#isFirstRow = isFirstRow && !row
  }

  #endCell() {
    if (!this.#row) return this.#flush()
    this.#row.cells.push(tidy(this.#line).replaceAll('|', '\\|'))
    this.#line = ''
  }

  #endRow() {
    this.#addRow()
    this.#row = undefined
    this.#line = ''
  }

  #addRow() {
    const { cells, isSplit } = this.#row ?? { cells: [], isSplit: false }
    if (cells.length === 0 || (isSplit && cells.every((cell) => cell === ''))) return
    this.#add(`| ${cells.join(' | ')} |\n`)
    if (this.#isFirstRow) this.#add(`|${' --- |'.repeat(cells.length)}\n`)
    this.#isFirstRow = false
  }

  /** Ends a paragraph. Within a cell, blocks only separate words. */
  #flush() {
    if (this.#row) {
      this.#line = `${this.#line.trimEnd()} `
      return
    }
    const isPre = this.#depthOf.pre > 0
    const text = isPre ? this.#line.trimEnd() : this.#line.split('\n').map(tidy).join('\n').trim()
    this.#line = ''
    if (text.trim() === '') return
    if (this.#prefix.startsWith('#')) this.#firstHeading ??= text.slice(0, 300)
    const gap = this.#prefix === '- ' ? '' : '\n'
    this.#add(`${gap}${isPre ? `\`\`\`\n${text}\n\`\`\`` : this.#prefix + text}\n`)
    this.#prefix = ''
  }

  #add(part: string) {
    this.#all.push(part)
    if (this.#depthOf.main > 0) this.#main.push(part)
  }
}

const tidy = (text: string) => text.replace(SPACES, ' ').trim()
const isHidden = ({ hidden, style = '', 'aria-hidden': aria }: Record<string, string>) =>
  hidden !== undefined || aria === 'true' || HIDDEN.test(style.toLowerCase().replace(SPACES, ''))
