import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type LocalServer, startLocalServer } from '../../dev/local-server.ts'
import { icsCalendars } from '../../src/features/calendars/provider/ics.ts'
import { outsideHttp } from '../../src/providers/http/client.ts'

const FEED = [
  ...['BEGIN:VCALENDAR', 'X-WR-CALNAME:Ana', 'BEGIN:VEVENT', 'UID:1', 'DTSTART:20261123T090000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY'],
  ...['END:VEVENT', 'END:VCALENDAR', ''],
].join('\r\n')
const RANGE = { from: '2026-11-23T00:00:00Z', to: '2026-11-25T00:00:00Z' }

let server: LocalServer
let answer: (request: IncomingMessage, response: ServerResponse) => void
let received: IncomingMessage[] = []

beforeAll(async () => {
  server = await startLocalServer((request, response) => {
    received.push(request)
    answer(request, response)
  })
})
beforeEach(() => {
  received = []
  answer = (_request, response) => response.end(FEED)
})
afterAll(() => server.close())

const calendars = () => icsCalendars(outsideHttp({ rules: { own: [], local: [server.host] } }))
const address = () => `${server.url}/ana.ics`
const all = (timezone?: string) => calendars().events(address(), 'feed', { ...RANGE, ...(timezone && { timezone }) }, null)
const since = (cursor: string | null) => calendars().events(address(), 'feed', { cursor: cursor as string }, null)
const cursorOf = async () => {
  const page = await all()
  return page === 'expired' ? null : page.cursor
}

test('describes the feed, and returns its occupied times in the zone of the calendar', async () => {
  expect(await calendars().calendars(address())).toEqual([{ id: 'feed', name: 'Ana', primary: true, writable: false, timezone: null }])
  expect(await calendars().account(address())).toMatchObject({ id: expect.stringMatching(/^[0-9a-f]{64}$/), email: 'Ana' })
  const page = await all('Europe/Berlin')
  expect(page).toMatchObject({ next_page: null, events: [{ busy: true, status: 'confirmed' }, {}] })
  expect(page !== 'expired' && page.events.map(({ starts }) => starts)).toEqual([
    { at: '2026-11-23T08:00:00.000Z' },
    { at: '2026-11-24T08:00:00.000Z' },
  ])
})

test('an unchanged feed is not sent again, or noticed by its text; a changed one is read whole', async () => {
  answer = ({ headers }, response) => {
    if (headers['if-none-match'] === '"v1"' && headers['if-modified-since']) response.writeHead(304).end()
    else response.writeHead(200, { etag: '"v1"', 'last-modified': 'Mon, 23 Nov 2026 08:00:00 GMT' }).end(FEED)
  }
  const cursor = await cursorOf()
  expect(await since(cursor)).toEqual({ events: [], next_page: null, cursor })
  answer = (_request, response) => response.writeHead(200, { etag: '"v2"' }).end(FEED)
  const page = await since(cursor)
  expect(page !== 'expired' && page.cursor).toContain('v2')
  answer = (_request, response) => response.end(FEED.replace('T090000', 'T100000'))
  expect(await since(cursor)).toBe('expired')
})

test('a feed of 20 MB is refused before it is received', async () => {
  let sent = 0
  answer = (_request, response) => {
    const more = () => {
      while (sent < 20_000_000 && !response.destroyed) {
        sent += 100_000
        if (!response.write('X'.repeat(100_000))) return response.once('drain', more)
      }
      return response.end()
    }
    more()
  }
  await expect(all()).rejects.toMatchObject({ reason: 'refused', message: 'The calendar is larger than 5 MB' })
  expect(sent).toBeLessThan(15_000_000)
})

test('a redirect is followed to public addresses only, and not for ever', async () => {
  answer = ({ url }, response) => (url === '/moved' ? response.end(FEED) : response.writeHead(302, { location: '/moved' }).end())
  expect(await all()).toMatchObject({ events: [{}, {}] })
  answer = (_request, response) => response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end()
  await expect(all()).rejects.toMatchObject({ reason: 'refused', message: expect.stringContaining('link-local or metadata') })
  answer = (_request, response) => response.writeHead(302, { location: '/again' }).end()
  await expect(all()).rejects.toMatchObject({ reason: 'refused', message: 'The address redirects more than 3 times' })
  const own = icsCalendars(outsideHttp({ rules: { own: [], local: [] } }))
  await expect(own.events('webcal://10.0.0.1/a.ics', 'feed', RANGE, null)).rejects.toMatchObject({ reason: 'refused' })
})

test.each([
  [401, 'refused'],
  [404, 'not_found'],
  [410, 'not_found'],
  [429, 'limited'],
  [503, 'unavailable'],
  [400, 'refused'],
])('status %i is %s', async (status, reason) => {
  answer = (_request, response) => response.writeHead(status, { 'retry-after': '30' }).end()
  await expect(all()).rejects.toMatchObject({ reason, retryAfter: 30 })
})

test('a page to sign in, half a feed and a dropped connection are failures, not an empty calendar', async () => {
  answer = (_request, response) => response.end('<html><body>Sign in: </body></html>')
  await expect(all()).rejects.toMatchObject({ reason: 'refused', message: expect.stringContaining('not a calendar') })
  answer = (_request, response) => response.end(FEED.slice(0, 60))
  await expect(all()).rejects.toMatchObject({ reason: 'refused', message: expect.stringContaining('incomplete') })
  answer = ({ socket }) => socket.destroy()
  await expect(all()).rejects.toMatchObject({ reason: 'unavailable' })
})

test('the live question ends in time', async () => {
  const ask = (milliseconds: number) => calendars().busy(address(), ['feed'], RANGE.from, RANGE.to, milliseconds)
  expect((await ask(1_500)).get('feed')).toEqual([
    ['2026-11-23T09:00:00.000Z', '2026-11-23T10:00:00.000Z'],
    ['2026-11-24T09:00:00.000Z', '2026-11-24T10:00:00.000Z'],
  ])
  answer = () => {}
  expect((await ask(100)).get('feed')).toBe('unknown')
})

test('nothing is written', async () => {
  await expect(calendars().remove(address(), 'feed', 'event')).rejects.toMatchObject({ reason: 'forbidden' })
  expect(received).toEqual([])
})
