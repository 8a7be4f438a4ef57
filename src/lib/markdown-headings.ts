import MarkdownIt from 'markdown-it'

/**
 * A heading at the top level of a markdown text: in no quotation, list or code. `start` is the offset of its first line, `end` that after
 * its last one.
 */
export type Heading = { level: number; text: string; start: number; end: number }

/** Reads blocks only: formatting within paragraphs takes most of the time, and decides nothing about headings. */
const blocks = new MarkdownIt('commonmark')
blocks.core.ruler.enableOnly(['normalize', 'block'])
const inline = new MarkdownIt('commonmark')

/** The headings of a markdown text (CommonMark), in order. */
export function headingsOf(markdown: string): Heading[] {
  const starts = lineStarts(markdown)
  // The parser knows no byte order mark.
  const tokens = blocks.parse(markdown.replace(/^\uFEFF/, ''), {})
  return tokens.flatMap(({ type, level, map, tag }, index) => {
    if (type !== 'heading_open' || level !== 0 || !map) return []
    const text = plainText(tokens[index + 1]?.content ?? '')
    return [{ level: Number(tag.slice(1)), text, start: starts[map[0]] ?? markdown.length, end: starts[map[1]] ?? markdown.length }]
  })
}

/** Where each line begins. The parser counts lines in the same way. */
function lineStarts(text: string): number[] {
  return [0, ...[...text.matchAll(/\r\n?|\n/g)].map(({ 0: end, index }) => index + end.length)]
}

/** The text of a heading without its formatting. */
function plainText(markdown: string): string {
  const [line] = inline.parseInline(markdown, {})
  const parts = (line?.children ?? []).map(({ type, content }) => (type.endsWith('break') ? ' ' : content))
  return parts.join('').trim()
}
