import { dayAfter, dayIn } from '../../../domain/local-days.ts'
import { isCalendarDate } from '../../../lib/text.ts'
import type { MonthPage } from '../rules/pages/month.ts'
import { DAY, dateOfDay, dayAt } from '../rules/zone-table.ts'
import type { StoredFacts } from './facts.ts'
import { type PageQuery, pageDuration, pageZone } from './page-visits.ts'
import { slotsBetween } from './slots.ts'

/** A month of times every five minutes. */
const MOST_OF_MONTH = 9_000
const FARTHEST_DAYS = 800

const monthOf = (date: string) => date.slice(0, 7)
const firstOf = (month: string) => `${month}-01`
/** The month after another one, or before it. */
const monthBeside = (month: string, by: 1 | -1) => monthOf(by === 1 ? dayAfter(firstOf(month), 31) : dayAfter(firstOf(month), -1))

/** The month that an address asks for, with the window in which its times lie in every zone; undefined without one that can be shown. */
export function monthWindow({ month }: PageQuery, now: Date): { month: string; window: [number, number] } | undefined {
  const today = dayIn('UTC', now)
  if (
    month === undefined ||
    !isCalendarDate(firstOf(month)) ||
    monthBeside(month, 1) < monthOf(today) ||
    firstOf(month) > dayAfter(today, FARTHEST_DAYS)
  )
    return undefined
  return { month, window: [Date.parse(firstOf(month)) - DAY, Date.parse(firstOf(monthBeside(month, 1))) + 2 * DAY] }
}

/** The days of a month with the number of their free times, from facts about its window. */
export function shownMonth(
  stored: StoredFacts,
  query: PageQuery,
  { month, window }: { month: string; window: [number, number] },
  now: Date,
): Pick<MonthPage, 'zone' | 'days' | 'earlier' | 'later'> {
  const zone = pageZone(stored, query)
  const [first, last] = [firstOf(month), dayAfter(firstOf(monthBeside(month, 1)), -1)]
  const request = { from: first, to: last, timezone: zone, duration_minutes: pageDuration(stored, query.duration), host_id: undefined }
  const { table, slots } = slotsBetween(stored, request, now.getTime(), window, MOST_OF_MONTH)
  const counts = Map.groupBy(slots, ({ start }) => dateOfDay(dayAt(table, start)))
  const today = dayIn(zone, now)
  const length = Number(last.slice(-2))
  return {
    zone: table.zone,
    days: Array.from({ length }, (_, index) => dayAfter(first, index)).map((date) => ({ date, free: counts.get(date)?.length ?? 0 })),
    earlier: first > today ? monthBeside(month, -1) : undefined,
    later: last < dayAfter(today, stored.event_type.horizon_days) ? monthBeside(month, 1) : undefined,
  }
}
