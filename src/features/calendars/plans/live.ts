import type { CalendarProvider } from '../provider/port.ts'
import { busyTimesOf } from '../rules/busy.ts'
import type { CalendarProviderName } from '../rules/states.ts'
import { type CalendarAccess, withToken } from './grants.ts'

/** A calendar that makes a host unavailable. `zone`: its own, or that of the workspace. */
export type HostCalendar = { connection_id: string; provider: CalendarProviderName; outside_id: string; zone: string }
/** A host with calendars, and when the one that was read first was read, in milliseconds. */
export type LiveHost = { user_id: string; read_at: number | null; calendars: HostCalendar[] }
/** `cached`: the providers have not answered in time, and the stored times are young enough to decide. `unknown`: they are not. */
export type LiveAnswer = 'free' | 'busy' | 'cached' | 'unknown'

type Range = { from: string; to: string; timezone: string }

/** The providers have so long altogether. */
const LIVE_MS = 1_500
/** Younger times decide when they do not answer. */
const YOUNG_MS = 5 * 60_000

/** Asks the providers whether hosts are free in a range of instants. All lookups happen at the same time, one for each connection. */
export async function checkLive(access: CalendarAccess, workspace_id: string, hosts: LiveHost[], range: [number, number]) {
  const answers = await Promise.all(hosts.map((host) => answerFor(access, workspace_id, host, range)))
  return new Map(hosts.map(({ user_id }, index) => [user_id, answers[index] as LiveAnswer]))
}

async function answerFor(access: CalendarAccess, workspace_id: string, host: LiveHost, [from, to]: [number, number]): Promise<LiveAnswer> {
  const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
  const connections = Map.groupBy(host.calendars, ({ connection_id }) => connection_id)
  const lookups = [...connections].map(([connection_id, calendars]) =>
    withToken(access, { workspace_id, connection_id, provider: calendars[0]?.provider as CalendarProviderName }, (kind, token) =>
      isBusy(
        kind.calendars,
        token,
        calendars.map(({ outside_id }) => outside_id),
        { ...range, timezone: calendars[0]?.zone as string },
      ),
    ).catch(() => undefined),
  )
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), LIVE_MS)
  })
  const found = await Promise.all(lookups.map((answer) => Promise.race([answer, late])))
  clearTimeout(timer)
  if (found.includes(true)) return 'busy'
  if (!found.includes(undefined)) return 'free'
  return host.read_at !== null && Date.now() - host.read_at < YOUNG_MS ? 'cached' : 'unknown'
}

/**
 * Undefined if one of the calendars cannot be read. Those that are occupied are looked at more closely, because our own copies of bookings
 * do not count.
 */
async function isBusy(provider: CalendarProvider, token: string, ids: string[], range: Range): Promise<boolean | undefined> {
  const busy = await provider.busy(token, ids, range.from, range.to, LIVE_MS, range.timezone)
  const times = ids.map((id) => busy.get(id))
  if (times.some((one) => one === undefined || one === 'unknown')) return undefined
  const occupied = ids.filter((id) => (busy.get(id)?.length ?? 0) > 0)
  const counted = await Promise.all(occupied.map((id) => hasForeignEvent(provider, token, id, range)))
  return counted.includes(true)
}

async function hasForeignEvent(provider: CalendarProvider, token: string, id: string, range: Range): Promise<boolean> {
  const page = await provider.events(token, id, range, null)
  if (page === 'expired' || page.next_page !== null) return true
  const window: [number, number] = [Date.parse(range.from), Date.parse(range.to)]
  // The exact zone matters for all-day events at the ends of the range only: there they count.
  return page.events.some((event) =>
    event.starts && 'date' in event.starts ? event.busy && !event.booking_id : busyTimesOf(event, 'UTC', window).length > 0,
  )
}
