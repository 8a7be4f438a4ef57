import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type MicrosoftEmulator, type MicrosoftFailMode, startMicrosoftEmulator } from '../../dev/microsoft-emulator.ts'
import type { GrantProvider } from '../../src/features/accounts/provider/port.ts'
import { microsoftCalendar } from '../../src/features/calendars/provider/microsoft.ts'
import { microsoftGrants } from '../../src/features/calendars/provider/microsoft-oauth.ts'
import type { CalendarProvider, EventOrder, OutsideEvent } from '../../src/features/calendars/provider/port.ts'

const HOST = 'host@example.com'
const BACK = { redirect_uri: 'https://api.example.com/calendar-callback' }
const VERIFIER = 'a-verifier-of-more-than-forty-three-characters'
const challenge = createHash('sha256').update(VERIFIER).digest('base64url')
const RANGE = { from: '2026-12-01T00:00:00.000Z', to: '2026-12-08T00:00:00.000Z' }
const ORDER: EventOrder = {
  event_id: 'a1b2c3d4e5',
  booking_id: '019a0000-0000-7000-8000-000000000001',
  title: 'Site visit',
  description: 'With Ann',
  location: null,
  starts_at: '2026-12-01T22:30:00.000Z',
  ends_at: '2026-12-01T23:00:00.000Z',
  timezone: 'Australia/Sydney',
  attendees: [{ email: 'ann@example.com', name: 'Ann' }],
  with_meeting: true,
}
const WATCH = {
  channel_id: '019a0000-0000-7000-8000-000000000002',
  secret: 'the-secret',
  address: 'https://api.example.com/calendar-notifications',
}

let emulator: MicrosoftEmulator
let grants: GrantProvider
let calendar: CalendarProvider
let token: string
let main: string
beforeAll(async () => {
  emulator = await startMicrosoftEmulator()
  const { url, clientId, clientSecret } = emulator
  grants = microsoftGrants({ oauthUrl: url, clientId, clientSecret, timeoutMs: 300 })
  calendar = microsoftCalendar({ url, timeoutMs: 300 })
})
afterAll(() => emulator.close())
beforeEach(async () => {
  emulator.clear()
  emulator.post = async (url) => new Response(new URL(url).searchParams.get('validationToken'))
  token = (await connect()).access_token
  main = emulator.world.calendar(HOST)?.id as string
})

async function connect(scopes?: string[]) {
  const granted = await exchange(consent(scopes))
  if (granted.outcome !== 'granted') throw new Error(granted.reason)
  return granted.tokens
}
function consent(scopes?: string[]): string {
  const { searchParams } = new URL(grants.consentUrl({ state: 'the-state', challenge, ...BACK }))
  return new URL(emulator.accounts.consent(searchParams, HOST, scopes)).searchParams.get('code') as string
}
const exchange = (code: string, verifier = VERIFIER) => grants.exchange({ code, verifier, ...BACK })

/** All events of a reading, page by page. */
async function readAll(reading: Parameters<CalendarProvider['events']>[2]) {
  const events: OutsideEvent[] = []
  for (let page: string | null = null; ; ) {
    const read = await calendar.events(token, main, reading, page)
    if (read === 'expired') return read
    events.push(...read.events)
    page = read.next_page
    if (page === null) return { events, cursor: read.cursor as string }
  }
}
const readRange = async () => (await readAll(RANGE)) as Exclude<Awaited<ReturnType<typeof readAll>>, 'expired'>
const times = (day: number, hour = 9) => {
  const at = (hours: number) => new Date(Date.UTC(2026, 11, day, hours)).toISOString()
  return { starts_at: at(hour), ends_at: at(hour + 1) }
}

test('the page of consent leads back with a code, or with an error', async () => {
  const address = grants.consentUrl({ state: 's', challenge, ...BACK })
  expect(await (await fetch(address)).text()).toContain('name="email"')
  const press = async (answer: string) => {
    const body = new URLSearchParams([...new URL(address).searchParams, ['email', HOST], ['answer', answer]])
    const response = await fetch(address, { method: 'POST', body, redirect: 'manual' })
    return new URL(response.headers.get('location') as string).searchParams
  }
  expect(Object.fromEntries(await press('cancel'))).toEqual({ state: 's', error: 'access_denied' })
  expect(await exchange((await press('accept')).get('code') as string)).toMatchObject({ outcome: 'granted' })
})

test('a code works once and with its verifier; without the calendars there is no grant', async () => {
  expect(await exchange(consent(), 'another')).toMatchObject({ outcome: 'refused' })
  const code = consent()
  expect(await exchange(code)).toMatchObject({ outcome: 'granted' })
  expect(await exchange(code)).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('invalid_grant') })
  expect(await exchange(consent(['openid', 'User.Read']))).toMatchObject({
    outcome: 'refused',
    reason: expect.stringContaining('Calendars.ReadWrite'),
  })
})

test('a refresh has a new refresh token; a revoked grant is refused', async () => {
  const { refresh_token } = await connect()
  emulator.accounts.expireAccess()
  await expect(calendar.account(token)).rejects.toMatchObject({ reason: 'unauthorized' })
  expect(await grants.refresh(refresh_token as string)).toMatchObject({ outcome: 'granted', tokens: { refresh_token: expect.any(String) } })
  emulator.accounts.revokeAll(HOST)
  expect(await grants.refresh(refresh_token as string)).toMatchObject({ outcome: 'refused' })
})

test.each([
  ['invalid_grant', 'refused'],
  ...['400', '429', '500', '503', 'timeout', 'drop', 'slow'].map((mode) => [mode, 'unavailable']),
] as [MicrosoftFailMode, string][])('a refresh that ends with %s is %s', async (mode, outcome) => {
  const { refresh_token } = await connect()
  emulator.fail('token', mode)
  expect(await grants.refresh(refresh_token as string)).toMatchObject({ outcome })
  expect(await grants.refresh(refresh_token as string)).toMatchObject({ outcome: 'granted' })
})

test('the account, and its calendars in the zone of the mailbox, which has a Windows name', async () => {
  emulator.world.addCalendar(HOST, { name: 'Holidays', canEdit: false })
  expect(await calendar.account(token)).toMatchObject({ email: HOST, name: 'host' })
  expect(await calendar.calendars(token)).toEqual([
    { id: main, name: 'Calendar', primary: true, writable: true, timezone: 'Australia/Sydney' },
    { id: expect.any(String), name: 'Holidays', primary: false, writable: false, timezone: 'Australia/Sydney' },
  ])
  emulator.fail('mailboxSettings', '403')
  expect((await calendar.calendars(token))[0]?.timezone).toBeNull()
  emulator.world.account(HOST).timeZone = 'tzone://Microsoft/Custom'
  expect((await calendar.calendars(token))[0]?.timezone).toBeNull()
})

test('events come page by page, with what blocks, and later only their changes', async () => {
  emulator.pageSize = 2
  const { world } = emulator
  const call = world.create(HOST, { subject: 'Call', ...times(2) })
  world.create(HOST, { showAs: 'free', ...times(2, 11) })
  world.create(HOST, { responseStatus: { response: 'declined' }, ...times(2, 12) })
  world.create(HOST, { showAs: 'workingElsewhere', ...times(2, 13) })
  world.create(HOST, { showAs: 'tentative', ...times(2, 14) })
  world.create(HOST, { isAllDay: true, starts_at: '2026-12-03T00:00Z', ends_at: '2026-12-04T00:00Z' })
  world.create(HOST, { isCancelled: true, ...times(2, 15) })
  world.create(HOST, times(20))
  const { events, cursor } = await readRange()
  expect(events.map(({ busy }) => busy)).toEqual([true, false, false, false, true, true, false])
  expect(events[0]).toMatchObject({
    id: call.id,
    title: 'Call',
    starts: { at: '2026-12-02T09:00:00.000Z' },
    ends: { at: '2026-12-02T10:00:00.000Z' },
  })
  expect(events[5]).toMatchObject({ starts: { date: '2026-12-03' }, ends: { date: '2026-12-04' } })
  expect(emulator.accepted.at(-1)?.prefer).toBe('outlook.timezone="UTC", IdType="ImmutableId", odata.maxpagesize=100')

  expect(await readAll({ cursor })).toMatchObject({ events: [] })
  world.move(HOST, call.id, '2026-12-05T09:00:00Z', '2026-12-05T10:00:00Z')
  const moved = (await readAll({ cursor })) as { events: OutsideEvent[]; cursor: string }
  expect(moved.events).toMatchObject([{ id: call.id, starts: { at: '2026-12-05T09:00:00.000Z' } }])
  world.delete(HOST, call.id)
  expect(await readAll({ cursor: moved.cursor })).toMatchObject({ events: [{ id: call.id, status: 'cancelled', starts: null }] })
})

test.each([50, 1])('occurrences have what their series says, %i to a page', async (pageSize) => {
  emulator.pageSize = pageSize
  emulator.world.create(HOST, { ...times(1), series: { days: 1, count: 3 } })
  emulator.world.create(HOST, { ...times(1, 12), series: { days: 1, count: 2 }, showAs: 'free' })
  const days = { starts_at: '2026-12-05T00:00Z', ends_at: '2026-12-06T00:00Z', isAllDay: true }
  emulator.world.create(HOST, { ...days, series: { days: 1, count: 2 } })
  const { events } = await readRange()
  const found = events.filter(({ status }) => status === 'confirmed')
  expect(found.map(({ busy }) => busy)).toEqual([true, true, true, false, false, true, true])
  expect(found[2]?.starts).toEqual({ at: '2026-12-03T09:00:00.000Z' })
  expect(found[6]).toMatchObject({ starts: { date: '2026-12-06' }, ends: { date: '2026-12-07' } })
  expect(events.filter(({ status }) => status === 'cancelled')).toHaveLength(3)
})

test('a cursor that is no longer known has expired; a page that leads elsewhere gets no token', async () => {
  const { cursor } = await readRange()
  emulator.world.expireTokens(HOST)
  expect(await readAll({ cursor })).toBe('expired')
  emulator.fail('delta', 'foreign_link')
  await expect(readRange()).rejects.toMatchObject({ reason: 'unavailable', message: expect.stringContaining('leads elsewhere') })
})

test('the live question leaves out copies of bookings and free times, and knows the zone of whole days', async () => {
  const other = emulator.world.addCalendar(HOST, { name: 'Other' })
  await calendar.insert(token, main, ORDER)
  emulator.world.create(HOST, times(2))
  emulator.world.create(HOST, { showAs: 'free', ...times(2, 12) })
  emulator.world.create(HOST, { isAllDay: true, starts_at: '2026-12-03T00:00Z', ends_at: '2026-12-04T00:00Z' }, other.id)
  const found = await calendar.busy(token, [main, other.id, 'unknown'], RANGE.from, RANGE.to, 1_500)
  expect(found.get(main)).toEqual([['2026-12-02T09:00:00.000Z', '2026-12-02T10:00:00.000Z']])
  expect(found.get(other.id)).toEqual([['2026-12-02T13:00:00.000Z', '2026-12-03T13:00:00.000Z']])
  expect(found.get('unknown')).toBe('unknown')
  emulator.fail('view', 'timeout', { times: 2 })
  const begun = Date.now()
  expect(await calendar.busy(token, [main, other.id], RANGE.from, RANGE.to, 100)).toEqual(
    new Map([
      [main, 'unknown'],
      [other.id, 'unknown'],
    ]),
  )
  expect(Date.now() - begun).toBeLessThan(1_000)
})

test('a booking is written once, whatever happens to the response, and is recognised when it is read', async () => {
  emulator.fail('events.create', 'drop', { accept: true })
  await expect(calendar.insert(token, main, ORDER)).rejects.toMatchObject({ reason: 'unavailable' })
  const written = await calendar.insert(token, main, ORDER)
  expect(written).toMatchObject({ meeting: 'ready', meet_link: expect.stringContaining('https://teams.microsoft.com/') })
  const [event, ...others] = emulator.world.eventsOf(HOST)
  expect(others).toEqual([])
  expect(event).toMatchObject({
    subject: 'Site visit',
    attendees: [{ emailAddress: { address: 'ann@example.com' } }],
    onlineMeetingProvider: 'teamsForBusiness',
  })
  expect((await readRange()).events).toMatchObject([{ id: written.id, booking_id: ORDER.booking_id, version: written.version }])
  // An order that has changed since finds the first event, too.
  const later = { ...ORDER, starts_at: '2026-12-02T01:00:00.000Z', ends_at: '2026-12-02T01:30:00.000Z' }
  expect(await calendar.insert(token, main, later)).toMatchObject({ id: written.id })
  expect(emulator.world.eventsOf(HOST)).toMatchObject([{ start: { dateTime: '2026-12-02T01:00:00.0000000' } }])
})

test('an event whose id was lost with the response is found and removed by that of its order', async () => {
  emulator.world.create(HOST, times(3))
  const { id } = await calendar.insert(token, main, ORDER)
  expect(await calendar.get(token, main, ORDER.event_id)).toMatchObject({ id })
  await calendar.remove(token, main, ORDER.event_id)
  await calendar.remove(token, main, ORDER.event_id)
  expect(await calendar.get(token, main, ORDER.event_id)).toBeUndefined()
  expect(emulator.world.eventsOf(HOST)).toHaveLength(1)
})

test('a link that comes later, an account without Teams, and no meeting at all', async () => {
  emulator.world.meetings = 'pending'
  const written = await calendar.insert(token, main, ORDER)
  expect(written).toMatchObject({ meeting: 'pending', meet_link: null })
  emulator.world.completeMeetings()
  expect(await calendar.get(token, main, written.id)).toMatchObject({ meeting: 'ready', meet_link: expect.any(String) })
  emulator.world.meetings = 'refused'
  expect(await calendar.insert(token, main, { ...ORDER, event_id: 'other' })).toMatchObject({ meeting: 'failed', meet_link: null })
  expect(await calendar.insert(token, main, { ...ORDER, event_id: 'third', with_meeting: false })).toMatchObject({ meeting: 'none' })
})

test('a change keeps the text of an online meeting; what is deleted stays deleted', async () => {
  const { id } = await calendar.insert(token, main, ORDER)
  await calendar.update(token, main, id, { ...ORDER, title: 'Moved', description: 'New text', ends_at: '2026-12-01T23:30:00.000Z' })
  expect(emulator.world.eventsOf(HOST)).toMatchObject([
    { subject: 'Moved', body: { content: 'With Ann' }, end: { dateTime: '2026-12-01T23:30:00.0000000' } },
  ])
  await calendar.remove(token, main, id)
  await calendar.remove(token, main, id)
  expect(await calendar.get(token, main, id)).toBeUndefined()
  await expect(calendar.update(token, main, id, ORDER)).rejects.toMatchObject({ reason: 'not_found' })
})

test('a subscription is made once its address answers; an equal one makes way; its notifications have our secret', async () => {
  const channel = await calendar.watch(token, main, WATCH)
  expect(channel).toMatchObject({ id: WATCH.channel_id, resource_id: expect.any(String) })
  const next = await calendar.watch(token, main, { ...WATCH, secret: 'another' })
  expect([...emulator.world.subscriptions.keys()]).toEqual([next.resource_id])
  emulator.world.create(HOST, times(2))
  expect(JSON.parse(emulator.notifications[0]?.body as string).value).toMatchObject([
    { clientState: `${WATCH.channel_id}.another`, changeType: 'created' },
  ])
  await calendar.unwatch(token, next)
  await calendar.unwatch(token, channel)
  emulator.post = async () => new Response('something else')
  await expect(calendar.watch(token, main, WATCH)).rejects.toMatchObject({ reason: 'refused' })
})

test.each([
  ['400', 'refused', null],
  ['401', 'unauthorized', null],
  ['403', 'forbidden', null],
  ['404', 'not_found', null],
  ['410', 'not_found', null],
  ['429', 'limited', 7],
  ['500', 'unavailable', null],
  ['503', 'unavailable', 7],
  ['timeout', 'unavailable', null],
  ['drop', 'unavailable', null],
] as [MicrosoftFailMode, string, number | null][])('a call that ends with %s is %s', async (mode, reason, retryAfter) => {
  const { id } = await calendar.insert(token, main, ORDER)
  for (const [route, call] of [
    ['me', () => calendar.account(token)],
    ['calendars', () => calendar.calendars(token)],
    ['delta', () => calendar.events(token, main, RANGE, null)],
    ['events.create', () => calendar.insert(token, main, { ...ORDER, event_id: 'x' })],
    ['events.update', () => calendar.update(token, main, id, ORDER)],
    ['subscribe', () => calendar.watch(token, main, WATCH)],
  ] as [string, () => Promise<unknown>][]) {
    emulator.fail(route, mode)
    await expect(call(), route).rejects.toMatchObject({ reason, retryAfter })
  }
})
