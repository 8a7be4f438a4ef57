import { expect, test } from 'vitest'
import { created, failed, found, type Row, refused, useCrm } from '../crm.ts'
import { audit, beforeClaim, book, eventType, members, monday, sydney } from './scheduling.ts'

/** A time that somebody else takes after it was found free, and times that are given back. */
const crm = useCrm()

const day = monday(2)
let people = 0
const email = () => `claims-${++people}@example.com`
const books = (type: Row, time: string) => book(crm.ws, { event_type: type.id, starts_at: sydney(day, time), email: email() })
const taken = failed(409, 'SLOT_UNAVAILABLE')

test('the last seat of a time, and a host whom another event type takes, are given to one of two', async () => {
  const group = await eventType(crm.ws, { seats: 2 })
  const other = await eventType(crm.ws, { name: 'Other', seats: 3 })
  const alone = await eventType(crm.ws, { name: 'Alone' })
  created(await books(group, '09:00'))
  beforeClaim(crm.app, async () => created(await books(group, '09:00')))
  expect(await books(group, '09:00')).toMatchObject(taken)
  // The first seat of a time claims its host.
  for (const [time, later, type] of [
    ['10:00', '13:00', other],
    ['11:00', '14:00', alone],
  ] as const) {
    beforeClaim(crm.app, async () => created(await books(type, time)))
    expect(await books(group, time), type.name).toMatchObject(taken)
    beforeClaim(crm.app, async () => created(await books(group, later)))
    expect(await books(type, later), type.name).toMatchObject(taken)
  }
  expect(await crm.count('bookings')).toBe(6)
  await audit(crm)
})

test('a seat of several is not held for a call, because others hold seats of the same time', async () => {
  const group = await eventType(crm.ws, { seats: 2 })
  const hold = { event_type: group.id, starts_at: sydney(day, '09:00'), owner: 'call_1' }
  expect(await crm.ws.post('/scheduling-bookings/holds', hold)).toMatchObject(refused('event_type'))
  expect([await crm.count('booking_holds'), await crm.count('seat_sessions')]).toEqual([0, 0])
})

test('a cancelled booking that is purged with its contact gives nothing back a second time', async () => {
  const type = await eventType(crm.ws, {}, await members(crm.ws, 2))
  const booked: Row[] = []
  for (const time of ['09:00', '10:00', '11:00', '12:00']) booked.push(created(await books(type, time)))
  const [first, second] = booked as [Row, Row]
  expect(booked.map(({ host_id }) => host_id)).toEqual([first, second, first, second].map(({ host_id }) => host_id))
  found(await crm.ws.post(`/scheduling-bookings/${first.id}/cancel`, {}))
  found(await crm.ws.delete(`/opportunities/${first.deal_id}`))
  found(await crm.ws.delete(`/contacts/${first.contact_id}?purge=true`))
  expect(await crm.count('bookings')).toBe(3)
  // A host without bookings starts with the mean of the others, so that the second one has two more than the first now, and not three.
  const hosts: string[] = []
  for (const time of ['13:00', '14:00', '15:00']) hosts.push(created(await books(type, time)).host_id)
  expect(hosts).toEqual([first.host_id, first.host_id, second.host_id])
  await audit(crm)
})

test('a booking that lasts longer than the others of its time takes no seat, so that its hosts are not booked twice', async () => {
  const { ws } = crm
  const group = await eventType(ws, { seats: 3, other_durations: [60], waiting_list: true })
  const alone = await eventType(ws, { name: 'Alone' })
  const long = (time: string) => book(ws, { event_type: group.id, starts_at: sydney(day, time), duration_minutes: 60, email: email() })
  created(await books(group, '09:00'))
  created(await books(alone, '09:30'))
  expect(await long('09:00')).toMatchObject(taken)
  const query = { event_type: group.id, starts_at: sydney(day, '09:00'), duration_minutes: 60, explain: true }
  const { available, checks } = found(await ws.post('/scheduling-bookings/check-availability', query))
  expect([available, checks.filter(({ passed }: Row) => !passed)]).toEqual([false, [{ check: 'seats', passed: false, host_id: null }]])
  // Nor does one that was chosen before the first seat of the time was taken.
  beforeClaim(crm.app, async () => created(await books(group, '10:00')))
  expect(await long('10:00')).toMatchObject(taken)
  created(await books(alone, '10:30'))
  // A shorter booking takes a seat of a longer time.
  created(await long('11:00'))
  created(await books(group, '11:00'))
  expect(await books(alone, '11:30')).toMatchObject(taken)
  await audit(crm)
})

test('a booking that is alone at its time is moved over that time, and becomes longer, also where it has a seat', async () => {
  const { ws } = crm
  const group = await eventType(ws, { seats: 3, other_durations: [60], step_minutes: 15 })
  const move = (id: string, time: string, fields: Row = {}) =>
    ws.post(`/scheduling-bookings/${id}/reschedule`, { starts_at: sydney(day, time), ...fields })
  const first = created(await books(group, '09:00'))
  const later = created(await move(first.id, '09:15'))
  const longer = created(await move(later.id, '09:15', { duration_minutes: 60 }))
  expect(longer).toMatchObject({ starts_at: sydney(day, '09:15'), duration_minutes: 60 })
  created(await books(group, '09:15'))
  // With somebody else at the time, the hosts are there for both.
  expect(await move(longer.id, '09:30')).toMatchObject(taken)
  const third = created(await books(group, '12:00'))
  beforeClaim(crm.app, async () => created(await books(group, '12:00')))
  expect(await move(third.id, '12:15')).toMatchObject(taken)
  await audit(crm)
})

test('a host with as many bookings as a day may have takes no further seat, and none is shown as free', async () => {
  const { ws } = crm
  found(await ws.put(`/scheduling/availability/users/${ws.userId}`, { max_per_day: 2 }))
  const group = await eventType(ws, { seats: 5 })
  created(await books(group, '09:00'))
  const second = created(await books(group, '09:00'))
  expect(await books(group, '09:00')).toMatchObject(taken)
  const query = { event_type: group.id, starts_at: sydney(day, '09:00'), explain: true }
  const { available, checks } = found(await ws.post('/scheduling-bookings/check-availability', query))
  expect([available, checks.filter(({ passed }: Row) => !passed)]).toEqual([
    false,
    [{ check: 'host_cap', passed: false, host_id: ws.userId }],
  ])
  const range = { event_type: group.id, from: day, to: day }
  expect(found(await ws.post('/scheduling-bookings/available-slots', range)).days).toEqual([])
  found(await ws.post(`/scheduling-bookings/${second.id}/cancel`, {}))
  created(await books(group, '09:00'))
  await audit(crm)
})
