import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Browser, startChromium } from '../../bench/chromium.ts'
import { useCrm } from '../routes/crm.ts'
import { eventType, sydney } from '../routes/scheduling/scheduling.ts'
import { day, formAt, openPage, visits } from '../routes/scheduling/visitor.ts'
import { newReader } from './reader.ts'

let browser: Browser
beforeAll(async () => {
  browser = await startChromium()
})
afterAll(() => browser?.close())
const crm = useCrm({ docs: true })
const { bookings } = visits(crm)

test('a visitor passes the challenge of a form and books by keyboard alone on a screen of 320 pixels', async () => {
  const { turnstile } = crm.app
  await eventType(crm.ws, { challenge: 'turnstile' })
  const path = await openPage(crm.ws)
  const ana = await newReader(browser, { width: 320, height: 640 })
  const refusals: string[] = []
  ana.tab.on('Log.entryAdded', ({ entry }) => refusals.push(entry.text))
  await ana.tab.send('Log.enable')
  const { origin } = await crm.app.url()
  /** Waits until the widget has put a token into its form, and checks the page, which asks no other host than that of the widget. */
  const passes = async () => {
    await expect.poll(() => ana.tab.evaluate<string>(`document.querySelector('[name=cf-turnstile-response]')?.value ?? ''`)).toMatch(/^0\./)
    const requested = ana.foreign.splice(0).map((url) => url.split('?')[0])
    expect(requested).toEqual(['api.js', 'frame'].map((name) => `${turnstile.url}/turnstile/v0/${name}`))
    await ana.check()
  }
  await ana.open(`${origin}${path}/first-meeting?tz=Australia/Sydney&from=${day}&day=${day}`)
  await ana.check()
  await ana.follow(/^9:30 am/)
  await ana.sees('Your details')
  await passes()
  await ana.write(/^Your name/, 'Ana Lee')
  await ana.write(/^Email address/, 'ana@example.com')
  turnstile.failures.add('503')
  await ana.follow(/^Confirm booking/)
  await ana.sees('At present nobody can check that you are a person.')
  await passes()
  expect(await bookings()).toEqual([])
  await ana.follow(/^Confirm booking/)
  await ana.sees('Your booking is confirmed')
  await ana.check()
  expect(await bookings()).toMatchObject([{ starts_at: sydney(day, '09:30'), name: 'Ana Lee', email: 'ana@example.com' }])
  expect(turnstile.verified).toHaveLength(1)
  expect(refusals.filter((text) => /security policy/i.test(text))).toEqual([])
})

test('without JavaScript the form says that the challenge needs it', async () => {
  await eventType(crm.ws, { challenge: 'turnstile' })
  const path = await openPage(crm.ws)
  const { origin } = await crm.app.url()
  const ana = await newReader(browser, { width: 320, height: 640, scripts: false })
  await ana.open(`${origin}${formAt(path, '09:00')}`)
  await ana.sees('This form checks that you are a person, which needs JavaScript.')
  await ana.check()
})
