import { beforeEach, expect, test } from 'vitest'
import { found, useCrm } from '../crm.ts'
import { monday, sydney } from '../scheduling/scheduling.ts'
import { calendaring } from './calendars.ts'

const crm = useCrm({ own: true })
const { booking, connect, copies, event, events, eventType, google, later, read } = calendaring(crm)
beforeEach(() => {
  crm.app.google.clear()
  crm.app.email.clear()
})

test('a booking is in the calendar of its host, follows its moves as the same event, and leaves with it', async () => {
  await connect()
  await eventType({ location: '12 Bridge Street' })
  const made = await booking('10:00', { notes: 'Bring the plans' })
  const first = event()
  expect(first).toMatchObject({
    summary: 'First meeting: Ana Lee',
    location: '12 Bridge Street',
    extendedProperties: { private: { booking_id: made.id } },
    start: { dateTime: sydney(monday(), '10:00'), timeZone: 'Australia/Sydney' },
    description: expect.stringContaining('Bring the plans'),
  })
  expect(first.attendees).toBeUndefined()
  expect(await copies(made.id)).toMatchObject([{ state: 'synced', outside_id: first.id, error: null, due_at: null }])
  const moved = found(await crm.ws.post(`/scheduling-bookings/${made.id}/reschedule`, { starts_at: `${monday()} 14:00` }))
  await crm.app.drain()
  expect(event()).toMatchObject({ id: first.id, start: { dateTime: sydney(monday(), '14:00') } })
  expect(await copies(moved.id)).toMatchObject([{ state: 'synced', outside_id: first.id }])
  found(await crm.ws.post(`/scheduling-bookings/${moved.id}/cancel`, {}))
  await crm.app.drain()
  expect(events()).toEqual([])
  expect(await copies(moved.id)).toEqual([])
})

test('a booking that waits for confirmation is in no calendar before it is confirmed', async () => {
  await connect()
  await eventType({ requires_confirmation: true })
  const made = await booking()
  expect(events()).toEqual([])
  found(await crm.ws.post(`/scheduling-bookings/${made.id}/confirm`))
  await crm.app.drain()
  event()
})

test('another host gets the event, and the former one loses it', async () => {
  const other = await crm.ws.key()
  await connect()
  await connect(other)
  await eventType({}, [crm.ws.userId, other.userId])
  const made = await booking('10:00', { host_id: crm.ws.userId })
  event()
  found(await crm.ws.post(`/scheduling-bookings/${made.id}/reassign`, { host_id: other.userId }))
  await crm.app.drain()
  expect(events()).toEqual([])
  expect(events(other)).toHaveLength(1)
  found(await crm.ws.post(`/scheduling-bookings/${made.id}/reassign`, { host_id: crm.ws.userId }))
  await crm.app.drain()
  event()
  expect(events(other)).toEqual([])
})

test('an event whose answer was lost is not created twice', async () => {
  await connect()
  await eventType()
  google().fail('events.insert', 'drop', { accept: true })
  const made = await booking()
  expect(await copies(made.id)).toMatchObject([{ state: 'retrying', outside_id: null }])
  await later()
  expect(await copies(made.id)).toMatchObject([{ state: 'synced' }])
  expect(google().accepted.filter(({ route }) => route === 'events.insert')).toHaveLength(1)
  event()
})

test('the link of the video meeting is awaited, stored when it is there, and in the invitation', async () => {
  await connect()
  await eventType({ create_video_meeting: true, notices: [] })
  google().world.meetings = 'pending'
  const made = await booking()
  expect(await read(made.id)).toMatchObject({ video_meet_link: null })
  expect(await copies(made.id)).toMatchObject([{ state: 'synced', meeting: 'pending' }])
  expect(crm.app.email.sent).toEqual([])
  google().world.completeMeetings()
  await later()
  const link = event().hangoutLink as string
  expect(await read(made.id)).toMatchObject({ video_meet_link: link })
  expect(crm.app.email.sent).toMatchObject([{ To: 'ana@example.com', TextBody: expect.stringContaining(link) }])
  const moved = found(await crm.ws.post(`/scheduling-bookings/${made.id}/reschedule`, { starts_at: `${monday()} 14:00` }))
  await crm.app.drain()
  expect(await read(moved.id)).toMatchObject({ video_meet_link: link })
  expect(event()).toMatchObject({ hangoutLink: link, start: { dateTime: sydney(monday(), '14:00') } })
})

test('a meeting that the provider cannot create has no link', async () => {
  await connect()
  await eventType({ create_video_meeting: true })
  google().world.meetings = 'failure'
  const made = await booking()
  expect(await copies(made.id)).toMatchObject([{ state: 'synced', meeting: 'failed' }])
  expect(await read(made.id)).toMatchObject({ video_meet_link: null })
})

test('the booker is invited although the calendar fails, and the event is written when it no longer does', async () => {
  await connect()
  await eventType({ notices: [] })
  google().fail('events.insert', '503')
  const made = await booking()
  expect(crm.app.email.sent).toMatchObject([{ To: 'ana@example.com' }])
  expect(await copies(made.id)).toMatchObject([{ state: 'retrying', error: expect.stringMatching(/^(?!Error|AccountFailure).*503/) }])
  await later()
  event()
  expect(await copies(made.id)).toMatchObject([{ state: 'synced', error: null, attempts: 0 }])
})

test('an event whose creation was not answered goes with its booking', async () => {
  await connect()
  await eventType()
  google().fail('events.insert', 'drop', { accept: true })
  const made = await booking()
  expect(events()).toHaveLength(1)
  expect(await copies(made.id)).toMatchObject([{ state: 'retrying', outside_id: null }])
  found(await crm.ws.post(`/scheduling-bookings/${made.id}/cancel`, {}))
  await crm.app.drain()
  expect(events()).toEqual([])
  expect(await copies(made.id)).toEqual([])
})

test('a refused event is not sent again before the booking changes', async () => {
  await connect()
  await eventType()
  google().fail('events.insert', '400')
  const made = await booking()
  expect(await copies(made.id)).toMatchObject([{ state: 'failed', due_at: null }])
  found(await crm.ws.patch(`/scheduling-bookings/${made.id}`, { notes: 'Changed' }))
  await crm.app.drain()
  event()
})

test('bookings wait for an account whose grant has ended, until it is connected again', async () => {
  await connect()
  await eventType()
  const made = await booking()
  google().accounts.revokeAll(`${crm.ws.userId}@calendar.test`)
  found(await crm.ws.patch(`/scheduling-bookings/${made.id}`, { notes: 'Bring the plans' }))
  await crm.app.drain()
  expect(await copies(made.id)).toMatchObject([{ state: 'not_connected', due_at: null }])
  await connect()
  await later()
  expect(event()).toMatchObject({ description: expect.stringContaining('Bring the plans') })
  expect(await copies(made.id)).toMatchObject([{ state: 'synced' }])
})

test('an account that is connected later gets the bookings that are still to come', async () => {
  await eventType()
  await booking()
  await connect()
  await later()
  event()
})
