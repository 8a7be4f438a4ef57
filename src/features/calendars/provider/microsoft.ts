import type * as v from 'valibot'
import { AccountFailure } from '../../accounts/provider/port.ts'
import { callGraph, codeOf, failureOf, type GraphRequest, type GraphResponse, isGone, isSuccess, parsed } from './microsoft-http.ts'
import {
  AccountReply,
  agrees,
  bodyOf,
  CalendarsReply,
  calendarOf,
  changeOf,
  EVENT_FIELDS,
  EventReply,
  EventsReply,
  eventOf,
  momentOf,
  ORDER_PROPERTY,
  type Series,
  SettingsReply,
  SubscriptionReply,
  SubscriptionsReply,
  seriesOf,
  writtenOf,
} from './microsoft-replies.ts'
import type { CalendarProvider, EventOrder, EventPage, EventTime, OutsideCalendar, OutsideEvent, Reading } from './port.ts'

/** `url`: https://graph.microsoft.com, or a service with the same API. */
export type MicrosoftCalendarOptions = { url: string; timeoutMs?: number }

const VERSION = '/v1.0'
const PAGE = 100
const MAX_CALENDAR_PAGES = 4
const MAX_BUSY_PAGES = 4
/** The most requests at a time that Outlook accepts for a mailbox. */
const AT_ONCE = 4
/** The most series that are remembered from page to page. */
const MAX_SERIES = 500
/** How long a subscription lives, in milliseconds: somewhat less than the 10,080 minutes that Graph grants for events. */
const SUBSCRIPTION_MS = 10_000 * 60_000
/** Codes of a cursor that is no longer valid. */
const EXPIRED = /^(syncStateNotFound|syncStateInvalid|resyncRequired|fullSyncRequired)$/i

/** A page of changes: where it is, and what is known of the series whose occurrences it may have. */
type PageToken = { path: string; series: Record<string, Series> }

/**
 * A client for the calendars of Microsoft Graph (https://learn.microsoft.com/en-us/graph/api/resources/calendar). Occupied times are read
 * per calendar: getSchedule covers only the main calendar of a mailbox, and cannot leave out the copies of bookings.
 */
export function microsoftCalendar({ url, timeoutMs = 10_000 }: MicrosoftCalendarOptions): CalendarProvider {
  const base = `${url}${VERSION}`
  const ask = (token: string, request: GraphRequest) => callGraph(base, token, request, timeoutMs)

  async function read<Schema extends v.GenericSchema>(token: string, schema: Schema, request: GraphRequest) {
    return parsed(schema, await ask(token, request))
  }

  /** The path of a link to the next page or the next changes: the token goes to no other service. */
  const pathOf = (link: string): string => {
    if (link.startsWith(`${base}/me/`)) return link.slice(base.length)
    throw new AccountFailure('unavailable', 'Microsoft answers with a link that leads elsewhere')
  }

  /** The zone of the mailbox; null if the account does not let it be read. */
  async function zoneOf(token: string, deadline = timeoutMs): Promise<string | null> {
    const response = await ask(token, { path: '/me/mailboxSettings', deadline })
    return response.status === 403 || response.status === 404 ? null : parsed(SettingsReply, response).timeZone
  }

  async function changesOf(token: string, calendarId: string, reading: Reading, page: string | null): Promise<EventPage | 'expired'> {
    const at = page === null ? { path: firstPath(calendarId, reading), series: {} } : (JSON.parse(page) as PageToken)
    const response = await ask(token, { path: at.path, pageSize: PAGE })
    if (isExpired(response, reading, page)) return 'expired'
    const reply = parsed(EventsReply, response)
    const series = await knownSeries(token, calendarId, reply.value, at.series)
    const next = reply['@odata.nextLink']
    const delta = reply['@odata.deltaLink']
    return {
      events: reply.value.map((event) =>
        eventOf(event, isOccurrence(event) ? (series[event.seriesMasterId as string] ?? UNKNOWN) : undefined),
      ),
      next_page:
        next === null
          ? null
          : JSON.stringify({ path: pathOf(next), series: Object.fromEntries(Object.entries(series).slice(-MAX_SERIES)) }),
      cursor: delta === null ? null : pathOf(delta),
    }
  }

  /** The series of a page's occurrences: those that the pages have, and the others one by one. */
  async function knownSeries(token: string, calendarId: string, events: EventReply[], before: Record<string, Series>) {
    const masters = events.filter(({ type, ...event }) => type === 'seriesMaster' && event['@removed'] === undefined)
    const known = { ...before, ...Object.fromEntries(masters.map((event) => [event.id, seriesOf(event)])) }
    const missing = [...new Set(events.filter(isOccurrence).map(({ seriesMasterId }) => seriesMasterId as string))].filter(
      (id) => !known[id],
    )
    for (let at = 0; at < missing.length; at += AT_ONCE) {
      const found = await Promise.all(missing.slice(at, at + AT_ONCE).map((id) => find(token, calendarId, id)))
      for (const event of found) if (event) known[event.id] = seriesOf(event)
    }
    return known
  }

  async function find(token: string, calendarId: string, eventId: string): Promise<EventReply | undefined> {
    const response = await ask(token, { path: eventPath(calendarId, eventId), query: { $select: EVENT_FIELDS } })
    return isGone(response) ? undefined : parsed(EventReply, response)
  }

  const change = (token: string, calendarId: string, eventId: string, order: EventOrder) =>
    read(token, EventReply, { method: 'PATCH', path: eventPath(calendarId, eventId), body: changeOf(order) })

  async function findOrdered(token: string, calendarId: string, event_id: string): Promise<EventReply | undefined> {
    const $filter = `singleValueExtendedProperties/Any(ep: ep/id eq '${ORDER_PROPERTY}' and ep/value eq '${event_id}')`
    const { value } = await read(token, EventsReply, { path: eventsPath(calendarId), query: { $filter, $select: EVENT_FIELDS, $top: '1' } })
    return value[0]
  }

  async function occupied(token: string, calendarId: string, from: string, to: string, until: number): Promise<[string, string][]> {
    const events: OutsideEvent[] = []
    const query = new URLSearchParams({ startDateTime: from, endDateTime: to, $select: EVENT_FIELDS, $top: String(PAGE) })
    let path: string | null = `${calendarPath(calendarId)}/calendarView?${query}`
    for (let page = 0; path !== null && page < MAX_BUSY_PAGES; page++) {
      const reply: v.InferOutput<typeof EventsReply> = await read(token, EventsReply, { path, deadline: Math.max(until - Date.now(), 1) })
      events.push(...reply.value.map((event) => eventOf(event)).filter(({ busy, booking_id }) => busy && booking_id === null))
      path = reply['@odata.nextLink'] === null ? null : pathOf(reply['@odata.nextLink'])
    }
    if (path !== null) throw new AccountFailure('refused', 'The calendar has too many events at that time')
    const hasDays = events.some(({ starts }) => starts !== null && 'date' in starts)
    const zone = hasDays ? await zoneOf(token, Math.max(until - Date.now(), 1)) : null
    return events.map(({ starts, ends }) => [momentOf(starts as EventTime, zone), momentOf(ends as EventTime, zone)])
  }

  /** Whether an equal subscription stood in the way, and is deleted. */
  async function dropSame(token: string, resource: string, address: string): Promise<boolean> {
    const { value } = await read(token, SubscriptionsReply, { path: '/subscriptions' })
    const same = value.filter((one) => one.resource === resource && one.notificationUrl === address)
    for (const { id } of same) await unsubscribe(token, id)
    return same.length > 0
  }

  async function unsubscribe(token: string, id: string): Promise<void> {
    const response = await ask(token, { method: 'DELETE', path: `/subscriptions/${encodeURIComponent(id)}` })
    if (!isSuccess(response) && !isGone(response)) throw failureOf(response)
  }

  return {
    async account(token) {
      const { id, displayName, mail, userPrincipalName } = await read(token, AccountReply, { path: '/me' })
      return { id, email: mail ?? userPrincipalName ?? id, name: displayName }
    },
    async calendars(token) {
      const zone = await zoneOf(token)
      const found: OutsideCalendar[] = []
      let path: string | null = `/me/calendars?$select=id,name,canEdit,isDefaultCalendar&$top=${PAGE}`
      for (let page = 0; path !== null && page < MAX_CALENDAR_PAGES; page++) {
        const reply: v.InferOutput<typeof CalendarsReply> = await read(token, CalendarsReply, { path })
        found.push(...reply.value.map((one) => calendarOf(one, zone)))
        path = reply['@odata.nextLink'] === null ? null : pathOf(reply['@odata.nextLink'])
      }
      return found
    },
    events: changesOf,
    async busy(token, calendarIds, from, to, milliseconds) {
      const until = Date.now() + milliseconds
      const found = new Map<string, [string, string][] | 'unknown'>()
      const waiting = [...calendarIds]
      const lane = async () => {
        for (let id = waiting.shift(); id !== undefined; id = waiting.shift())
          found.set(id, await occupied(token, id, from, to, until).catch(() => 'unknown' as const))
      }
      await Promise.all(Array.from({ length: AT_ONCE }, lane))
      return found
    },
    async insert(token, calendarId, order) {
      const response = await ask(token, { method: 'POST', path: eventsPath(calendarId), body: bodyOf(order) })
      // A repeated insert returns the first event; one with other contents is refused.
      const found = response.status === 409 ? await findOrdered(token, calendarId, order.event_id) : parsed(EventReply, response)
      if (!found) throw failureOf(response)
      const event = agrees(found, order) ? found : await change(token, calendarId, found.id, order)
      return writtenOf(event, order.with_meeting)
    },
    update: async (token, calendarId, eventId, order) => writtenOf(await change(token, calendarId, eventId, order), order.with_meeting),
    async get(token, calendarId, eventId) {
      const found = await (isOrderId(eventId) ? findOrdered : find)(token, calendarId, eventId)
      return found && !found.isCancelled ? writtenOf(found) : undefined
    },
    async remove(token, calendarId, eventId) {
      const id = isOrderId(eventId) ? (await findOrdered(token, calendarId, eventId))?.id : eventId
      if (id === undefined) return
      const response = await ask(token, { method: 'DELETE', path: eventPath(calendarId, id) })
      if (!isSuccess(response) && !isGone(response)) throw failureOf(response)
    },
    /** A notification has no id of ours, so its secret begins with that of the channel. */
    async watch(token, calendarId, { channel_id, secret, address }) {
      const resource = eventsPath(calendarId)
      const expirationDateTime = new Date(Date.now() + SUBSCRIPTION_MS).toISOString()
      const contents = { changeType: 'created,updated,deleted', notificationUrl: address, resource, expirationDateTime }
      const request = { method: 'POST', path: '/subscriptions', body: { ...contents, clientState: `${channel_id}.${secret}` } }
      let response = await ask(token, request)
      if (response.status === 409 && (await dropSame(token, resource, address))) response = await ask(token, request)
      const subscription = parsed(SubscriptionReply, response)
      return { id: channel_id, resource_id: subscription.id, expires_at: subscription.expirationDateTime }
    },
    unwatch: (token, { resource_id }) => unsubscribe(token, resource_id),
  }
}

/** An event may be named by the id of its order while its own is not known. Those of Microsoft have capital letters. */
const isOrderId = (id: string): boolean => !/[A-Z]/.test(id)

const UNKNOWN: Series = { busy: true, isDay: false }
/** An exception of a series has everything itself. */
const isOccurrence = (event: EventReply): boolean =>
  event.type === 'occurrence' && event.seriesMasterId !== null && event['@removed'] === undefined

const calendarPath = (id: string) => `/me/calendars/${encodeURIComponent(id)}`
const eventsPath = (calendarId: string) => `${calendarPath(calendarId)}/events`
const eventPath = (calendarId: string, eventId: string) => `${eventsPath(calendarId)}/${encodeURIComponent(eventId)}`

const firstPath = (calendarId: string, reading: Reading): string =>
  'cursor' in reading
    ? reading.cursor
    : `${calendarPath(calendarId)}/calendarView/delta?${new URLSearchParams({ startDateTime: reading.from, endDateTime: reading.to })}`

const isExpired = (response: GraphResponse, reading: Reading, page: string | null): boolean =>
  !isSuccess(response) && ('cursor' in reading || page !== null) && (response.status === 410 || EXPIRED.test(codeOf(response)))
