import type { Account } from '../../accounts/provider/port.ts'

/** `timezone` is an IANA name, or null if the provider names a zone that nobody knows. */
export type OutsideCalendar = { id: string; name: string; primary: boolean; writable: boolean; timezone: string | null }

/** An instant in ISO 8601, or a day of the calendar's own time zone. */
export type EventTime = { at: string } | { date: string }

/** An event as it is outside; a recurring one comes as its single occurrences. */
export type OutsideEvent = {
  id: string
  ical_uid: string | null
  version: string | null
  /** The booking that this event is a copy of. */
  booking_id: string | null
  /** `cancelled`: the event is deleted; it then has no times. */
  status: 'confirmed' | 'cancelled'
  starts: EventTime | null
  /** Exclusive. */
  ends: EventTime | null
  /** Whether the time counts as occupied: false for a transparent event, and for one that the account's owner has declined. */
  busy: boolean
  title: string | null
  meet_link: string | null
}

/** `next_page` null: the last page, which has the cursor of the next reading. */
export type EventPage = { events: OutsideEvent[]; next_page: string | null; cursor: string | null }
/**
 * From a cursor, the changes since; from a range of instants, all events that touch it. `timezone` is that of a calendar which does not
 * name one, for times that are written without a zone.
 */
export type Reading = { cursor: string } | { from: string; to: string; timezone?: string }

/** The copy of a booking in the calendar of one host. */
export type EventOrder = {
  /** Derived from booking and host: a repeated insert finds the first one. */
  event_id: string
  booking_id: string
  title: string
  description: string
  location: string | null
  starts_at: string
  ends_at: string
  timezone: string
  attendees: { email: string; name: string | null }[]
  /** Whether the provider is to create a video meeting. */
  with_meeting: boolean
}
/** `meet_link` null: there is none yet, or none was ordered. `meeting`: whether a link may still come. */
export type WrittenEvent = {
  id: string
  version: string | null
  meet_link: string | null
  meeting: 'none' | 'pending' | 'ready' | 'failed'
}

export type Channel = { id: string; resource_id: string; expires_at: string }

/** A calendar provider, called with an access token. Every call throws a AccountFailure if it has not done its work. */
export type CalendarProvider = {
  account(token: string): Promise<Account>
  calendars(token: string): Promise<OutsideCalendar[]>
  /** `expired`: the cursor is no longer valid, so read the whole range again. */
  events(token: string, calendarId: string, reading: Reading, page: string | null): Promise<EventPage | 'expired'>
  /**
   * The occupied times in a range, by calendar; `unknown` for one that could not be read. Ends after `milliseconds` at the latest.
   * `timezone` as for a reading.
   */
  busy(
    token: string,
    calendarIds: string[],
    from: string,
    to: string,
    milliseconds: number,
    timezone?: string,
  ): Promise<Map<string, [from: string, to: string][] | 'unknown'>>
  /** Creates the event, or finds the one that an earlier call has created. */
  insert(token: string, calendarId: string, order: EventOrder): Promise<WrittenEvent>
  update(token: string, calendarId: string, eventId: string, order: EventOrder): Promise<WrittenEvent>
  get(token: string, calendarId: string, eventId: string): Promise<WrittenEvent | undefined>
  /** An event that is not there is removed already. */
  remove(token: string, calendarId: string, eventId: string): Promise<void>
  /** Asks for notifications of changes. `secret` comes back with each. */
  watch(token: string, calendarId: string, request: { channel_id: string; secret: string; address: string }): Promise<Channel>
  /** A channel that is not there is stopped already. */
  unwatch(token: string, channel: { id: string; resource_id: string }): Promise<void>
}
