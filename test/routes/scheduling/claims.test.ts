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
