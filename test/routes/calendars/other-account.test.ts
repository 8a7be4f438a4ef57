import { beforeEach, expect, test } from 'vitest'
import { comeBack } from '../consenting.ts'
import { found, useCrm } from '../crm.ts'
import { monday, sydney } from '../scheduling/scheduling.ts'
import { calendaring } from './calendars.ts'

/** The event of a booking gets into another calendar: of another account, or because its host moves it. */
const crm = useCrm({ own: true })
const { booking, connect, copies, emailOf, event, events, eventType, later, read } = calendaring(crm)
beforeEach(() => {
  crm.app.google.clear()
  crm.app.microsoft.clear()
})

const outlook = () => crm.app.microsoft.world.eventsOf(emailOf())
async function connectMicrosoft() {
  const { url } = found(await crm.ws.post('/calendar-connections/start', { provider: 'microsoft' }))
  const back = crm.app.microsoft.accounts.consent(new URL(url).searchParams, emailOf())
  expect((await comeBack(crm.app, back)).status).toBe(200)
  await crm.app.drain()
}

test('bookings that are still to come get into the calendar of the other provider, and back, and follow there', async () => {
  const google = await connect()
  await eventType()
  const made = await booking('10:00')
  event()
  found(await crm.ws.delete(`/calendar-connections/${google.id}`))
  await crm.app.drain()
  await connectMicrosoft()
  await later()
  expect(await copies(made.id)).toMatchObject([{ state: 'synced', error: null, outside_id: outlook()[0]?.id }])
  const moved = found(await crm.ws.post(`/scheduling-bookings/${made.id}/reschedule`, { starts_at: `${monday()} 14:00` }))
  await crm.app.drain()
  expect(outlook()).toMatchObject([{ start: { dateTime: expect.stringContaining(sydney(monday(), '14:00').slice(0, 16)) } }])

  const [microsoft] = found(await crm.ws.get('/calendar-connections')) as unknown as [{ id: string }]
  found(await crm.ws.delete(`/calendar-connections/${microsoft.id}`))
  await crm.app.drain()
  await connect()
  await later()
  expect(await copies(moved.id)).toMatchObject([{ state: 'synced', error: null, outside_id: event().id }])
  found(await crm.ws.post(`/scheduling-bookings/${moved.id}/cancel`, {}))
  await crm.app.drain()
  expect(events()).toEqual([])
})

test('a booking follows its event that its host moves to another calendar of the account, and is cancelled with it', async () => {
  const { world } = crm.app.google
  const connection = await connect()
  const free = world.addCalendar(emailOf(), { summary: 'Free' })
  const used = world.addCalendar(emailOf(), { summary: 'Training' })
  found(await crm.ws.post(`/calendar-connections/${connection.id}/check`))
  const path = `/calendar-connections/${connection.id}/calendars`
  const calendars = found(await crm.ws.get(path)) as unknown as { id: string; name: string }[]
  const chosen = calendars.find(({ name }) => name === 'Training')!
  found(await crm.ws.patch(`${path}/${chosen.id}`, { busy_from: true }))
  await crm.app.drain()
  await eventType()
  const [first, second] = [await booking('10:00'), await booking('14:00')]
  const idOf = async ({ id }: { id?: string }) => (await copies(id as string))[0]?.outside_id as string
  const [one, two] = [await idOf(first), await idOf(second)]
  world.transfer(emailOf(), one, used.id)
  world.transfer(emailOf(), two, free.id)
  await later()
  for (const made of [first, second]) expect(await read(made.id)).toMatchObject({ status: 'confirmed' })
  expect(events()).toEqual([])
  found(await crm.ws.patch(`/scheduling-bookings/${second.id}`, { notes: 'Bring the plans' }))
  world.move(emailOf(), one, sydney(monday(), '11:00'), sydney(monday(), '11:30'), used.id)
  await later()
  expect(world.eventsOf(emailOf(), free.id)).toMatchObject([{ description: expect.stringContaining('Bring the plans') }])
  const [moved] = found(await crm.ws.get('/scheduling-bookings?status=confirmed&sort=starts_at')) as unknown as [{ id: string }]
  expect(moved).toMatchObject({ starts_at: sydney(monday(), '11:00') })
  world.delete(emailOf(), one, used.id)
  await later()
  expect(await read(moved.id)).toMatchObject({ status: 'cancelled' })
})
