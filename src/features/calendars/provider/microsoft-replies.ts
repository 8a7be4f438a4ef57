import * as v from 'valibot'
import { storableText } from '../../../lib/text.ts'
import { AccountFailure } from '../../accounts/provider/port.ts'
import { zoneTable } from '../../scheduling/rules/zone-table.ts'
import { instantOf, zoneOfName } from '../rules/ics-zones.ts'
import type { EventOrder, EventTime, OutsideCalendar, OutsideEvent, WrittenEvent } from './port.ts'

/** What is read of the responses of Microsoft Graph, and how it is said in the terms of the port. */

const MAX_ID = 2048
const MAX_TITLE = 1000
const id = v.pipe(v.string(), v.minLength(1), v.maxLength(MAX_ID))
const text = v.optional(v.nullable(v.string()), null)
const flag = v.optional(v.nullable(v.boolean()), false)

export const AccountReply = v.object({ id, displayName: text, mail: text, userPrincipalName: text })
export const SettingsReply = v.object({ timeZone: text })
const CalendarReply = v.object({ id, name: text, canEdit: flag, isDefaultCalendar: flag })
export const CalendarsReply = v.object({ value: v.array(CalendarReply), '@odata.nextLink': text })

const TimeReply = v.optional(v.nullable(v.object({ dateTime: v.string(), timeZone: text })), null)
export const EventReply = v.object({
  id,
  '@removed': v.optional(v.unknown()),
  type: text,
  seriesMasterId: text,
  iCalUId: text,
  changeKey: text,
  '@odata.etag': text,
  transactionId: text,
  subject: text,
  showAs: text,
  isAllDay: flag,
  isCancelled: flag,
  start: TimeReply,
  end: TimeReply,
  responseStatus: v.optional(v.nullable(v.object({ response: text })), null),
  isOnlineMeeting: flag,
  onlineMeeting: v.optional(v.nullable(v.object({ joinUrl: text })), null),
})
export type EventReply = v.InferOutput<typeof EventReply>
export const EventsReply = v.object({ value: v.array(EventReply), '@odata.nextLink': text, '@odata.deltaLink': text })
export const SubscriptionReply = v.object({ id, expirationDateTime: v.pipe(v.string(), v.isoTimestamp()) })
export const SubscriptionsReply = v.object({ value: v.array(v.object({ id, resource: text, notificationUrl: text })) })

/** The fields that are read, which keeps a page of events small. */
export const EVENT_FIELDS =
  'id,type,seriesMasterId,iCalUId,changeKey,transactionId,subject,showAs,isAllDay,isCancelled,start,end,responseStatus,' +
  'isOnlineMeeting,onlineMeeting'

/** The property in which an event has the id of its order, for a search. Its set is one of our own. */
export const ORDER_PROPERTY = 'String {7f1c9a3e-5b0d-4c56-9f5e-2d8a6b1e0c47} Name order'

/** Calendars have no zone of their own, so it is that of the mailbox, under its Windows name. */
export const calendarOf = (
  { id, name, canEdit, isDefaultCalendar }: v.InferOutput<typeof CalendarReply>,
  zone: string | null,
): OutsideCalendar => ({
  id,
  name: storableText(name ?? id)
    .slice(0, MAX_TITLE)
    .toWellFormed(),
  primary: isDefaultCalendar === true,
  writable: canEdit === true,
  timezone: (zone === null ? undefined : zoneOfName(zone)) ?? null,
})

/** What an occurrence has from its series, since a list of changes does not repeat it. */
export type Series = { busy: boolean; isDay: boolean }
export const seriesOf = (event: EventReply): Series => ({ busy: isBusy(event), isDay: event.isAllDay === true })

/** A series itself is no event; its occurrences are. */
export function eventOf(event: EventReply, series?: Series): OutsideEvent {
  const isGone = event['@removed'] !== undefined || event.isCancelled === true || event.type === 'seriesMaster'
  const isDay = series ? series.isDay : event.isAllDay === true
  return {
    id: event.id,
    ical_uid: event.iCalUId,
    version: event.changeKey ?? event['@odata.etag'],
    booking_id: bookingOf(event),
    status: isGone ? 'cancelled' : 'confirmed',
    starts: isGone ? null : timeOf(event.start, isDay),
    ends: isGone ? null : timeOf(event.end, isDay),
    busy: !isGone && (series ? series.busy : isBusy(event)),
    title: event.subject?.replaceAll('\0', '').slice(0, MAX_TITLE).toWellFormed() ?? null,
    meet_link: event.onlineMeeting?.joinUrl ?? null,
  }
}

/** Tentative counts as occupied; working elsewhere does not. */
const isBusy = ({ showAs, responseStatus }: EventReply): boolean =>
  showAs !== 'free' && showAs !== 'workingElsewhere' && responseStatus?.response !== 'declined'

/** A whole day has its dates at midnight, whatever the zone. @throws AccountFailure: a time that cannot be read must not count as free. */
function timeOf(time: EventReply['start'], isDay: boolean): EventTime {
  const at = time && instantOfTime(time)
  if (at === null || Number.isNaN(at)) throw new AccountFailure('unavailable', 'Microsoft answers with a time that cannot be read')
  return isDay ? { date: (time as { dateTime: string }).dateTime.slice(0, 10) } : { at: new Date(at).toISOString() }
}

/** The time is in UTC, as requested, or in a zone that may have a Windows name. */
function instantOfTime({ dateTime, timeZone }: { dateTime: string; timeZone: string | null }): number {
  const wall = Date.parse(`${dateTime.replace(/(\.\d{3})\d+$/, '$1').replace(/Z$/, '')}Z`)
  if (timeZone === null || timeZone === 'UTC' || Number.isNaN(wall)) return wall
  const zone = zoneOfName(timeZone)
  return zone === undefined ? Number.NaN : instantOf(zoneTable(zone, wall, wall), wall)
}

/** When a time is, as an instant; a day begins at midnight of the mailbox's zone. */
export function momentOf(time: EventTime, zone: string | null): string {
  if ('at' in time) return time.at
  const wall = Date.parse(`${time.date}T00:00:00Z`)
  const known = (zone === null ? undefined : zoneOfName(zone)) ?? 'UTC'
  return new Date(instantOf(zoneTable(known, wall, wall), wall)).toISOString()
}

/** The response to an order: without an online meeting, the account cannot have any. */
export function writtenOf(event: EventReply, isOrdered = false): WrittenEvent {
  const meet_link = event.onlineMeeting?.joinUrl ?? null
  const meeting = meet_link !== null ? 'ready' : event.isOnlineMeeting ? 'pending' : isOrdered ? 'failed' : 'none'
  return { id: event.id, version: event.changeKey ?? event['@odata.etag'], meet_link, meeting }
}

/** It makes a repeated insert return the first event, and names the booking, since lists of changes have no properties of our own. */
const transactionOf = ({ booking_id, event_id }: EventOrder): string => `${PREFIX}${booking_id}:${event_id}`
const PREFIX = 'workspace-crm:'
/** An occurrence of a series that a host has made of the event of a booking is another meeting. */
const bookingOf = ({ transactionId, seriesMasterId }: EventReply): string | null =>
  seriesMasterId === null && transactionId?.startsWith(PREFIX) ? (transactionId.split(':')[1] as string) : null

/** Whether an event has the times of an order. */
export function agrees({ start, end }: EventReply, { starts_at, ends_at }: EventOrder): boolean {
  const isAt = (time: EventReply['start'], at: string) => time !== null && instantOfTime(time) === Date.parse(at)
  return isAt(start, starts_at) && isAt(end, ends_at)
}

const utc = (at: string) => ({ dateTime: new Date(at).toISOString().slice(0, -1), timeZone: 'UTC' })

/**
 * The event of an order, for a change. The text of an online meeting stays as it is: it has the data for dialling in, without which the
 * meeting is lost.
 */
export const changeOf = (order: EventOrder) => ({
  subject: order.title,
  start: utc(order.starts_at),
  end: utc(order.ends_at),
  isAllDay: false,
  location: { displayName: order.location ?? '' },
  ...(!order.with_meeting && { body: { contentType: 'text', content: order.description } }),
  ...(order.attendees.length > 0 && {
    attendees: order.attendees.map(({ email, name }) => ({
      emailAddress: { address: email, ...(name !== null && { name }) },
      type: 'required',
    })),
  }),
})

export const bodyOf = (order: EventOrder) => ({
  ...changeOf(order),
  body: { contentType: 'text', content: order.description },
  transactionId: transactionOf(order),
  showAs: 'busy',
  singleValueExtendedProperties: [{ id: ORDER_PROPERTY, value: order.event_id }],
  ...(order.with_meeting && { isOnlineMeeting: true, onlineMeetingProvider: 'teamsForBusiness' }),
})
