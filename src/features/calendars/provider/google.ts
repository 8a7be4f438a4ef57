import * as v from 'valibot'
import { callGoogle, failureOf, type GoogleRequest, type GoogleResponse } from '../../accounts/provider/google-http.ts'
import { AccountFailure } from '../../accounts/provider/port.ts'
import {
  AccountReply,
  agrees,
  type BusyReply,
  bodyOf,
  bookingOf,
  CalendarsReply,
  ChannelReply,
  calendarOf,
  EVENT_FIELDS,
  EventReply,
  EventsReply,
  eventOf,
  FreeBusyReply,
  writtenOf,
} from './google-replies.ts'
import type { CalendarProvider, EventOrder, OutsideCalendar } from './port.ts'

/** `url`: https://www.googleapis.com, or a service with the same API. */
export type GoogleCalendarOptions = { url: string; timeoutMs?: number }

const PAGE = 250
const MAX_CALENDAR_PAGES = 4
/** The most calendars of a request for occupied times. */
const BUSY_CALENDARS = 50
/** How long a channel of notifications lives, in seconds: the longest that Google grants. */
const CHANNEL_SECONDS = 604_800
/** Google tells the attendees of an event, and creates a video meeting where one is requested. */
const WRITING = { conferenceDataVersion: '1', sendUpdates: 'all' }

/** A client for Google Calendar (https://developers.google.com/calendar/api/v3/reference). */
export function googleCalendar({ url, timeoutMs = 10_000 }: GoogleCalendarOptions): CalendarProvider {
  const ask = (token: string, request: GoogleRequest) => callGoogle(url, token, request, timeoutMs)

  async function read<Schema extends v.GenericSchema>(token: string, schema: Schema, request: GoogleRequest) {
    return parsed(schema, await ask(token, request))
  }

  async function find(token: string, calendarId: string, eventId: string): Promise<EventReply | undefined> {
    const response = await ask(token, { path: eventPath(calendarId, eventId), query: { fields: EVENT_FIELDS } })
    return isGone(response) ? undefined : parsed(EventReply, response)
  }

  const change = (token: string, calendarId: string, eventId: string, order: EventOrder) =>
    read(token, EventReply, { method: 'PATCH', path: eventPath(calendarId, eventId), query: WRITING, body: bodyOf(order) })

  return {
    async account(token) {
      const { sub, email, name } = await read(token, AccountReply, { path: '/oauth2/v3/userinfo' })
      return { id: sub, email, name }
    },
    async calendars(token) {
      const found: OutsideCalendar[] = []
      let page: string | null = null
      for (let at = 0; at < MAX_CALENDAR_PAGES; at++) {
        const query = { maxResults: String(PAGE), pageToken: page ?? undefined }
        const reply: v.InferOutput<typeof CalendarsReply> = await read(token, CalendarsReply, {
          path: '/calendar/v3/users/me/calendarList',
          query,
        })
        found.push(...reply.items.map(calendarOf))
        page = reply.nextPageToken
        if (page === null) break
      }
      return found
    },
    async events(token, calendarId, reading, page) {
      const range = 'cursor' in reading ? { syncToken: reading.cursor } : { timeMin: reading.from, timeMax: reading.to }
      const query = {
        ...range,
        // Changes are read with the parameters of the first reading, so these stay the same. One attendee: the account's own.
        singleEvents: 'true',
        maxResults: String(PAGE),
        maxAttendees: '1',
        fields: `items(${EVENT_FIELDS}),nextPageToken,nextSyncToken`,
        pageToken: page ?? undefined,
      }
      const response = await ask(token, { path: eventsPath(calendarId), query })
      if (response.status === 410) return 'expired'
      const { items, nextPageToken, nextSyncToken } = parsed(EventsReply, response)
      return { events: items.map(eventOf), next_page: nextPageToken, cursor: nextSyncToken }
    },
    async busy(token, calendarIds, from, to, milliseconds) {
      const groups = []
      for (let at = 0; at < calendarIds.length; at += BUSY_CALENDARS) groups.push(calendarIds.slice(at, at + BUSY_CALENDARS))
      const replies = await Promise.all(
        groups.map((group) => {
          const body = { timeMin: from, timeMax: to, items: group.map((id) => ({ id })) }
          return read(token, FreeBusyReply, { method: 'POST', path: '/calendar/v3/freeBusy', body, deadline: milliseconds })
        }),
      )
      const found = new Map(replies.flatMap(({ calendars }) => Object.entries(calendars)))
      return new Map(calendarIds.map((id) => [id, occupied(found.get(id))]))
    },
    async insert(token, calendarId, order) {
      const response = await ask(token, { method: 'POST', path: eventsPath(calendarId), query: WRITING, body: bodyOf(order) })
      if (response.status !== 409) return writtenOf(parsed(EventReply, response))
      // The id is taken, also by an event that was deleted. A booking that was moved meanwhile has another id.
      const found = await find(token, calendarId, order.event_id)
      if (!found || bookingOf(found) === null) throw failureOf(response)
      return writtenOf(agrees(found, order) ? found : await change(token, calendarId, order.event_id, order))
    },
    update: async (token, calendarId, eventId, order) => writtenOf(await change(token, calendarId, eventId, order)),
    async get(token, calendarId, eventId) {
      const found = await find(token, calendarId, eventId)
      return found && found.status !== 'cancelled' ? writtenOf(found) : undefined
    },
    async remove(token, calendarId, eventId) {
      const query = { sendUpdates: WRITING.sendUpdates }
      const response = await ask(token, { method: 'DELETE', path: eventPath(calendarId, eventId), query })
      if (!isSuccess(response) && !isGone(response)) throw failureOf(response)
    },
    async watch(token, calendarId, { channel_id, secret, address }) {
      const body = { id: channel_id, type: 'web_hook', address, token: secret, params: { ttl: String(CHANNEL_SECONDS) } }
      const path = `${eventsPath(calendarId)}/watch`
      const { id, resourceId, expiration } = await read(token, ChannelReply, { method: 'POST', path, body })
      return { id, resource_id: resourceId, expires_at: new Date(Number(expiration)).toISOString() }
    },
    async unwatch(token, { id, resource_id }) {
      const body = { id, resourceId: resource_id }
      const response = await ask(token, { method: 'POST', path: '/calendar/v3/channels/stop', body })
      if (!isSuccess(response) && !isGone(response)) throw failureOf(response)
    },
  }
}

const eventsPath = (calendarId: string) => `/calendar/v3/calendars/${encodeURIComponent(calendarId)}/events`
const eventPath = (calendarId: string, eventId: string) => `${eventsPath(calendarId)}/${encodeURIComponent(eventId)}`

const isSuccess = ({ status }: GoogleResponse) => status >= 200 && status < 300
const isGone = ({ status }: GoogleResponse) => status === 404 || status === 410

/** A response of the expected form. @throws AccountFailure for any other. */
function parsed<Schema extends v.GenericSchema>(schema: Schema, response: GoogleResponse): v.InferOutput<Schema> {
  if (!isSuccess(response)) throw failureOf(response)
  const read = v.safeParse(schema, response.reply)
  if (read.success) return read.output
  throw new AccountFailure('unavailable', `Google answers with ${response.status} in an unexpected form`)
}

/** A calendar that has errors, or that the response lacks, is unknown, never free. */
function occupied(calendar: BusyReply | undefined): [string, string][] | 'unknown' {
  if (!calendar || calendar.errors.length > 0) return 'unknown'
  const times = calendar.busy.map(({ start, end }) => [Date.parse(start), Date.parse(end)] as const)
  if (times.some(([start, end]) => Number.isNaN(start) || Number.isNaN(end))) return 'unknown'
  return times.map(([start, end]) => [new Date(start).toISOString(), new Date(end).toISOString()])
}
