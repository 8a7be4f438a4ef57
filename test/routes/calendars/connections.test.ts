import { beforeEach, expect, test } from 'vitest'
import { answerCallback, openCallback, tokenIn } from '../consenting.ts'
import { failed, found, type Row, refused, useCrm } from '../crm.ts'
import { at, connecting, HOST, instant } from './connecting.ts'

const crm = useCrm({ own: true })
const { busy, calendars, callback, choose, connect, google, later, read, reset, start } = connecting(crm)
beforeEach(() => reset())

test('a member connects an account: its main calendar is chosen and read, and the consent works once', async () => {
  google().world.create(HOST, at('10:00', '11:00'))
  const back = google().accounts.consent(await start(), { email: HOST })
  expect(await callback(back)).toMatchObject({ status: 200, text: expect.stringContaining('Your calendar is connected') })
  const [connection, ...others] = found(await crm.ws.get('/calendar-connections')) as Row[]
  expect(others).toEqual([])
  expect(connection).toMatchObject({ user_id: crm.ws.userId, provider: 'google', account_email: HOST, status: 'connected', error: null })
  expect(connection?.last_synced_at).not.toBeNull()
  const [calendar] = await calendars(connection as Row)
  expect(calendar).toMatchObject({
    outside_id: HOST,
    is_primary: true,
    is_writable: true,
    busy_from: true,
    write_to: true,
    channel_state: 'active',
  })
  expect(await busy()).toEqual([[instant('10:00'), instant('11:00')]])

  const again = await callback(back)
  expect(again).toMatchObject({ status: 404, text: expect.stringContaining('This link does not work') })
  expect(await callback('https://api.test/calendar-connections/callback?state=none&code=1')).toEqual(again)
  expect(await callback(`https://api.test/calendar-connections/callback?state=${'x'.repeat(43)}&code=1`)).toEqual(again)
  const expired = google().accounts.consent(await start(), { email: HOST })
  await crm.app.owner.query("update grant_requests set expires_at = now() - interval '1 second' where workspace_id = $1", [crm.ws.id])
  expect(await callback(expired)).toEqual(again)
})

test('an account with another address than that of the member is connected by the form of the page only, once and in time', async () => {
  const { rows } = await crm.app.owner.query('select email from users where id = $1', [crm.ws.userId])
  const address = () => start().then((query) => google().accounts.consent(query, { email: HOST }))
  const connections = async () => (found(await crm.ws.get('/calendar-connections')) as Row[]).map(({ account_email }) => account_email)
  const answer = (back: string, form: Record<string, string>) => answerCallback(crm.app, back, form)

  const back = await address()
  const page = await openCallback(crm.app, back)
  expect(page).toMatchObject({ status: 200, text: expect.stringContaining('Connect this calendar?') })
  const name = found(await crm.ws.get('/company')).name as string
  for (const shown of [HOST, rows[0].email, name]) expect(page.text).toContain(shown)
  const token = tokenIn(page) as string
  expect(await connections()).toEqual([])

  const unknown = await openCallback(crm.app, back)
  expect(unknown.status).toBe(404)
  const state = new URL(back).searchParams.get('state') as string
  for (const wrong of ['', 'x', 'x'.repeat(43), state]) expect(await answer(back, { token: wrong, answer: 'connect' })).toEqual(unknown)
  expect(await openCallback(crm.app, `https://api.test/calendar-connections/callback?state=${token}&code=1`)).toEqual(unknown)
  expect(await answer(back, { token, answer: 'maybe' })).toEqual(unknown)
  expect(await connections()).toEqual([])
  expect(await answer(back, { token, answer: 'connect' })).toMatchObject({ status: 200, text: expect.stringContaining('is connected') })
  expect(await connections()).toEqual([HOST])
  expect(await answer(back, { token, answer: 'connect' })).toEqual(unknown)

  await reset()
  const late = await address()
  const lateToken = tokenIn(await openCallback(crm.app, late)) as string
  await crm.app.owner.query("update grant_requests set expires_at = now() - interval '1 second' where workspace_id = $1", [crm.ws.id])
  expect(await answer(late, { token: lateToken, answer: 'connect' })).toEqual(unknown)

  const declined = await address()
  const form = { token: tokenIn(await openCallback(crm.app, declined)) as string, answer: 'decline' }
  const grants = google().accounts.grants.size
  expect(await answer(declined, form)).toMatchObject({ status: 200, text: expect.stringContaining('is not connected') })
  expect([await connections(), google().accounts.grants.size]).toEqual([[], grants - 1])
  expect(await crm.count('grant_requests')).toBe(0)
})

test('an account with the address of the member is connected at once', async () => {
  const { rows } = await crm.app.owner.query('select email from users where id = $1', [crm.ws.userId])
  const back = google().accounts.consent(await start(), { email: rows[0].email.toUpperCase() })
  expect((await openCallback(crm.app, back)).text).toContain('Your calendar is connected')
})

test('without consent, without all of what is requested, and without an answer of the provider nothing is connected', async () => {
  const state = (await start()).get('state') as string
  expect(await callback(`https://api.test/calendar-connections/callback?state=${state}&error=access_denied`)).toMatchObject({
    status: 200,
    text: expect.stringContaining('You have not given access'),
  })
  const partly = google().accounts.consent(await start(), { email: HOST, scopes: ['openid'] })
  expect((await callback(partly)).text).toContain('The access that was given is not enough')
  google().fail('token', '503', { times: 1 })
  expect((await callback(google().accounts.consent(await start(), { email: HOST }))).status).toBe(502)
  expect(found(await crm.ws.get('/calendar-connections'))).toEqual([])
})

test('tokens are stored sealed, and appear in no response, no event and no history', async () => {
  const connection = await connect()
  const [[token]] = [[...google().accounts.grants.keys()]]
  const { rows } = await crm.app.owner.query('select * from account_grants where workspace_id = $1', [crm.ws.id])
  expect(rows).toHaveLength(1)
  expect(rows[0].sealed_refresh_token).toMatch(/^s1\.test\./)
  const shown = JSON.stringify([
    rows,
    await read(connection),
    found(await crm.ws.get(`/calendar-connections/${connection.id}/history`)),
    found(await crm.ws.get('/events')),
    crm.app.logs,
  ])
  expect(shown).not.toContain(token)
  expect(shown).not.toContain('ya29.')
})

test('a member sees and connects their own calendars, and a client_admin those of all members', async () => {
  const member = await crm.ws.key({ role: 'client_editor' })
  const own = await connect(member, 'member@example.com')
  const connection = await connect()
  expect(found(await member.get('/calendar-connections')).map(({ id }: Row) => id)).toEqual([own.id])
  expect(await member.get(`/calendar-connections/${connection.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await member.get(`/calendar-connections/${connection.id}/calendars`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await member.delete(`/calendar-connections/${connection.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await member.post('/calendar-connections/start', { provider: 'google', user_id: crm.ws.userId })).toMatchObject(
    failed(403, 'FORBIDDEN'),
  )
  expect(found(await crm.ws.get('/calendar-connections'))).toHaveLength(2)
  found(await crm.ws.post('/calendar-connections/start', { provider: 'google', user_id: member.userId }))
  expect(found(await crm.ws.delete(`/calendar-connections/${own.id}`))).toEqual({ id: own.id, deleted: true })
})

test('calendars are chosen: which make the member unavailable, and the one that takes the bookings', async () => {
  const other = google().world.addCalendar(HOST, { summary: 'Train\0ing' })
  google().world.addCalendar(HOST, { summary: 'Holidays', accessRole: 'reader' })
  google().world.create(HOST, at('10:00', '11:00'))
  google().world.create(HOST, at('12:00', '13:00'), other.id)
  const connection = await connect()
  const byName = async () => Object.fromEntries((await calendars(connection)).map((one) => [one.name, one]))
  const { Training, Holidays, [HOST]: main } = await byName()
  expect([Training, Holidays]).toMatchObject([
    { busy_from: false, write_to: false, is_writable: true, synced_at: null },
    { busy_from: false, write_to: false, is_writable: false },
  ])
  expect(await choose(connection, Holidays as Row, { write_to: true })).toMatchObject(refused('write_to'))
  expect(found(await choose(connection, Training as Row, { busy_from: true, write_to: true }))).toMatchObject({
    busy_from: true,
    write_to: true,
  })
  await crm.app.drain()
  expect(await busy()).toEqual([
    [instant('10:00'), instant('11:00')],
    [instant('12:00'), instant('13:00')],
  ])
  expect((await byName())[HOST]).toMatchObject({ busy_from: true, write_to: false })
  found(await choose(connection, main as Row, { busy_from: false }))
  await crm.app.drain()
  expect(await busy()).toEqual([[instant('12:00'), instant('13:00')]])
  expect((await byName())[HOST]).toMatchObject({ busy_from: false, channel_state: null })
  expect([...google().world.channels.values()].map(({ calendar }) => calendar)).toEqual([other.id])
  // A calendar that only takes bookings stores no busy times.
  found(await choose(connection, Training as Row, { busy_from: false }))
  google().world.create(HOST, at('14:00', '15:00'), other.id)
  await later()
  expect(await busy()).toEqual([])
})

test('a check lists the calendars that there are now, and says when the access has ended', async () => {
  const connection = await connect()
  google().world.addCalendar(HOST, { summary: 'Training' })
  expect(found(await crm.ws.post(`/calendar-connections/${connection.id}/check`))).toMatchObject({ id: connection.id, status: 'connected' })
  expect((await calendars(connection)).map(({ name }) => name).toSorted()).toEqual(['Training', HOST])
  google().fail('*', '503', { times: 1 })
  expect(await crm.ws.post(`/calendar-connections/${connection.id}/check`)).toMatchObject(failed(502, 'PROVIDER_ERROR'))
  google().accounts.revokeAll(HOST)
  google().accounts.expireAccess()
  expect(found(await crm.ws.post(`/calendar-connections/${connection.id}/check`))).toMatchObject({
    status: 'error',
    error: 'invalid_grant',
  })
  expect(await crm.ws.post(`/calendar-connections/${connection.id}/check`)).toMatchObject(failed(409, 'INVALID_STATE'))
  expect(await connect()).toMatchObject({ id: connection.id, status: 'connected', error: null })
})

test('a deleted connection gives its grant back, stops its channels and leaves no busy times', async () => {
  google().world.create(HOST, at('10:00', '11:00'))
  const connection = await connect()
  expect(google().accounts.grants.size).toBe(1)
  expect(google().world.channels.size).toBe(1)
  google().fail('stop', '503', { times: 1 })
  expect(found(await crm.ws.delete(`/calendar-connections/${connection.id}`))).toEqual({ id: connection.id, deleted: true })
  await crm.app.drain()
  expect(await busy()).toEqual([])
  expect(await read(connection)).toMatchObject({ status: 'disconnected' })
  await crm.app.owner.query('update calendar_connections set due_at = now() where workspace_id = $1', [crm.ws.id])
  await crm.app.cron('* * * * *')
  await crm.app.drain()
  expect(await crm.ws.get(`/calendar-connections/${connection.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect([google().accounts.grants.size, google().world.channels.size]).toEqual([0, 0])
  for (const table of ['account_grants', 'connection_calendars']) expect(await crm.count(table)).toBe(0)
})

test('a grant that another workspace uses stays when a connection is deleted', async () => {
  const other = await crm.app.workspace()
  await connect(other)
  const connection = await connect()
  found(await crm.ws.delete(`/calendar-connections/${connection.id}`))
  await crm.app.drain()
  expect(google().accounts.grants.size).toBe(2)
  expect(await crm.count('calendar_connections')).toBe(0)
})

test('the calendars of a member who leaves are disconnected', async () => {
  const member = await crm.ws.key({ role: 'client_editor' })
  await connect(member, 'member@example.com')
  found(await crm.ws.delete(`/company/users/${member.userId}`))
  await crm.app.cron('* * * * *')
  await crm.app.drain()
  expect(found(await crm.ws.get('/calendar-connections'))).toEqual([])
  expect(google().accounts.grants.size).toBe(0)
})
