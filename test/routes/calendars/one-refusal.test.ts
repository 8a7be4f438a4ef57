import { beforeEach, expect, test } from 'vitest'
import { found, type Row, useCrm } from '../crm.ts'
import { calendaring } from './calendars.ts'

/** A call that is not allowed for one calendar does not end the use of the account. */
const crm = useCrm({ own: true })
const { booking, connect, copies, emailOf, event, events, eventType, google, later } = calendaring(crm)
beforeEach(() => crm.app.google.clear())

const connection = async () => (found(await crm.ws.get('/calendar-connections')) as unknown as Row[])[0] as Row
/** Lets the channel be due, and the background do what is. */
async function renewed() {
  await crm.app.owner.query("update connection_calendars set channel_due_at = now() - interval '1 second' where workspace_id = $1", [
    crm.ws.id,
  ])
  await later()
}

test('an event that a calendar does not take any more fails alone, and the other calendars of its account are still read', async () => {
  const { id } = await connect()
  await eventType()
  const kept = await booking('10:00')
  const calendar = google().world.calendar(emailOf())!
  calendar.accessRole = 'reader'
  const made = await booking('14:00')
  expect(await copies(made.id)).toMatchObject([{ state: 'failed', error: expect.stringContaining('writer access') }])
  found(await crm.ws.post(`/scheduling-bookings/${kept.id}/cancel`, {}))
  await crm.app.drain()
  expect(await copies(kept.id)).toMatchObject([{ state: 'failed', is_wanted: false }])
  expect(events()).toHaveLength(1)
  const before = google().accepted.filter(({ route }) => route === 'events.list').length
  await later()
  expect(await connection()).toMatchObject({ id, status: 'connected', error: null })
  expect(google().accepted.filter(({ route }) => route === 'events.list')).toHaveLength(before + 1)
  calendar.accessRole = 'owner'
  found(await crm.ws.patch(`/scheduling-bookings/${made.id}`, { notes: 'Changed' }))
  await crm.app.drain()
  expect(await copies(made.id)).toMatchObject([{ state: 'synced', error: null }])
})

test('a calendar whose changes the provider does not let be reported is read without, and its account stays connected', async () => {
  google().fail('watch', '403', { times: 2 })
  expect(await connect()).toMatchObject({ status: 'connected', error: null })
  await eventType()
  await booking()
  event()
  await renewed()
  await renewed()
  expect(google().world.channels.size).toBe(1)
  // Nor may it be stopped when it is replaced.
  google().fail('stop', '403')
  await renewed()
  expect(await connection()).toMatchObject({ status: 'connected', error: null })
})
