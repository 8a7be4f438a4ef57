import { expect, test } from 'vitest'
import { start } from '../../harness.ts'
import { found, useCrm } from '../crm.ts'
import { audit, eventType, HOURS, sydney } from './scheduling.ts'
import { ANA, day, formAt, hiddenFields, links, openPage, visitor, visits } from './visitor.ts'

const crm = useCrm()

const QUESTIONS = [
  { key: 'topic', label: 'Which topic?', type: 'choice', required: true, options: ['Roof', 'Deck & stairs'] },
  { key: 'budget', label: 'What is your budget?', type: 'number' },
  { key: 'owner', label: 'Are you the owner?', type: 'yes_no' },
]
const { filled, bookings, booked } = visits(crm)

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
  expect(time).toBe(`?tz=Australia/Sydney&at=${sydney(day, '09:00').replace('.000', '')}`)
  const form = await ana.get(`${page}/first-meeting${time}`)

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
    starts_at: sydney(day, '09:00'),
    duration_minutes: 30,
    timezone: 'Australia/Sydney',
    source: 'page',
    status: 'confirmed',
    name: 'Ana Lee',
    email: 'ana@example.com',
    phone: null,
    notes: 'Ring twice',
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

test('the language is that of the browser, or the chosen one', async () => {
  await eventType(crm.ws)
  const page = await openPage(crm.ws)
  const eva = visitor(crm.app, { language: 'de-AT,de;q=0.9,en;q=0.8' })
  const german = await eva.get(formAt(page, '16:00'))
  expect(german.text).toContain('<html lang="de">')
  const english = await eva.get(links(german).at(-1) as string)
  expect(english.text).toContain('4:00 pm – 4:30 pm (Australia/Sydney)')
  expect(german.text).toContain('16:00 – 16:30 (Australia/Sydney)')
  expect((await eva.get(`${page}?lang=en`)).text).toContain('<html lang="en">')
  const refused = await eva.post(`${page}/first-meeting`, { ...hiddenFields(german), name: 'Eva', email: 'eva' })
  expect(refused.text).toContain('Geben Sie eine E-Mail-Adresse wie ana@example.com ein')
  const done = await eva.post(`${page}/first-meeting?lang=en`, { ...hiddenFields(german), ...ANA, lang: 'en' })
  expect(done.location).toMatch(/\?done=booked&lang=en$/)
})

test('a page of every time of a day, at every five minutes, stays small', async () => {
  const { app, ws } = crm
  const whole = Object.fromEntries(Object.keys(HOURS).map((name) => [name, [{ start: '00:00', end: '00:00' }]]))
  found(await ws.put('/scheduling/availability', { weekly_hours: whole }))
  const slug = 'a'.repeat(80)
  await eventType(ws, {
    slug,
    duration_minutes: 5,
    other_durations: [10],
    step_minutes: 5,
    seats: 100,
    description: 'We talk. '.repeat(200),
  })
  const page = await openPage(ws)
  const times = await visitor(app).get(`${page}/${slug}?tz=Australia/Sydney&duration=5&lang=en&from=${day}&day=${day}`)
  expect(links(times).filter((link) => link.includes('&at='))).toHaveLength(288)
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
