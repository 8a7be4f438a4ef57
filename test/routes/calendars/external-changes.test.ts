import { beforeEach, expect, test } from 'vitest'
import { found, type Row, useCrm } from '../crm.ts'
import { audit, monday, sydney } from '../scheduling/scheduling.ts'
import { calendaring } from './calendars.ts'

const crm = useCrm({ own: true })
const { booking, connect, copies, emailOf, event, events, eventType, google, later, read } = calendaring(crm)
beforeEach(() => crm.app.google.clear())

const at = (time: string) => sydney(monday(), time)
const moveOutside = (from: string, to: string, id = event().id) => google().world.move(emailOf(), id, at(from), at(to))
const open = async () => found(await crm.ws.get('/scheduling-bookings?status=confirmed')) as unknown as Row[]
const flags = async () =>
  (
    await crm.app.owner.query("select payload from outbox where workspace_id = $1 and type = 'booking.changed_outside' order by id", [
      crm.ws.id,
    ])
  ).rows.map(({ payload }) => payload)

test('a booking follows its event that was moved in the calendar, also where nobody could book, and then stays', async () => {
  await connect()
  await eventType({ requires_confirmation: true })
  const made = await booking()
  found(await crm.ws.post(`/scheduling-bookings/${made.id}/confirm`))
  await crm.app.drain()
  moveOutside('18:07', '18:52')
  await later()
  const [moved] = await open()
  expect(moved).toMatchObject({ starts_at: at('18:07'), ends_at: at('18:52'), duration_minutes: 45, rescheduled_from_id: made.id })
  const { changed } = event()
  await later()
  await later()
  expect(event()).toMatchObject({ changed, start: { dateTime: at('18:07') } })
  expect(await open()).toHaveLength(1)
  await audit(crm)
})

test('a booking whose event was deleted in the calendar is cancelled', async () => {
  await connect()
  await eventType()
  const made = await booking()
  google().world.delete(emailOf(), event().id)
  await later()
  expect(await read(made.id)).toMatchObject({ status: 'cancelled', cancellation_reason: 'Deleted in the calendar of the host' })
  expect(await copies(made.id)).toEqual([])
  await audit(crm)
})

test('a deletion is also found by reading everything again', async () => {
  await connect()
  await eventType()
  const made = await booking()
  await later()
  google().world.delete(emailOf(), event().id)
  google().world.expireTokens(emailOf())
  await later()
  expect(await read(made.id)).toMatchObject({ status: 'cancelled' })
})

test('an event that was moved onto another booking, or to a whole day, is flagged once, and comes back with the next change', async () => {
  await connect()
  await eventType()
  const first = await booking('10:00')
  const { id } = event()
  await booking('11:00')
  moveOutside('11:00', '11:30', id)
  await later()
  await later()
  expect(await read(first.id)).toMatchObject({ status: 'confirmed', starts_at: at('10:00') })
  expect(await flags()).toMatchObject([{ change: 'moved', reason: 'conflict', starts_at: at('11:00') }])
  google().world.change(emailOf(), id, { start: { dateTime: null, date: monday() }, end: { dateTime: null, date: monday() } })
  await later()
  expect(await flags()).toMatchObject([{}, { reason: 'time' }])
  expect(await copies(first.id)).toMatchObject([{ flag: 'time', state: 'synced' }])
  found(await crm.ws.patch(`/scheduling-bookings/${first.id}`, { notes: 'Changed' }))
  await crm.app.drain()
  expect(events().find((one) => one.id === id)).toMatchObject({ start: { dateTime: at('10:00') } })
  expect(await copies(first.id)).toMatchObject([{ flag: null }])
})

test('an event type can say that changes in calendars are only flagged', async () => {
  await connect()
  await eventType({ on_external_change: 'flag' })
  const made = await booking()
  google().world.delete(emailOf(), event().id)
  await later()
  await later()
  expect(await read(made.id)).toMatchObject({ status: 'confirmed' })
  expect(await flags()).toMatchObject([{ change: 'deleted', reason: 'setting' }])
})

test('only the event of the host who leads moves a booking of several hosts', async () => {
  const other = await crm.ws.key()
  await connect(other)
  await connect()
  await eventType({ assignment: 'collective' }, [crm.ws.userId, other.userId])
  const made = await booking()
  const lead = made.host_id === crm.ws.userId ? crm.ws : other
  const follower = lead === other ? crm.ws : other
  const [shared] = events(follower)
  google().world.delete(emailOf(follower), shared!.id)
  await later()
  expect(await flags()).toMatchObject([{ reason: 'not_lead', host_id: follower.userId }])
  google().world.move(emailOf(lead), events(lead)[0]!.id, at('15:00'), at('15:30'))
  await later()
  await later()
  expect(await open()).toMatchObject([{ starts_at: at('15:00') }])
  for (const host of [lead, follower]) expect(events(host)).toMatchObject([{ start: { dateTime: at('15:00') } }])
})
