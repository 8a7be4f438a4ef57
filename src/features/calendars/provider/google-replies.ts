import * as v from 'valibot'
import { toZone } from '../../../domain/time-zones.ts'
import { storableText } from '../../../lib/text.ts'
import type { EventOrder, EventTime, OutsideCalendar, OutsideEvent, WrittenEvent } from './port.ts'

/** What is read of the responses of Google Calendar, and how it is said in the terms of the port. */

const MAX_ID = 1024
const MAX_TITLE = 1000
const id = v.pipe(v.string(), v.minLength(1), v.maxLength(MAX_ID))
const text = v.optional(v.nullable(v.string()), null)

export const AccountReply = v.object({ sub: id, email: v.pipe(v.string(), v.minLength(3), v.maxLength(320)), name: text })

const CalendarReply = v.object({
  id,
  summary: text,
  summaryOverride: text,
  timeZone: text,
  accessRole: text,
  primary: v.optional(v.nullable(v.boolean()), false),
})
export const CalendarsReply = v.object({ items: v.optional(v.array(CalendarReply), []), nextPageToken: text })

const TimeReply = v.optional(v.nullable(v.object({ date: text, dateTime: text })), null)
const ConferenceReply = v.object({
  entryPoints: v.optional(v.array(v.object({ entryPointType: text, uri: text })), []),
  createRequest: v.optional(v.nullable(v.object({ status: v.optional(v.nullable(v.object({ statusCode: text })), null) })), null),
})
export const EventReply = v.object({
  id,
  iCalUID: text,
  recurringEventId: text,
  etag: text,
  status: text,
  summary: text,
  transparency: text,
  hangoutLink: text,
  start: TimeReply,
  end: TimeReply,
  attendees: v.optional(v.array(v.object({ self: v.optional(v.nullable(v.boolean()), false), responseStatus: text })), []),
  conferenceData: v.optional(v.nullable(ConferenceReply), null),
  extendedProperties: v.optional(v.nullable(v.object({ private: v.optional(v.record(v.string(), v.string()), {}) })), null),
})
export type EventReply = v.InferOutput<typeof EventReply>
export const EventsReply = v.object({ items: v.optional(v.array(EventReply), []), nextPageToken: text, nextSyncToken: text })

const BusyReply = v.object({
  busy: v.optional(v.array(v.object({ start: v.string(), end: v.string() })), []),
  errors: v.optional(v.array(v.unknown()), []),
})
export type BusyReply = v.InferOutput<typeof BusyReply>
export const FreeBusyReply = v.object({ calendars: v.record(v.string(), BusyReply) })

export const ChannelReply = v.object({ id, resourceId: id, expiration: v.pipe(v.string(), v.regex(/^\d{10,15}$/)) })

/** The fields that are read, which keeps a page of events small. */
export const EVENT_FIELDS =
  'id,iCalUID,recurringEventId,etag,status,summary,transparency,hangoutLink,start,end,attendees(self,responseStatus),' +
  'conferenceData(entryPoints(entryPointType,uri),createRequest/status/statusCode),extendedProperties/private'

export const calendarOf = ({
  id,
  summary,
  summaryOverride,
  timeZone,
  accessRole,
  primary,
}: v.InferOutput<typeof CalendarReply>): OutsideCalendar => ({
  id,
  name: storableText(summaryOverride ?? summary ?? id)
    .slice(0, MAX_TITLE)
    .toWellFormed(),
  primary: primary === true,
  writable: accessRole === 'owner' || accessRole === 'writer',
  timezone: timeZone === null ? null : (toZone(timeZone) ?? null),
})

export function eventOf(event: EventReply): OutsideEvent {
  const [starts, ends] = [timeOf(event.start), timeOf(event.end)]
  const isCancelled = event.status === 'cancelled'
  return {
    id: event.id,
    ical_uid: event.iCalUID,
    version: event.etag,
    booking_id: bookingOf(event),
    status: isCancelled ? 'cancelled' : 'confirmed',
    ...(isCancelled ? { starts: null, ends: null } : { starts, ends }),
    busy: !isCancelled && event.transparency !== 'transparent' && !hasDeclined(event),
    title: event.summary?.replaceAll('\0', '').slice(0, MAX_TITLE).toWellFormed() ?? null,
    meet_link: linkOf(event),
  }
}

export const writtenOf = (event: EventReply): WrittenEvent => ({
  id: event.id,
  version: event.etag,
  meet_link: linkOf(event),
  meeting: meetingOf(event),
})

/** An occurrence of a series that a host has made of the event of a booking has its properties, and is another meeting. */
export const bookingOf = ({ recurringEventId, extendedProperties }: EventReply): string | null =>
  recurringEventId === null ? (extendedProperties?.private.booking_id ?? null) : null

/** Whether an event is not deleted and has the times of an order. */
export function agrees({ status, start, end }: EventReply, { starts_at, ends_at }: EventOrder): boolean {
  const isAt = (time: EventReply['start'], at: string) => Date.parse(time?.dateTime ?? '') === Date.parse(at)
  return status !== 'cancelled' && isAt(start, starts_at) && isAt(end, ends_at)
}

/**
 * The event of an order. The request for a video meeting has the event's id, so the provider ignores a repeated one. `date: null` takes
 * back a change to a whole day. Without attendees of ours, those that the host has added stay.
 */
export const bodyOf = (order: EventOrder) => ({
  id: order.event_id,
  summary: order.title,
  description: order.description,
  location: order.location ?? '',
  status: 'confirmed',
  start: { date: null, dateTime: order.starts_at, timeZone: order.timezone },
  end: { date: null, dateTime: order.ends_at, timeZone: order.timezone },
  ...(order.attendees.length > 0 && {
    attendees: order.attendees.map(({ email, name }) => ({ email, ...(name !== null && { displayName: name }) })),
  }),
  extendedProperties: { private: { booking_id: order.booking_id } },
  ...(order.with_meeting && {
    conferenceData: { createRequest: { requestId: order.event_id, conferenceSolutionKey: { type: 'hangoutsMeet' } } },
  }),
})

const hasDeclined = ({ attendees }: EventReply) =>
  attendees.some(({ self, responseStatus }) => self === true && responseStatus === 'declined')

function timeOf(time: EventReply['start']): EventTime | null {
  if (time?.date && /^\d{4}-\d{2}-\d{2}$/.test(time.date)) return { date: time.date }
  const at = Date.parse(time?.dateTime ?? '')
  return Number.isNaN(at) ? null : { at: new Date(at).toISOString() }
}

function linkOf({ hangoutLink, conferenceData }: EventReply): string | null {
  const video = conferenceData?.entryPoints.find(({ entryPointType }) => entryPointType === 'video')
  const link = hangoutLink ?? video?.uri ?? null
  return link?.startsWith('https://') && link.length <= MAX_ID ? link : null
}

function meetingOf(event: EventReply): WrittenEvent['meeting'] {
  if (linkOf(event) !== null) return 'ready'
  const code = event.conferenceData?.createRequest?.status?.statusCode
  if (code === 'failure') return 'failed'
  return code === undefined || code === null ? 'none' : 'pending'
}
