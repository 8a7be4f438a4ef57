import { PARTS_OF_DAY } from './arguments.ts'

/** A free time on the caller's clock: the day, and the minutes since its midnight. */
export type LocalTime = { day: number; minute: number }

const PARTS = Object.values(PARTS_OF_DAY)
const partOf = ({ minute }: LocalTime) => PARTS.findIndex(([from, to]) => minute >= from && minute < to)

/** Some of the entries at equal distances, the first one among them. */
const evenly = <T>(entries: T[], count: number): T[] =>
  Array.from({ length: Math.min(count, entries.length) }, (_, n) => entries[Math.floor((n * entries.length) / count)] as T)

/**
 * How many of `count` each group gets: one after another, so that every group has one before any has two. The order in which groups are
 * served is their own.
 */
function shares(sizes: number[], count: number): number[] {
  const given = sizes.map(() => 0)
  let left = Math.min(
    count,
    sizes.reduce((sum, size) => sum + size, 0),
  )
  while (left > 0)
    for (const [index, size] of sizes.entries())
      if (left > 0 && (given[index] as number) < size) {
        given[index] = (given[index] as number) + 1
        left--
      }
  return given
}

/** At most `count` of these times, which are in order: over the days first, and on each day over its morning, afternoon and evening. */
export function spread<T extends LocalTime>(times: T[], count: number): T[] {
  if (times.length <= count) return times
  const days = [...Map.groupBy(times, ({ day }) => day).values()]
  const ofDays = shares(
    days.map(({ length }) => length),
    count,
  )
  const chosen = days.flatMap((day, index) => {
    const parts = [...Map.groupBy(day, partOf).values()]
    // A day that gets one time only alternates between its parts.
    const turned = parts.map((_, at) => parts[(at + index) % parts.length] as T[])
    const ofParts = shares(
      turned.map(({ length }) => length),
      ofDays[index] as number,
    )
    return turned.flatMap((part, at) => evenly(part, ofParts[at] as number))
  })
  const kept = new Set(chosen)
  return times.filter((time) => kept.has(time))
}
