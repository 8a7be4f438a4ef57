import ICAL from 'ical.js'
import { expect, test } from 'vitest'
import { found, useCrm } from '../crm.ts'
import { audit, eventType, sydney } from './scheduling.ts'
import { day, formAt, hiddenFields, links, openPage, visitor, visits } from './visitor.ts'

const crm = useCrm()
const { bookings, booked } = visits(crm)

test('the holder of a link moves and cancels the booking, each once; the calendar file follows', async () => {
  const { app, ws } = crm
  await eventType(ws, { name: 'First meeting', location: 'Bridge Street 12; 3rd floor, left' })
  const page = await openPage(ws)
  const ana = visitor(app)
  const link = await booked(page, '11:00')
  const event = async () => {
    const { text } = await ana.get(`${link}/booking.ics`)
    expect(text.split('\r\n').every((line) => new TextEncoder().encode(line).length <= 75)).toBe(true)
    const calendar = new ICAL.Component(ICAL.parse(text))
    const vevent = calendar.getFirstSubcomponent('vevent') as ICAL.Component
    const { uid, summary, startDate, endDate, location, sequence } = new ICAL.Event(vevent)
    const [start, end] = [startDate, endDate].map((date) => date.toJSDate().toISOString())
    return {
      method: calendar.getFirstPropertyValue('method'),
      status: vevent.getFirstPropertyValue('status'),
      uid,
      summary,
      start,
      end,
      location,
      sequence,
    }
  }
  const first = await event()
  const { name } = found(await ws.get('/company'))
  expect(first).toEqual({
    method: 'PUBLISH',
    status: 'CONFIRMED',
    uid: (await bookings())[0]?.uid,
    summary: `First meeting – ${name}`,
    sequence: 0,
    start: sydney(day, '11:00'),
    end: sydney(day, '11:30'),
    location: 'Bridge Street 12; 3rd floor, left',
  })

  const times = await ana.get(`${link}/move?from=${day}&day=${day}`)
  expect(times.text).toContain('The booking is now at:')
  expect(links(times)).toContain(`?tz=Australia/Sydney&at=${sydney(day, '11:00').replace('.000', '')}`)
  const form = await ana.get(`${link}/move?at=${sydney(day, '15:00')}`)
  const fields = { ...hiddenFields(form) }
  const moves = await Promise.all([1, 2].map(() => ana.post(`${link}/move`, fields)))
  moves.push(await ana.post(`${link}/move`, fields))
  expect(moves.map(({ location }) => location)).toEqual(moves.map(() => `${link}?done=moved`))
  expect(await event()).toEqual({ ...first, start: sydney(day, '15:00'), end: sydney(day, '15:30'), sequence: 1 })
  expect((await bookings()).filter(({ status }) => status === 'confirmed')).toMatchObject([{ starts_at: sydney(day, '15:00') }])

  const other = await booked(page, '13:00', { email: 'ben@example.com' })
  const lost = await visitor(app).post(`${other}/move`, { ...fields })
  expect(lost.status).toBe(409)
  expect(lost.text).toContain('Nearest free times')

  const cancels = await Promise.all([1, 2].map(() => ana.post(`${link}/cancel`, { reason: 'Ill' })))
  expect(cancels.map(({ location }) => location)).toEqual(cancels.map(() => `${link}?done=cancelled`))
  expect((await ana.post(`${link}/cancel`, { reason: 'Again' })).location).toBe(`${link}?done=cancelled`)
  const cancelled = await ana.get(link)
  expect(cancelled.text).toContain('<h1>Your booking is cancelled</h1>')
  expect(cancelled.text).not.toContain('<form')
  expect(await event()).toMatchObject({ uid: first.uid, status: 'CANCELLED' })
  expect((await bookings()).filter(({ cancellation_reason }) => cancellation_reason === 'Ill')).toHaveLength(1)
  await audit(crm)
})

test('looking changes nothing, and a token is in no history, event or log', async () => {
  const { app, ws } = crm
  await eventType(ws)
  const page = await openPage(ws)
  const link = await booked(page, '09:00')
  const token = link.split('/').at(-1) as string
  const tables = ['bookings', 'booking_holds', 'host_claims', 'contacts', 'opportunities', 'outbox', 'changes', 'voice_results']
  const state = async () => Promise.all(tables.map((table) => crm.count(table)))
  await app.drain()
  const before = await state()
  for (const path of [
    page,
    `${page}/first-meeting`,
    formAt(page, '12:00'),
    link,
    `${link}/move`,
    `${link}/move?at=${sydney(day, '12:00')}`,
    `${link}/booking.ics`,
  ])
    expect((await visitor(app).get(path)).status, path).toBe(200)
  expect(await state()).toEqual(before)
  await visitor(app).post(`${link}/cancel`, {})
  await app.drain()
  for (const table of ['outbox', 'changes', 'requests']) {
    const { rows } = await app.owner.query(`select t::text from ${table} t where workspace_id = $1`, [ws.id])
    expect(
      rows.filter(({ t }) => t.includes(token)),
      table,
    ).toEqual([])
  }
  // The lines of the local runtime itself name each request.
  expect(app.logs.filter((line) => line.includes(token) && !/^(GET|POST) /.test(line))).toEqual([])
})

test('a wrong, malformed or expired link, and a page that is not enabled, look the same', async () => {
  const { app, ws } = crm
  await eventType(ws)
  const page = await openPage(ws)
  const link = await booked(page, '09:30')
  const ana = visitor(app)
  const missing = await ana.get('/book/nobody-here')
  expect(missing.status).toBe(404)
  const same = { status: 404, text: missing.text.replaceAll('/book/nobody-here', '') }
  const look = async (path: string) => {
    const { status, text } = await ana.get(path)
    return { status, text: text.replaceAll(path, '') }
  }
  const other = `${page}/manage/01939f6e-8b5a-4c31-9d24-6f0e8a1b2c3d`
  for (const path of [
    `${page}/second-meeting`,
    other,
    `${page}/manage/xyz`,
    `${other}/move`,
    `${other}/booking.ics`,
    `${page}/First%20meeting`,
  ])
    expect(await look(path), path).toEqual(same)
  expect((await ana.post(`${other}/cancel`, {})).status).toBe(404)

  // The page of the workspace is closed; the links that people have stay valid until they expire, under every address of the workspace.
  found(await ws.patch('/company/crm-settings', { booking_page_enabled: false }))
  const slug = `moved-${ws.id.slice(-8)}`
  found(await ws.patch('/company', { slug }))
  expect(await look(page)).toEqual(same)
  expect(await look(`/book/${slug}/first-meeting`)).toEqual(same)
  expect((await ana.get(link)).status).toBe(200)
  await app.owner.query("update bookings set management_token_expires_at = now() - interval '1 second' where workspace_id = $1", [ws.id])
  expect(await look(link)).toEqual(same)
  expect((await ana.post(`${link}/cancel`, {})).status).toBe(404)
  expect((await bookings())[0]?.status).toBe('confirmed')
})

test('a booking that has begun stays, and one that waits for confirmation says so', async () => {
  const { app, ws } = crm
  await eventType(ws, { requires_confirmation: true })
  const page = await openPage(ws)
  const link = await booked(page, '14:00')
  expect((await visitor(app).get(link)).text).toContain('<h1>Your booking waits for confirmation</h1>')
  await crm.rewrite('bookings', (await bookings())[0]?.id, { starts_at: new Date(Date.now() - 60_000).toISOString() })
  expect((await visitor(app).get(link)).text).toContain('This booking can no longer be changed.')
  await visitor(app).post(`${link}/cancel`, {})
  expect((await bookings())[0]?.status).toBe('pending')
})

test('the page and the calendar file of a booking have its video meeting, as a link only if a browser may follow it', async () => {
  const { app, ws } = crm
  const meeting = 'https://meet.example.com/first'
  await eventType(ws, { meeting_link: meeting })
  const page = await openPage(ws)
  const link = await booked(page, '15:00')
  const shown = await visitor(app).get(link)
  expect(links(shown)).toContain(meeting)
  expect(shown.text).toContain('<dt>Video meeting</dt>')
  const file = (await visitor(app).get(`${link}/booking.ics`)).text.split('\r\n')
  expect(file).toEqual(expect.arrayContaining([`LOCATION:${meeting}`, `DESCRIPTION:${meeting}`]))
  await crm.rewrite('bookings', (await bookings())[0]?.id, { video_meet_link: 'tel:+61290000000' })
  const other = await visitor(app).get(link)
  expect(links(other)).not.toContain('tel:+61290000000')
  expect(other.text).toContain('<dt>Video meeting</dt><dd>tel:+61290000000</dd>')
})
