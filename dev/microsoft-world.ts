import { randomUUID } from 'node:crypto'

type Time = { dateTime: string; timeZone: string }

/** An event as Microsoft Graph has it. Its times are in UTC. */
export interface MicrosoftEvent {
  id: string
  changeKey: string
  iCalUId: string
  transactionId: string | null
  subject: string
  body?: { contentType: string; content: string }
  location?: { displayName: string }
  attendees?: { type: string; emailAddress: { address: string; name?: string } }[]
  start: Time
  end: Time
  isAllDay: boolean
  isCancelled: boolean
  showAs: 'free' | 'tentative' | 'busy' | 'oof' | 'workingElsewhere' | 'unknown'
  responseStatus: { response: 'organizer' | 'accepted' | 'declined' | 'none' }
  isOnlineMeeting: boolean
  onlineMeeting: { joinUrl: string } | null
  singleValueExtendedProperties?: { id: string; value: string }[]
  /** A series: how often it takes place, and the days between. */
  series?: { days: number; count: number }
  /** The number of its last change among those of the calendar. */
  changed: number
  isDeleted: boolean
}

export interface MicrosoftCalendar {
  id: string
  name: string
  canEdit: boolean
  isDefaultCalendar: boolean
  events: Map<string, MicrosoftEvent>
  changes: number
  /** Delta tokens of earlier changes are no longer valid. */
  oldestToken: number
}

export interface MicrosoftAccount {
  id: string
  email: string
  name: string
  /** A Windows name. */
  timeZone: string
  calendars: Map<string, MicrosoftCalendar>
}

export interface Subscription {
  id: string
  account: string
  calendar: string
  resource: string
  changeType: string
  notificationUrl: string
  clientState: string | null
  expirationDateTime: string
}

/** A notification of a change. */
export type Notification = { url: string; headers: Record<string, string>; body: string }

export type EventDraft = Partial<Omit<MicrosoftEvent, 'id' | 'changed' | 'changeKey' | 'isDeleted'>>

/** With what the ids of events begin. */
export const EVENT_ID = 'AAkALg'
const REFUSED_MEETING = { isOnlineMeeting: false, onlineMeeting: null }

/** The accounts with their calendars and events, and the functions by which they are changed from outside, as their owners would. */
export class MicrosoftWorld {
  readonly accounts = new Map<string, MicrosoftAccount>()
  readonly subscriptions = new Map<string, Subscription>()
  /** How the video meetings end that are ordered; an account without Teams refuses them. */
  meetings: 'ready' | 'pending' | 'refused' = 'ready'
  readonly #notify: (notification: Notification) => void

  constructor(notify: (notification: Notification) => void) {
    this.#notify = notify
  }

  /** The account of an address; a new one has its main calendar. */
  account(email: string, timeZone = 'AUS Eastern Standard Time'): MicrosoftAccount {
    const known = this.accounts.get(email)
    if (known) return known
    const account: MicrosoftAccount = { id: randomUUID(), email, name: email.split('@')[0] as string, timeZone, calendars: new Map() }
    this.accounts.set(email, account)
    this.addCalendar(email, { name: 'Calendar', isDefaultCalendar: true })
    return account
  }

  addCalendar(email: string, calendar: Partial<MicrosoftCalendar> & { name: string }): MicrosoftCalendar {
    const added: MicrosoftCalendar = {
      id: `AAMkAG${randomUUID()}+/=`,
      canEdit: true,
      isDefaultCalendar: false,
      events: new Map(),
      changes: 0,
      oldestToken: 0,
      ...calendar,
    }
    this.account(email).calendars.set(added.id, added)
    return added
  }

  /** A calendar by its id, the main one by default. */
  calendar(email: string, id?: string): MicrosoftCalendar | undefined {
    const calendars = [...(this.accounts.get(email)?.calendars.values() ?? [])]
    return calendars.find((one) => (id === undefined ? one.isDefaultCalendar : one.id === id))
  }

  /** Creates an event. Its times are instants, or the first moments of days. */
  create(email: string, { starts_at, ends_at, ...draft }: EventDraft & { starts_at: string; ends_at: string }, calendarId?: string) {
    const id = `${EVENT_ID}${randomUUID()}+/=`
    const event: MicrosoftEvent = {
      id,
      changeKey: '',
      iCalUId: `040000008200E00${randomUUID()}`,
      transactionId: null,
      subject: '',
      isAllDay: false,
      isCancelled: false,
      showAs: 'busy',
      responseStatus: { response: 'organizer' },
      isOnlineMeeting: false,
      onlineMeeting: null,
      changed: 0,
      isDeleted: false,
      ...structuredClone(draft),
      ...timesOf(starts_at, ends_at),
    }
    const calendar = this.#calendarOf(email, calendarId)
    calendar.events.set(id, event)
    this.#arrange(event)
    return this.#touch(email, calendar, event, 'created')
  }

  change(email: string, id: string, draft: EventDraft, calendarId?: string): MicrosoftEvent {
    const calendar = this.#calendarOf(email, calendarId)
    const event = calendar.events.get(id)
    if (!event) throw new Error(`The calendar of ${email} has no event ${id}`)
    Object.assign(event, structuredClone(draft))
    return this.#touch(email, calendar, event, 'updated')
  }

  move(email: string, id: string, starts_at: string, ends_at: string, calendarId?: string): MicrosoftEvent {
    return this.change(email, id, timesOf(starts_at, ends_at), calendarId)
  }

  delete(email: string, id: string, calendarId?: string): void {
    const event = this.#calendarOf(email, calendarId).events.get(id)
    if (!event) throw new Error(`The calendar of ${email} has no event ${id}`)
    event.isDeleted = true
    this.#touch(email, this.#calendarOf(email, calendarId), event, 'deleted')
  }

  /** Gives the meetings their links that are still being created. */
  completeMeetings(): void {
    for (const { email, calendars } of this.accounts.values())
      for (const calendar of calendars.values())
        for (const event of calendar.events.values()) {
          if (!event.isOnlineMeeting || event.onlineMeeting) continue
          event.onlineMeeting = meetingOf(event)
          this.#touch(email, calendar, event, 'updated')
        }
  }

  /** Makes all delta tokens of a calendar invalid. */
  expireTokens(email: string, calendarId?: string): void {
    const calendar = this.#calendarOf(email, calendarId)
    calendar.oldestToken = ++calendar.changes
  }

  /** The events of a calendar that are not deleted. */
  eventsOf(email: string, calendarId?: string): MicrosoftEvent[] {
    return [...this.#calendarOf(email, calendarId).events.values()].filter(({ isDeleted }) => !isDeleted)
  }

  clear(): void {
    this.accounts.clear()
    this.subscriptions.clear()
    this.meetings = 'ready'
  }

  #calendarOf(email: string, id?: string): MicrosoftCalendar {
    this.account(email)
    const calendar = this.calendar(email, id)
    if (!calendar) throw new Error(`${email} has no calendar ${id}`)
    return calendar
  }

  #arrange(event: MicrosoftEvent): void {
    if (!event.isOnlineMeeting) return
    if (this.meetings === 'refused') Object.assign(event, REFUSED_MEETING)
    else event.onlineMeeting = this.meetings === 'ready' ? meetingOf(event) : null
  }

  #touch(email: string, calendar: MicrosoftCalendar, event: MicrosoftEvent, changeType: string): MicrosoftEvent {
    event.changed = ++calendar.changes
    event.changeKey = `${event.id.slice(6, 12)}${event.changed}`
    for (const one of this.subscriptions.values())
      if (one.account === email && one.calendar === calendar.id && Date.parse(one.expirationDateTime) > Date.now())
        this.#notify(notificationOf(one, changeType, event.id))
    return event
  }
}

const timesOf = (starts_at: string, ends_at: string) => ({ start: utc(starts_at), end: utc(ends_at) })
/** Graph writes seven digits of the second. */
export const utc = (at: string): Time => ({ dateTime: `${new Date(at).toISOString().slice(0, -1)}0000`, timeZone: 'UTC' })

const meetingOf = ({ id }: MicrosoftEvent) => ({ joinUrl: `https://teams.microsoft.com/l/meetup-join/${encodeURIComponent(id)}/0` })

function notificationOf(
  { id, notificationUrl, clientState, expirationDateTime, resource }: Subscription,
  changeType: string,
  event: string,
): Notification {
  const value = {
    subscriptionId: id,
    subscriptionExpirationDateTime: expirationDateTime,
    changeType,
    clientState,
    tenantId: 'local',
    resource,
    resourceData: { '@odata.type': '#Microsoft.Graph.Event', id: event },
  }
  return { url: notificationUrl, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ value: [value] }) }
}
