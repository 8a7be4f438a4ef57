import { FILES } from './sales.ts'

export type Done = 'mended' | 'kept without' | 'kept as it is' | 'skipped'

/** The place of a value, with its line number in an editor. */
export interface Place {
  file: string
  line: number
}

/** What was done about a value, and why. Notes with the same reason are grouped, whatever their `value`. */
export interface Note extends Place {
  field: string
  done: Done
  why: string
  value?: string
}

/** The number of notes of a group that are printed; the others are counted. */
export const SHOWN = 3

export const count = (number: number) => number.toLocaleString('en-US')
/** JSON's escapes keep a file's control characters off the terminal. */
export const quoted = (text: string) => JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text)

/** The notes as text, by file and by group, in the order of their first lines. */
export function listNotes(notes: Note[], shown = SHOWN): string[] {
  const files = Object.keys(FILES)
  const inOrder = notes.toSorted((a, b) => files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line)
  const kinds = Map.groupBy(inOrder, ({ file, field, done, why }) => JSON.stringify([file, field, done, why]))
  return [...kinds.values()].flatMap((kind) => {
    const lines = kind.slice(0, shown).map(lineOf)
    const more = kind.length - lines.length
    return more > 0 ? [...lines, `  … and ${count(more)} more of this kind, ${count(kind.length)} in all`] : lines
  })
}

const lineOf = ({ file, line, field, done, why, value }: Note) =>
  `  ${file}:${line}  ${field ? `${field}  ` : ''}${done}: ${why}${value === undefined ? '' : ` (${quoted(value)})`}`

/** `1,493 mended, 1,425 kept without`, or that there was nothing to do. */
export function countNotes(notes: Note[]): string {
  const kinds = [...Map.groupBy(notes, ({ done }) => done)]
  return kinds.length === 0 ? 'nothing to mend' : kinds.map(([done, some]) => `${count(some.length)} ${done}`).join(', ')
}
