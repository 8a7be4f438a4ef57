import type { Hours } from './limits.ts'
import { endOf, minutesOf } from './working-hours.ts'

/** What is wrong with the hours of one day: they must not overlap. */
export function hoursFaults(hours: Hours[]): string[] {
  const sorted = hours.toSorted((a, b) => minutesOf(a.start) - minutesOf(b.start))
  const overlapping = sorted.some((each, index) => index > 0 && endOf(sorted[index - 1] as Hours) > minutesOf(each.start))
  return overlapping ? ['must not have hours that overlap'] : []
}

/** The slug of a name: its letters and digits, without accents, joined by hyphens. Empty for a name without Latin letters. */
export const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|(?<!-)-+$/g, '')
    .slice(0, 60)
    .replace(/(?<!-)-+$/, '')
