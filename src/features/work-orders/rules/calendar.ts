import { dayAfter } from '../../../domain/local-days.ts'
import { calendarOf, text, utc } from '../../scheduling/rules/pages/calendar-file.ts'
import { instantOf, USUAL_DURATION } from './schedule.ts'

/** A work order as a calendar has it. */
export type CalendarOrder = {
  id: string
  version: number
  updated_at: number
  title: string
  status: string
  schedule_date: string
  schedule_time: string | null
  duration_minutes: number | null
  address: string | null
  description: string | null
}

const day = (date: string) => date.replaceAll('-', '')

function times(zone: string, { schedule_date: date, schedule_time: time, duration_minutes }: CalendarOrder): string[] {
  if (time === null) return [`DTSTART;VALUE=DATE:${day(date)}`, `DTEND;VALUE=DATE:${day(dayAfter(date, 1))}`, 'TRANSP:TRANSPARENT']
  const start = instantOf(zone, { date, time }).getTime()
  return [`DTSTART:${utc(start)}`, `DTEND:${utc(start + (duration_minutes ?? USUAL_DURATION) * 60_000)}`]
}

/** The work orders of a member as a calendar (RFC 5545). The UID of each stays when it is rescheduled, and SEQUENCE rises. */
export const workCalendar = (name: string, zone: string, orders: CalendarOrder[]): string =>
  calendarOf(
    'PUBLISH',
    'Work orders',
    orders.map((order) => [
      `UID:${order.id}@work-orders`,
      `SEQUENCE:${order.version - 1}`,
      `DTSTAMP:${utc(order.updated_at)}`,
      ...times(zone, order),
      `SUMMARY:${text(order.title)}`,
      ...(order.address ? [`LOCATION:${text(order.address)}`] : []),
      `DESCRIPTION:${text([order.status, order.description].filter((line) => line).join('\n'))}`,
      'STATUS:CONFIRMED',
    ]),
    [`X-WR-CALNAME:${text(name)}`, 'REFRESH-INTERVAL;VALUE=DURATION:PT1H'],
  )
