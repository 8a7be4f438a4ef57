import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type GoogleEmulator, type GoogleFailMode, startGoogleEmulator } from '../../dev/google-emulator.ts'
import { CALENDAR_SCOPES, googleGrants } from '../../src/features/accounts/provider/google-oauth.ts'
import type { GrantProvider } from '../../src/features/accounts/provider/port.ts'
import { googleCalendar } from '../../src/features/calendars/provider/google.ts'
import type { CalendarProvider, EventOrder, OutsideEvent } from '../../src/features/calendars/provider/port.ts'

const HOST = 'host@example.com'
const BACK = { redirect_uri: 'https://api.example.com/calendar-callback' }
const VERIFIER = 'a-verifier-of-more-than-forty-three-characters'
const challenge = createHash('sha256').update(VERIFIER).digest('base64url')
const RANGE = { from: '2026-12-01T00:00:00Z', to: '2026-12-08T00:00:00Z' }
const ORDER: EventOrder = {
  event_id: 'a1b2c3d4e5',
  booking_id: 'the-booking',
  title: 'Site visit',
  description: 'With Ann',
  location: null,
  starts_at: '2026-12-01T22:30:00.000Z',
  ends_at: '2026-12-01T23:00:00.000Z',
  timezone: 'Australia/Sydney',
  attendees: [{ email: 'ann@example.com', name: 'Ann' }],
  with_meeting: true,
}

let emulator: GoogleEmulator
let grants: GrantProvider
let calendar: CalendarProvider
let token: string
beforeAll(async () => {
  emulator = await startGoogleEmulator()
  const { url, clientId, clientSecret } = emulator
  grants = googleGrants({ consentUrl: url, oauthUrl: url, clientId, clientSecret, needed: CALENDAR_SCOPES, timeoutMs: 400 })
  calendar = googleCalendar({ url, timeoutMs: 400 })
})
afterAll(() => emulator.close())
beforeEach(async () => {
  emulator.clear()
  token = (await connect()).access_token
})

/** Goes through the page of consent, as a browser would. */
async function connect(scopes?: string[]) {
  const granted = await exchange(consent(scopes))
  if (granted.outcome !== 'granted') throw new Error(granted.reason)
  return granted.tokens
}
function consent(scopes?: string[]): string {
  const { searchParams } = new URL(grants.consentUrl({ state: 'the-state', challenge, ...BACK }))
  const back = new URL(emulator.accounts.consent(searchParams, { email: HOST, ...(scopes && { scopes }) }))
  expect(back.searchParams.get('state')).toBe('the-state')
  return back.searchParams.get('code') as string
}
const exchange = (code: string, verifier = VERIFIER) => grants.exchange({ code, verifier, ...BACK })

/** All events of a reading, page by page. */
async function readAll(reading: Parameters<CalendarProvider['events']>[2]) {
  const events: OutsideEvent[] = []
  let pages = 0
  for (let page: string | null = null; ; pages++) {
    const read = await calendar.events(token, 'primary', reading, page)
    if (read === 'expired') return read
    events.push(...read.events)
    page = read.next_page
    if (page === null) return { events, cursor: read.cursor as string, pages: pages + 1 }
  }
}
const readRange = async () => (await readAll(RANGE)) as Exclude<Awaited<ReturnType<typeof readAll>>, 'expired'>
const at = (hour: number) => ({ dateTime: `2026-12-02T${String(hour).padStart(2, '0')}:00:00Z` })

test('the button on the page of consent leads back with a code; the button beside it with an error', async () => {
  const address = grants.consentUrl({ state: 's', challenge, ...BACK })
  expect(await (await fetch(address)).text()).toContain('name="email"')
  const press = async (answer: string) => {
    const body = new URLSearchParams([...new URL(address).searchParams, ['email', HOST], ['answer', answer]])
    for (const scope of new URL(address).searchParams.get('scope')!.split(' ')) body.append('granted', scope)
    const response = await fetch(address, { method: 'POST', body, redirect: 'manual' })
    return new URL(response.headers.get('location') as string).searchParams
  }
  expect(Object.fromEntries(await press('deny'))).toEqual({ state: 's', error: 'access_denied' })
  expect(await exchange((await press('allow')).get('code') as string)).toMatchObject({ outcome: 'granted' })
})

test('a code gives tokens once, and only with its verifier', async () => {
  expect(await exchange(consent(), 'another')).toMatchObject({ outcome: 'refused' })
  const code = consent()
  const granted = await exchange(code)
  expect(granted).toMatchObject({ outcome: 'granted', tokens: { refresh_token: expect.any(String), scopes: expect.any(Array) } })
  expect(await exchange(code)).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('invalid_grant') })
})

test('a grant without the calendars is refused with the missing scopes', async () => {
  const scopes = ['openid', 'email', 'https://www.googleapis.com/auth/calendar.readonly']
  expect(await exchange(consent(scopes))).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('calendar.events') })
})

test('a refreshed token keeps the refresh token; a revoked grant is refused', async () => {
  const { refresh_token } = await connect()
  emulator.accounts.expireAccess()
  await expect(calendar.account(token)).rejects.toMatchObject({ reason: 'unauthorized' })
  const refreshed = await grants.refresh(refresh_token as string)
  expect(refreshed).toMatchObject({ outcome: 'granted', tokens: { refresh_token: null } })
  await grants.revoke(refresh_token as string)
  expect(await grants.refresh(refresh_token as string)).toMatchObject({ outcome: 'refused' })
  await grants.revoke(refresh_token as string)
})

test.each([
  ['invalid_grant', 'refused'],
  ...['400', '429', '500', '503', 'timeout', 'drop', 'slow'].map((mode) => [mode, 'unavailable']),
] as [GoogleFailMode, string][])('a refresh that ends with %s is %s', async (mode, outcome) => {
  const { refresh_token } = await connect()
  emulator.fail('token', mode)
  expect(await grants.refresh(refresh_token as string)).toMatchObject({ outcome })
  expect(await grants.refresh(refresh_token as string)).toMatchObject({ outcome: 'granted' })
})

test('the account and its calendars', async () => {
  emulator.world.addCalendar(HOST, { id: 'holidays', summary: 'Holidays', accessRole: 'reader', timeZone: 'Mars/Olympus' })
  expect(await calendar.account(token)).toMatchObject({ email: HOST, name: 'host' })
  expect(await calendar.calendars(token)).toEqual([
    { id: HOST, name: HOST, primary: true, writable: true, timezone: 'Australia/Sydney' },
    { id: 'holidays', name: 'Holidays', primary: false, writable: false, timezone: null },
  ])
})

test('events of a range come page by page, with what blocks, and later only their changes', async () => {
  const { world } = emulator
  emulator.pageSize = 2
  const own = world.create(HOST, { start: at(1), end: at(2), summary: 'Dentist' })
  world.create(HOST, { start: at(3), end: at(4), transparency: 'transparent' })
  world.create(HOST, { start: at(5), end: at(6), attendees: [{ email: HOST, self: true, responseStatus: 'declined' }] })
  world.create(HOST, { start: { date: '2026-12-03' }, end: { date: '2026-12-04' }, summary: 'Leave' })
  world.create(HOST, { start: at(7), end: at(8), recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] })
  world.create(HOST, { start: { dateTime: '2027-01-01T00:00:00Z' }, end: { dateTime: '2027-01-01T01:00:00Z' } })
  const { events, cursor, pages } = await readRange()
  expect(pages).toBe(4)
  expect(events.map(({ busy }) => busy)).toEqual([true, false, false, true, true, true, true])
  expect(events[0]).toMatchObject({ title: 'Dentist', starts: { at: '2026-12-02T01:00:00.000Z' }, booking_id: null })
  expect(events[3]).toMatchObject({ starts: { date: '2026-12-03' }, ends: { date: '2026-12-04' } })
  expect(events.slice(4).map(({ starts }) => starts)).toEqual(['02', '03', '04'].map((day) => ({ at: `2026-12-${day}T07:00:00.000Z` })))
  world.move(HOST, own.id, '2026-12-02T10:00:00Z', '2026-12-02T11:00:00Z')
  expect(await readAll({ cursor })).toMatchObject({ events: [{ id: own.id, starts: { at: '2026-12-02T10:00:00.000Z' } }] })
  world.delete(HOST, own.id)
  const changes = (await readAll({ cursor })) as { events: OutsideEvent[]; cursor: string }
  expect(changes.events).toMatchObject([{ id: own.id, status: 'cancelled', starts: null, busy: false }])
  expect(await readAll({ cursor: changes.cursor })).toMatchObject({ events: [] })
  world.expireTokens(HOST)
  expect(await readAll({ cursor })).toBe('expired')
})

test('occupied times by calendar; one that cannot be read is unknown', async () => {
  emulator.world.create(HOST, { start: at(1), end: at(2) })
  emulator.world.create(HOST, { start: at(2), end: at(3) })
  const others = Array.from({ length: 60 }, (_, number) => `c${number}`)
  for (const id of others.slice(1)) emulator.world.addCalendar(HOST, { id, summary: id })
  const busy = await calendar.busy(token, [HOST, ...others], RANGE.from, RANGE.to, 1_500)
  expect(busy.get(HOST)).toEqual([['2026-12-02T01:00:00.000Z', '2026-12-02T03:00:00.000Z']])
  expect([busy.get('c0'), busy.get('c59')]).toEqual(['unknown', []])
  emulator.fail('freeBusy', 'timeout')
  await expect(calendar.busy(token, [HOST], RANGE.from, RANGE.to, 50)).rejects.toMatchObject({ reason: 'unavailable' })
})

test('an event is written with its meeting, changed and removed', async () => {
  const written = await calendar.insert(token, HOST, ORDER)
  expect(written).toMatchObject({
    id: ORDER.event_id,
    meeting: 'ready',
    meet_link: expect.stringMatching(/^https:\/\/meet\.google\.com\//),
  })
  const { events } = await readRange()
  expect(events).toMatchObject([{ id: ORDER.event_id, booking_id: 'the-booking', meet_link: written.meet_link, busy: true }])
  const moved = { ...ORDER, starts_at: '2026-12-03T22:30:00.000Z', ends_at: '2026-12-03T23:00:00.000Z' }
  const changed = await calendar.update(token, HOST, ORDER.event_id, moved)
  expect(changed).toMatchObject({ meet_link: written.meet_link })
  expect(changed.version).not.toBe(written.version)
  expect(emulator.world.eventsOf(HOST)).toMatchObject([{ start: { dateTime: moved.starts_at }, attendees: [{ email: 'ann@example.com' }] }])
  await calendar.remove(token, HOST, ORDER.event_id)
  await calendar.remove(token, HOST, ORDER.event_id)
  await calendar.remove(token, HOST, 'neverthere')
  expect(await calendar.get(token, HOST, ORDER.event_id)).toBeUndefined()
})

test('a meeting that is not ready yet has no link, and one that fails never has', async () => {
  emulator.world.meetings = 'pending'
  expect(await calendar.insert(token, HOST, ORDER)).toMatchObject({ meeting: 'pending', meet_link: null })
  emulator.world.completeMeetings()
  expect(await calendar.get(token, HOST, ORDER.event_id)).toMatchObject({ meeting: 'ready' })
  emulator.world.meetings = 'failure'
  const other = { ...ORDER, event_id: 'zzzzz'.replaceAll('z', 'v') }
  expect(await calendar.insert(token, HOST, other)).toMatchObject({ meeting: 'failed', meet_link: null })
  expect(await calendar.insert(token, HOST, { ...other, event_id: 'uuuuu', with_meeting: false })).toMatchObject({ meeting: 'none' })
})

test.each(['timeout', 'drop'] as GoogleFailMode[])('an insert whose answer was lost (%s) finds its event', async (mode) => {
  emulator.fail('events.insert', mode, { accept: true })
  await expect(calendar.insert(token, HOST, ORDER)).rejects.toMatchObject({ reason: 'unavailable' })
  expect(await calendar.insert(token, HOST, ORDER)).toMatchObject({ id: ORDER.event_id, meeting: 'ready' })
  expect(emulator.world.eventsOf(HOST)).toHaveLength(1)
})

test('an insert brings back the deleted event of its id, and leaves an event of somebody else alone', async () => {
  await calendar.insert(token, HOST, ORDER)
  await calendar.remove(token, HOST, ORDER.event_id)
  await calendar.insert(token, HOST, { ...ORDER, title: 'Again' })
  expect(emulator.world.eventsOf(HOST)).toMatchObject([{ summary: 'Again', status: 'confirmed' }])
  emulator.world.create(HOST, { id: 'somebody', start: at(1), end: at(2) })
  await expect(calendar.insert(token, HOST, { ...ORDER, event_id: 'somebody' })).rejects.toMatchObject({ reason: 'refused' })
})

test('a change to a whole day is taken back', async () => {
  await calendar.insert(token, HOST, ORDER)
  emulator.world.change(HOST, ORDER.event_id, {
    start: { dateTime: null, date: '2026-12-05' },
    end: { dateTime: null, date: '2026-12-06' },
  })
  await calendar.update(token, HOST, ORDER.event_id, ORDER)
  expect(emulator.world.eventsOf(HOST)).toMatchObject([{ start: { dateTime: ORDER.starts_at } }])
  expect(emulator.world.eventsOf(HOST)[0]?.start.date).toBeUndefined()
})

test.each([
  ['400', 'refused', null],
  ['401', 'unauthorized', null],
  ['403', 'forbidden', null],
  ['404', 'not_found', null],
  ['410', 'not_found', null],
  ['429', 'limited', 7],
  ['quota', 'limited', 7],
  ...['500', '503', 'timeout', 'drop', 'slow'].map((mode) => [mode, 'unavailable', null]),
] as [GoogleFailMode, string, number | null][])('%s is %s', async (mode, reason, retryAfter) => {
  emulator.fail('events.patch', mode)
  await expect(calendar.update(token, HOST, 'aaaaa', ORDER)).rejects.toMatchObject({ reason, retryAfter })
})

test('a channel is notified of every change until it is stopped', async () => {
  const request = { channel_id: 'channel-1', secret: 'our-secret', address: 'https://api.example.com/calendar-notifications/google' }
  const channel = await calendar.watch(token, HOST, request)
  expect(Date.parse(channel.expires_at)).toBeGreaterThan(Date.now())
  await calendar.insert(token, HOST, ORDER)
  const states = () => emulator.notifications.map(({ headers }) => headers['x-goog-resource-state'])
  expect(states()).toEqual(['sync', 'exists'])
  expect(emulator.notifications[1]).toMatchObject({ url: request.address, headers: { 'x-goog-channel-token': 'our-secret' } })
  await calendar.unwatch(token, channel)
  await calendar.unwatch(token, channel)
  await calendar.remove(token, HOST, ORDER.event_id)
  expect(states()).toHaveLength(2)
})
