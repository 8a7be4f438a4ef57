import { Parser } from 'htmlparser2'

/** The text of a page as markdown, and its title. */
export type HtmlText = { title: string | null; text: string }

const set = (names: string) => new Set(names.split(' '))
/** What is no text of the page, or belongs to every page of its site. */
const SKIPPED = set(
  'script style noscript template svg iframe object nav footer aside form button select textarea dialog canvas audio video',
)
const BLOCKS = set(
  'address article blockquote body dd details div dl dt fieldset figcaption figure header hr html li main ol p pre section summary ' +
    'table tbody thead tfoot tr ul',
)
const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']
const HIDDEN = /display:none|visibility:hidden/
const SPACES = /[\s\u00a0]+/g

/** The text of HTML: headings, paragraphs, lists and tables. If the page marks its main content, only that. What is hidden is left out. */
export function htmlText(html: string): HtmlText {
  const reader = new PageReader()
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

class PageReader {
  #all: string[] = []
  #main: string[] = []
  #title = ''
  #firstHeading: string | undefined
  #line = ''
  #prefix = ''
  #cells: string[] | undefined
  #isFirstRow = false
  /** How many elements are open within one that is left out, in the title, in the main content, and in preformatted text. */
  #skipped = 0
  #depthOf = { title: 0, main: 0, pre: 0 }

  open(name: string, attributes: Record<string, string>): void {
    if (this.#skipped > 0 || SKIPPED.has(name) || isHidden(attributes)) {
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
    if (name === 'table') this.#isFirstRow = true
    if (name === 'tr') this.#cells = []
  }

  close(name: string): void {
    if (this.#skipped > 0) {
      this.#skipped--
      return
    }
    if (name === 'td' || name === 'th') this.#endCell()
    else if (name === 'tr') this.#endRow()
    else if (BLOCKS.has(name) || HEADINGS.includes(name)) this.#flush()
    if (name === 'main' || name === 'article') this.#depthOf.main--
    if (name === 'title') this.#depthOf.title--
    if (name === 'pre') this.#depthOf.pre--
  }

  text(text: string): void {
    if (this.#skipped > 0) return
    if (this.#depthOf.title > 0) this.#title += text
    else this.#line += this.#depthOf.pre > 0 && !this.#cells ? text : text.replace(SPACES, ' ')
  }

  end(): HtmlText {
    this.#flush()
    const title = tidy(this.#title) || this.#firstHeading || null
    const parts = this.#main.length > 0 ? this.#main : this.#all
    return { title, text: parts.join('').trim() }
  }

  #lineBreak() {
    this.#line = this.#cells ? `${this.#line} ` : `${this.#line.trimEnd()}\n`
  }

  #endCell() {
    this.#cells?.push(tidy(this.#line).replaceAll('|', '\\|'))
    this.#line = ''
  }

  #endRow() {
    const cells = this.#cells ?? []
    this.#cells = undefined
    this.#line = ''
    if (cells.length === 0) return
    this.#add(`| ${cells.join(' | ')} |\n`)
    if (this.#isFirstRow) this.#add(`|${' --- |'.repeat(cells.length)}\n`)
    this.#isFirstRow = false
  }

  /** Ends a paragraph. Within a cell, blocks only separate words. */
  #flush() {
    if (this.#cells) {
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
