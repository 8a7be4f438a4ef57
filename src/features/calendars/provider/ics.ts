import { secondsOfRetryAfter } from '../../../domain/retry-after.ts'
import { hashKey, toHex } from '../../../lib/keys.ts'
import type { OutsideHttp, OutsideResponse } from '../../../providers/http/port.ts'
import { AccountFailure } from '../../accounts/provider/port.ts'
import { type IcsFeed, readIcs } from '../rules/ics.ts'
import { FeedError, MAX_FEED } from '../rules/ics-limits.ts'
import type { CalendarProvider, OutsideEvent } from './port.ts'

/** A feed is the only calendar of its address. */
const FEED = 'feed'
const DEADLINE_MS = 15_000
const MAX_REDIRECTS = 3
const PAGE = 1_000
/** A validator that is longer is not sent back. */
const MAX_VALIDATOR = 1_000

/** What a feed was when it was read: its validators (RFC 9110, section 8.8), and SHA-256 of its text. */
type Version = { etag: string | null; modified: string | null; digest: string }
/** `body` null: the feed has not changed since. */
type Download = { body: string | null; version: Version }

/**
 * Calendars that are read by the address of a feed in iCalendar format, which takes the place of the access token. They cannot be written
 * to. A feed is always read whole: one that has changed since a cursor is `expired`. What it returns are occupied times, not its single
 * events.
 */
export function icsCalendars(http: OutsideHttp): CalendarProvider {
  const read = async (address: string, range: { from: string; to: string; timezone?: string }, deadlineMs?: number) => {
    const { body, version } = await download(http, address, null, deadlineMs)
    return { feed: parsed(body ?? '', range), version }
  }
  /** The feed whose pages are being read. */
  let held: { address: string; feed: IcsFeed; version: Version } | undefined
  /** Its name and zone do not depend on a range. */
  const describe = async (address: string) => (await read(address, { from: EPOCH, to: EPOCH })).feed

  return {
    async account(address) {
      const { name } = await describe(address)
      return { id: await digestOf(address), email: name ?? new URL(httpAddress(address)).hostname, name }
    },
    async calendars(address) {
      const { name, timezone } = await describe(address)
      return [{ id: FEED, name: name ?? new URL(httpAddress(address)).hostname, primary: true, writable: false, timezone }]
    },
    async events(address, _calendarId, reading, page) {
      if (!('cursor' in reading)) {
        if (page === null || held?.address !== address) held = { address, ...(await read(address, reading)) }
        const { feed, version } = held
        const next = Number(page ?? 0) + PAGE
        const events = feed.busy.slice(next - PAGE, next).map(eventOf)
        return { events, next_page: next < feed.busy.length ? String(next) : null, cursor: JSON.stringify(version) }
      }
      const known = JSON.parse(reading.cursor) as Version
      const { version } = await download(http, address, known)
      return version.digest === known.digest ? { events: [], next_page: null, cursor: JSON.stringify(version) } : 'expired'
    },
    async busy(address, calendarIds, from, to, milliseconds, timezone) {
      const found = await read(address, { from, to, ...(timezone && { timezone }) }, milliseconds).then(
        ({ feed }) => feed.busy.map(([start, end]): [string, string] => [isoOf(start), isoOf(end)]),
        () => 'unknown' as const,
      )
      return new Map(calendarIds.map((id) => [id, found]))
    },
    insert: readOnly,
    update: readOnly,
    get: readOnly,
    remove: readOnly,
    watch: readOnly,
    async unwatch() {},
  }
}

const EPOCH = new Date(0).toISOString()
const isoOf = (at: number): string => new Date(at).toISOString()

const readOnly = async (): Promise<never> => {
  throw new AccountFailure('forbidden', 'A calendar that is read by its address cannot be written to')
}

function eventOf([from, to]: IcsFeed['busy'][number]): OutsideEvent {
  const times = { starts: { at: isoOf(from) }, ends: { at: isoOf(to) } }
  const unknown = { ical_uid: null, version: null, booking_id: null, title: null, meet_link: null }
  return { id: `${isoOf(from)}/${isoOf(to)}`, status: 'confirmed', busy: true, ...times, ...unknown }
}

function parsed(body: string, { from, to, timezone = 'UTC' }: { from: string; to: string; timezone?: string }): IcsFeed {
  try {
    return readIcs(body, { from: Date.parse(from), to: Date.parse(to), zone: timezone })
  } catch (error) {
    if (error instanceof FeedError) throw new AccountFailure('refused', error.message)
    throw error
  }
}

/** Reads a feed, with a condition if a version is known. Each address of a redirect is checked like the first one. */
async function download(http: OutsideHttp, address: string, known: Version | null, deadlineMs = DEADLINE_MS): Promise<Download> {
  const until = Date.now() + deadlineMs
  const headers = {
    Accept: 'text/calendar, text/plain;q=0.5',
    ...(known?.etag && { 'If-None-Match': known.etag }),
    ...(known?.modified && { 'If-Modified-Since': known.modified }),
  }
  let url = httpAddress(address)
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const left = Math.max(until - Date.now(), 1)
    const response = await http.send({ method: 'GET', url, headers, maxRead: MAX_FEED, deadlineMs: left })
    if (!response.ok) throw new AccountFailure(response.failure === 'refused' ? 'refused' : 'unavailable', response.reason)
    const next = response.status >= 300 && response.status < 400 ? response.headers.location : undefined
    if (next === undefined || !URL.canParse(next, url)) return downloadOf(response, known)
    url = new URL(next, url).href
  }
  throw new AccountFailure('refused', `The address redirects more than ${MAX_REDIRECTS} times`)
}

async function downloadOf(response: OutsideResponse, known: Version | null): Promise<Download> {
  const { status, headers, body, truncated } = response
  if (status === 304 && known) return { body: null, version: known }
  if (status !== 200) throw failureOf(response)
  if (truncated) throw new AccountFailure('refused', `The calendar is larger than ${MAX_FEED / 1_000_000} MB`)
  const validator = (value: string | undefined) => (value !== undefined && value.length <= MAX_VALIDATOR ? value : null)
  return { body, version: { etag: validator(headers.etag), modified: validator(headers['last-modified']), digest: await digestOf(body) } }
}

/** 401 and 403 may pass: the address is the only grant that there is, and cannot be renewed. */
const REASONS: Record<number, AccountFailure['reason']> = {
  404: 'not_found',
  410: 'not_found',
  429: 'limited',
}

function failureOf({ status, headers }: OutsideResponse): AccountFailure {
  const reason = REASONS[status] ?? (status >= 500 ? 'unavailable' : 'refused')
  return new AccountFailure(
    reason,
    `The address of the calendar answers with status ${status}`,
    secondsOfRetryAfter(headers['retry-after'], Date.now()),
  )
}

/** Calendar programs write webcal: for addresses that they are to subscribe to. */
const httpAddress = (address: string): string => address.trim().replace(/^webcals?:/i, 'https:')

const digestOf = async (text: string): Promise<string> => toHex(await hashKey(text))
