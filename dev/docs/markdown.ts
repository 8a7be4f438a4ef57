import { slugOf } from './document.ts'
import { escapeHtml, Html, html } from './html.ts'

/** Code spans, links, strong and emphasis. Everything else is text. */
export function inline(text: string): Html {
  const spans: string[] = []
  const keep = (markup: string) => `\ue000${spans.push(markup) - 1}\ue000`
  const marked = text
    .replace(/`([^`]+)`/g, (_, code: string) => keep(html`<code>${code}</code>`.text))
    .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_, label: string, href: string) => keep(html`<a href="${href}">${inline(label)}</a>`.text))
  const styled = escapeHtml(marked)
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/(^|[\s(])\*([^*\s][^*]*)\*/g, '$1<em>$2</em>')
  const restored = (markup: string): string => markup.replace(/\ue000(\d+)\ue000/g, (_, index) => restored(spans[Number(index)] as string))
  return new Html(restored(styled))
}

export interface Heading {
  level: number
  text: string
  id: string
}

/** The blocks of Markdown that guides and descriptions use: headings, paragraphs, lists, tables, quotes and fenced code. */
export function markdown(text: string): { body: Html; headings: Heading[] } {
  const headings: Heading[] = []
  const blocks = blocksOf(text).map((block) => renderBlock(block, headings))
  return { body: html`${blocks}`, headings }
}

/** Fenced code, or lines without an empty one between them. */
type Block = { code: string; language: string } | { lines: string[] }

export function blocksOf(text: string): Block[] {
  const blocks: Block[] = []
  let lines: string[] = []
  const flush = () => {
    if (lines.length > 0) blocks.push({ lines })
    lines = []
  }
  const rest = text.split('\n')
  for (let line = rest.shift(); line !== undefined; line = rest.shift()) {
    const fence = /^```(\w*)/.exec(line)
    if (fence) {
      flush()
      const end = rest.indexOf('```')
      if (end === -1) throw new Error(`A code block is not closed: ${line}`)
      blocks.push({
        language: fence[1] as string,
        code: rest
          .splice(0, end + 1)
          .slice(0, -1)
          .join('\n'),
      })
    } else if (line.trim() === '') flush()
    else if (/^#{1,4} /.test(line)) {
      flush()
      blocks.push({ lines: [line] })
    } else lines.push(line)
  }
  flush()
  return blocks
}

function renderBlock(block: Block, headings: Heading[]): Html {
  if ('code' in block) return codeBlock(block.code, block.language)
  const { lines } = block
  const first = lines[0] as string
  const heading = /^(#{1,4}) (.+)$/.exec(first)
  if (heading) return renderHeading((heading[1] as string).length, heading[2] as string, headings)
  if (/^\|/.test(first)) return renderTable(lines)
  if (/^(-|\d+\.) /.test(first)) return renderList(lines)
  if (/^> /.test(first)) return html`<blockquote>${inline(lines.map((line) => line.replace(/^> ?/, '')).join(' '))}</blockquote>`
  return html`<p>${inline(lines.join(' '))}</p>\n`
}

function renderHeading(level: number, text: string, headings: Heading[]): Html {
  // An error code is its own anchor, so that docs_url can name it.
  const id = /^[A-Z_]+$/.test(text) ? text : slugOf(text)
  headings.push({ level, text, id })
  const tag = new Html(`h${level}`)
  return level === 1
    ? html`<h1>${inline(text)}</h1>\n`
    : html`<${tag} id="${id}">${inline(text)} <a class="anchor" href="#${id}" aria-label="Link to this section">#</a></${tag}>\n`
}

function renderList(lines: string[]): Html {
  const items: string[] = []
  for (const line of lines) {
    const item = /^(?:-|\d+\.) (.*)$/.exec(line)
    if (item) items.push(item[1] as string)
    else items[items.length - 1] += ` ${line.trim()}`
  }
  const tag = new Html(/^- /.test(lines[0] as string) ? 'ul' : 'ol')
  return html`<${tag}>${items.map((item) => html`<li>${inline(item)}</li>`)}</${tag}>\n`
}

function renderTable([head = '', , ...rows]: string[]): Html {
  const cells = (row: string) =>
    row
      .replace(/^\||\|\s*$/g, '')
      .split(/(?<!\\)\|/)
      .map((cell) => inline(cell.trim().replaceAll('\\|', '|')))
  return html`<div class="scroll" tabindex="0"><table><thead>\
<tr>${cells(head).map((cell) => html`<th>${cell}</th>`)}</tr></thead><tbody>${rows.map(
    (row) => html`<tr>${cells(row).map((cell) => html`<td>${cell}</td>`)}</tr>`,
  )}</tbody></table></div>\n`
}

const LANGUAGES: Record<string, string> = { sh: 'Shell', ts: 'TypeScript', json: 'JSON', sql: 'SQL', text: 'Text' }

export const codeBlock = (code: string, language: string) =>
  html`<figure class="code"><figcaption>${LANGUAGES[language] ?? language}<button type="button" data-copy>Copy</button></figcaption>\
<pre tabindex="0" data-language="${language}"><code>${language === 'sh' ? withComments(code) : code}</code></pre></figure>\n`

/** Comments of a shell script are shown in a muted colour. */
const withComments = (code: string) =>
  code
    .split('\n')
    .map((line, index) => html`${index > 0 && '\n'}${line.startsWith('#') ? html`<span class="comment">${line}</span>` : line}`)
