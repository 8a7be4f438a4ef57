import { expect, test } from 'vitest'
import type { NeonQuery } from '../../../dev/neon-proxy.ts'
import { BOOKING_STATUSES, BOOKING_TRANSITIONS, type BookingStatus } from '../../../src/features/scheduling/rules/states.ts'
import { limit } from '../../speed.ts'
import { created, found, type Row, useCrm } from '../crm.ts'
import { audit, book, deadlocks, eventType, members, monday } from './scheduling.ts'

const crm = useCrm()
let used = 0
const freeStart = () => {
  const n = used++
  return `${monday(2 + Math.floor(n / 16))} ${String(9 + Math.floor((n % 16) / 2)).padStart(2, '0')}:${n % 2 ? '30' : '00'}`
}
/** The steps from a pending booking to each status. */
const TO: Record<BookingStatus, string[]> = {
  pending: [],
  confirmed: ['confirm'],
  cancelled: ['cancel'],
  attended: ['mark-attended'],
  late: ['mark-late'],
  no_show: ['mark-no-show'],
}
type Trigger = keyof typeof BOOKING_TRANSITIONS
const TRIGGERS = Object.keys(BOOKING_TRANSITIONS) as Trigger[]
const after = (status: string, trigger: Trigger): string | undefined => (BOOKING_TRANSITIONS[trigger] as Record<string, string>)[status]

test('every status times every trigger, sent twice at once, ends as the table says', { timeout: limit(120_000) }, async () => {
  const { ws } = crm
  const before = await deadlocks(crm)
  const pool = await members(ws, 3)
  await eventType(ws, { requires_confirmation: true, horizon_days: 365 }, pool)
  const step = (id: string, name: string, body: Row = {}) => ws.post(`/scheduling-bookings/${id}/${name}`, body)

  const race = async (status: BookingStatus, trigger: Trigger) => {
    const booking = created(await book(ws, { starts_at: freeStart(), email: `p${used}@example.com` }))
    for (const name of TO[status]) found(await step(booking.id, name))
    const body = (): Row =>
      trigger === 'reschedule'
        ? { starts_at: freeStart() }
        : trigger === 'reassign'
          ? { host_id: pool.find((id) => id !== booking.host_id) }
          : {}
    const answers = await Promise.all([1, 2].map(() => step(booking.id, trigger.replace(/_/g, '-'), body())))
    const first = after(status, trigger)
    const second = first === undefined ? undefined : after(first, trigger)
    const wins = answers.filter(({ status: code }) => code < 300)
    expect(wins.length, `${trigger} of ${status}`).toBe(first === undefined ? 0 : second === undefined ? 1 : 2)
    for (const lost of answers.filter(({ status: code }) => code >= 300))
      expect([lost.status, lost.body.error.code], `${trigger} of ${status}`).toEqual([409, 'INVALID_STATE'])
    expect(found(await ws.get(`/scheduling-bookings/${booking.id}`)).status).toBe(first ?? status)
  }
  const pairs = BOOKING_STATUSES.flatMap((status) => TRIGGERS.map((trigger) => [status, trigger] as const))
  expect(pairs).toHaveLength(48)
  for (let at = 0; at < pairs.length; at += 6) await Promise.all(pairs.slice(at, at + 6).map(([status, trigger]) => race(status, trigger)))
  await audit(crm)
  expect(await deadlocks(crm)).toBe(before)
})

test('a booking of a round robin takes a host that no other request is about to take, without waiting', async () => {
  const { ws, app } = crm
  const pool = await members(ws, 3)
  const { id } = await eventType(ws, { name: 'Round robin' }, pool)
  const other = await app.owner.connect()
  try {
    await other.query('begin')
    for (const host of pool.slice(0, 2)) await other.query('select pg_advisory_xact_lock(hashtextextended($1, 1))', [ws.id + host])
    const booked = created(await book(ws, { event_type: id, starts_at: freeStart(), email: 'quick@example.com' }))
    expect(booked.host_id).toBe(pool[2])
  } finally {
    await other.query('rollback')
    other.release()
  }
  const starts_at = freeStart()
  const answers = await Promise.all(pool.map((_, n) => book(ws, { event_type: id, starts_at, email: `racer${n}@example.com` })))
  expect(answers.map((answer) => created(answer).host_id).toSorted()).toEqual(pool.toSorted())
  expect((await book(ws, { event_type: id, starts_at, email: 'late@example.com' })).body.error.code).toBe('SLOT_UNAVAILABLE')
  await audit(crm)
})

test('a booking that has not been committed yet delays no other one of its event type that has no cap', async () => {
  const { ws, app } = crm
  const { id } = await eventType(ws, { name: 'Uncapped' }, await members(ws, 2))
  // The words by which its records are found are stored by then.
  created(await book(ws, { event_type: id, starts_at: freeStart() }))
  let sent: NeonQuery[] = []
  app.proxy.onRequest = (request) => {
    if (!('queries' in request && request.queries.some(({ query }) => query.includes('claim_slots')))) return
    sent = request.queries
    throw new Error('The connection is lost')
  }
  const starts_at = freeStart()
  await book(ws, { event_type: id, starts_at, email: 'slow@example.com' })
  app.proxy.onRequest = undefined
  const other = await app.owner.connect()
  try {
    await other.query('begin')
    await other.query('set local role app')
    // All but the end of the request.
    for (const { query, params } of sent.slice(0, -1)) await other.query(query, params)
    expect((await other.query('select from bookings where event_type_id = $1', [id])).rowCount).toBe(2)
    created(await book(ws, { event_type: id, starts_at, email: 'quick@example.com' }))
  } finally {
    await other.query('rollback')
    other.release()
  }
  await audit(crm)
})
