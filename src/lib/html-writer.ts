import { INLINE, VOID } from './html-allowed.ts'

type Attributes = readonly (readonly [name: string, value: string])[]
/** `tag`: as it was read. `name`: as it is written. */
type Open = { tag: string; name: string }

/** More than any mail program writes, and fewer than browsers nest. */
const MAX_DEPTH = 200
const set = (names: string) => new Set(names.split(' '))
const CELLS = set('td th caption')
const SECTIONS = set('thead tbody tfoot')
const ROWS = set('table thead tbody tfoot tr colgroup')
const TABLE_PARTS = set('caption colgroup col thead tbody tfoot tr td th')
const [TABLES, TR, COLGROUP, PARAGRAPHS, LINKS, NONE] = [set('table'), set('tr'), set('colgroup'), set('p'), set('a'), new Set<string>()]
const HEADINGS = set('h1 h2 h3 h4 h5 h6')
/** Elements that close an open paragraph. */
const NOT_IN_PARAGRAPHS = set(
  'address article blockquote center dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr li ol p pre section table ul',
)
/** Elements that stand in one of these lists only. */
const LISTS: Record<string, { items: Set<string>; lists: Set<string> }> = {
  li: { items: set('li'), lists: set('ul ol') },
  dd: { items: set('dd dt'), lists: set('dl') },
  dt: { items: set('dd dt'), lists: set('dl') },
}

/**
 * Writes HTML whose elements are nested as the HTML standard nests them
 * (https://html.spec.whatwg.org/multipage/parsing.html#tree-construction), so that a browser reads what was written, and nothing in it
 * closes an element around it. Every element that is opened is closed.
 */
export class HtmlWriter {
  readonly #open: Open[] = []
  /** How many of #open have a tag, so that a search for none costs nothing. */
  readonly #counts = new Map<string, number>()
  readonly #out: string[] = []
  /** The open elements that were left out because they are too deep, by their tag. */
  readonly #tooDeep = new Map<string, number>()

  text(text: string): void {
    if (/\S/.test(text)) this.#assureCell()
    this.#out.push(escaped(text))
  }

  start(tag: string, attributes: Attributes): void {
    if (this.#open.length >= MAX_DEPTH && !VOID.has(tag)) count(this.#tooDeep, tag, 1)
    else this.#write(tag, attributes)
  }

  #write(tag: string, attributes: Attributes): void {
    const name = TABLE_PARTS.has(tag) ? this.#placeInTable(tag) : this.#place(tag)
    if (name === null) return
    const written = attributes.map(([key, value]) => ` ${key}="${escaped(value)}"`).join('')
    this.#out.push(`<${name}${written}>`)
    if (!VOID.has(tag)) this.#push({ tag, name })
  }

  end(tag: string): void {
    if (this.#tooDeep.has(tag)) count(this.#tooDeep, tag, -1)
    else this.#closeFrom(this.#startOf(tag))
  }

  finish(): string {
    this.#closeFrom(0)
    return this.#out.join('')
  }

  /** Closes what the standard closes before the element, and returns the name that it is written with. */
  #place(tag: string): string {
    if (tag === 'table' && ROWS.has(this.#top)) this.#closeFrom(this.#last(TABLES))
    this.#assureCell()
    if (NOT_IN_PARAGRAPHS.has(tag)) this.#closeFrom(this.#last(PARAGRAPHS, isAround))
    if (HEADINGS.has(tag) && HEADINGS.has(this.#top)) this.#closeFrom(this.#open.length - 1)
    if (tag === 'a') this.#closeFrom(this.#last(LINKS, isAround))
    return Object.hasOwn(LISTS, tag) ? this.#placeInList(tag) : tag
  }

  /** An item without a list would close an item around the whole text, and becomes a block. */
  #placeInList(tag: string): string {
    const { items, lists } = LISTS[tag] as (typeof LISTS)[string]
    for (;;) {
      const at = this.#last(items.union(lists), isAround)
      if (at === -1) return 'div'
      if (lists.has(this.#tagAt(at))) return tag
      this.#closeFrom(at)
    }
  }

  /** A part of a table without a table is left out. */
  #placeInTable(tag: string): string | null {
    const table = this.#last(TABLES)
    if (table === -1) return null
    const parents = tag === 'td' || tag === 'th' ? TR : tag === 'col' ? COLGROUP : NONE
    const parent = Math.max(table, this.#last(parents, isTable))
    const isRow = tag === 'tr' || (parents === TR && parent === table)
    this.#closeFrom(1 + (isRow ? Math.max(table, this.#last(SECTIONS, isTable)) : parent))
    return tag
  }

  /** Browsers show what is in a table and in none of its cells before the table. It gets a cell. */
  #assureCell(): void {
    if (!ROWS.has(this.#top)) return
    if (this.#top === 'colgroup') this.#closeFrom(this.#open.length - 1)
    if (this.#top !== 'tr') this.#imply('tr')
    this.#imply('td')
  }

  #imply(tag: string): void {
    this.#out.push(`<${tag}>`)
    this.#push({ tag, name: tag })
  }

  /** The index of the open element that an end tag closes, or -1. */
  #startOf(tag: string): number {
    const one = new Set([tag])
    if (tag === 'table') return this.#last(TABLES)
    if (TABLE_PARTS.has(tag)) return this.#last(one, isTable)
    if (INLINE.has(tag)) return this.#last(one, (open) => !INLINE.has(open))
    if (HEADINGS.has(tag)) return this.#last(HEADINGS, isAround)
    if (tag === 'li') return this.#last(one, (open) => open === 'ul' || open === 'ol' || isAround(open))
    return this.#last(one, isAround)
  }

  get #top(): string {
    return this.#tagAt(this.#open.length - 1)
  }

  #tagAt(index: number): string {
    return this.#open[index]?.tag ?? ''
  }

  /** The index of the innermost open element with one of the tags, inside of the one where the search stops; -1 if there is none. */
  #last(tags: Set<string>, stops: (open: string) => boolean = () => false): number {
    if (![...tags].some((tag) => this.#counts.has(tag))) return -1
    for (let at = this.#open.length - 1; at >= 0; at--) {
      if (tags.has(this.#tagAt(at))) return at
      if (stops(this.#tagAt(at))) return -1
    }
    return -1
  }

  #push(open: Open): void {
    this.#open.push(open)
    count(this.#counts, open.tag, 1)
  }

  /** Closes the open elements from an index on; none for -1. */
  #closeFrom(index: number): void {
    if (index === -1) return
    for (const { tag, name } of this.#open.splice(index).reverse()) {
      this.#out.push(`</${name}>`)
      count(this.#counts, tag, -1)
    }
  }
}

function count(counts: Map<string, number>, tag: string, change: number): void {
  const sum = (counts.get(tag) ?? 0) + change
  if (sum > 0) counts.set(tag, sum)
  else counts.delete(tag)
}

const REFERENCES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\u00a0': '&nbsp;' }
const escaped = (text: string) => text.replace(/[&<>"\u00a0]/g, (sign) => REFERENCES[sign] as string)
const isTable = (open: string) => open === 'table'
const isAround = (open: string) => isTable(open) || CELLS.has(open)
