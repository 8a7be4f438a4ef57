import type { ServerResponse } from 'node:http'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { startLocalServer } from '../../../dev/local-server.ts'
import { failed, found, type Row, refused, useCrm } from '../crm.ts'
import { book, eventType, monday, SILENT } from '../scheduling/scheduling.ts'
import { connecting, HOST, instant } from './connecting.ts'

/** What the calendar at the address contains, and how it is sent. */
let feed: string
let send: (response: ServerResponse) => void
let requests = 0
const { host, url, close } = await startLocalServer((_request, response) => {
  requests++
  send(response)
})
afterAll(close)

const crm = useCrm({ own: true, vars: { LOCAL_RECEIVERS: host } })
const { busy, calendars, callback, choose, later, read, reset } = connecting(crm)
const microsoft = () => crm.app.microsoft
beforeEach(async () => {
  await reset()
  microsoft().clear()
  send = (response) => response.end(feed)
})

const day = (days: number) => instant('00:00', days).slice(0, 10).replaceAll('-', '')
const calendar = (...lines: string[]) => ['BEGIN:VCALENDAR', 'X-WR-CALNAME:Ana', ...lines, 'END:VCALENDAR', ''].join('\r\n')
const event = (...lines: string[]) => ['BEGIN:VEVENT', 'UID:1', ...lines, 'END:VEVENT'].join('\r\n')
const address = `${url}/secret/ana.ics`
const subscribe = () => crm.ws.post('/calendar-connections', { provider: 'ics', url: address })
async function connectFeed(): Promise<Row> {
  const connection = found(await subscribe()) as Row
  await crm.app.drain()
  return connection
}

async function connectMicrosoft(): Promise<Row> {
  const { url } = found(await crm.ws.post('/calendar-connections/start', { provider: 'microsoft' }))
  const back = microsoft().accounts.consent(new URL(url).searchParams, HOST)
  expect((await callback(back)).status).toBe(200)
  const [connection] = found(await crm.ws.get('/calendar-connections')) as Row[]
  return connection as Row
}

/** Whether the host can be booked at a local time of a Monday in Sydney. */
async function isFree(at: string, weeks = 2): Promise<boolean> {
  const starts_at = `${monday(weeks)} ${at}`
  const time = { event_type: 'first-meeting', starts_at, timezone: 'Australia/Sydney' }
  return found(await crm.ws.post('/scheduling-bookings/check-availability', time)).available
}

test('an account of Microsoft: calendars are chosen, an event removes its time, and a notification has it read at once', async () => {
  await eventType(crm.ws, { notices: SILENT })
  const { world } = microsoft()
  const other = world.addCalendar(HOST, { name: 'Training' })
  const starts_at = new Date(`${monday()}T00:00:00Z`).toISOString()
  const ends_at = new Date(Date.parse(starts_at) + 3_600_000).toISOString()
  world.create(HOST, { starts_at, ends_at, series: { days: 7, count: 2 } }, other.id)
  const connection = await connectMicrosoft()
  expect(connection).toMatchObject({ provider: 'microsoft', account_email: HOST, status: 'connected' })
  const listed = await calendars(connection)
  const [main, training] = ['Calendar', 'Training'].map((name) => listed.find((one) => one.name === name))
  expect(main).toMatchObject({ name: 'Calendar', timezone: 'Australia/Sydney', busy_from: true, write_to: true, channel_state: 'active' })
  expect(training).toMatchObject({ name: 'Training', busy_from: false })
  const time = { starts_at, timezone: 'Australia/Sydney' }
  const check = async (at = starts_at) =>
    found(await crm.ws.post('/scheduling-bookings/check-availability', { event_type: 'first-meeting', ...time, starts_at: at })).available
  expect(await check()).toBe(true)

  await choose(connection, training as Row, { busy_from: true })
  await crm.app.drain()
  expect(await busy()).toHaveLength(2)
  expect(await check()).toBe(false)
  expect(await book(crm.ws, time)).toMatchObject(failed(409, 'SLOT_UNAVAILABLE'))

  world.create(HOST, { starts_at: ends_at, ends_at: new Date(Date.parse(ends_at) + 3_600_000).toISOString() })
  const { url, headers, body } = microsoft().notifications.at(-1) as { url: string; headers: Record<string, string>; body: string }
  const post = (text: string) => crm.app.fetch(new URL(url).pathname, { method: 'POST', headers, body: text })
  expect((await post(body)).status).toBe(202)
  await crm.app.drain()
  expect(await check(ends_at)).toBe(false)
  const calls = microsoft().accepted.length
  const [{ clientState }] = JSON.parse(body).value
  expect((await post(body.replace(clientState, `${clientState.slice(0, 37)}guessed`))).status).toBe(404)
  expect((await post(JSON.stringify({ value: [{ clientState: 'none' }, {}] }))).status).toBe(404)
  expect((await post('{"value": 1}')).status).toBe(400)
  expect(microsoft().accepted).toHaveLength(calls)
  await crm.ws.delete(`/calendar-connections/${connection.id}`)
  await crm.app.drain()
  expect(world.subscriptions.size).toBe(0)
  expect((await post(body)).status).toBe(404)
})

test('the token of a subscription comes back as text, and nothing else happens', async () => {
  const token = 'Validation: <b>bold</b> & more'
  const response = await crm.app.fetch(`/calendar-notifications/microsoft?validationToken=${encodeURIComponent(token)}`, { method: 'POST' })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(await response.text()).toBe(token)
  const long = await crm.app.fetch(`/calendar-notifications/microsoft?validationToken=${'x'.repeat(2_001)}`, { method: 'POST', body: '{}' })
  expect(long.status).toBe(415)
})

test('Microsoft: a cursor that it no longer knows, a grant that has ended', async () => {
  const { world, accounts } = microsoft()
  const span = { starts_at: instant('10:00'), ends_at: instant('11:00') }
  const gone = world.create(HOST, span)
  const connection = await connectMicrosoft()
  expect(await busy()).toEqual([[span.starts_at, span.ends_at]])
  world.calendar(HOST)?.events.delete(gone.id)
  world.expireTokens(HOST)
  await later()
  expect(await busy()).toEqual([])
  accounts.revokeAll(HOST)
  accounts.expireAccess()
  await later()
  expect(await read(connection)).toMatchObject({ status: 'error', error: 'invalid_grant' })
})

test('a calendar by its address: a recurring event removes its times, also when it never ends, and a change is noticed', async () => {
  await eventType(crm.ws, { notices: SILENT })
  feed = calendar(event('DTSTART;TZID=AUS Eastern Standard Time:20200106T100000', 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY;BYDAY=MO'))
  const connection = await connectFeed()
  expect(connection).toMatchObject({ provider: 'ics', account_email: 'Ana' })
  expect(JSON.stringify([connection, found(await crm.ws.get('/events')), crm.app.logs])).not.toContain('secret')
  expect(await calendars(connection)).toMatchObject([
    { name: 'Ana', is_writable: false, busy_from: true, error: null, channel_state: null },
  ])
  expect(await isFree('10:00')).toBe(false)
  expect(await isFree('10:00', 6)).toBe(false)
  expect(await isFree('11:00')).toBe(true)
  const before = requests
  await later()
  expect(requests).toBe(before + 1)
  feed = calendar(event('DTSTART:20200106T110000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY'))
  await later()
  expect([await isFree('10:00'), await isFree('11:00')]).toEqual([true, false])
})

test('names of zones that nobody knows mean the zone of the member, whole days fill the day', async () => {
  await eventType(crm.ws, { notices: SILENT })
  const local = monday().replaceAll('-', '')
  feed = calendar(
    event(`DTSTART;TZID=Atlantis Standard Time:${local}T100000`, 'DURATION:PT1H'),
    event(`DTSTART;VALUE=DATE:${monday(3).replaceAll('-', '')}`),
  )
  await connectFeed()
  expect([await isFree('10:00'), await isFree('11:00')]).toEqual([false, true])
  expect([await isFree('09:00', 3), await isFree('16:00', 3)]).toEqual([false, false])
  // The live question knows the zone, too: in UTC the day would last until the next morning in Sydney.
  feed = calendar(event(`DTSTART;VALUE=DATE:${monday(4).replaceAll('-', '')}`))
  await later()
  const next = new Date(Date.parse(`${monday(4)}T00:00Z`) + 86_400_000).toISOString().slice(0, 10)
  expect((await book(crm.ws, { starts_at: `${next} 09:00`, timezone: 'Australia/Sydney' })).status).toBe(201)
})

test('a calendar of 20 MB, one without an end, a page to sign in and a status are refused, and nothing is stored', async () => {
  const refusal = async () => (await subscribe()) as Row
  feed = calendar(event(`DTSTART:${day(10)}T090000Z`, 'DURATION:PT1H'), `X-FILL:${'x'.repeat(20_000_000)}`)
  expect(await refusal()).toMatchObject(refused('url'))
  feed = calendar(event(`DTSTART:${day(10)}T090000Z`)).replace('END:VCALENDAR', '')
  expect(await refusal()).toMatchObject(refused('url'))
  feed = '<html>Sign in</html>'
  expect(await refusal()).toMatchObject(refused('url'))
  send = (response) => response.writeHead(404).end()
  expect(await refusal()).toMatchObject(refused('url'))
  send = (response) => response.writeHead(503).end()
  expect(await refusal()).toMatchObject(failed(502, 'PROVIDER_ERROR'))
  expect(found(await crm.ws.get('/calendar-connections'))).toEqual([])
})

test('a calendar that becomes unreadable has an error; one with 50,000 events is read', async () => {
  const many = Array.from(
    { length: 49_990 },
    (_, i) => `BEGIN:VEVENT\nUID:${i}\nDTSTART:20${10 + (i % 9)}0105T090000Z\nDURATION:PT1H\nEND:VEVENT`,
  )
  const near = Array.from({ length: 10 }, (_, i) => event(`DTSTART:${day(10 + i)}T090000Z`, 'DURATION:PT1H'))
  feed = calendar(...many, ...near)
  const connection = await connectFeed()
  expect(await busy()).toHaveLength(10)
  feed = calendar(event('DTSTART:20200101T000000Z', 'DURATION:PT1S', 'RRULE:FREQ=SECONDLY;COUNT=999999999'))
  await later()
  expect((await calendars(connection))[0]).toMatchObject({ error: expect.stringContaining('too many occurrences') })
  expect(await busy()).toHaveLength(10)
})
