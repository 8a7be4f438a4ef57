import { beforeEach, expect, test } from 'vitest'
import { type Row, useCrm } from '../crm.ts'
import { at, connecting, HOST, instant } from './connecting.ts'

const crm = useCrm({ own: true })
const { age, busy, calendars, connect, google, later, notify, read, reset } = connecting(crm)
beforeEach(() => reset())

const span = (from: string, to: string): [string, string] => [instant(from), instant(to)]
const listed = () => google().accepted.filter(({ route }) => route === 'events.list').length
/** Counts the refreshes of access tokens. */
const refreshes = () => google().accounts.refreshed
const sync = () => crm.app.deliver('webhooks', [{ type: 'work.run', kind: 'calendars.sync', workspace_id: crm.ws.id }])
const due = () => crm.app.owner.query('update connection_calendars set due_at = now() where workspace_id = $1', [crm.ws.id])

test('declined, free and cancelled events and copies do not count; all-day events have whole days, long ones come in pieces', async () => {
  const { world } = google()
  const day = (days: number) => instant('00:00', days).slice(0, 10)
  world.create(HOST, { ...at('10:00', '11:00'), transparency: 'transparent' })
  world.create(HOST, { ...at('11:00', '12:00'), attendees: [{ email: HOST, self: true, responseStatus: 'declined' }] })
  world.create(HOST, { ...at('12:00', '13:00'), extendedProperties: { private: { booking_id: crm.ws.id } } })
  world.create(HOST, { ...at('13:00', '14:00'), status: 'cancelled' })
  world.create(HOST, { start: { date: day(20) }, end: { date: day(21) } })
  world.create(HOST, { start: { dateTime: instant('08:00', 30) }, end: { dateTime: instant('09:00', 32) } })
  world.create(HOST, at('10:00', '11:00', 500))
  await connect()
  const times = await busy()
  expect(times).toHaveLength(4)
  const [first, ...pieces] = times
  expect(new Date(first?.[0] ?? '').toLocaleString('sv', { timeZone: 'Australia/Sydney' })).toBe(`${day(20)} 00:00:00`)
  expect(new Date(first?.[1] ?? '').toLocaleString('sv', { timeZone: 'Australia/Sydney' })).toBe(`${day(21)} 00:00:00`)
  expect(pieces).toEqual([
    [instant('08:00', 30), instant('08:00', 31)],
    [instant('08:00', 31), instant('08:00', 32)],
    [instant('08:00', 32), instant('09:00', 32)],
  ])
})

test('changes are read every five minutes by one request, and only they', async () => {
  const { world } = google()
  const moved = world.create(HOST, at('10:00', '11:00'))
  const removed = world.create(HOST, at('12:00', '13:00'))
  world.create(HOST, at('16:00', '17:00'))
  await connect()
  const kept = (await crm.app.owner.query('select id from busy_times where workspace_id = $1 order by id', [crm.ws.id])).rows
  expect(await busy()).toHaveLength(3)
  world.move(HOST, moved.id, instant('14:00'), instant('15:00'))
  world.delete(HOST, removed.id)
  world.create(HOST, at('08:00', '09:00'))
  const before = listed()
  await crm.app.cron('* * * * *')
  await crm.app.drain()
  expect(listed()).toBe(before)
  await later()
  expect(await busy()).toEqual([span('08:00', '09:00'), span('14:00', '15:00'), span('16:00', '17:00')])
  expect(listed()).toBe(before + 1)
  const after = (await crm.app.owner.query('select id from busy_times where workspace_id = $1', [crm.ws.id])).rows.map(({ id }) => id)
  expect(kept.filter(({ id }) => after.includes(id))).toHaveLength(1)
})

test('a notification with our secret leads to a reading at once; any other has no effect', async () => {
  const { world } = google()
  const connection = await connect()
  world.create(HOST, at('10:00', '11:00'))
  expect(await notify()).toBe(200)
  expect(await busy()).toEqual([span('10:00', '11:00')])
  const [{ headers } = { headers: {} }] = google().notifications.slice(-1)
  world.create(HOST, at('12:00', '13:00'))
  const post = (changed: Row) => crm.app.fetch('/calendar-notifications/google', { method: 'POST', headers: { ...headers, ...changed } })
  const before = listed()
  expect((await post({ 'x-goog-channel-token': 'another' })).status).toBe(404)
  expect((await post({ 'x-goog-channel-id': crypto.randomUUID() })).status).toBe(404)
  expect((await post({ 'x-goog-channel-id': 'none' })).status).toBe(404)
  // A channel that is being opened has a secret, too.
  const opening = crypto.randomUUID()
  await crm.app.owner.query(
    `update connection_calendars set next_channel_id = $2, next_channel_secret_hash = decode(repeat('ab', 32), 'hex')
      where workspace_id = $1 and channel_id is not null`,
    [crm.ws.id, opening],
  )
  expect((await post({ 'x-goog-channel-id': opening })).status).toBe(404)
  await crm.app.drain()
  expect(listed()).toBe(before)
  await crm.app.owner.query('update connection_calendars set next_channel_secret_hash = sha256($2) where workspace_id = $1', [
    crm.ws.id,
    Buffer.from('being opened'),
  ])
  expect((await post({ 'x-goog-channel-id': opening, 'x-goog-channel-token': 'being opened' })).status).toBe(200)
  await crm.app.drain()
  expect(listed()).toBe(before + 1)
  await crm.ws.delete(`/calendar-connections/${connection.id}`)
  await crm.app.drain()
  expect(await notify()).toBe(404)
  expect(listed()).toBe(before + 1)
})

test('a notification during a reading leads to another one', async () => {
  await connect()
  await due()
  google().fail('events.list', 'slow', { times: 1 })
  const before = listed()
  const reading = sync()
  await expect
    .poll(
      async () =>
        (await crm.app.owner.query('select 1 from connection_calendars where workspace_id = $1 and claim_id is not null', [crm.ws.id]))
          .rowCount,
    )
    .toBe(1)
  google().world.create(HOST, at('10:00', '11:00'))
  expect(await notify()).toBe(200)
  await reading
  await crm.app.drain()
  expect(await busy()).toEqual([span('10:00', '11:00')])
  expect(listed()).toBe(before + 2)
})

test('a calendar that counts from the middle of a reading on, or that is to be read anew, is read as a whole afterwards', async () => {
  const { world } = google()
  const [training, removed] = [world.addCalendar(HOST, { summary: 'Training' }), world.create(HOST, at('08:00', '09:00'))]
  world.create(HOST, at('10:00', '11:00'), training.id)
  const connection = await connect()
  const path = `/calendar-connections/${connection.id}`
  const { id } = (await calendars(connection)).find(({ name }) => name === 'Training') as Row
  const choose = (chosen: Row) => crm.ws.patch(`${path}/calendars/${id}`, chosen)
  /** Changes something after the provider has returned the changes, and before these are stored. */
  const during = async (change: () => Promise<unknown>) => {
    await due()
    crm.app.proxy.onRequest = async (request) => {
      if (!JSON.stringify(request).includes('end_work')) return
      crm.app.proxy.onRequest = undefined
      await change()
    }
    await sync()
    crm.app.proxy.onRequest = undefined
    await crm.app.drain()
  }
  await choose({ write_to: true })
  await crm.app.drain()
  await crm.app.owner.query("update connection_calendars set due_at = due_at + interval '1 hour' where workspace_id = $1 and id <> $2", [
    crm.ws.id,
    id,
  ])
  await during(() => choose({ busy_from: true }))
  expect(await busy()).toEqual([span('08:00', '09:00'), span('10:00', '11:00')])
  world.calendar(HOST)?.events.delete(removed.id)
  await during(() => crm.ws.post(`${path}/resync`))
  await later()
  expect(await busy()).toEqual([span('10:00', '11:00')])
})

test('an expired cursor leads to a reading of everything, which also finds what was deleted', async () => {
  const { world } = google()
  const gone = world.create(HOST, at('10:00', '11:00'))
  world.create(HOST, at('12:00', '13:00'))
  await connect()
  world.calendar(HOST)?.events.delete(gone.id)
  world.expireTokens(HOST)
  google().pageSize = 1
  world.create(HOST, at('14:00', '15:00'))
  await later()
  expect(await busy()).toEqual([span('12:00', '13:00'), span('14:00', '15:00')])
})

test('once a day everything is read, so that a change that was never reported is found', async () => {
  const { world } = google()
  const gone = world.create(HOST, at('10:00', '11:00'))
  await connect()
  world.calendar(HOST)?.events.delete(gone.id)
  await later()
  expect(await busy()).toHaveLength(1)
  await later(24 * 60)
  expect(await busy()).toEqual([])
})

test('an access that has ended is noted and announced once, and the provider is not asked again', async () => {
  const connection = await connect()
  google().accounts.revokeAll(HOST)
  google().accounts.expireAccess()
  await later()
  expect(await read(connection)).toMatchObject({ status: 'error', error: 'invalid_grant' })
  for (let time = 0; time < 2; time++) await later(30)
  const events = (await crm.events(connection.id)).filter(({ type }) => !type.endsWith('.updated') && !type.endsWith('.created'))
  expect(events).toMatchObject([
    {
      type: 'calendar_connection.errored',
      payload: { user_id: crm.ws.userId, provider: 'google', account_email: HOST, error: 'invalid_grant' },
    },
  ])
  expect(refreshes()).toBe(1)
})

test('of many workers that find an access token expired, one refreshes it', async () => {
  google().world.addCalendar(HOST, { summary: 'Training' })
  google().world.addCalendar(HOST, { summary: 'Travel' })
  const connection = await connect()
  for (const calendar of await calendars(connection))
    await crm.ws.patch(`/calendar-connections/${connection.id}/calendars/${calendar.id}`, { busy_from: true })
  await crm.app.drain()
  google().accounts.expireAccess()
  await crm.app.owner.query('update account_grants set access_expires_at = now() where workspace_id = $1', [crm.ws.id])
  google().fail('token', 'slow', { times: 1 })
  await due()
  await Promise.all((await calendars(connection)).map(sync))
  expect(refreshes()).toBe(1)
  expect((await calendars(connection)).map(({ error }) => error)).toEqual([null, null, null])
})

test('a token that the provider refuses before its time is replaced', async () => {
  await connect()
  google().world.create(HOST, at('10:00', '11:00'))
  google().accounts.expireAccess()
  await later()
  expect(await busy()).toEqual([span('10:00', '11:00')])
})

test('after too many calls the provider is left alone as long as it asks for, and after other failures for longer each time', async () => {
  const connection = await connect()
  await due()
  google().fail('events.list', '429', { times: 1 })
  await later()
  expect((await calendars(connection))[0]).toMatchObject({ error: expect.any(String) })
  const wait = async () =>
    Number(
      (
        await crm.app.owner.query('select extract(epoch from due_at - now()) as s from connection_calendars where workspace_id = $1', [
          crm.ws.id,
        ])
      ).rows[0].s,
    )
  expect(await wait()).toBeLessThan(10)
  google().fail('events.list', '503', { times: 1 })
  await later()
  expect(await wait()).toBeGreaterThan(20)
  await later()
  expect((await calendars(connection))[0]).toMatchObject({ error: null })
})

test('a channel is renewed a day before it expires, and without one the calendar is still read', async () => {
  const connection = await connect()
  const [first] = [...google().world.channels.keys()]
  const [calendar] = await calendars(connection)
  const hours = (Date.parse(calendar?.channel_expires_at) - Date.now()) / 3_600_000
  await age((hours - 25) * 60)
  await later()
  expect([...google().world.channels.keys()]).toEqual([first])
  google().fail('watch', '503', { times: 1 })
  await later(120)
  expect((await calendars(connection))[0]).toMatchObject({ channel_state: 'active', error: null })
  await later(120)
  const channels = [...google().world.channels.keys()]
  expect(channels).toHaveLength(1)
  expect(channels).not.toEqual([first])
})

test('a calendar that was not read for 15 minutes is announced once', async () => {
  const connection = await connect()
  google().fail('*', '503', { times: 1_000 })
  for (let time = 0; time < 3; time++) await later(10)
  const events = (await crm.events(connection.id)).filter(({ type }) => type === 'calendar_connection.stale')
  const [calendar] = await calendars(connection)
  expect(calendar?.stale_since).not.toBeNull()
  expect(events).toMatchObject([{ payload: { user_id: crm.ws.userId, calendar_id: calendar?.id, error: calendar?.error } }])
  google().clear()
})
