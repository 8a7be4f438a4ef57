import type { QuietHours } from '../../../domain/quiet-hours.ts'
import type { Channel } from '../../messages/rules/messages.ts'
import type { NoticeKind, NoticeSetting } from './notices.ts'
import type { BookingStatus } from './states.ts'

/** A contact who has the address of an attendee. */
export type NoticeContact = {
  id: string
  email: string | null
  archived: boolean
  email_unsubscribed: boolean
  sms_unsubscribed: boolean
  whatsapp_unsubscribed: boolean
  local_zone: string | null
}

/** What a booking was like until it got this sequence (note_booking_change). */
export type StoredChange = { sequence: number; noted_at: number; host_id: string; location: string | null }
type Host = { name: string; email: string | null }
/** The same with the name of the host, and the address of one who is still a member; null for one whose person is gone. */
type NoticeChange = { sequence: number; noted_at: number; host: { name: string; email: string | null } | null; location: string | null }

/** What notices of a booking are decided and written from (notice_facts); instants are milliseconds since 1970. */
export type NoticeFacts = {
  id: string
  version: number
  status: BookingStatus
  starts_at: number
  ends_at: number
  updated_at: number
  previous_starts_at: number | null
  duration_minutes: number
  timezone: string
  name: string
  email: string | null
  phone: string | null
  attendees: string[]
  location: string | null
  video_meet_link: string | null
  /** Whether the calendar of the host is about to create the video meeting. */
  awaits_link: boolean
  cancellation_reason: string | null
  uid: string
  sequence: number
  is_moved: boolean
  /** Until when the link of an email to a visitor works. */
  valid_until?: number | null
  /** Whether the attendees' calendars have been sent the booking, or the one that it has replaced. */
  is_invited: boolean
  /** Whether the booker has another booking that was made since. */
  booked_again: boolean
  event_type: { name: string; slug: string; locked_timezone: string | null; notices: NoticeSetting[] }
  workspace: { name: string; slug: string; color?: string | null }
  host: Host
  /** The email addresses of its hosts who are still members. */
  hosts: string[]
  /** Its changes of the host and the place, the latest one last. */
  changes: NoticeChange[]
  /** The sequence of the latest change that has notices. */
  announced: number
  /** The contact of the booking, and those with the address of a further attendee. */
  booker: NoticeContact | null
  contacts: NoticeContact[]
  suppressed: { channel: Channel; address: string }[]
  configured: Channel[]
  quiet_hours: QuietHours
}

/** A recipient of a booking's notices in a channel. */
export type NoticeRecipient = { channel: Channel; recipient: string; is_booker: boolean }

/** The change that a notice is about. */
export const changeOf = ({ changes }: NoticeFacts, { sequence }: { sequence: number }): NoticeChange | undefined =>
  changes.find((change) => change.sequence === sequence)

/** Who gets a kind of notice: the attendees, and of a change also its hosts, the former one included. */
export function recipientsFor(kind: NoticeKind, facts: NoticeFacts, channel: Channel, sequence: number): NoticeRecipient[] {
  const attendees = recipientsOf(facts, channel)
  if (kind !== 'update' || channel !== 'email') return attendees
  const former = changeOf(facts, { sequence })?.host?.email
  const hosts = new Set([...facts.hosts, ...(former ? [former] : [])])
  const others = [...hosts].filter((address) => attendees.every(({ recipient }) => recipient !== address))
  return [...attendees, ...others.map((recipient) => ({ channel, recipient, is_booker: false }))]
}

/**
 * Who attends a booking, of those who get its notices in a channel: the booker, and by email the further attendees. An address may be
 * missing.
 */
export function recipientsOf({ email, phone, attendees }: NoticeFacts, channel: Channel): NoticeRecipient[] {
  const own = { channel, recipient: (channel === 'email' ? email : phone) ?? '', is_booker: true }
  if (channel !== 'email') return [own]
  const others = attendees.filter((address) => address !== email)
  // A booker without an email address is no recipient of one while others are.
  const booker = own.recipient === '' && others.length > 0 ? [] : [own]
  return [...booker, ...others.map((recipient) => ({ channel, recipient, is_booker: false }))]
}

/** The contact behind a recipient, if there is one. */
export const contactOf = ({ booker, contacts }: NoticeFacts, { recipient, is_booker }: NoticeRecipient): NoticeContact | null =>
  is_booker ? booker : (contacts.find(({ email }) => email === recipient) ?? null)

/** The time zone in which a recipient reads times: that of the place, the one in which the booker has chosen, or that of a contact. */
export function zoneOf(facts: NoticeFacts, to: NoticeRecipient): string {
  if (to.is_booker || facts.event_type.locked_timezone) return facts.timezone
  return contactOf(facts, to)?.local_zone ?? facts.timezone
}
