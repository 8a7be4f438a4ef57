import { normalise } from '../lib/text.ts'

/** The names without repetitions, however those are written; the first of each stays as it is. */
export function distinctNames(names: string[]): string[] {
  const seen = new Set<string>()
  return names.filter((name) => {
    const form = normalise(name)
    return !seen.has(form) && seen.add(form)
  })
}

/** One entry a name, however it is written: the last one, where it stands. */
export const lastByName = <Entry extends { name: string }>(entries: Entry[]): Entry[] =>
  entries.filter(({ name }, index) => !entries.slice(index + 1).some((later) => normalise(later.name) === normalise(name)))
