import { Temporal } from 'temporal-polyfill'

/** A period in which the clocks of a zone do not change: instants in milliseconds, and the offset from UTC. */
type Period = { from: number; to: number; offset: number }

/** The offsets of a zone in a window of time. Converting with it costs no look-up of zone data. */
export type ZoneTable = { zone: string; periods: Period[] }

export const MINUTE = 60_000
export const DAY = 86_400_000

/** Reads the changes of the clocks between two instants, with a margin of three days on both sides. */
export function zoneTable(zone: string, from: number, to: number): ZoneTable {
  const end = to + 3 * DAY
  const periods: Period[] = []
  let at = Temporal.Instant.fromEpochMilliseconds(from - 3 * DAY).toZonedDateTimeISO(zone)
  let start = Number.NEGATIVE_INFINITY
  for (;;) {
    const next = at.getTimeZoneTransition('next')
    const until = next && next.epochMilliseconds < end ? next.epochMilliseconds : Number.POSITIVE_INFINITY
    periods.push({ from: start, to: until, offset: at.offsetNanoseconds / 1e6 })
    if (!next || until === Number.POSITIVE_INFINITY) return { zone, periods }
    start = until
    at = next
  }
}

/** The offset of an instant in milliseconds. */
export const offsetAt = ({ periods }: ZoneTable, instant: number): number =>
  (periods.findLast(({ from }) => from <= instant) as Period).offset

/** The wall clock as milliseconds: what UTC would show if its clocks showed the same. */
export const wallAt = (table: ZoneTable, instant: number): number => instant + offsetAt(table, instant)

/** The day of a wall clock, as days since 1970. */
export const dayOfWall = (wall: number): number => Math.floor(wall / DAY)
export const dateOfDay = (day: number): string => new Date(day * DAY).toISOString().slice(0, 10)
export const dayOfDate = (date: string): number => Date.parse(`${date}T00:00:00Z`) / DAY

/** The local day of an instant. */
export const dayAt = (table: ZoneTable, instant: number): number => dayOfWall(wallAt(table, instant))

/**
 * The instants at which the clocks show a time of this range of wall clocks. Times that the clocks skip are left out, and of times that
 * they show twice only the first ones are taken.
 */
export function instantsOf({ periods }: ZoneTable, wallFrom: number, wallTo: number): [number, number][] {
  const found: [number, number][] = []
  let shown = Number.NEGATIVE_INFINITY
  for (const { from, to, offset } of periods) {
    const start = Math.max(from + offset, shown, wallFrom)
    const end = Math.min(to + offset, wallTo)
    if (start < end) found.push([start - offset, end - offset])
    shown = Math.max(shown, to + offset)
  }
  return found
}

/** The instant at which the clocks first show this time; undefined if they skip it. */
export function instantOfWall(table: ZoneTable, wall: number): number | undefined {
  const [first] = instantsOf(table, wall, wall + 1)
  return first?.[0]
}
