import { toZone } from '../../../domain/time-zones.ts'
import { DAY, offsetAt, type ZoneTable, zoneTable } from '../../scheduling/rules/zone-table.ts'
import type { Steps } from './ics-limits.ts'
import { type Component, firstOf, textOf } from './ics-lines.ts'
import { occurrences } from './ics-occurrences.ts'
import { readRule } from './ics-rule.ts'
import { listOf, whenOf } from './ics-values.ts'
import { zoneOfWindows } from './windows-zones.ts'

/** Far enough back to find the last change of the clocks before a range. */
const LOOK_BACK = 400 * DAY
/** What some programs write before the name of a zone, such as /freeassociation.sourceforge.net/Europe/Berlin. */
const PREFIXED = /^\/.*?\/([A-Z][A-Za-z_]+\/[A-Za-z_/+-]+)$/

/** The IANA zone of a name in a calendar, which may be one of Windows; undefined if nobody knows it. */
export function zoneOfName(name: string): string | undefined {
  const given = PREFIXED.exec(name.trim())?.[1] ?? name
  return toZone(given) ?? zoneOfWindows(given)
}

/**
 * The offsets of the zones of a file in a range, by the name that it gives; null is a time without a zone, which is in that of the
 * calendar.
 */
export type FileZones = (name: string | null) => ZoneTable

/**
 * A zone is found by its name, then by the definition in the file. A name that nobody knows means the calendar's own zone, `own`: the event
 * still counts as busy, at the time that its owner most likely means.
 */
export function fileZones(definitions: Component[], own: string, from: number, to: number, steps: Steps): FileZones {
  const known = new Map<string, ZoneTable>()
  const byName = new Map(definitions.map((definition) => [textOf(definition, 'TZID') ?? '', definition]))
  const find = (name: string): ZoneTable => {
    const definition = byName.get(name)
    const zone = zoneOfName(name) ?? (definition && zoneOfName(textOf(definition, 'X-LIC-LOCATION') ?? ''))
    if (zone !== undefined) return zoneTable(zone, from, to)
    return (definition && tableOf(name, definition, from, to, steps)) ?? zones(null)
  }
  const zones: FileZones = (name) => {
    const key = name ?? ''
    const table = known.get(key) ?? (name === null ? zoneTable(own, from, to) : find(name))
    known.set(key, table)
    return table
  }
  return zones
}

/** When the clocks of a zone change, and what they show before and after. */
type Change = { at: number; before: number; after: number }

/** The offsets of a zone that the file defines (RFC 5545, section 3.6.5); undefined if the definition says nothing. */
function tableOf(zone: string, { parts }: Component, from: number, to: number, steps: Steps): ZoneTable | undefined {
  const changes = parts.flatMap((part) => changesOf(part, from, to, steps)).sort((a, b) => a.at - b.at)
  const [first] = changes
  if (!first) return undefined
  const starts = [{ at: Number.NEGATIVE_INFINITY, after: first.before }, ...changes]
  const periods = starts.map(({ at, after }, i) => ({ from: at, to: starts[i + 1]?.at ?? Number.POSITIVE_INFINITY, offset: after }))
  return { zone, periods: periods.filter((period) => period.from < period.to) }
}

function changesOf(part: Component, from: number, to: number, steps: Steps): Change[] {
  const start = whenOf(firstOf(part, 'DTSTART'))
  const before = offsetOf(textOf(part, 'TZOFFSETFROM'))
  const after = offsetOf(textOf(part, 'TZOFFSETTO'))
  if (!start || before === undefined || after === undefined) return []
  const walls = [start.wall, ...listOf(part.properties.get('RDATE')).map(({ wall }) => wall)]
  for (const { value } of part.properties.get('RRULE') ?? []) {
    const rule = readRule(value)
    const until = rule.until === null ? Number.POSITIVE_INFINITY : rule.until.wall + (rule.until.zone === 'UTC' ? before : 0)
    const range = { from: Math.min(from, until) - LOOK_BACK, to: to + DAY, until }
    walls.push(...occurrences(rule, start.wall, range, steps))
  }
  return [...new Set(walls)].map((wall) => ({ at: wall - before, before, after }))
}

function offsetOf(text: string | undefined): number | undefined {
  const match = /^([+-])(\d\d)(\d\d)(\d\d)?$/.exec(text ?? '')
  if (!match) return undefined
  const [hours, minutes, seconds] = match.slice(2).map((part) => Number(part ?? 0)) as [number, number, number]
  return (match[1] === '-' ? -1 : 1) * ((hours * 60 + minutes) * 60 + seconds) * 1000
}

/**
 * The instant at which the clocks show a time: the first one of two, and for a time that the clocks skip, the one that follows from the
 * offset before (RFC 5545, section 3.3.5).
 */
export function instantOf({ periods }: ZoneTable, wall: number): number {
  let before = 0
  for (const { from, to, offset } of periods) {
    if (wall < to + offset) return wall - (wall < from + offset ? before : offset)
    before = offset
  }
  return wall - before
}

export const wallOf = (table: ZoneTable, instant: number): number => instant + offsetAt(table, instant)
