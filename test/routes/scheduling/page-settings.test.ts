import { describe, expect, test } from 'vitest'
import { EVEN_LUMINANCE, luminanceOf } from '../../../src/domain/colours.ts'
import { created, found, type Row, useCrm } from '../crm.ts'
import { eventType, members, monday, sydney } from './scheduling.ts'
import { day, hiddenFields, links, openPage, visitor } from './visitor.ts'

/** Every setting that the pages show changes them: what is read before it is set and after it. */
const crm = useCrm()
const company = async (fields: Row) => found(await crm.ws.patch('/company', fields))
const kind = async (id: string, fields: Row) => found(await crm.ws.patch(`/scheduled-event-types/${id}`, fields))

/** What a member says of themselves. */
const person = async (fields: Row) => {
  for (const [name, value] of Object.entries(fields))
    await crm.app.owner.query(`update users set ${name} = $2 where id = $1`, [crm.ws.userId, value])
}

const SETTINGS: Record<
  string,
  { set: (id: string) => Promise<unknown>; shows: (text: string) => unknown; as: [before: unknown, after: unknown] }
> = {
  'the name of the workspace': {
    set: () => company({ name: 'Harbour & Sons' }),
    shows: (text) => text.includes('<header><p>Harbour &amp; Sons</p></header>'),
    as: [false, true],
  },
  'its colour': {
    set: () => company({ primary_color: '#ffd700' }),
    shows: (text) => /\.button\{background:(#\w+);color:(#\w+)/.exec(text)?.slice(1) ?? null,
    as: [null, ['#ffd700', '#000']],
  },
  'a dark colour': {
    set: () => company({ primary_color: '#0b3d2e' }),
    shows: (text) => /--brand:(#\w+).*\.button\{background:\1;color:(#\w+)/.exec(text)?.[2] ?? null,
    as: [null, '#fff'],
  },
  'the name of the event type': {
    set: (id) => kind(id, { name: 'A walk <round> the site' }),
    shows: (text) => text.includes('<h1>A walk &lt;round&gt; the site</h1>'),
    as: [false, true],
  },
  'its description': {
    set: (id) => kind(id, { description: 'Bring your plans.' }),
    shows: (text) => text.includes('<p>Bring your plans.</p>'),
    as: [false, true],
  },
  'its place': {
    set: (id) => kind(id, { location: '12 Bridge Street' }),
    shows: (text) => text.includes('<p>12 Bridge Street</p>'),
    as: [false, true],
  },
  'its duration': {
    set: (id) => kind(id, { duration_minutes: 45 }),
    shows: (text) => text.includes('<p>45 minutes</p>'),
    as: [false, true],
  },
  'its other durations': {
    set: (id) => kind(id, { other_durations: [90] }),
    shows: (text) => text.includes('<option value="90">90 minutes</option>'),
    as: [false, true],
  },
  'its steps': {
    set: (id) => kind(id, { step_minutes: 120 }),
    shows: (text) => links({ text }).filter((link) => link.includes('at=')).length,
    as: [16, 4],
  },
  'its seats': {
    set: (id) => kind(id, { seats: 7 }),
    shows: (text) => text.includes('<small>7 seats left</small>'),
    as: [false, true],
  },
  'the zone of its place': {
    set: (id) => kind(id, { locked_timezone: 'Asia/Tokyo' }),
    shows: (text) => [/in the time zone ([\w/]+),/.exec(text)?.[1], text.includes('<select id="tz"')],
    as: [
      ['Australia/Sydney', true],
      ['Asia/Tokyo', false],
    ],
  },
  'its logo': {
    set: () => company({ logo_url: 'https://cdn.example.com/logo.png?v="2"' }),
    shows: (text) => /<header>(<img [^>]*>)?<p>/.exec(text)?.[1] ?? null,
    as: [null, '<img src="https://cdn.example.com/logo.png?v=%222%22" alt="" class="logo">'],
  },
  'the name of its host': {
    set: () => person({ full_name: 'New <b> name' }),
    shows: (text) => text.includes('<span>With New &lt;b&gt; name</span>'),
    as: [false, true],
  },
  'the picture of its host': {
    set: () => person({ avatar_url: 'https://images.example.com/ana.jpg' }),
    shows: (text) => /<p class="hosts">(<img [^>]*>)?<span>/.exec(text)?.[1] ?? null,
    as: [null, '<img src="https://images.example.com/ana.jpg" alt="">'],
  },
  'the sites that may show it': {
    set: async () => found(await crm.ws.patch('/company/crm-settings', { booking_embed_origins: ['https://www.example.com'] })),
    shows: (text) => /data-sites="([^"]*)"/.exec(text)?.[1] ?? null,
    as: [null, 'https://www.example.com'],
  },
}

describe('the page of an event type shows', () => {
  test.each(Object.entries(SETTINGS))('%s', async (_, { set, shows, as: [before, after] }) => {
    const { id } = await eventType(crm.ws)
    const page = await openPage(crm.ws)
    const path = `${page}/first-meeting?tz=Australia/Sydney&from=${day}&day=${day}`
    const shown = async () => {
      const response = await crm.app.fetch(path)
      expect(response.status).toBe(200)
      return shows(await response.text())
    }
    expect(await shown()).toEqual(before)
    await set(id)
    expect(await shown()).toEqual(after)
  })
})

test('a text on the colour of a workspace has a contrast of at least 4.5 to 1, whatever the colour is', () => {
  const contrast = (one: number, other: number) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
  const steps = ['00', '33', '66', '99', 'cc', 'ff']
  for (const red of steps)
    for (const green of steps)
      for (const blue of steps) {
        const luminance = luminanceOf(`#${red}${green}${blue}`)
        expect(contrast(luminance, luminance > EVEN_LUMINANCE ? 0 : 1), `#${red}${green}${blue}`).toBeGreaterThan(4.5)
      }
})

test('the times say what time it is in their zone, in both languages', async () => {
  await eventType(crm.ws)
  const page = await openPage(crm.ws)
  const zoneText = async (language: string) => (await visitor(crm.app, { language }).get(`${page}/first-meeting?tz=Asia/Tokyo`)).text
  const clock = (locale: string, at: number) =>
    new Intl.DateTimeFormat(locale, { timeZone: 'Asia/Tokyo', hour: 'numeric', minute: '2-digit' }).format(at)
  const before = Date.now()
  const [english, german] = [await zoneText('en'), await zoneText('de')]
  const instants = [before, Date.now()]
  expect(instants.map((at) => `Times are shown in the time zone Asia/Tokyo, where it is ${clock('en-AU', at)} now.`)).toContain(
    /<p id="zone">(.*?)<\/p>/.exec(english)?.[1],
  )
  expect(instants.map((at) => `Alle Uhrzeiten gelten in der Zeitzone Asia/Tokyo, in der es jetzt ${clock('de-DE', at)} ist.`)).toContain(
    /<p id="zone">(.*?)<\/p>/.exec(german)?.[1],
  )
})

test('an address fills the form in, on every way to it, and says nothing else', async () => {
  await eventType(crm.ws, { other_durations: [60] })
  const page = await openPage(crm.ws)
  const ana = visitor(crm.app)
  const known = new URLSearchParams({ name: 'Ana "Lee" <b>', email: 'ana@example.com', phone: '+61412345678', q_budget: '5', notes: 'x' })
  const types = await ana.get(`${page}?${known}`)
  const times = await ana.get(links(types).find((link) => link.includes('/first-meeting')) as string)
  const shorter = new URLSearchParams({ ...hiddenFields(times), tz: 'Australia/Sydney', duration: '60', from: day, day })
  const chosen = await ana.get(`${page}/first-meeting?${shorter}`)
  const form = await ana.get(`${page}/first-meeting${links(chosen).find((link) => link.startsWith('?') && link.includes('at='))}`)
  for (const value of ['Ana &quot;Lee&quot; &lt;b&gt;', 'ana@example.com', '+61412345678'])
    expect(form.text).toContain(` value="${value}" `)
  expect(form.text).toMatch(/<textarea id="notes"[^>]*><\/textarea>/)
  const plain = await ana.get(`${page}/first-meeting`)
  expect(plain.text).not.toContain('ana@example.com')
})

test('a page loads images of the workspace and of its host, from where they are and over https only', async () => {
  const { id } = await eventType(crm.ws)
  const page = `${await openPage(crm.ws)}/first-meeting`
  const policy = async () => (await crm.app.fetch(page)).headers.get('content-security-policy')
  expect(await policy()).not.toContain('img-src')
  await company({ logo_url: 'https://cdn.example.com/logo.png' })
  await person({ avatar_url: 'https://images.example.com/ana.jpg' })
  expect(await policy()).toContain(' img-src https://cdn.example.com https://images.example.com;')
  // Which of several hosts it will be is not known before the booking.
  const [other] = await members(crm.ws, 1)
  await kind(id, { hosts: [{ user_id: crm.ws.userId }, { user_id: other }] })
  expect(await policy()).toContain(' img-src https://cdn.example.com;')
  for (const logo_url of ['http://cdn.example.com/logo.png', "https://a;script-src'/logo.png"]) {
    await crm.app.owner.query('update workspaces set logo_url = $2 where id = $1', [crm.ws.id, logo_url])
    expect(await policy()).not.toContain('img-src')
  }
})

test('without free times on the days of a page, a visitor gets to the next free day', async () => {
  await eventType(crm.ws, { horizon_days: 200 })
  const page = await openPage(crm.ws)
  const [from, until] = [monday(4), monday(10)]
  created(
    await crm.ws.post('/scheduling/time-off', {
      user_id: crm.ws.userId,
      starts_at: sydney(from, '00:00'),
      ends_at: sydney(until, '00:00'),
    }),
  )
  const ana = visitor(crm.app)
  const free = await ana.get(`${page}/first-meeting?tz=Australia/Sydney&from=${day}`)
  expect(free.text).not.toContain('next=')
  const none = await ana.get(`${page}/first-meeting?tz=Australia/Sydney&from=${from}`)
  expect(none.text).toContain('There are no free times on these days.')
  const next = links(none).find((link) => link.includes('next=')) as string
  const later = await ana.get(next)
  expect(later.text).toContain('aria-current="date"')
  expect(links(later).find((link) => link.includes('day='))).toContain(`day=${until}`)
})

test('a month shows the days with free times, and leads to them and to other months', async () => {
  await eventType(crm.ws, { horizon_days: 120 })
  const page = await openPage(crm.ws)
  const ana = visitor(crm.app)
  const times = await ana.get(`${page}/first-meeting?tz=Australia/Sydney&from=${day}`)
  const month = links(times).find((link) => link.includes('month=')) as string
  expect(month).toContain(`month=${day.slice(0, 7)}`)
  const shown = await ana.get(month)
  const free = links(shown).filter((link) => link.includes('day='))
  const dates = free.map((link) => new URL(link, 'http://x').searchParams.get('day') as string)
  expect(dates).toContain(day)
  // Nobody works at the weekend, and each day is that of the list.
  expect(dates.map((date) => new Date(date).getUTCDay()).filter((weekday) => weekday === 0 || weekday === 6)).toEqual([])
  const cells = [...shown.text.matchAll(/<td>(?:<(?:a|span)[^>]*>(\d+)<\/(?:a|span)>)?<\/td>/g)].map(([, number]) => number)
  const first = cells.indexOf('1')
  expect(first).toBe((new Date(`${day.slice(0, 7)}-01`).getUTCDay() + 6) % 7)
  expect(cells.slice(first)).toEqual(cells.slice(first).map((_, index) => String(index + 1)))
  const chosen = await ana.get(free[dates.indexOf(day)] as string)
  expect(chosen.text).toContain('id="times"')
  const later = await ana.get(links(shown).findLast((link) => link.includes('month=') && !link.includes('lang=')) as string)
  expect(later.status).toBe(200)
  expect(later.text).not.toContain(`month=${day.slice(0, 7)}&amp;lang`)
  for (const odd of ['2020-01', '2026-13', 'x', '9999-12'])
    expect((await ana.get(`${page}/first-meeting?month=${odd}`)).text).toContain('id="days"')
})
