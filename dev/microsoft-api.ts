import { randomUUID } from 'node:crypto'
import type { Reply } from './local-server.ts'
import { EVENT_ID, type MicrosoftCalendar, type MicrosoftEvent, type MicrosoftWorld, type Subscription, utc } from './microsoft-world.ts'

// biome-ignore lint/suspicious/noExplicitAny: requests of every shape
type Body = Record<string, any>
export type ApiCall = { email: string; method: string; path: string; query: URLSearchParams; body: Body; url: string; pageSize: number }

/** An error in the form of https://learn.microsoft.com/en-us/graph/errors. */
export const refusal = (status: number, code: string, message: string): Reply => [
  status,
  { error: { code, message, innerError: { 'request-id': randomUUID(), date: new Date().toISOString().slice(0, 19) } } },
]
const notFound = () => refusal(404, 'ErrorItemNotFound', 'The specified object was not found in the store.')

const CALENDAR = /^\/v1\.0\/me\/calendars\/([^/]+)\/(calendarView\/delta|calendarView|events)(?:\/([^/]+))?$/
const NAMES: Record<string, string> = {
  'GET /v1.0/me': 'me',
  'GET /v1.0/me/mailboxSettings': 'mailboxSettings',
  'GET /v1.0/me/calendars': 'calendars',
  'POST /v1.0/subscriptions': 'subscribe',
  'GET /v1.0/subscriptions': 'subscriptions',
}

/** The name by which the failures of a call are switched. */
export function routeOf(method: string, path: string): string {
  const known = NAMES[`${method} ${path}`]
  if (known) return known
  if (path.startsWith('/v1.0/subscriptions/')) return 'unsubscribe'
  const [, , part, id] = CALENDAR.exec(path) ?? []
  if (part === 'calendarView/delta') return 'delta'
  if (part === 'calendarView') return 'view'
  if (id === undefined) return method === 'POST' ? 'events.create' : 'events.list'
  return { PATCH: 'events.update', DELETE: 'events.delete' }[method] ?? 'events.get'
}

/** Carries out a call of the emulated Microsoft Graph, except for a new subscription. */
export function callApi(world: MicrosoftWorld, call: ApiCall): Reply {
  const { email, method, path } = call
  const account = world.account(email)
  const route = routeOf(method, path)
  if (route === 'me') return [200, { id: account.id, displayName: account.name, mail: null, userPrincipalName: email }]
  if (route === 'mailboxSettings') return [200, { timeZone: account.timeZone }]
  if (route === 'calendars') return [200, { value: [...account.calendars.values()].map(listed) }]
  const subscriptions = [...world.subscriptions.values()].filter((one) => one.account === email)
  if (route === 'subscriptions') return [200, { value: subscriptions.map(shownSubscription) }]
  if (route === 'unsubscribe') {
    const { id } = subscriptions.find((one) => path.endsWith(`/${one.id}`)) ?? {}
    return id !== undefined && world.subscriptions.delete(id)
      ? [204, undefined]
      : refusal(404, 'ResourceNotFound', 'The object was not found.')
  }
  const [, calendarId, , eventId] = CALENDAR.exec(path) ?? []
  const calendar = calendarId === undefined ? undefined : world.calendar(email, decodeURIComponent(calendarId))
  if (!calendar) return notFound()
  if (route === 'delta') return delta(calendar, call)
  if (route === 'view') return view(calendar, call)
  if (route === 'events.list') return search(calendar, call.query.get('$filter') ?? '')
  if (!calendar.canEdit && route !== 'events.get')
    return refusal(403, 'ErrorAccessDenied', 'Access is denied. Check credentials and try again.')
  if (route === 'events.create') return create(world, call, calendar)
  return ofEvent(world, call, calendar, decodeURIComponent(eventId as string))
}

const listed = ({ id, name, canEdit, isDefaultCalendar }: MicrosoftCalendar) => ({ id, name, canEdit, isDefaultCalendar })

/** A subscription; its secret is never shown. */
export const shownSubscription = ({ account: _account, calendar: _calendar, ...one }: Subscription) => ({ ...one, clientState: null })

function shown({ changed: _changed, isDeleted: _deleted, series, singleValueExtendedProperties: _own, ...event }: MicrosoftEvent) {
  return { '@odata.etag': `W/"${event.changeKey}"`, type: series ? 'seriesMaster' : 'singleInstance', seriesMasterId: null, ...event }
}

function create(world: MicrosoftWorld, { email, body }: ApiCall, calendar: MicrosoftCalendar): Reply {
  const { start, end, ...draft } = body
  if (!isTimed(start, end)) return refusal(400, 'ErrorPropertyValidationFailure', 'At least one property failed validation.')
  const known = [...calendar.events.values()].find(
    (one) => !one.isDeleted && one.transactionId && one.transactionId === draft.transactionId,
  )
  if (known) {
    const isSame = known.subject === draft.subject && instant(known.start) === instant(start) && instant(known.end) === instant(end)
    if (!isSame) return refusal(409, 'ErrorDuplicateTransactionId', 'An event with this transaction id exists.')
    return [201, shown(known)]
  }
  const times = { starts_at: new Date(instant(start)).toISOString(), ends_at: new Date(instant(end)).toISOString() }
  return [201, shown(world.create(email, { ...draft, ...times }, calendar.id))]
}

function ofEvent(world: MicrosoftWorld, { email, method, body }: ApiCall, calendar: MicrosoftCalendar, id: string): Reply {
  if (!id.startsWith(EVENT_ID)) return refusal(400, 'ErrorInvalidIdMalformed', 'Id is malformed.')
  const event = calendar.events.get(id)
  if (!event || event.isDeleted) return notFound()
  if (method === 'GET') return [200, shown(event)]
  if (method === 'DELETE') {
    world.delete(email, id, calendar.id)
    return [204, undefined]
  }
  const { start = event.start, end = event.end, ...draft } = body
  if (!isTimed(start, end)) return refusal(400, 'ErrorPropertyValidationFailure', 'At least one property failed validation.')
  const times = { start: utc(new Date(instant(start)).toISOString()), end: utc(new Date(instant(end)).toISOString()) }
  return [200, shown(world.change(email, id, { ...draft, ...times }, calendar.id))]
}

const instant = (time: { dateTime: string } | undefined): number => Date.parse(`${time?.dateTime.slice(0, 23)}Z`)
const isTimed = (start: Body | undefined, end: Body | undefined): boolean =>
  start?.timeZone === 'UTC' && end?.timeZone === 'UTC' && instant(start as never) <= instant(end as never)

/** The search by a property of one's own. */
function search(calendar: MicrosoftCalendar, filter: string): Reply {
  const [, id, value] = /ep\/id eq '([^']+)' and ep\/value eq '([^']+)'/.exec(filter) ?? []
  if (id === undefined) return refusal(400, 'ErrorInvalidUrlQueryFilter', 'The query filter contains one or more invalid nodes.')
  const isMeant = (event: MicrosoftEvent) => event.singleValueExtendedProperties?.some((one) => one.id === id && one.value === value)
  return [200, { value: [...calendar.events.values()].filter((event) => !event.isDeleted && isMeant(event)).map(shown) }]
}

type Shown = ReturnType<typeof shown> | { id: string; '@removed': { reason: string } } | Body

/** The occurrences of a series, in full, or as lists of changes have them. */
function occurrencesOf(event: MicrosoftEvent, isFull: boolean): Body[] {
  const { days, count } = event.series ?? { days: 0, count: 0 }
  return Array.from({ length: count }, (_none, at) => {
    const shifted = (time: { dateTime: string }) => utc(new Date(instant(time) + at * days * 86_400_000).toISOString())
    const own = {
      id: `${event.id}.${at}`,
      seriesMasterId: event.id,
      type: 'occurrence',
      start: shifted(event.start),
      end: shifted(event.end),
    }
    return isFull ? { ...shown(event), ...own } : { '@odata.etag': `W/"${event.changeKey}"`, ...own }
  })
}

const touches = ({ start, end }: Body, from: string, to: string): boolean =>
  instant(end as never) > Date.parse(from) && instant(start as never) < Date.parse(to)

function view(calendar: MicrosoftCalendar, { query, url, path, pageSize }: ApiCall): Reply {
  const [from, to] = [query.get('startDateTime') ?? '', query.get('endDateTime') ?? '']
  if (!(Date.parse(from) < Date.parse(to))) return refusal(400, 'ErrorInvalidParameter', 'The start and end of the view are needed.')
  const found = [...calendar.events.values()]
    .filter(({ isDeleted }) => !isDeleted)
    .flatMap((event): Body[] => (event.series ? occurrencesOf(event, true) : [shown(event)]))
    .filter((event) => touches(event, from, to))
  const skip = Number(query.get('$skip') ?? 0)
  const next = new URLSearchParams([...query].filter(([name]) => name !== '$skip'))
  next.set('$skip', String(skip + pageSize))
  return [
    200,
    { value: found.slice(skip, skip + pageSize), ...(found.length > skip + pageSize && { '@odata.nextLink': `${url}${path}?${next}` }) },
  ]
}

type Token = { from: string; to: string; since: number; at: number; offset: number }

/** The changes of a view. Its link names the range, so that it stays the same. */
function delta(calendar: MicrosoftCalendar, { query, url, path, pageSize }: ApiCall): Reply {
  const given = query.get('$deltatoken') ?? query.get('$skiptoken')
  if (!given && !query.get('startDateTime')) return refusal(400, 'ErrorInvalidParameter', 'The start and end of the view are needed.')
  if (query.has('$select') || query.has('$expand'))
    return refusal(400, 'ErrorInvalidUrlQuery', 'The parameter is not supported with change tracking.')
  const first = {
    from: query.get('startDateTime') as string,
    to: query.get('endDateTime') as string,
    since: 0,
    at: calendar.changes,
    offset: 0,
  }
  const token: Token = given ? { ...(JSON.parse(Buffer.from(given, 'base64url').toString()) as Token) } : first
  if (given && token.at < calendar.oldestToken) return refusal(410, 'SyncStateNotFound', 'The sync state generation is not found.')
  if (query.has('$deltatoken')) Object.assign(token, { since: token.at, at: calendar.changes, offset: 0 })
  const found = [...calendar.events.values()].filter(({ changed }) => changed > token.since).flatMap((event) => changeOf(event, token))
  const next = token.offset + pageSize
  const link = (name: string, more: Partial<Token>) =>
    `${url}${path}?${name}=${Buffer.from(JSON.stringify({ ...token, ...more })).toString('base64url')}`
  const links =
    next < found.length ? { '@odata.nextLink': link('$skiptoken', { offset: next }) } : { '@odata.deltaLink': link('$deltatoken', {}) }
  return [200, { ...links, value: found.slice(token.offset, next) }]
}

/** An event that is not in the view is removed from it. A series comes after its occurrences, which have only their times. */
function changeOf(event: MicrosoftEvent, { from, to, since }: Token): Shown[] {
  const all: Body[] = event.series ? occurrencesOf(event, false) : [shown(event)]
  const inside = event.isDeleted ? [] : all.filter((one) => touches(one, from, to))
  const removed = since === 0 ? [] : all.filter((one) => !inside.includes(one)).map(({ id }) => ({ id, '@removed': { reason: 'deleted' } }))
  return [...inside, ...removed, ...(event.series && inside.length > 0 ? [shown(event)] : [])]
}
