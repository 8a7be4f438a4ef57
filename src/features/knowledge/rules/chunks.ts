/** A part of a text: the headings above it, from the outermost, and what stands below them. */
export type Chunk = { heading_path: string[]; text: string }

/** The most characters of a chunk. A table that is longer is continued with its header row. */
export const MAX_CHUNK = 1_200
const MAX_HEADING = 200
const HEADING = /^#{1,6}(?=[ \t])/
const TABLE_RULE = /^[\s|:-]*$/

/**
 * Splits markdown into chunks along its headings, paragraphs and table rows. Every character that is no white space is in one, headings in
 * their path.
 */
export function chunksOf(text: string): Chunk[] {
  const chunks: Chunk[] = []
  for (const { heading_path, lines } of sectionsOf(text)) {
    for (const part of packed(blocksOf(lines))) chunks.push({ heading_path, text: part })
  }
  return chunks
}

type Section = { heading_path: string[]; lines: string[] }

function sectionsOf(text: string): Section[] {
  let current: Section = { heading_path: [], lines: [] }
  const sections = [current]
  const path: { level: number; title: string }[] = []
  let fence: string | undefined
  for (const line of text.split(/\r\n?|\n/)) {
    const mark = /^\s*(```|~~~)/.exec(line)?.[1]
    if (mark && (fence === undefined || fence === mark)) fence = fence === undefined ? mark : undefined
    const heading = fence === undefined && !mark ? HEADING.exec(line)?.[0] : undefined
    if (heading === undefined) {
      current.lines.push(line)
      continue
    }
    const level = heading.length
    while (path.length > 0 && path.at(-1)!.level >= level) path.pop()
    path.push({ level, title: headingOf(line.slice(level)) })
    current = { heading_path: path.map(({ title }) => title), lines: [] }
    sections.push(current)
  }
  return sections
}

/** A heading without the number signs that may close it. */
function headingOf(text: string): string {
  let title = text.trim()
  while (title.endsWith('#')) title = title.slice(0, -1)
  return title.trimEnd().slice(0, MAX_HEADING).toWellFormed()
}

/** Paragraphs, and tables in pieces that each begin with the header row. */
function blocksOf(lines: string[]): string[] {
  const paragraphs = lines.join('\n').split(/\n[ \t]*\n/)
  return paragraphs
    .map((one) => one.replace(/^\n+/, '').trimEnd())
    .filter((one) => one.trim() !== '')
    .flatMap(piecesOf)
}

const isRule = (row: string) => row.includes('-') && TABLE_RULE.test(row)

function piecesOf(block: string): string[] {
  if (block.length <= MAX_CHUNK) return [block]
  const rows = block.split('\n')
  const header = rows[0]!.includes('|') && isRule(rows[1] ?? '') ? rows.slice(0, 2) : []
  const head = header.join('\n')
  const room = head.length < MAX_CHUNK / 2 ? MAX_CHUNK - head.length - 1 : MAX_CHUNK
  const body = packed(
    rows.slice(header.length).flatMap((row) => wordsIn(row, room)),
    '\n',
    room,
  )
  return header.length > 0 && room < MAX_CHUNK ? body.map((part) => `${head}\n${part}`) : body
}

/** A line in pieces that fit, broken at sentences or spaces where there are any. */
function wordsIn(line: string, room: number): string[] {
  const pieces: string[] = []
  let rest = line
  while (rest.length > room) {
    const head = rest.slice(0, room)
    const sentence = Math.max(head.lastIndexOf('. '), head.lastIndexOf('! '), head.lastIndexOf('? '), head.lastIndexOf('。'))
    const at = sentence > room / 2 ? sentence + 1 : head.lastIndexOf(' ') > room / 2 ? head.lastIndexOf(' ') : wholeCharacters(head)
    pieces.push(rest.slice(0, at))
    rest = rest.slice(at).trimStart()
  }
  return [...pieces, rest]
}

/** The length of a text without half a character at its end. */
const wholeCharacters = (text: string) => (/[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length)

/** Joins neighbours as long as they fit together. */
function packed(blocks: string[], between = '\n\n', room = MAX_CHUNK): string[] {
  const parts: string[] = []
  for (const block of blocks) {
    const last = parts.at(-1)
    if (last !== undefined && last.length + between.length + block.length <= room) parts[parts.length - 1] = last + between + block
    else parts.push(block)
  }
  return parts
}
