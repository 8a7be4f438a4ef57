import { expect, test } from 'vitest'
import { limit } from '../../speed.ts'
import { created, failed, found, type Row, tripsOf, useCrm } from '../crm.ts'
import { audit, book, deadlocks, eventType, members, monday, sydney } from './scheduling.ts'

const crm = useCrm({ own: true })
const MONDAY = monday()
const at = (time: string, date = MONDAY) => `${date} ${time}`
const move = (id: string, starts_at: string, fields: Row = {}) =>
  crm.ws.post(`/scheduling-bookings/${id}/reschedule`, { starts_at, ...fields })
const detail = async (id: string) => found(await crm.ws.get(`/scheduling-bookings/${id}`))

test('a booking moves in one transaction, also over its own time, and keeps entry, opportunity, page and host', async () => {
  const { ws, app } = crm
  const pool = await members(ws, 3)
  await eventType(ws, { step_minutes: 15, duration_minutes: 60, max_per_day: 1 }, pool)
  const first = created(await book(ws, { starts_at: at('10:00') }))
  const before = await detail(first.id)
  let answer: Awaited<ReturnType<typeof move>> | undefined
  expect(
    await tripsOf(app, async () => {
      answer = await move(first.id, at('10:15'))
    }),
  ).toBe(2)
  const second = created(answer!)
  expect(second).toMatchObject({
    starts_at: sydney(MONDAY, '10:15'),
    uid: first.uid,
    sequence: 1,
    deal_id: first.deal_id,
    contact_id: first.contact_id,
    host_id: first.host_id,
    rescheduled_from_id: first.id,
    status: 'confirmed',
  })
  expect(await detail(second.id)).toMatchObject({ management_token: before.management_token })
  expect(await detail(first.id)).toMatchObject({ status: 'cancelled', management_token: null })
  expect(await move(first.id, at('14:00'))).toMatchObject(failed(409, 'INVALID_STATE'))
  expect(await move(second.id, at('18:00'))).toMatchObject({
    status: 409,
    body: { error: { code: 'SLOT_UNAVAILABLE', details: { nearest_before: { key: at('16:00') } } } },
  })
  expect((await detail(second.id)).status, 'a refused move changes nothing').toBe('confirmed')
  expect((await crm.events(second.id)).map(({ type }) => type)).toEqual(['booking.created', 'booking.rescheduled'])
  expect((await crm.events(first.id)).at(-1)).toMatchObject({ type: 'booking.cancelled', payload: { moved_to_id: second.id } })
  await audit(crm)
})

test('moves, cancellations and bookings at the same time leave no overlap and no deadlock', { timeout: limit(60_000) }, async () => {
  const { ws } = crm
  const before = await deadlocks(crm)
  const pool = await members(ws, 3)
  await eventType(ws, { max_per_day: 10 }, pool)
  await eventType(ws, { name: 'Together', assignment: 'collective' }, pool.toReversed())
  const times = ['09:00', '09:30', '10:00', '10:30', '11:00', '11:30']
  const made = await Promise.all(times.map((time, n) => book(ws, { starts_at: at(time), email: `a${n}@example.com` })))
  const ids = made.map((answer) => created(answer).id as string)
  const answers = await Promise.all([
    ...ids.map((id, n) => move(id, at(times[(n + 1) % 6] as string))),
    ...ids.map((id) => move(id, at('13:00'))),
    ...ids.slice(0, 3).map((id) => ws.post(`/scheduling-bookings/${id}/cancel`, {})),
    ...times.map((time, n) => book(ws, { event_type: 'together', starts_at: at(time), email: `t${n}@example.com` })),
    ...times.map((time, n) => book(ws, { starts_at: at(time), email: `b${n}@example.com` })),
  ])
  expect(new Set(answers.map(({ status }) => status))).toEqual(
    new Set([200, 201, 409].filter((status) => answers.some((answer) => answer.status === status))),
  )
  await audit(crm)
  expect(await deadlocks(crm)).toBe(before)
})

test('a hold keeps a time for its owner alone, one at a time, until it is booked, released or expired', async () => {
  const { ws, app } = crm
  await eventType(ws)
  const hold = (starts_at: string, owner = 'call_1') =>
    ws.post('/scheduling-bookings/holds', { event_type: 'first-meeting', starts_at, owner })
  const check = async (starts_at: string, owner?: string) =>
    found(await ws.post('/scheduling-bookings/check-availability', { event_type: 'first-meeting', starts_at, ...(owner && { owner }) }))
      .available
  found(await hold(at('09:00')))
  expect([await check(at('09:00')), await check(at('09:00'), 'call_1')]).toEqual([false, true])
  expect(await hold(at('09:00'), 'call_2')).toMatchObject(failed(409, 'SLOT_UNAVAILABLE'))
  const second = found(await hold(at('10:00')))
  expect(second).toMatchObject({ owner: 'call_1', state: 'held' })
  expect(await check(at('09:00')), 'another hold replaces it').toBe(true)
  const booking = created(await book(ws, { starts_at: at('10:00'), owner: 'call_1' }))
  const { rows } = await app.owner.query('select state, booking_id from booking_holds where id = $1', [second.id])
  expect(rows).toEqual([{ state: 'booked', booking_id: booking.id }])
  const release = async () => found(await ws.post('/scheduling-bookings/holds/release', { owner: 'call_1' })).released
  expect(await release()).toBe(false)

  found(await hold(at('11:00')))
  expect(await release()).toBe(true)
  created(await book(ws, { starts_at: at('11:00') }))
  const fourth = found(await hold(at('12:00'), 'call_3'))
  await app.owner.query("update booking_holds set expires_at = now() - interval '1 second' where id = $1", [fourth.id])
  await app.owner.query("update host_claims set expires_at = now() - interval '1 second' where hold_id = $1", [fourth.id])
  created(await book(ws, { starts_at: at('12:00') }))
  await app.cron('*/5 * * * *')
  expect((await app.owner.query('select state from booking_holds where id = $1', [fourth.id])).rows).toEqual([{ state: 'expired' }])
  await audit(crm)
})

test('a pending booking is confirmed once or declined, and its attendees and notes can change', async () => {
  const { ws } = crm
  await eventType(ws, { requires_confirmation: true })
  const [first, second] = [created(await book(ws, { starts_at: at('09:00') })), created(await book(ws, { starts_at: at('10:00') }))]
  const step = (id: string, name: string) => ws.post(`/scheduling-bookings/${id}/${name}`, {})
  const both = await Promise.all([step(first.id, 'confirm'), step(first.id, 'confirm')])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  expect(await step(first.id, 'decline')).toMatchObject(failed(409, 'INVALID_STATE'))
  expect(found(await step(second.id, 'decline')).status).toBe('cancelled')
  expect(found(await ws.patch(`/scheduling-bookings/${first.id}`, { notes: 'Brings plans' })).notes).toBe('Brings plans')
  const put = (attendees: string[]) => ws.put(`/scheduling-bookings/${first.id}/attendees`, { attendees })
  expect(found(await put(['Ben@example.com', 'ben@example.com'])).attendees).toEqual(['ben@example.com'])
  expect(await put(['bad'])).toMatchObject(failed(400, 'INVALID_ATTENDEE_EMAIL'))
  await audit(crm)
})

test('an export of personal data has the booking without its token; a merge moves it, and a purge erases the booker from it', async () => {
  const { ws } = crm
  await eventType(ws)
  const booking = created(await book(ws, { starts_at: at('09:00'), notes: 'Secret wish' }))
  const exported = await ws.get(`/contacts/${booking.contact_id}/data`)
  expect(found(exported).records.bookings).toMatchObject([{ id: booking.id, notes: 'Secret wish' }])
  expect(JSON.stringify(exported.body)).not.toContain((await detail(booking.id)).management_token)
  const other = await crm.contact({ first_name: 'Anna', email: 'anna@example.com' })
  found(await ws.post('/contacts/merge', { winner_id: other.id, loser_ids: [booking.contact_id] }))
  expect(await detail(booking.id)).toMatchObject({ contact_id: other.id })
  expect((await ws.delete(`/contacts/${other.id}?purge=true`)).status).toBe(200)
  const { rows } = await crm.app.owner.query('select name, email, notes from bookings where id = $1', [booking.id])
  expect(rows).toEqual([{ name: '(purged)', email: null, notes: null }])
  await audit(crm)
})
