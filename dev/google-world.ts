import { randomUUID } from 'node:crypto'

type Attendee = { email: string; displayName?: string; self?: boolean; responseStatus?: string }
type Time = { date?: string | null; dateTime?: string | null; timeZone?: string }
type Conference = {
  createRequest?: { requestId: string; conferenceSolutionKey?: { type: string }; status: { statusCode: 'pending' | 'success' | 'failure' } }
  entryPoints?: { entryPointType: string; uri: string }[]
}

/** An event as Google Calendar has it. */
export interface GoogleEvent {
  id: string
  etag: string
  iCalUID: string
  status: 'confirmed' | 'tentative' | 'cancelled'
  summary?: string
  description?: string
  location?: string
  start: Time
  end: Time
  transparency?: 'opaque' | 'transparent'
  attendees?: Attendee[]
  /** A series: one RRULE with FREQ=DAILY or WEEKLY, COUNT, and INTERVAL. */
  recurrence?: string[]
  hangoutLink?: string
  conferenceData?: Conference
  extendedProperties?: { private?: Record<string, string> }
  /** The number of its last change among those of the calendar. */
  changed: number
}

export interface GoogleCalendar {
  id: string
  summary: string
  timeZone: string
  accessRole: 'owner' | 'writer' | 'reader' | 'freeBusyReader'
  primary: boolean
  events: Map<string, GoogleEvent>
  changes: number
  /** Sync tokens of earlier changes are no longer valid. */
  oldestToken: number
}

export interface GoogleAccount {
  sub: string
  email: string
  name: string
  calendars: Map<string, GoogleCalendar>
}

export interface Channel {
  id: string
  resourceId: string
  account: string
  calendar: string
  address: string
  token: string | undefined
  expiration: number
  messages: number
}

/** A notification of a change: a POST without a body. */
export type Notification = { url: string; headers: Record<string, string> }

export type EventDraft = Partial<Omit<GoogleEvent, 'changed' | 'etag'>>

/** The accounts with their calendars and events, and the functions by which they are changed from outside, as their owners would. */
export class GoogleWorld {
  readonly accounts = new Map<string, GoogleAccount>()
  readonly channels = new Map<string, Channel>()
  /** How the video meetings end that are requested. */
  meetings: 'success' | 'pending' | 'failure' = 'success'
  readonly #notify: (notification: Notification) => void

  constructor(notify: (notification: Notification) => void) {
    this.#notify = notify
  }

  /** The account of an address; a new one has its primary calendar. */
  account(email: string, name = email.split('@')[0] as string): GoogleAccount {
    const known = this.accounts.get(email)
    if (known) return known
    const account: GoogleAccount = { sub: `1${String(this.accounts.size).padStart(20, '0')}`, email, name, calendars: new Map() }
    this.accounts.set(email, account)
    this.addCalendar(email, { id: email, summary: email, primary: true })
    return account
  }

  addCalendar(email: string, calendar: Partial<GoogleCalendar> & { summary: string }): GoogleCalendar {
    const added: GoogleCalendar = {
      id: `${randomUUID().replaceAll('-', '')}@group.calendar.google.com`,
      timeZone: 'Australia/Sydney',
      accessRole: 'owner',
      primary: false,
      events: new Map(),
      changes: 0,
      oldestToken: 0,
      ...calendar,
    }
    this.account(email).calendars.set(added.id, added)
    return added
  }

  calendar(email: string, id = 'primary'): GoogleCalendar | undefined {
    return this.accounts.get(email)?.calendars.get(id === 'primary' ? email : id)
  }

  /** Creates an event, also one that is a series or that nobody else has ordered. */
  create(email: string, draft: EventDraft & { start: Time; end: Time }, calendarId?: string): GoogleEvent {
    const id = draft.id ?? randomUUID().replaceAll('-', '')
    const event = { status: 'confirmed' as const, iCalUID: `${id}@google.com`, ...structuredClone(draft), id, etag: '', changed: 0 }
    const calendar = this.#calendarOf(email, calendarId)
    calendar.events.set(id, event)
    this.#arrange(event)
    return this.#touch(email, calendar, event)
  }

  /** Changes an event; a field that is null is removed. */
  change(email: string, id: string, draft: EventDraft, calendarId?: string): GoogleEvent {
    const calendar = this.#calendarOf(email, calendarId)
    const event = calendar.events.get(id)
    if (!event) throw new Error(`The calendar of ${email} has no event ${id}`)
    const { conferenceData, ...rest } = structuredClone(draft)
    const isRepeated = conferenceData?.createRequest?.requestId === event.conferenceData?.createRequest?.requestId
    Object.assign(event, merge(event, rest), conferenceData && !isRepeated && { conferenceData })
    this.#arrange(event)
    return this.#touch(email, calendar, event)
  }

  move(email: string, id: string, starts: string, ends: string, calendarId?: string): GoogleEvent {
    return this.change(email, id, { start: { date: null, dateTime: starts }, end: { date: null, dateTime: ends } }, calendarId)
  }

  /** The owner chooses another calendar for an event: it is cancelled where it was. */
  transfer(email: string, id: string, calendarId: string): GoogleEvent {
    const event = structuredClone(this.#calendarOf(email).events.get(id) as GoogleEvent)
    this.delete(email, id)
    return this.create(email, event, calendarId)
  }

  /** A deleted event stays, as a cancelled one: its id cannot be used for another. */
  delete(email: string, id: string, calendarId?: string): void {
    this.change(email, id, { status: 'cancelled' }, calendarId)
  }

  /** Lets the meetings be ready, or fail, that are still being created. */
  completeMeetings(outcome: 'success' | 'failure' = 'success'): void {
    for (const { email, calendars } of this.accounts.values())
      for (const calendar of calendars.values())
        for (const event of calendar.events.values()) {
          const request = event.conferenceData?.createRequest
          if (request?.status.statusCode !== 'pending') continue
          settle(event, outcome)
          this.#touch(email, calendar, event)
        }
  }

  /** Makes all sync tokens of a calendar invalid. */
  expireTokens(email: string, calendarId?: string): void {
    const calendar = this.#calendarOf(email, calendarId)
    calendar.oldestToken = ++calendar.changes
  }

  /** The events of a calendar that are not deleted. */
  eventsOf(email: string, calendarId?: string): GoogleEvent[] {
    return [...this.#calendarOf(email, calendarId).events.values()].filter(({ status }) => status !== 'cancelled')
  }

  notify(channel: Channel, state: 'sync' | 'exists'): void {
    channel.messages++
    const headers = {
      'x-goog-channel-id': channel.id,
      'x-goog-resource-id': channel.resourceId,
      'x-goog-resource-uri': `https://www.googleapis.com/calendar/v3/calendars/${encodeURIComponent(channel.calendar)}/events?alt=json`,
      'x-goog-resource-state': state,
      'x-goog-message-number': String(channel.messages),
      'x-goog-channel-expiration': new Date(channel.expiration).toUTCString(),
      ...(channel.token !== undefined && { 'x-goog-channel-token': channel.token }),
    }
    this.#notify({ url: channel.address, headers })
  }

  clear(): void {
    this.accounts.clear()
    this.channels.clear()
    this.meetings = 'success'
  }

  #calendarOf(email: string, id?: string): GoogleCalendar {
    this.account(email)
    const calendar = this.calendar(email, id)
    if (!calendar) throw new Error(`${email} has no calendar ${id}`)
    return calendar
  }

  /** Creates a meeting that was just requested. */
  #arrange(event: GoogleEvent): void {
    const request = event.conferenceData?.createRequest
    if (!request || request.status) return
    request.status = { statusCode: 'pending' }
    if (this.meetings !== 'pending') settle(event, this.meetings)
  }

  #touch(email: string, calendar: GoogleCalendar, event: GoogleEvent): GoogleEvent {
    event.changed = ++calendar.changes
    event.etag = `"${Date.now()}${event.changed}"`
    for (const channel of this.channels.values())
      if (channel.account === email && channel.calendar === calendar.id && channel.expiration > Date.now()) this.notify(channel, 'exists')
    return event
  }
}

/** A JSON merge patch (RFC 7386), as Google applies it to start, end and extended properties. */
function merge(target: unknown, patch: object): object {
  const merged = { ...(target as object) } as Record<string, unknown>
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name]
    else merged[name] = typeof value === 'object' && !Array.isArray(value) ? merge(merged[name] ?? {}, value) : value
  }
  return merged
}

function settle(event: GoogleEvent, outcome: 'success' | 'failure'): void {
  const conference = event.conferenceData as Conference & { createRequest: NonNullable<Conference['createRequest']> }
  conference.createRequest.status = { statusCode: outcome }
  if (outcome === 'failure') return
  const letters = event.id.replace(/[^a-z]/g, '').padEnd(10, 'x')
  const uri = `https://meet.google.com/${letters.slice(0, 3)}-${letters.slice(3, 7)}-${letters.slice(7, 10)}`
  conference.entryPoints = [{ entryPointType: 'video', uri }]
  event.hangoutLink = uri
}
