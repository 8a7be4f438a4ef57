import { normalise } from '../lib/text.ts'

/** Removes duplicate names, compared in normal form; the first spelling of each remains. */
export function distinctNames(names: string[]): string[] {
  const seen = new Set<string>()
  return names.filter((name) => {
    const form = normalise(name)
    return !seen.has(form) && seen.add(form)
  })
}

/** One entry per name, compared in normal form: the last one, at its position. */
export const lastByName = <Entry extends { name: string }>(entries: Entry[]): Entry[] =>
  entries.filter(({ name }, index) => !entries.slice(index + 1).some((later) => normalise(later.name) === normalise(name)))
