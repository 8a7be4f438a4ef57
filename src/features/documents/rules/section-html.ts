import { escapeHtml } from '../../../lib/html.ts'
import { sanitiseHtml } from '../../../lib/sanitise-html.ts'
import { renderTags } from '../../email/rules/merge-tags.ts'
import type { MergeField } from './merge-fields.ts'
import { SECTION_TYPES, type SectionType } from './section-types.ts'

/** A line item of the opportunity; its amounts are texts with two decimals. */
export type PricedItem = { name: string; description: string | null; quantity: number; subtotal: number; tax: number; total: number }
/** What a document is about. */
export type Subject = {
  values: Partial<Record<MergeField, string | null>>
  /** The local day, YYYY-MM-DD. */
  today: string
  items: PricedItem[]
  value: number | null
  currency: string
  imageUrl: (id: string) => string
}
type Content = Record<string, unknown>
type Renderer = (content: Content, subject: Subject) => string

const fill = (template: unknown, { values }: Subject) => renderTags(String(template ?? ''), values)
/** One line of text. */
const line = (template: unknown, subject: Subject) => escapeHtml(fill(template, subject))
/** Paragraphs, with their line breaks. */
const prose = (template: unknown, subject: Subject) =>
  fill(template, subject)
    .split(/\r?\n\s*\r?\n/)
    .filter((part) => part.trim() !== '')
    .map((part) => `<p>${escapeHtml(part.trim()).replace(/\r?\n/g, '<br>')}</p>`)
    .join('')
const element = (name: string, html: string, className?: string) =>
  html === '' ? '' : `<${name}${className ? ` class="${className}"` : ''}>${html}</${name}>`
const list = (value: unknown): Content[] => (Array.isArray(value) ? value : [])
const texts = (value: unknown): string[] => (Array.isArray(value) ? value : [])
const heading = ({ heading: text }: Content, subject: Subject, name = 'h2') => element(name, line(text, subject))
const picture = ({ image_file_id: id, alt }: Content, subject: Subject) =>
  typeof id === 'string' ? `<img src="${escapeHtml(subject.imageUrl(id))}" alt="${line(alt, subject)}">` : ''
const money = (amount: number, { currency }: Subject) => escapeHtml(`${currency} ${amount.toFixed(2)}`)

const row = (cells: string[], name = 'td') => `<tr>${cells.map((cell) => `<${name}>${cell}</${name}>`).join('')}</tr>`
const table = (head: string[], body: string[][]) =>
  `<table><thead>${row(head, 'th')}</thead><tbody>${body.map((cells) => row(cells)).join('')}</tbody></table>`

/** The cents, so that sums are exact. */
const cents = (amount: unknown) => Math.round(Number(amount ?? 0) * 100)

function productTable(content: Content, subject: Subject): string {
  const items = list(content.items).map(({ name, description, quantity = 1, unit_price = 0 }) => ({
    cells: [line(name, subject) + prose(description, subject), String(quantity), money(Number(unit_price), subject)],
    total: Number(quantity) * cents(unit_price),
  }))
  const body = items.map(({ cells, total }) => [...cells, money(total / 100, subject)])
  const sum = items.reduce((all, { total }) => all + total, 0)
  const total = content.show_total === false ? '' : element('p', `Total ${money(sum / 100, subject)}`, 'total')
  return heading(content, subject) + table(['Item', 'Quantity', 'Price', 'Total'], body) + total
}

function pricing(content: Content, subject: Subject): string {
  const sum = (key: 'subtotal' | 'tax' | 'total') => subject.items.reduce((all, item) => all + cents(item[key]), 0) / 100
  const hasItems = subject.items.length > 0
  const lines = [
    ...(hasItems ? [['Subtotal', money(sum('subtotal'), subject)]] : []),
    ...(hasItems && content.show_tax !== false ? [['Tax', money(sum('tax'), subject)]] : []),
    ['Total', money(hasItems ? sum('total') : (subject.value ?? 0), subject)],
  ]
  return heading(content, subject) + prose(content.text, subject) + table(['', 'Amount'], lines)
}

function dynamicProducts(content: Content, subject: Subject): string {
  const shows = content.show_prices !== false
  const body = subject.items.map(({ name, description, quantity, total }) => [
    escapeHtml(name) + element('p', escapeHtml(description ?? '')),
    String(quantity),
    ...(shows ? [money(total, subject)] : []),
  ])
  return heading(content, subject) + prose(content.text, subject) + table(['Item', 'Quantity', ...(shows ? ['Total'] : [])], body)
}

/** The day so many days after another one. */
function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)
}

const guarantee: Renderer = (content, subject) =>
  heading(content, subject) + prose(content.text, subject) + element('p', line(content.period, subject), 'period')

const RENDERERS: Record<SectionType, Renderer> = {
  'cover-page': (c, s) =>
    picture(c, s) +
    heading(c, s, 'h1') +
    element('p', line(c.subheading, s)) +
    element('p', line(c.prepared_for, s)) +
    element('p', line(c.prepared_by, s)),
  'text-block': (c, s) => heading(c, s) + prose(c.text, s),
  'two-column': (c, s) => `${heading(c, s)}<div class="columns"><div>${prose(c.left, s)}</div><div>${prose(c.right, s)}</div></div>`,
  table: (c, s) =>
    heading(c, s) +
    table(
      texts(c.columns).map((text) => line(text, s)),
      (Array.isArray(c.rows) ? c.rows : []).map((cells) => texts(cells).map((text) => line(text, s))),
    ),
  'product-table': productTable,
  'product-showcase': (c, s) =>
    picture({ ...c, alt: c.name }, s) +
    element('h3', line(c.name, s)) +
    prose(c.description, s) +
    (c.price === undefined ? '' : element('p', money(Number(c.price), s), 'price')),
  'image-block': (c, s) => element('figure', picture(c, s) + element('figcaption', line(c.caption, s))),
  'signature-block': (c, s) => `<p class="signature">${line(c.label ?? 'Signature', s)}: <span>${line(c.signer_role, s)}</span></p>`,
  'signer-input': (c, s) => `<p class="input">${line(c.label, s)}${c.is_required ? ' *' : ''}: <span>${line(c.signer_role, s)}</span></p>`,
  divider: ({ style }) => `<hr class="${style === 'dashed' ? 'dashed' : 'solid'}">`,
  'page-break': () => '<div class="page-break"></div>',
  'quote-callout': (c, s) => element('blockquote', prose(c.quote, s) + element('footer', line(c.author, s))),
  'terms-conditions': (c, s) => {
    const clauses = texts(c.clauses).map((clause) => element('li', prose(clause, s)))
    return heading(c, s) + element('ol', clauses.join(''))
  },
  guarantee,
  'doc-header': (c, s) => element('header', picture(c, s) + element('p', line(c.text, s))),
  'doc-footer': (c, s) => element('footer', element('p', line(c.text, s)), c.show_page_numbers ? 'numbered' : undefined),
  'dynamic-pricing': pricing,
  'dynamic-products': dynamicProducts,
  'dynamic-timeline': (c, s) => {
    const body = list(c.milestones).map(({ label, days_after }) => [dayAfter(s.today, Number(days_after)), line(label, s)])
    return heading(c, s) + table(['Date', 'Milestone'], body)
  },
  'dynamic-executive-summary': (c, s) => heading(c, s) + prose(c.text, s) + prose('{{opportunity.description}}', s),
  'dynamic-needs-solutions': (c, s) => {
    const body = list(c.pairs).map(({ need, solution }) => [prose(need, s), prose(solution, s)])
    return heading(c, s) + table(['Need', 'Solution'], body)
  },
  'dynamic-recommendations': (c, s) => {
    const items = texts(c.recommendations).map((text) => element('li', prose(text, s)))
    return heading(c, s) + element('ul', items.join(''))
  },
  'dynamic-callout': (c, s) => element('aside', prose(c.callout, s)),
  'dynamic-guarantee': (c, s) => (s.value !== null && cents(s.value) >= cents(c.min_value) ? guarantee(c, s) : ''),
  // Values are text within the HTML, whatever they contain.
  'rich-content': (c, s) => sanitiseHtml(renderTags(String(c.html), s.values, escapeHtml), { remoteImages: 'block' }),
  'product-brochure': (c, s) => {
    const features = texts(c.features).map((text) => element('li', line(text, s)))
    return (
      picture({ ...c, alt: c.name }, s) +
      element('h2', line(c.name, s)) +
      element('p', line(c.tagline, s)) +
      element('ul', features.join(''))
    )
  },
}

const isType = (type: string): type is SectionType => SECTION_TYPES.some((known) => known === type)

/** A section as HTML. Values of records are text in it, never markup. */
export const sectionHtml = ({ type, content }: { type: string; content: Content }, subject: Subject): string =>
  isType(type) ? element('section', RENDERERS[type](content, subject), type) : ''

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
img{max-width:100%;height:auto}table{border-collapse:collapse;width:100%}\
th,td{border:1px solid #ccc;padding:.4rem .6rem;text-align:left;vertical-align:top}
.columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(15rem,1fr));gap:1.5rem}hr.dashed{border-style:dashed none none}
blockquote,aside{border-left:4px solid #888;margin-left:0;padding-left:1rem}.page-break{break-after:page}\
.total{text-align:right;font-weight:bold}
.signature span,.input span{color:#555;border-bottom:1px solid #555}`

/** The page of a template: its sections in order. */
export const documentHtml = (name: string, sections: { type: string; content: Content }[], subject: Subject): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">\
<title>${escapeHtml(name)}</title><style>${STYLE}</style></head><body><main>${sections
    .map((section) => sectionHtml(section, subject))
    .join('\n')}</main></body></html>`
