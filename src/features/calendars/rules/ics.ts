import { type Interval, union } from '../../scheduling/rules/intervals.ts'
import { DAY, type ZoneTable } from '../../scheduling/rules/zone-table.ts'
import { type IcsEvent, readFile } from './ics-events.ts'
import { MAX_BUSY, Steps } from './ics-limits.ts'
import { occurrences } from './ics-occurrences.ts'
import type { Rule } from './ics-rule.ts'
import { type Duration, midnightOf, type When } from './ics-values.ts'
import { type FileZones, fileZones, instantOf, wallOf, zoneOfName } from './ics-zones.ts'

/** What a feed says about itself, and its occupied times in the range: in order, and without overlaps. */
export type IcsFeed = { name: string | null; timezone: string | null; busy: Interval[] }

/**
 * Reads the occupied times of an iCalendar feed (RFC 5545) between two instants, in milliseconds. `zone` applies to days and to times
 * without a zone, unless the feed names one.
 *
 * ical.js, which the tests compare this with, is not used here: a rule without occurrences keeps it busy for ever (its issue 1038), it
 * cannot begin in the middle of a series, and its tree of a feed of 5 MB takes a large part of the memory of a Worker.
 *
 * @throws FeedError when the text is not a complete calendar or exceeds the limits of ics-limits.ts.
 */
export function readIcs(text: string, { from, to, zone }: { from: number; to: number; zone: string }): IcsFeed {
  const file = readFile(text, from, to)
  const steps = new Steps()
  const timezone = (file.zone === null ? undefined : zoneOfName(file.zone)) ?? null
  const zones = fileZones(file.zones, timezone ?? zone, from, to, steps)
  const range = { from, to, zones, steps }
  const busy: Interval[] = file.busy.map((period) => intervalOf(period, period.until ?? null, zones))
  const changed = changesBySeries(file.events, zones)
  for (const event of file.events) {
    if (event.replaces) addTime(busy, event, intervalOf(event.start, event.end, zones))
    else for (const [own, time] of seriesOf(event, changed.get(event.uid), range)) addTime(busy, own, time)
  }
  return { name: file.name, timezone, busy: bounded(union(busy.flatMap(([start, end]) => clipped(start, end, from, to)))) }
}

type Range = { from: number; to: number; zones: FileZones; steps: Steps }

const addTime = (busy: Interval[], { isBusy }: IcsEvent, time: Interval): void => {
  if (isBusy) busy.push(time)
}

const clipped = (start: number, end: number, from: number, to: number): Interval[] =>
  start < to && end > from ? [[Math.max(start, from), Math.min(end, to)]] : []

/** Occurrences that differ from their series, by the instant or the day that they replace. */
type Changes = { instants: Set<number>; days: Set<number>; followed: { at: number; event: IcsEvent }[] }

function changesBySeries(events: IcsEvent[], zones: FileZones): Map<string, Changes> {
  const series = new Map<string, Changes>()
  for (const event of events) {
    if (!event.replaces) continue
    const changes = series.get(event.uid) ?? { instants: new Set(), days: new Set(), followed: [] }
    series.set(event.uid, changes)
    note(changes, event.replaces, zones)
    if (event.isFollowed) changes.followed.push({ at: instantOf(zones(event.replaces.zone), event.replaces.wall), event })
  }
  for (const { followed } of series.values()) followed.sort((a, b) => a.at - b.at)
  return series
}

const note = ({ instants, days }: Pick<Changes, 'instants' | 'days'>, when: When, zones: FileZones): void => {
  if (when.isDay) days.add(when.wall)
  else instants.add(instantOf(zones(when.zone), when.wall))
}

/** The occurrences of an event, each with the event whose properties it has. */
function* seriesOf(event: IcsEvent, changes: Changes | undefined, range: Range): Generator<[IcsEvent, Interval]> {
  const { zones, steps } = range
  const table = zones(event.start.zone)
  const gone = { instants: new Set<number>(), days: new Set<number>() }
  for (const when of event.excluded) note(gone, when, zones)
  const isGone = (wall: number, at: number) =>
    [gone, changes].some((some) => some && (some.instants.has(at) || some.days.has(event.start.isDay ? wall : midnightOf(wall))))
  const length = lengthOf(event, zones)
  const isEmpty = length.days === 0 && length.time <= 0 && event.added.length === 0
  if ((isEmpty || !event.isBusy) && !changes?.followed.length) return
  for (const wall of startsOf(event, table, length, range)) {
    steps.take()
    const at = instantOf(table, wall)
    if (isGone(wall, at)) continue
    const follower = changes?.followed.findLast((change) => change.at <= at)
    if (follower) yield [follower.event, shifted(follower, at, zones)]
    else yield [event, intervalOf({ ...event.start, wall }, length, zones)]
  }
  for (const period of event.added) {
    steps.take()
    const at = instantOf(zones(period.zone), period.wall)
    if (!isGone(period.wall, at)) yield [event, intervalOf(period, period.until ?? length, zones)]
  }
}

/** The starts of the occurrences that may touch the range, as wall clocks. */
function* startsOf({ start, rules }: IcsEvent, table: ZoneTable, length: Duration, { from, to, steps }: Range): Generator<number> {
  if (rules.length === 0) yield start.wall
  const before = Math.max(length.days * DAY + length.time, 0)
  for (const rule of rules) {
    const bounds = { from: wallOf(table, from) - before - DAY, to: wallOf(table, to) + DAY, until: untilOf(rule, table) }
    yield* occurrences(rule, start.wall, bounds, steps)
  }
}

/** The last moment of a rule: an instant, or a whole day. */
function untilOf({ until }: Rule, table: ZoneTable): number {
  if (until === null) return Number.POSITIVE_INFINITY
  if (until.isDay) return until.wall + DAY - 1
  return until.zone === 'UTC' ? wallOf(table, until.wall) : until.wall
}

/** How long every occurrence lasts. Without an end, a day lasts a day, and a time takes none. */
function lengthOf({ start, end }: IcsEvent, zones: FileZones): Duration {
  const days = start.isDay ? 1 : 0
  if (end === null) return { days, time: 0 }
  if (!('wall' in end)) return end
  if (start.isDay) return { days: Math.max(Math.round((end.wall - start.wall) / DAY), 1), time: 0 }
  if (start.zone === end.zone) return { days: 0, time: end.wall - start.wall }
  return { days: 0, time: instantOf(zones(end.zone), end.wall) - instantOf(zones(start.zone), start.wall) }
}

function intervalOf(start: When, end: When | Duration | null, zones: FileZones): Interval {
  const table = zones(start.zone)
  const from = instantOf(table, start.wall)
  const until = end ?? { days: start.isDay ? 1 : 0, time: 0 }
  if ('wall' in until) return [from, instantOf(zones(until.zone), Math.max(until.wall, start.isDay ? start.wall + DAY : until.wall))]
  const last = until.days === 0 ? from : instantOf(table, start.wall + until.days * DAY)
  return [from, last + until.time]
}

/** An occurrence after one that was moved together with all that follow it. */
function shifted({ at, event }: Changes['followed'][number], instant: number, zones: FileZones): Interval {
  const [from, to] = intervalOf(event.start, event.end, zones)
  return [from + instant - at, to + instant - at]
}

/** Too many times are rounded outwards to a coarser grid, until so few are left that they can be stored. */
function bounded(busy: Interval[]): Interval[] {
  let kept = busy
  for (let grid = 300_000; kept.length > MAX_BUSY; grid *= 2)
    kept = union(busy.map(([from, to]): Interval => [Math.floor(from / grid) * grid, Math.ceil(to / grid) * grid]))
  return kept
}
