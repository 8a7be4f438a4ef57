import ICAL from 'ical.js'
import { expect, test } from 'vitest'
import { start } from '../../harness.ts'
import { found, type Row, useCrm } from '../crm.ts'
import { audit, eventType, monday, sydney } from './scheduling.ts'
import { hiddenFields, links, openPage, visitor } from './visitor.ts'

const crm = useCrm({ seldomLogs: true })

const QUESTIONS = [
  { key: 'topic', label: 'Which topic?', type: 'choice', required: true, options: ['Roof', 'Deck & stairs'] },
  { key: 'budget', label: 'What is your budget?', type: 'number' },
  { key: 'owner', label: 'Are you the owner?', type: 'yes_no' },
]
const day = monday(2)
const ANA = { name: 'Ana Lee', email: 'ana@example.com', phone: '', notes: '' }

/** The address of the form for a time in Sydney. */
const formAt = (page: string, time: string, on = day) =>
  `${page}/first-meeting?${new URLSearchParams({ tz: 'Australia/Sydney', at: sydney(on, time) })}`
/** Opens the form for a time, and fills it in. */
async function filled(page: string, time: string, fields: Row = {}) {
  const form = await visitor(crm.app).get(formAt(page, time))
  expect(form.status, form.location ?? '').toBe(200)
  return { ...hiddenFields(form), ...ANA, ...fields }
}
const bookings = async (): Promise<Row[]> => found(await crm.ws.get('/scheduling-bookings?sort=created_at'))
/** Books a time, and returns the address of the booking's page. */
async function booked(page: string, time: string, fields: Row = {}): Promise<string> {
  const { status, location } = await visitor(crm.app).post(`${page}/first-meeting`, await filled(page, time, fields))
  expect(status).toBe(303)
  return (location as string).split('?')[0] as string
}

test('a visitor chooses a day and a time, corrects the form, and books; the same form sent twice books once', async () => {
  const { app, ws } = crm
  await eventType(ws, {
    description: 'We look at <your> plans.',
    location: '12 Bridge Street',
    questions: QUESTIONS,
    other_durations: [60],
  })
  await eventType(ws, { name: 'Hidden', is_active: false })
  const page = await openPage(ws)
  const ana = visitor(app)

  const company = await ana.get(`${page}/?utm_source=letter&utm_source=again`)
  expect(company.text).toContain('We look at &lt;your&gt; plans.')
  expect(company.text).not.toContain('Hidden')
  expect(links(company)).toContain(`${page}/first-meeting`)
  const zoned = await ana.get(`${page}/first-meeting?tz=Europe/Berlin&duration=60&from=${day}`)
  expect(zoned.text).toContain('<option selected>Europe/Berlin</option>')
  expect(zoned.text).toContain('<option value="60" selected>60 minutes</option>')
  const times = await ana.get(`${page}/first-meeting?tz=Australia/Sydney&from=${day}&day=${day}`)
  expect(times.text).toMatch(/aria-current="date">[^<]*<small>16 free times/)
  const time = links(times).find((link) => link.includes('at=')) as string
  expect(time).toBe(`${page}/first-meeting?tz=Australia%2FSydney&at=${encodeURIComponent(sydney(day, '09:00'))}`)
  const form = await ana.get(time)

  const wrong = {
    ...hiddenFields(form),
    name: ' ',
    email: 'ana@',
    phone: '12',
    q_budget: 'a lot',
    notes: 'Ring "twice" <3',
    website: 'https://spam.example',
  }
  const refused = await ana.post(`${page}/first-meeting`, wrong)
  expect(refused.status).toBe(422)
  expect(refused.text).toContain('<title>Error: First meeting')
  expect(links(refused).filter((link) => link.startsWith('#'))).toEqual(['#name', '#email', '#phone', '#q_topic', '#q_budget', '#website'])
  expect(refused.text).toContain('id="email" name="email" aria-describedby="email-hint email-error" aria-invalid="true" value="ana@"')
  expect(refused.text).toContain('Ring &quot;twice&quot; &lt;3</textarea>')
  expect(await bookings()).toEqual([])

  const right = { ...hiddenFields(refused), ...ANA, q_topic: 'Deck & stairs', q_budget: '5000', q_owner: 'yes', notes: 'Ring twice' }
  const sent = await Promise.all([1, 2, 3].map(() => ana.post(`${page}/first-meeting`, right)))
  sent.push(await ana.post(`${page}/first-meeting`, right))
  const [booking, ...others] = await bookings()
  expect(others).toEqual([])
  expect(sent.map(({ status, location }) => [status, location])).toEqual(
    sent.map(() => [303, `${page}/manage/${booking?.management_token}?done=booked`]),
  )
  expect(booking).toMatchObject({
    ...{ starts_at: sydney(day, '09:00'), duration_minutes: 30, timezone: 'Australia/Sydney', source: 'page', status: 'confirmed' },
    ...{ name: 'Ana Lee', email: 'ana@example.com', phone: null, notes: 'Ring twice' },
    answers: [{ answer: 'Deck & stairs' }, { answer: '5000' }, { answer: 'yes' }],
  })
  expect(found(await ws.get(`/contacts/${booking?.contact_id}`))).toMatchObject({
    first_name: 'Ana',
    last_name: 'Lee',
    source: 'form_submission',
  })
  const done = await ana.get(sent[0]?.location as string)
  expect(done.text).toContain('<h1>Your booking is confirmed</h1>')
  expect(done.text).toContain('12 Bridge Street')
  await audit(crm)
})

test('of two visitors who want one time the second sees the nearest times, and what was typed', async () => {
  await eventType(crm.ws)
  const page = await openPage(crm.ws)
  const forms = await Promise.all(
    ['Ana Lee', 'Ben Roe', 'Cleo Fox'].map((name, n) => filled(page, '10:00', { name, email: `p${n}@example.com`, notes: `I am ${name}` })),
  )
  const sent = await Promise.all(forms.map((form, n) => visitor(crm.app, { address: `192.0.2.${n}` }).post(`${page}/first-meeting`, form)))
  expect(sent.map(({ status }) => status).sort()).toEqual([303, 409, 409])
  const loser = sent.findIndex(({ status }) => status === 409)
  const again = sent[loser]!
  expect(again.text).toContain('href="#at">This time is no longer free.')
  const nearest = [...again.text.matchAll(/type="radio" name="at" value="([^"]+)"/g)].map(([, at]) => at as string)
  expect(nearest).toEqual([sydney(day, '09:30'), sydney(day, '10:30')])
  expect(again.text).toContain(`value="${forms[loser]?.name}"`)
  expect(again.text).toContain(`I am ${forms[loser]?.name}</textarea>`)
  const { status } = await visitor(crm.app).post(`${page}/first-meeting`, { ...forms[loser], ...hiddenFields(again), at: nearest[1] })
  expect(status).toBe(303)
  expect((await bookings()).map(({ starts_at }) => starts_at).sort()).toEqual([sydney(day, '10:00'), sydney(day, '10:30')])
  const gone = await visitor(crm.app).get(formAt(page, '10:00'))
  expect(gone.location).toContain('done=taken')
  expect((await visitor(crm.app).get(gone.location as string)).text).toContain('This time is no longer free.')
  await audit(crm)
})

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
    ...{ method: 'PUBLISH', status: 'CONFIRMED', uid: (await bookings())[0]?.uid, summary: `First meeting – ${name}`, sequence: 0 },
    ...{ start: sydney(day, '11:00'), end: sydney(day, '11:30'), location: 'Bridge Street 12; 3rd floor, left' },
  })

  const times = await ana.get(`${link}/move?from=${day}&day=${day}`)
  expect(times.text).toContain('The booking is now at:')
  expect(links(times)).toContain(`${link}/move?tz=Australia%2FSydney&at=${encodeURIComponent(sydney(day, '11:00'))}`)
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

test('the language is that of the browser, or the chosen one', async () => {
  await eventType(crm.ws)
  const page = await openPage(crm.ws)
  const eva = visitor(crm.app, { language: 'de-AT,de;q=0.9,en;q=0.8' })
  const german = await eva.get(formAt(page, '16:00'))
  expect(german.text).toContain('<html lang="de">')
  expect(german.text).toContain('16:00 – 16:30 (Australia/Sydney)')
  expect((await eva.get(`${page}?lang=en`)).text).toContain('<html lang="en">')
  const refused = await eva.post(`${page}/first-meeting`, { ...hiddenFields(german), name: 'Eva', email: 'eva' })
  expect(refused.text).toContain('Geben Sie eine E-Mail-Adresse wie ana@example.com ein')
  const done = await eva.post(`${page}/first-meeting?lang=en`, { ...hiddenFields(german), ...ANA, lang: 'en' })
  expect(done.location).toMatch(/\?done=booked&lang=en$/)
})

test('a person has at most ten bookings from pages that are still to come', async () => {
  await eventType(crm.ws, { seats: 20 })
  const page = await openPage(crm.ws)
  for (const hour of ['09', '10', '11', '12', '13']) for (const minute of ['00', '30']) await booked(page, `${hour}:${minute}`)
  const { status } = await visitor(crm.app).post(`${page}/first-meeting`, await filled(page, '15:00'))
  expect(status).toBe(409)
  expect(await bookings()).toHaveLength(10)
})

test('hostile requests get a page, and book nothing', async () => {
  const { app, ws } = crm
  await eventType(ws, { questions: QUESTIONS })
  const page = await openPage(ws)
  const odd = [
    '',
    '\u0000',
    "'; drop table bookings; --",
    '<script>alert(1)</script>',
    '../..',
    '9999-12-31T23:59:59Z',
    '0000-00-00',
    '-1',
    '1e999',
    'Mars/Olympus',
    '\u202e\ud83d',
    'x'.repeat(5_000),
  ]
  const values = [...odd, sydney(day, '08:07'), '2020-01-01T00:00:00Z', 'ünï.cödé@例え.jp']
  for (const [n, value] of values.entries()) {
    const encoded = encodeURIComponent(value.toWellFormed())
    const all = ['tz', 'day', 'from', 'duration', 'lang', 'done'].map((name) => `${name}=${encoded}`).join('&')
    for (const query of [all, `at=${encoded}`])
      expect((await visitor(app).get(`${page}/first-meeting?${query}`)).status, query).toBeLessThan(405)
    const form = {
      token: crypto.randomUUID(),
      at: sydney(day, '09:00'),
      tz: value,
      duration: value,
      name: value,
      email: value,
      phone: value,
      notes: value,
    }
    const sent = await visitor(app).post(`${page}/first-meeting`, {
      ...form,
      q_topic: value,
      ...(n % 2 && { at: value }),
      ...(n % 3 === 0 && { token: value }),
    })
    expect([303, 404, 409, 422], value).toContain(sent.status)
    expect(sent.location ?? '').not.toContain('manage')
    expect((await visitor(app).get(`${page}/${encoded.slice(0, 300) || 'x'}`)).status, value).toBe(404)
  }
  const json = await app.client(`${page}/first-meeting`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
  expect(json.status).toBe(415)
  expect(await bookings()).toEqual([])
})

test('an address, and an event type, take only so many forms', async () => {
  const app = await start({ rateLimit: true })
  try {
    const forms = (address: string) =>
      Promise.all(Array.from({ length: 45 }, () => visitor(app, { address }).post('/book/nobody-here/first-meeting', {})))
    const statuses = (await forms('192.0.2.7')).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([404, 429]))
    expect((await visitor(app, { address: '192.0.2.8' }).get('/book/nobody-here')).status).toBe(404)
  } finally {
    await app.close()
  }
})
