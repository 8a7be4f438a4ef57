import { isCalendarDate, toUtcText } from '../../../lib/text.ts'
import { DAY, instantOfWall, MINUTE, type ZoneTable } from './zone-table.ts'

/** A start as it was sent: an instant, or a time on the wall clock of a zone that is not known yet. In milliseconds. */
export type Start = { instant: number } | { wall: number }

export const START_MESSAGE = 'must be a time, such as 2026-12-01T09:30:00+11:00, or 2026-12-01 09:30 in the time zone'
export const SKIPPED_MESSAGE = 'does not exist in this time zone: the clocks are put forward over it'

/** Reads an ISO 8601 timestamp with Z or an offset, or `YYYY-MM-DD HH:MM` without. */
export function parseStart(text: string): Start | undefined {
  const utc = toUtcText(text)
  if (utc !== undefined) return { instant: Date.parse(utc) }
  const [, date = '', time = ''] = /^(\d{4}-\d\d-\d\d)[ T]((?:[01]\d|2[0-3]):[0-5]\d)(?::00)?$/.exec(text.trim()) ?? []
  return isCalendarDate(date) ? { wall: Date.parse(`${date}T${time}:00Z`) } : undefined
}

/** The window in which a start lies whatever its zone, with days around it for alternatives. */
export function windowAround(start: Start, days: number): [from: number, to: number] {
  const [earliest, latest] =
    'instant' in start ? [start.instant, start.instant] : [start.wall - 14 * 60 * MINUTE, start.wall + 14 * 60 * MINUTE]
  return [earliest - days * DAY, latest + days * DAY]
}

/** The instant of a start; undefined for a wall clock that the zone skips. */
export const instantOf = (start: Start, table: ZoneTable): number | undefined =>
  'instant' in start ? start.instant : instantOfWall(table, start.wall)
