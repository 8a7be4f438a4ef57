import { beforeEach, expect, test } from 'vitest'
import { comeBack } from '../consenting.ts'
import { found, useCrm } from '../crm.ts'
import { monday, sydney } from '../scheduling/scheduling.ts'
import { calendaring } from './calendars.ts'

/** A host disconnects the account with the bookings, and connects another one. */
const crm = useCrm({ own: true })
const { booking, connect, copies, emailOf, event, events, eventType, later } = calendaring(crm)
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
