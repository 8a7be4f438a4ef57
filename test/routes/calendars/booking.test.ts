import { beforeEach, expect, test } from 'vitest'
import { created, failed, found, type Row, useCrm } from '../crm.ts'
import { book, eventType, monday, SILENT } from '../scheduling/scheduling.ts'
import { connecting, HOST } from './connecting.ts'

const crm = useCrm({ own: true })
const { age, calendars, connect, google, later, reset } = connecting(crm)
beforeEach(() => reset())

const START = Date.parse(`${monday()}T00:00:00Z`)
/** So many minutes after 11 in Sydney, or after 10 in winter. */
const at = (minutes: number) => new Date(START + minutes * 60_000).toISOString()
const event = (from: number, to: number) => ({ start: { dateTime: at(from) }, end: { dateTime: at(to) } })
const lookups = () => google().accepted.filter(({ route }) => route === 'freeBusy').length
/** What the proof of a booking says about the calendars of its host. */
async function decidedBy({ id }: Row): Promise<string[]> {
  const { checks } = found(await crm.ws.get(`/scheduling-bookings/${id}/proof`))
  return checks.map(({ check }: Row) => check).filter((check: string) => ['calendar_live', 'calendar_cached'].includes(check))
}

test('the chosen time is checked live once: an event that has not been read yet is found, and another host gets the booking', async () => {
  const other = (await crm.ws.key()).userId
  await eventType(crm.ws, { notices: SILENT }, [crm.ws.userId, other])
  await connect()
  google().world.create(HOST, event(0, 60))
  expect(await book(crm.ws, { starts_at: at(0), host_id: crm.ws.userId })).toMatchObject(failed(409, 'SLOT_UNAVAILABLE'))
  expect(lookups()).toBe(1)
  const booking = created(await book(crm.ws, { starts_at: at(0) }))
  expect(booking.host_id).toBe(other)
  expect(await decidedBy(booking)).toEqual([])
  expect(lookups()).toBe(2)
  const free = created(await book(crm.ws, { starts_at: at(60), host_id: crm.ws.userId }))
  expect(lookups()).toBe(3)
  expect(await decidedBy(free)).toEqual(['calendar_live'])
  expect(await decidedBy(created(await book(crm.ws, { starts_at: at(120), host_id: other })))).toEqual([])
  expect(lookups()).toBe(3)
})

test('when the provider does not answer in time the stored times decide, if they are young', async () => {
  await eventType(crm.ws, { notices: SILENT })
  await connect()
  google().fail('freeBusy', 'timeout', { times: 2 })
  const begun = Date.now()
  const booking = created(await book(crm.ws, { starts_at: at(0) }))
  expect(Date.now() - begun).toBeGreaterThan(1_400)
  expect(Date.now() - begun).toBeLessThan(8_000)
  expect(await decidedBy(booking)).toEqual(['calendar_cached'])
  await age(6)
  expect(await book(crm.ws, { starts_at: at(60) })).toMatchObject(failed(409, 'SLOT_UNAVAILABLE'))
  created(await book(crm.ws, { starts_at: at(60) }))
})

test('our own copies of bookings in the calendar are in nobody’s way: a booking moves over its own time', async () => {
  await eventType(crm.ws, { notices: SILENT, step_minutes: 15 })
  await connect()
  const booking = created(await book(crm.ws, { starts_at: at(0) }))
  google().world.create(HOST, { ...event(0, 30), extendedProperties: { private: { booking_id: booking.id } } })
  const moved = created(await crm.ws.post(`/scheduling-bookings/${booking.id}/reschedule`, { starts_at: at(15) }))
  expect(await decidedBy(moved)).toEqual(['calendar_live'])
  google().world.create(HOST, event(40, 50))
  expect(await crm.ws.post(`/scheduling-bookings/${moved.id}/reschedule`, { starts_at: at(30) })).toMatchObject(
    failed(409, 'SLOT_UNAVAILABLE'),
  )
})

test('a member whose calendar is not read cannot be booked, with the reason, until it is read again; another host still can', async () => {
  const connection = await connect()
  const other = (await crm.ws.key()).userId
  await eventType(crm.ws, { notices: SILENT }, [crm.ws.userId, other])
  const time = { event_type: 'first-meeting', starts_at: `${monday()} 10:00`, timezone: 'Australia/Sydney' }
  const check = async () => {
    const answer = found(await crm.ws.post('/scheduling-bookings/check-availability', { ...time, explain: true }))
    const failing = answer.checks.filter(({ passed }: Row) => !passed).map(({ check, host_id }: Row) => [check, host_id])
    return { hosts: answer.slot?.host_ids.toSorted() ?? [], failing }
  }
  expect(await check()).toEqual({ hosts: [crm.ws.userId, other].toSorted(), failing: [] })
  const calls = google().accepted.length
  await age(14)
  expect((await check()).hosts).toHaveLength(2)
  await age(2)
  expect(await check()).toEqual({ hosts: [other], failing: [['calendar_read', crm.ws.userId]] })
  expect(await book(crm.ws, { ...time, host_id: crm.ws.userId })).toMatchObject(failed(409, 'SLOT_UNAVAILABLE'))
  expect(google().accepted).toHaveLength(calls)
  await later(0)
  expect((await check()).failing).toEqual([])

  google().accounts.revokeAll(HOST)
  await later()
  expect(await check()).toEqual({ hosts: [other], failing: [['calendar_read', crm.ws.userId]] })
  await crm.ws.delete(`/calendar-connections/${connection.id}`)
  expect((await check()).failing).toEqual([])
})

test('an event in the calendar makes its time unavailable, and the proof of a booking says when the calendar was read', async () => {
  await eventType(crm.ws, { notices: SILENT })
  const from = new Date(`${monday()}T00:00:00Z`)
  google().world.create(HOST, {
    start: { dateTime: from.toISOString() },
    end: { dateTime: new Date(from.getTime() + 3_600_000).toISOString() },
  })
  const connection = await connect()
  const time = (offset: number) => ({ starts_at: new Date(from.getTime() + offset * 60_000).toISOString() })
  expect(await book(crm.ws, time(30))).toMatchObject(failed(409, 'SLOT_UNAVAILABLE'))
  const booking = found(await book(crm.ws, time(60)))
  const { inputs } = found(await crm.ws.get(`/scheduling-bookings/${booking.id}/proof`))
  const [calendar] = await calendars(connection)
  expect(inputs.find(({ input }: Row) => input === 'calendar')).toMatchObject({ host_id: crm.ws.userId, read_at: calendar?.synced_at })
})
