import type { LinkedBooking } from './booking-page.ts'

const STATUSES: Partial<Record<LinkedBooking['status'], string>> = { pending: 'TENTATIVE', cancelled: 'CANCELLED' }

/** An instant in UTC, `20261201T093000Z` (RFC 5545, 3.3.5). */
export const utc = (at: number) => `${new Date(at).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`

/** A text value (RFC 5545, 3.3.11). */
export const text = (value: string) =>
  value
    .replace(/[\\;,]/g, '\\$&')
    .replace(/\r\n|\r|\n/g, '\\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are not allowed in a text value
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '')

const MOST_BYTES = 75

/** A content line in parts of at most 75 bytes (RFC 5545, 3.1), none of which splits a character. */
export function fold(line: string): string {
  const parts: string[] = ['']
  let bytes = 0
  for (const character of line) {
    const size = new TextEncoder().encode(character).length
    if (bytes + size > MOST_BYTES) {
      parts.push(' ')
      bytes = 1
    }
    parts[parts.length - 1] += character
    bytes += size
  }
  return parts.join('\r\n')
}

/** A calendar of one event. */
export const calendarLines = (method: string, event: string[]): string => calendarOf(method, 'Bookings', [event])

/** A calendar of events. `more`: further lines about the calendar. */
export function calendarOf(method: string, product: string, events: string[][], more: string[] = []): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    `PRODID:-//Workspace CRM//${product}//EN`,
    'CALSCALE:GREGORIAN',
    `METHOD:${method}`,
    ...more,
    ...events.flatMap((event) => ['BEGIN:VEVENT', ...event, 'END:VEVENT']),
    'END:VCALENDAR',
  ]
  return lines.map((line) => `${fold(line)}\r\n`).join('')
}

/**
 * A booking as a calendar file (RFC 5545, METHOD PUBLISH). The UID stays when the booking moves; SEQUENCE rises, also when it is cancelled.
 */
export function calendarFile(booking: LinkedBooking): string {
  const { uid, sequence, starts_at, ends_at, updated_at, event_type, workspace, location, video_meet_link, status } = booking
  const place = location ?? video_meet_link
  return calendarLines('PUBLISH', [
    `UID:${text(uid)}`,
    `SEQUENCE:${sequence + (status === 'cancelled' ? 1 : 0)}`,
    `DTSTAMP:${utc(updated_at)}`,
    `DTSTART:${utc(starts_at)}`,
    `DTEND:${utc(ends_at)}`,
    `SUMMARY:${text(`${event_type} – ${workspace}`)}`,
    ...(place ? [`LOCATION:${text(place)}`] : []),
    ...(video_meet_link ? [`DESCRIPTION:${text(video_meet_link)}`] : []),
    `STATUS:${STATUSES[status] ?? 'CONFIRMED'}`,
  ])
}
