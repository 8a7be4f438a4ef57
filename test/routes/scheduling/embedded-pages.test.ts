import { expect, test } from 'vitest'
import { created, found, useCrm } from '../crm.ts'
import { notifying } from './notices.ts'
import { eventType, sydney } from './scheduling.ts'
import { day, formAt, openPage, visits } from './visitor.ts'

const crm = useCrm()
const { booked } = visits(crm)
const { emailsTo } = notifying(crm)
const SITES = ['https://www.example.com', 'http://localhost:5173']
const allow = (sites: string[]) => crm.ws.patch('/company/crm-settings', { booking_embed_origins: sites })
const fetched = (path: string, headers: Record<string, string> = {}) => crm.app.client(path, { method: 'GET', headers })
const framesOf = async (path: string, headers?: Record<string, string>) =>
  /frame-ancestors ([^;]*)/.exec((await fetched(path, headers)).headers.get('content-security-policy') ?? '')?.[1]

test('only the sites that the workspace allows may show its pages in a frame, those of single bookings included', async () => {
  await eventType(crm.ws, {})
  const path = await openPage(crm.ws)
  const booking = await booked(path, '09:30')
  const pages = [path, `${path}/first-meeting`, formAt(path, '10:30'), booking, `${booking}/move`]
  for (const page of pages) expect(await framesOf(page), page).toBe("'none'")
  found(await allow(SITES))
  for (const page of pages) expect(await framesOf(page), page).toBe(SITES.join(' '))
  found(await allow([]))
  for (const page of pages) expect(await framesOf(page), page).toBe("'none'")
})

test.each(['*', 'https://*.example.com', 'https://a.example; script-src *', 'http://a.example', 'javascript:alert(1)'])(
  '%s is no site',
  async (site) => {
    expect(await allow([site])).toMatchObject({ status: 400, body: { error: { code: 'VALIDATION_ERROR' } } })
  },
)

test('a frame shows the page of an error, which has nothing to act on', async () => {
  expect(await framesOf('/book/nobody', { 'sec-fetch-dest': 'iframe' })).toBe('*')
  expect(await framesOf('/book/nobody')).toBe("'none'")
})

test('a booker gets links for calendars, on the page and by email, and a shared time says how many seats are left', async () => {
  await eventType(crm.ws, { name: 'Workshop', slug: 'workshop', seats: 3, location: '12 Bridge Street & Co' })
  const path = await openPage(crm.ws)
  const body = { event_type: 'workshop', starts_at: sydney(day, '14:00'), name: 'Ben Ito', email: 'ben@example.com' }
  const { id } = created(await crm.ws.post('/scheduling-bookings', body))
  const { management_token } = found(await crm.ws.get(`/scheduling-bookings/${id}`))
  const times = await fetched(`${path}/workshop?tz=Australia/Sydney&from=${day}&day=${day}`)
  expect(times.text).toMatch(/2:00 pm<small>2 seats left/)
  expect(times.text).toMatch(/3:00 pm<small>3 seats left/)

  const { text } = await fetched(`${path}/manage/${management_token}`)
  const addresses = [...text.matchAll(/href="(https:[^"]+)"/g)].map(([, href]) => new URL((href as string).replaceAll('&amp;', '&')))
  const [google, outlook] = addresses as [URL, URL]
  const [start, end] = [Date.parse(sydney(day, '14:00')), Date.parse(sydney(day, '14:30'))].map((at) => new Date(at).toISOString()) as [
    string,
    string,
  ]
  const compact = (at: string) => at.replace(/[-:]|\.000/g, '')
  expect(google.origin + google.pathname).toBe('https://calendar.google.com/calendar/render')
  expect(Object.fromEntries(google.searchParams)).toMatchObject({
    action: 'TEMPLATE',
    dates: `${compact(start)}/${compact(end)}`,
    location: '12 Bridge Street & Co',
  })
  expect(outlook.origin + outlook.pathname).toBe('https://outlook.live.com/calendar/0/deeplink/compose')
  expect(Object.fromEntries(outlook.searchParams)).toMatchObject({
    rru: 'addevent',
    path: '/calendar/action/compose',
    startdt: start,
    enddt: end,
  })
  expect(outlook.searchParams.get('subject')).toMatch(/^Workshop – /)

  await crm.app.drain()
  const sent = emailsTo('ben@example.com')[0]?.TextBody
  expect(sent).toContain(google.href)
  expect(sent).toContain(outlook.href)
  expect(sent).toContain(`/manage/${management_token}/booking.ics`)
})
