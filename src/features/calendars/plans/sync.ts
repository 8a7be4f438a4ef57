import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { waitAfter } from '../../../domain/retry-after.ts'
import { loggable } from '../../../lib/text.ts'
import { GrantEnded } from '../../accounts/plans/grants.ts'
import { AccountFailure } from '../../accounts/provider/port.ts'
import type { CalendarProvider, OutsideEvent, Reading } from '../provider/port.ts'
import { busyTimesOf, windowOf } from '../rules/busy.ts'
import { CATCH_UP_MINUTES, type CalendarProviderName } from '../rules/states.ts'
import { keepChannel, stopChannel } from './channels.ts'
import { followEvents, followMissing } from './follow-events.ts'
import { type SyncAccess, withToken } from './grants.ts'

/**
 * A calendar that was claimed (read_calendars). `cursor` null: everything is read. `now`: the time of the claim, which is that of the
 * reading.
 */
export type ClaimedCalendar = {
  id: string
  connection_id: string
  provider: CalendarProviderName
  outside_id: string
  zone: string
  is_connected: boolean
  is_used: boolean
  cursor: string | null
  now: string
  is_channel_due: boolean
  channel: { id: string; resource_id: string } | null
}
/** A calendar that this worker has claimed. */
export type Held = ClaimedCalendar & { workspace_id: string; claim: string; attempts: number }

/** The seconds of a claim, which each page extends. */
export const CALENDAR_LEASE = 120
/** The events and the times of a calendar that are read at most, and the pages in which they come. */
const MOST_EVENTS = 50_000
const MOST_TIMES = 100_000
const MOST_PAGES = 1_000
/** The calendars in which an event is looked for that is no longer where it was. */
const MOST_OTHERS = 10

/** Reads what has changed in a calendar that is due. A failure is noted, and leads to another attempt. */
export async function syncCalendar(access: SyncAccess, held: Held, address: string) {
  if (!held.is_connected) return {}
  try {
    if (!held.is_used) {
      await stopChannel(access, held)
      return { facts: { error: null } }
    }
    await keepChannel(access, held, address)
    return await withToken(access, held, ({ calendars }, token) => read(access, calendars, token, held))
  } catch (error) {
    if (!(error instanceof AccountFailure || error instanceof GrantEnded)) throw error
    if (error instanceof GrantEnded) await access.deliverEvents(held.workspace_id)
    const wait = error instanceof GrantEnded ? null : waitAfter(error.retryAfter, held.attempts)
    return { facts: { error: loggable(error.message, 300) }, wait, failed: true }
  }
}

/** Reads the changes since the cursor, and everything if there is none or the provider no longer knows it. Returns what is stored then. */
async function read(access: SyncAccess, provider: CalendarProvider, token: string, held: Held): Promise<Read> {
  const changes = held.cursor === null ? 'expired' : await readPages(access, provider, token, held, { cursor: held.cursor })
  if (changes !== 'expired') return changes
  const [from, to] = windowOf(Date.parse(held.now))
  const all = await readPages(access, provider, token, held, {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    timezone: held.zone,
  })
  if (all === 'expired') throw new AccountFailure('refused', 'The calendar does not let itself be read from the beginning')
  return all
}

/** What ends a reading (conclude_calendar); nothing if another worker has the calendar. */
type Read = { reading?: { since: string | null; cursor: string | null; read_at: string; is_full: boolean }; wait?: number }

async function readPages(
  access: SyncAccess,
  provider: CalendarProvider,
  token: string,
  held: Held,
  reading: Reading,
): Promise<Read | 'expired'> {
  const { workspace_id, id, claim, now } = held
  const isFull = !('cursor' in reading)
  const followed = { workspace_id, id, now, calendarWith: (eventId: string) => calendarWith(access, provider, token, held, eventId) }
  let page: string | null = null
  let [events, times] = [0, 0]
  for (let count = 0; count < MOST_PAGES; count++) {
    const found = await provider.events(token, held.outside_id, reading, page)
    if (found === 'expired') return 'expired'
    const rows = rowsOf(found.events, held)
    events += found.events.length
    times += rows.reduce((sum, row) => sum + row.times.length, 0)
    if (events > MOST_EVENTS || times > MOST_TIMES) throw new AccountFailure('refused', `The calendar has more than ${MOST_EVENTS} events`)
    if (rows.length > 0) {
      const [isHeld] = await batch(access.database, [
        call('store_calendar_page', workspace_id, id, claim, CALENDAR_LEASE, JSON.stringify(rows), now, isFull),
      ])
      if (!isHeld) return {}
    }
    await followEvents(access, followed, found.events)
    page = found.next_page
    if (page !== null) continue
    if (!('cursor' in reading)) await followMissing(access, followed, reading.from, reading.to)
    return { reading: { since: held.cursor, cursor: found.cursor, read_at: now, is_full: isFull }, wait: CATCH_UP_MINUTES * 60 }
  }
  throw new AccountFailure('refused', `The calendar has more than ${MOST_PAGES} pages`)
}

/** The calendar of the account in which an event is; undefined if it is in none of those that may have it. */
async function calendarWith(
  { database }: SyncAccess,
  provider: CalendarProvider,
  token: string,
  { workspace_id, id, outside_id }: Held,
  eventId: string,
): Promise<string | undefined> {
  if (await provider.get(token, outside_id, eventId)) return id
  const [others] = (await batch(database, [call('other_calendars', workspace_id, id, MOST_OTHERS)])) as [
    { id: string; outside_id: string }[],
  ]
  for (const other of others) {
    const found = await provider.get(token, other.outside_id, eventId).catch((error: unknown) => {
      if (error instanceof AccountFailure && error.reason === 'forbidden') return undefined
      throw error
    })
    if (found) return other.id
  }
  return undefined
}

/** The last state of each event of a page. Ids that are too long to be stored are cut; a provider's are not. */
function rowsOf(events: OutsideEvent[], { zone, now }: Held): { source: string; times: [string, string][] }[] {
  const window = windowOf(Date.parse(now))
  const bySource = new Map(events.map((event) => [loggable(event.id, 1_000), event]))
  return [...bySource].map(([source, event]) => ({ source, times: busyTimesOf(event, zone, window) }))
}
