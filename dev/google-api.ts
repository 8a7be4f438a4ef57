import { randomUUID } from 'node:crypto'
import { isBusy, joined, occurrencesOf, type Shown, spanOf } from './google-times.ts'
import type { GoogleCalendar, GoogleEvent, GoogleWorld } from './google-world.ts'
import type { Reply } from './local-server.ts'

// biome-ignore lint/suspicious/noExplicitAny: requests of every shape
type Body = Record<string, any>
export type ApiCall = { email: string; method: string; path: string; query: URLSearchParams; body: Body }

/** An error in the form of https://developers.google.com/calendar/api/guides/errors. */
export const refusal = (code: number, reason: string, message: string): Reply => [
  code,
  { error: { code, message, errors: [{ domain: 'global', reason, message }] } },
]
const notFound = () => refusal(404, 'notFound', 'Not Found')

const MAX_PAGE = 2500
const MAX_BUSY = 50
const WEEK_MS = 604_800_000
const EVENTS = /^\/calendar\/v3\/calendars\/([^/]+)\/events(?:\/([^/]+))?$/

/** The name by which the failures of a call are switched. */
export function routeOf(method: string, path: string): string {
  if (path === '/oauth2/v3/userinfo') return 'userinfo'
  if (path.endsWith('/users/me/calendarList')) return 'calendarList'
  if (path.endsWith('/freeBusy')) return 'freeBusy'
  if (path.endsWith('/channels/stop')) return 'stop'
  if (path.endsWith('/events/watch')) return 'watch'
  const [, , id] = EVENTS.exec(path) ?? []
  if (id === undefined) return method === 'POST' ? 'events.insert' : 'events.list'
  return { PATCH: 'events.patch', DELETE: 'events.delete' }[method] ?? 'events.get'
}

/** Carries out a call of the emulated Google Calendar. */
export function callApi(world: GoogleWorld, call: ApiCall, pageSize: number | undefined): Reply {
  const { email, method, path, query, body } = call
  const account = world.account(email)
  const route = routeOf(method, path)
  if (route === 'userinfo') return [200, { sub: account.sub, email, email_verified: true, name: account.name }]
  if (route === 'calendarList') return [200, { kind: 'calendar#calendarList', items: [...account.calendars.values()].map(listed) }]
  if (route === 'freeBusy') return freeBusy(world, email, body)
  if (route === 'stop') return stop(world, body)
  const [, calendarId, eventId] = EVENTS.exec(path.replace(/\/watch$/, '')) ?? []
  const calendar = calendarId === undefined ? undefined : world.calendar(email, decodeURIComponent(calendarId))
  if (!calendar) return notFound()
  if (route === 'watch') return watch(world, email, calendar, body)
  if (route === 'events.list') return list(calendar, query, pageSize)
  const isWrite = route !== 'events.get'
  if (isWrite && !['owner', 'writer'].includes(calendar.accessRole)) return refusal(403, 'requiredAccessLevel', 'You need writer access.')
  if (route === 'events.insert') return insert(world, email, calendar, body, query)
  return ofEvent(world, call, calendar, decodeURIComponent(eventId as string))
}

const listed = ({ id, summary, timeZone, accessRole, primary }: GoogleCalendar) => ({
  kind: 'calendar#calendarListEntry',
  id,
  summary,
  timeZone,
  accessRole,
  ...(primary && { primary }),
})

function insert(world: GoogleWorld, email: string, calendar: GoogleCalendar, body: Body, query: URLSearchParams): Reply {
  const { id } = body
  if (id !== undefined && !/^[a-v0-9]{5,1024}$/.test(id)) return refusal(400, 'invalid', 'Invalid resource id value.')
  if (id !== undefined && calendar.events.has(id)) return refusal(409, 'duplicate', 'The requested identifier already exists.')
  const draft = draftOf(body, query)
  if (!isTimed(draft)) return refusal(400, 'required', 'Missing end time.')
  return [200, shown(world.create(email, draft as never, calendar.id))]
}

function ofEvent(world: GoogleWorld, { email, method, query, body }: ApiCall, calendar: GoogleCalendar, id: string): Reply {
  const event = calendar.events.get(id)
  if (!event) return notFound()
  if (method === 'GET') return [200, shown(event)]
  if (method === 'PATCH') {
    const { id: _id, ...draft } = draftOf(body, query)
    if (!isTimed({ start: event.start, end: event.end, ...draft }))
      return refusal(400, 'timeRangeEmpty', 'The specified time range is empty.')
    return [200, shown(world.change(email, id, draft, calendar.id))]
  }
  if (event.status === 'cancelled') return refusal(410, 'deleted', 'Resource has been deleted')
  world.delete(email, id, calendar.id)
  return [204, undefined]
}

/** Data of a video meeting is ignored without conferenceDataVersion=1. */
function draftOf({ conferenceData, ...body }: Body, query: URLSearchParams): Body {
  return query.get('conferenceDataVersion') === '1' && conferenceData ? { ...body, conferenceData } : body
}

function isTimed({ start, end }: Body): boolean {
  const [from, to] = spanOf({ start: start ?? {}, end: end ?? {} })
  return from <= to
}

function list(calendar: GoogleCalendar, query: URLSearchParams, pageSize: number | undefined): Reply {
  const page = read<{ at: number; offset: number }>(query.get('pageToken')) ?? { at: calendar.changes, offset: 0 }
  const token = query.get('syncToken')
  const since = read<{ at: number; from: string | null; to: string | null }>(token)
  if (token && (query.has('timeMin') || query.has('timeMax')))
    return refusal(400, 'syncTokenWithRequestRestrictions', 'Sync token cannot be used with other request restrictions.')
  if (token && (!since || since.at < calendar.oldestToken))
    return refusal(410, 'fullSyncRequired', 'Sync token is no longer valid, a full sync is required.')
  const [from, to] = since ? [since.from, since.to] : [query.get('timeMin'), query.get('timeMax')]
  const found = [...calendar.events.values()]
    .filter((event) => (since ? event.changed > since.at : event.status !== 'cancelled'))
    .flatMap((event) => occurrencesOf(event, query.get('singleEvents') === 'true'))
    .filter((event) => event.status === 'cancelled' || touches(event, from, to))
  const size = Math.min(Number(query.get('maxResults') ?? 250), MAX_PAGE, pageSize ?? MAX_PAGE)
  const items = found.slice(page.offset, page.offset + size).map(listedEvent)
  const next = page.offset + size
  const more = next < found.length
  return [
    200,
    {
      kind: 'calendar#events',
      summary: calendar.summary,
      timeZone: calendar.timeZone,
      items,
      ...(more ? { nextPageToken: written({ at: page.at, offset: next }) } : { nextSyncToken: written({ at: page.at, from, to }) }),
    },
  ]
}

/** Of a deleted event, only the id is certain. */
const listedEvent = (event: Shown) => (event.status === 'cancelled' ? { id: event.id, etag: event.etag, status: event.status } : event)

function touches(event: Shown, from: string | null, to: string | null): boolean {
  const [starts, ends] = spanOf(event)
  return (from === null || ends > Date.parse(from)) && (to === null || starts < Date.parse(to))
}

const written = (token: object) => Buffer.from(JSON.stringify(token)).toString('base64url')
function read<Token>(token: string | null): Token | undefined {
  try {
    return token ? JSON.parse(Buffer.from(token, 'base64url').toString()) : undefined
  } catch {
    return undefined
  }
}

function freeBusy(world: GoogleWorld, email: string, { timeMin, timeMax, items = [] }: Body): Reply {
  if (!(Date.parse(timeMin) < Date.parse(timeMax))) return refusal(400, 'timeRangeEmpty', 'The specified time range is empty.')
  if (items.length > MAX_BUSY) return refusal(400, 'tooManyCalendarsRequested', 'Too many calendars requested.')
  const calendars = (items as { id: string }[]).map(({ id }) => {
    const calendar = world.calendar(email, id)
    if (!calendar) return [id, { errors: [{ domain: 'global', reason: 'notFound' }], busy: [] }]
    const spans = [...calendar.events.values()]
      .flatMap((event) => occurrencesOf(event, true))
      .filter((event) => isBusy(event) && touches(event, timeMin, timeMax))
      .map(spanOf)
    return [id, { busy: joined(spans) }]
  })
  return [200, { kind: 'calendar#freeBusy', timeMin, timeMax, calendars: Object.fromEntries(calendars) }]
}

function watch(world: GoogleWorld, email: string, calendar: GoogleCalendar, { id, type, address, token, params }: Body): Reply {
  if (type !== 'web_hook' || !id || !URL.canParse(address ?? '')) return refusal(400, 'required', 'Required')
  if (world.channels.has(id)) return refusal(400, 'channelIdNotUnique', `Channel id ${id} not unique`)
  const expiration = Date.now() + Math.min(Number(params?.ttl ?? 604_800) * 1000, WEEK_MS)
  const channel = { id, resourceId: randomUUID(), account: email, calendar: calendar.id, address, token, expiration, messages: 0 }
  world.channels.set(id, channel)
  world.notify(channel, 'sync')
  return [200, { kind: 'api#channel', id, resourceId: channel.resourceId, token, expiration: String(expiration) }]
}

function stop(world: GoogleWorld, { id, resourceId }: Body): Reply {
  if (world.channels.get(id)?.resourceId !== resourceId) return refusal(404, 'notFound', `Channel '${id}' not found for project`)
  world.channels.delete(id)
  return [204, undefined]
}

const shown = ({ changed: _, ...event }: GoogleEvent) => event
