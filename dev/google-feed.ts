import type { Page } from './google-accounts.ts'
import type { GoogleAccount, GoogleEvent } from './google-world.ts'

/** The main calendar of an account in iCalendar format, as Google offers it by an address. */
export function feedOf({ email, calendars }: GoogleAccount): Page {
  const calendar = calendars.get(email)
  const lines = [
    ...['BEGIN:VCALENDAR', 'PRODID:-//Google Inc//Google Calendar 70.9054//EN', 'VERSION:2.0', 'CALSCALE:GREGORIAN', 'METHOD:PUBLISH'],
    ...[`X-WR-CALNAME:${email}`, `X-WR-TIMEZONE:${calendar?.timeZone ?? 'UTC'}`],
    ...[...(calendar?.events.values() ?? [])].flatMap(linesOf),
    'END:VCALENDAR',
  ]
  return { status: 200, headers: { 'content-type': 'text/calendar; charset=utf-8' }, body: lines.map((line) => `${line}\r\n`).join('') }
}

const stamp = (time: string) => new Date(time).toISOString().replace(/[-:]|\.\d+/g, '')
const timeOf = ({ date, dateTime }: GoogleEvent['start']): string =>
  date ? `;VALUE=DATE:${date.replaceAll('-', '')}` : `:${stamp(dateTime as string)}`

function linesOf({ status, start, end, iCalUID, recurrence = [], transparency }: GoogleEvent): string[] {
  if (status === 'cancelled') return []
  const head = [
    'BEGIN:VEVENT',
    `DTSTART${timeOf(start)}`,
    `DTEND${timeOf(end)}`,
    ...recurrence,
    `DTSTAMP:${stamp(new Date().toISOString())}`,
  ]
  return [...head, `UID:${iCalUID}`, `STATUS:${status.toUpperCase()}`, `TRANSP:${(transparency ?? 'opaque').toUpperCase()}`, 'END:VEVENT']
}
