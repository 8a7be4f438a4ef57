import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Browser, startChromium } from '../../bench/chromium.ts'
import { useCrm } from '../routes/crm.ts'
import { eventType, sydney } from '../routes/scheduling/scheduling.ts'
import { day, openPage, visits } from '../routes/scheduling/visitor.ts'
import { newReader } from './reader.ts'

let browser: Browser
beforeAll(async () => {
  browser = await startChromium()
})
afterAll(() => browser?.close())
const crm = useCrm({ docs: true })
const { bookings } = visits(crm)

test.each([
  ['with JavaScript', true],
  ['without JavaScript', false],
])('a visitor books, reschedules and cancels by keyboard alone on a screen of 320 pixels, %s', async (_, scripts) => {
  await eventType(crm.ws, { location: '12 Bridge Street', questions: [{ key: 'topic', label: 'Which topic?', type: 'text' }] })
  const path = await openPage(crm.ws)
  const ana = await newReader(browser, { width: 320, height: 640, scripts })
  const { origin } = await crm.app.url()
  await ana.tab.send('Emulation.setTimezoneOverride', { timezoneId: 'Australia/Sydney' })

  const seesPage = async (text: string) => {
    await ana.sees(text)
    await ana.check()
  }

  await ana.open(`${origin}${path}`)
  await seesPage('What would you like to book?')
  await ana.open(`${origin}${path}/first-meeting?tz=Australia/Sydney&from=${day}&day=${day}`)
  await seesPage('Choose a day and a time')
  await ana.follow(/^9:30 am/)
  await seesPage('Your details')
  await ana.write(/^Your name/, 'Ana Lee')
  await ana.write(/^Email address/, 'ana@')
  await ana.follow(/^Confirm booking/)
  await seesPage('There is a problem')
  expect(await bookings()).toEqual([])
  await ana.write(/^Email address/, 'ana@example.com')
  await ana.follow(/^Confirm booking/)
  await seesPage('Your booking is confirmed')
  expect(await bookings()).toMatchObject([
    { starts_at: sydney(day, '09:30'), name: 'Ana Lee', email: 'ana@example.com', status: 'confirmed' },
  ])

  await ana.follow(/^Move to another time/)
  await seesPage('The booking is now at')
  await ana.follow(/^Later days/)
  await seesPage('Earlier days')
  await ana.follow(/[^0-9]\d+ free times/)
  await seesPage('10:00 am')
  await ana.follow(/^10:00 am/)
  await seesPage('Move the booking to this time')
  await ana.follow(/^Move the booking to this time/)
  await seesPage('Your booking has been moved')
  expect((await bookings()).filter(({ status }) => status === 'confirmed')).toMatchObject([{ starts_at: expect.stringMatching(/T23:00/) }])

  await ana.write(/^Reason/, 'Ill')
  await ana.follow(/^Cancel the booking/)
  await seesPage('Your booking is cancelled')
  expect((await bookings()).map(({ status }) => status)).not.toContain('confirmed')
})

test('a visitor chooses a day of a month by keyboard alone on a screen of 320 pixels', async () => {
  await eventType(crm.ws, {})
  const path = await openPage(crm.ws)
  const ana = await newReader(browser, { width: 320, height: 640, scripts: true })
  const { origin } = await crm.app.url()
  await ana.tab.send('Emulation.setTimezoneOverride', { timezoneId: 'Australia/Sydney' })
  await ana.open(`${origin}${path}/first-meeting?tz=Australia/Sydney&from=${day}&day=${day}`)
  await ana.follow(/^Show a month/)
  await ana.sees('Days are those of the time zone Australia/Sydney.')
  await ana.check()
  expect(await ana.tab.evaluate('document.documentElement.scrollWidth')).toBe(320)
  await ana.follow(/^Monday,? .*\d+ free times/)
  await ana.sees('9:00 am')
  await ana.check()
})
