import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Browser, startChromium } from '../../bench/chromium.ts'
import { useCrm } from '../routes/crm.ts'
import { eventType } from '../routes/scheduling/scheduling.ts'
import { day, formAt, openPage, visits } from '../routes/scheduling/visitor.ts'
import { newReader } from './reader.ts'

let browser: Browser
beforeAll(async () => {
  browser = await startChromium()
})
afterAll(() => browser?.close())
const crm = useCrm({ docs: true })
const { bookings } = visits(crm)

test('with a script the page shows the zone of the visitor, changes days without loading again, and sends a form once', async () => {
  await eventType(crm.ws, { seats: 4 })
  const path = `${await openPage(crm.ws)}/first-meeting`
  const { origin } = await crm.app.url()
  const ana = await newReader(browser, { width: 320, height: 640, dark: true })
  const { tab } = ana
  await tab.send('Emulation.setTimezoneOverride', { timezoneId: 'Asia/Tokyo' })
  await ana.open(`${origin}${path.replace('/first-meeting', '')}`)
  await tab.send('Page.navigate', { url: `${origin}${path}?from=${day}` })
  await ana.sees('Times are shown in the time zone Asia/Tokyo')
  expect(await tab.evaluate(`performance.getEntriesByType('navigation')[0].name`)).not.toContain('tz=')
  expect(await tab.evaluate('location.search')).toContain('tz=Asia%2FTokyo')

  await tab.evaluate('void (window.isSamePage = true)')
  await ana.follow(/^Later days/)
  await tab.until(`document.activeElement.id === 'days' && !location.search.includes('from=${day}')`)
  await ana.follow(/^Earlier days/)
  await tab.until(`location.search.includes('from=${day}')`)
  await ana.follow(/[^0-9]\d+ free times/)
  await tab.until(`document.activeElement.id === 'times'`)
  await ana.sees('4 seats left')
  await ana.check()
  await tab.evaluate('history.back()')
  await tab.until(`!location.search.includes('day=')`)
  await ana.goTo(/^Time zone/)
  await tab.evaluate(`void (document.querySelector('#tz').value = 'UTC')`)
  await ana.follow(/^Show these times/)
  await ana.sees('Times are shown in the time zone UTC')
  expect(await tab.evaluate('document.activeElement.id')).toBe('zone')
  expect(await tab.evaluate('window.isSamePage')).toBe(true)

  await ana.open(`${origin}${formAt(path.replace('/first-meeting', ''), '09:30')}`)
  await ana.write(/^Your name/, 'Ana Lee')
  await ana.follow(/^Confirm booking/)
  await ana.sees('There is a problem')
  expect(await tab.evaluate('document.activeElement.id')).toBe('email')
  await ana.check()
  await ana.write(/^Email address/, 'ana@example.com')
  const sent: string[] = []
  tab.on('Network.requestWillBeSent', ({ request }) => request.method === 'POST' && sent.push(request.url))
  const submit = `document.querySelector('main button[type=submit]').click()`
  await tab.evaluate(`${submit}; ${submit}`)
  await ana.sees('Your booking is confirmed')
  expect(sent).toHaveLength(1)
  expect(await bookings()).toHaveLength(1)
  expect(await tab.evaluate('location.search')).not.toContain('done')
})

test('with a script a booking leads on to the address of its event type', async () => {
  await eventType(crm.ws, { redirect_url: 'https://thanks.example/', max_guests: 2 })
  const page = await openPage(crm.ws)
  const { origin } = await crm.app.url()
  const ana = await newReader(browser, { width: 320, height: 640 })
  const { tab } = ana
  const led: string[] = []
  tab.on('Page.frameRequestedNavigation', ({ url }) => led.push(url))
  await tab.send('Page.enable')
  await ana.open(`${origin}${formAt(page, '10:30')}`)
  await ana.write(/^Your name/, 'Ana Lee')
  await ana.write(/^Email address/, 'ana-led-on@example.com')
  await ana.write(/^Guests/, 'ben-led-on@example.com')
  await ana.check()
  await ana.follow(/^Confirm booking/)
  for (const end = Date.now() + 10_000; !led.includes('https://thanks.example/') && Date.now() < end; ) await tab.send('Page.enable')
  expect(led).toContain('https://thanks.example/')
  expect(await bookings()).toMatchObject([{ attendees: ['ben-led-on@example.com'] }])
})
