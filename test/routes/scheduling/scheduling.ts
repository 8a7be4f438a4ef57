import { Temporal } from 'temporal-polyfill'
import { expect } from 'vitest'
import type { TestWorkspace } from '../../workspace.ts'
import { type Crm, created, found, type Row } from '../crm.ts'

export const HOURS = Object.fromEntries(
  ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'].map((day) => [day, [{ start: '09:00', end: '17:00' }]]),
)

/** A Monday in Sydney that is weeks ahead, `YYYY-MM-DD`. */
export function monday(weeks = 2): string {
  const today = new Date()
  const days = ((8 - today.getUTCDay()) % 7) + 7 * weeks
  return new Date(today.getTime() + days * 86_400_000).toISOString().slice(0, 10)
}

/** The instant of a local time in Sydney. */
export const sydney = (date: string, time: string) => new Date(`${date}T${time}:00${isSummer(date) ? '+11:00' : '+10:00'}`).toISOString()
const isSummer = (date: string) => {
  const part = new Intl.DateTimeFormat('en', { timeZone: 'Australia/Sydney', timeZoneName: 'longOffset' }).formatToParts(
    new Date(`${date}T12:00:00Z`),
  )
  return part.find(({ type }) => type === 'timeZoneName')?.value === 'GMT+11:00'
}

/** The hour in a time zone at a local time of another one, `YYYY-MM-DD HH:MM`. */
export const hourIn = (zone: string, local: string, of: string): number =>
  Temporal.PlainDateTime.from(local).toZonedDateTime(of).withTimeZone(zone).hour

/** Notices of an event type whose bookings are announced to nobody. */
export const SILENT = ['confirmation', 'reschedule', 'cancellation', 'reminder', 'update'].map((kind) => ({ kind, is_enabled: false }))

/** An event type of the key's owner, or of further members. */
export async function eventType(ws: TestWorkspace, fields: Row = {}, hosts: string[] = [ws.userId]): Promise<Row> {
  return created(
    await ws.post('/scheduled-event-types', {
      name: 'First meeting',
      hosts: hosts.map((user_id) => ({ user_id })),
      horizon_days: 90,
      ...fields,
    }),
  )
}

export const members = async (ws: TestWorkspace, count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, async () => (await ws.key()).userId))

export const book = (ws: TestWorkspace, fields: Row) =>
  ws.post('/scheduling-bookings', { event_type: 'first-meeting', name: 'Ana Lee', email: 'ana@example.com', ...fields })

/** Does something once, when a request has chosen a time by the facts and before it claims it. */
export function beforeClaim({ proxy }: Crm['app'], act: () => Promise<unknown>): void {
  proxy.onRequest = async (request) => {
    const queries = 'queries' in request ? request.queries : [request]
    if (!queries.some(({ query }) => query.includes('claim_slots('))) return
    proxy.onRequest = undefined
    await act()
  }
}

/**
 * What must hold after any traffic: the claims of a host do not overlap, every booking that keeps its time has its claims and no other has
 * any, and the counters and seats are those of a recount.
 */
export async function audit({ app, ws }: Pick<Crm, 'app' | 'ws'>): Promise<void> {
  const query = async (sql: string) => (await app.owner.query(sql, [ws.id])).rows
  const overlaps = await query(
    `select 1 from host_claims a join host_claims b on a.workspace_id = b.workspace_id and a.host_id = b.host_id and a.id < b.id
      and a.during && b.during where a.workspace_id = $1`,
  )
  const strayClaims = await query(
    `select c.id from host_claims c
      left join bookings b on b.workspace_id = c.workspace_id and b.id = c.booking_id and b.claimed is not null
      left join seat_sessions s on s.workspace_id = c.workspace_id and s.id = c.session_id and s.taken > 0
      left join booking_holds h on h.workspace_id = c.workspace_id and h.id = c.hold_id and h.state = 'held'
      where c.workspace_id = $1 and b.id is null and s.id is null and h.id is null`,
  )
  const unclaimed = await query(
    `select id from bookings b
      where b.workspace_id = $1
      and (b.claimed is null and b.status in ('pending', 'confirmed') or b.claimed is not null and b.status = 'cancelled')
      or b.workspace_id = $1 and b.claimed is not null and b.claimed ->> 'session_id' is null and cardinality(b.host_ids) <>
        (select count(*) from host_claims c where c.workspace_id = b.workspace_id and c.booking_id = b.id)`,
  )
  const counts = await query(
    `with recount as (select (e ->> 0)::uuid as subject, e ->> 1 as period, (e ->> 2)::date as starts_on, count(*)::int as taken
        from bookings b, jsonb_array_elements(b.claimed -> 'counted') e where b.workspace_id = $1 group by 1, 2, 3)
      select * from recount r full join (select * from booking_counts where workspace_id = $1 and taken > 0) c
        on c.subject_id = r.subject and c.period = r.period and c.starts_on = r.starts_on where c.taken is distinct from r.taken`,
  )
  const seats = await query(
    `select s.id from seat_sessions s where s.workspace_id = $1 and s.taken <>
      (select count(*) from bookings b where b.workspace_id = s.workspace_id and (b.claimed ->> 'session_id')::uuid = s.id)
        + (select count(*) from booking_holds h where h.workspace_id = s.workspace_id and h.session_id = s.id and h.state = 'held')`,
  )
  expect({ overlaps, strayClaims, unclaimed, counts, seats }).toEqual({
    overlaps: [],
    strayClaims: [],
    unclaimed: [],
    counts: [],
    seats: [],
  })
}

export const deadlocks = async ({ app }: Pick<Crm, 'app'>): Promise<number> => {
  await app.owner.query('select pg_stat_force_next_flush()')
  return Number((await app.owner.query('select deadlocks from pg_stat_database where datname = current_database()')).rows[0].deadlocks)
}
export { found }
