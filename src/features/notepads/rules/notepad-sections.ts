import { type Heading, headingsOf } from '../../../lib/markdown-headings.ts'

/** The most steps of a path: markdown has six levels of headings. */
export const MAX_DEPTH = 6
/** The most headings that an error names. */
const MOST_NAMED = 20

export type Replaced =
  | { content: string }
  | { fault: 'unknown' | 'ambiguous'; paths: string[][] }
  | { fault: 'escapes'; level: number }
  | { fault: 'broken' }

/**
 * Replaces the text of a section, which is all below its heading up to the next heading of the same or a higher level. Every other
 * character stays, blank lines around the text too. The path has the headings from the outermost to the one of the section; the outer ones
 * can be left out where one section remains.
 */
export function replaceSection(content: string, path: string[], body: string): Replaced {
  const headings = headingsOf(content)
  const paths = pathsOf(headings)
  const found = matching(paths, path)
  if (found.length !== 1) {
    const named = found.length > 1 ? found : [...paths.keys()]
    return { fault: found.length > 1 ? 'ambiguous' : 'unknown', paths: named.slice(0, MOST_NAMED).map((at) => paths[at] ?? []) }
  }
  const at = found[0] as number
  const { level, end } = headings[at] as Heading
  const next = headings.findIndex((heading, index) => index > at && heading.level <= level)
  const until = next === -1 ? content.length : (headings[next] as Heading).start
  const section = fitted({ content, from: end, until }, body)
  const replaced = content.slice(0, end) + section + content.slice(until)
  const outside = [...headings.slice(0, at + 1), ...(next === -1 ? [] : headings.slice(next))]
  return judged({ content: replaced, level, inside: [end, end + section.length], outside })
}

/** For each heading those that it is below, and itself. */
function pathsOf(headings: Heading[]): string[][] {
  const above: Heading[] = []
  return headings.map((heading) => {
    while ((above.at(-1)?.level ?? 0) >= heading.level) above.pop()
    above.push(heading)
    return above.map(({ text }) => text)
  })
}

/** The places of the paths that are the one that was sent; if there is none, of those that end with it. */
function matching(paths: string[][], sent: string[]): number[] {
  const wanted = sent.map((step) => step.trim().normalize('NFC'))
  const ends = (path: string[]) => wanted.every((step, index) => path[path.length - wanted.length + index]?.normalize('NFC') === step)
  const found = paths.flatMap((path, at) => (ends(path) ? [at] : []))
  const whole = found.filter((at) => paths[at]?.length === wanted.length)
  return whole.length > 0 ? whole : found
}

type Section = { content: string; from: number; until: number }

/** The new text between the blank lines that the section has around its present text. */
function fitted({ content, from, until }: Section, sent: string): string {
  const present = content.slice(from, until)
  const body = sent.replace(/^(?:[ \t]*(?:\r\n?|\n))+/, '').trimEnd()
  const newline = content.includes('\r\n') ? '\r\n' : '\n'
  const [before = ''] = /^(?:[ \t]*(?:\r\n?|\n))*/.exec(present) ?? []
  const after = present.slice(present.trimEnd().length)
  if (present.trim() !== '') return before + body + after
  if (body === '') return present
  const isOpen = from > 0 && !/[\r\n]$/.test(content.slice(0, from))
  const isLast = until === content.length
  return (isOpen ? newline : '') + body + (isOpen && isLast ? '' : newline) + (present === '' && !isLast ? newline : present)
}

type Result = { content: string; level: number; inside: [number, number]; outside: Heading[] }

/** Accepts the result if the headings outside of the section are the same, and those inside are below its own. */
function judged({ content, level, inside: [from, until], outside }: Result): Replaced {
  const headings = headingsOf(content)
  const within = headings.filter(({ start }) => start >= from && start < until)
  if (within.some((heading) => heading.level <= level)) return { fault: 'escapes', level }
  const others = headings.filter((heading) => !within.includes(heading))
  const same =
    others.length === outside.length && others.every(({ level, text }, at) => level === outside[at]?.level && text === outside[at]?.text)
  return same ? { content } : { fault: 'broken' }
}
