import type { NoticeFacts } from './notice-facts.ts'
import type { NoticeKind } from './notices.ts'
import { calendarLines, text, utc } from './pages/calendar-file.ts'

/** The calendar entry in an email: an invitation, or its cancellation (RFC 5546). */
export type InviteMethod = 'REQUEST' | 'CANCEL'

/** The method of the calendar entry that a kind of notice has. A booking that nobody was invited to is not cancelled in calendars. */
export function inviteMethod(kind: NoticeKind, { is_invited }: Pick<NoticeFacts, 'is_invited'>): InviteMethod | undefined {
  if (kind === 'confirmation' || kind === 'reschedule' || kind === 'update') return 'REQUEST'
  return kind === 'cancellation' && is_invited ? 'CANCEL' : undefined
}

/** Whether somebody with this address has the booking in the calendar by invitation. Hosts have it as an event of their own. */
export const isInvitee = ({ email, attendees }: Pick<NoticeFacts, 'email' | 'attendees'>, address: string): boolean =>
  email === address || attendees.includes(address)

/** A value of a parameter (RFC 5545, 3.2), which has neither quotes nor control characters. */
const parameter = (value: string) => `"${value.replace(/["\p{Cc}]/gu, ' ').trim()}"`
const address = (email: string) => `mailto:${email.replace(/[\s\p{Cc}]/gu, '')}`

function attendee(email: string, name: string, status: 'ACCEPTED' | 'NEEDS-ACTION'): string {
  const response = status === 'NEEDS-ACTION' ? ';RSVP=TRUE' : ''
  return `ATTENDEE;CN=${parameter(name)};ROLE=REQ-PARTICIPANT;PARTSTAT=${status}${response}:${address(email)}`
}

/**
 * The calendar entry of a booking for its attendees. The UID stays when the booking moves; SEQUENCE rises with every move and with the
 * cancellation, which no move follows. `management_url` is for the booker alone.
 */
export function inviteFile(facts: NoticeFacts, method: InviteMethod, now: number, managementUrl: string | null): string {
  const { event_type, workspace, host, location, video_meet_link, name, email } = facts
  const isCancelled = method === 'CANCEL'
  const place = location ?? video_meet_link
  const description = [
    video_meet_link && `Video meeting: ${video_meet_link}`,
    !isCancelled && managementUrl && `Move or cancel: ${managementUrl}`,
  ]
  const lines = description.filter((line) => line)
  return calendarLines(method, [
    `UID:${text(facts.uid)}`,
    `SEQUENCE:${facts.sequence + (isCancelled ? 1 : 0)}`,
    `DTSTAMP:${utc(now)}`,
    `DTSTART:${utc(facts.starts_at)}`,
    `DTEND:${utc(facts.ends_at)}`,
    `SUMMARY:${text(`${event_type.name} – ${workspace.name}`)}`,
    ...(place ? [`LOCATION:${text(place)}`] : []),
    ...(lines.length > 0 ? [`DESCRIPTION:${text(lines.join('\n'))}`] : []),
    ...(host.email ? [`ORGANIZER;CN=${parameter(host.name)}:${address(host.email)}`] : []),
    ...(email ? [attendee(email, name, 'ACCEPTED')] : []),
    ...facts.attendees.filter((other) => other !== email).map((other) => attendee(other, other, 'NEEDS-ACTION')),
    `STATUS:${isCancelled ? 'CANCELLED' : 'CONFIRMED'}`,
    'TRANSP:OPAQUE',
  ])
}
