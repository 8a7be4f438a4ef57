import { dayAfter, dayIn, type Place, startOfDay } from '../local-days.ts'
import { catalogueOf } from './catalogue.ts'
import type { Condition, CustomCondition, End, Filter, Point, RootName, Test } from './types.ts'

type Times = Extract<Test, { is: 'times' }>
type Timed = (Condition | CustomCondition) & { test: Times }

/** Replaces the conditions over times, which `place` receives with the kind of their field. A custom field has dates only. */
function mapTimes(object: RootName, filter: Filter, place: (of: Timed, kind: 'date' | 'instant') => Filter): Filter {
  const within = (member: Filter) => mapTimes(object, member, place)
  switch (filter.type) {
    case 'all':
    case 'any':
      return { ...filter, of: filter.of.map(within) }
    case 'not':
      return { ...filter, of: within(filter.of) }
    case 'has':
      return { ...filter, where: filter.where && mapTimes(filter.object, filter.where, place) }
    case 'list':
    case 'words':
      return filter
    default: {
      if (filter.test.is !== 'times') return filter
      const isInstant = filter.type === 'field' && catalogueOf(object).fields[filter.field]?.kind === 'instant'
      return place({ ...filter, test: filter.test }, isInstant ? 'instant' : 'date')
    }
  }
}

/** Whether it depends on the time zone: on which day it is, or when a day begins. */
export function needsPlace(object: RootName, filter: Filter): boolean {
  let needed = false
  mapTimes(object, filter, (of, kind) => {
    const { low, high } = of.test
    needed ||= [low, high].some((end) => end !== undefined && (kind === 'date' ? 'days' : 'day') in end.at)
    return of
  })
  return needed
}

/**
 * Whether its records change with time alone: it compares a field with a number of days from now, or a field whose value depends on the
 * time.
 */
export function dependsOnClock(object: RootName, filter: Filter): boolean {
  switch (filter.type) {
    case 'all':
    case 'any':
      return filter.of.some((member) => dependsOnClock(object, member))
    case 'not':
      return dependsOnClock(object, filter.of)
    case 'has':
      return filter.where !== undefined && dependsOnClock(filter.object, filter.where)
    case 'list':
    case 'words':
      return false
    default: {
      const { low, high } = filter.test.is === 'times' ? filter.test : {}
      const isRelative = [low, high].some((end) => end !== undefined && 'days' in end.at)
      return isRelative || (filter.type === 'field' && catalogueOf(object).fields[filter.field]?.computed === true)
    }
  }
}

/**
 * The filter with every day computed: dates are compared with days, and timestamps with instants (or with a number of days from now, each
 * of 24 hours), so that no SQL needs to know a time zone.
 */
export function placeDays(object: RootName, filter: Filter, place: Place): Filter {
  return mapTimes(object, filter, (of, kind) => ({ ...of, test: kind === 'date' ? dates(of.test, place) : instants(of.test, place) }))
}

const ends = ({ low, high }: Times, lower: (end: End<Point>) => End<Point>, upper: (end: End<Point>) => End<Point>): Times => ({
  is: 'times',
  ...(low && { low: lower(low) }),
  ...(high && { high: upper(high) }),
})

function dates(test: Times, { now, zone }: Place): Times {
  const dated = ({ at, open }: End<Point>): End<Point> => ({ at: 'days' in at ? { day: dayAfter(dayIn(zone, now), at.days) } : at, open })
  return ends(test, dated, dated)
}

/** A day lasts from its first instant up to, but not including, the first one of the next day. */
function instants(test: Times, { zone }: Place): Times {
  const starts = (day: string, plus: 0 | 1): Point => ({ instant: startOfDay(zone, dayAfter(day, plus)) })
  return ends(
    test,
    (end) => ('day' in end.at ? { at: starts(end.at.day, end.open ? 1 : 0), open: false } : end),
    (end) => ('day' in end.at ? { at: starts(end.at.day, end.open ? 0 : 1), open: true } : end),
  )
}
