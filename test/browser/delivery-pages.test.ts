import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Browser, startChromium } from '../../bench/chromium.ts'
import { found, useCrm } from '../routes/crm.ts'
import { portalVisits } from '../routes/delivery/portal-visits.ts'
import { openShop, orderForm } from '../routes/ordering.ts'
import { newReader, type Reader } from './reader.ts'

let browser: Browser
beforeAll(async () => {
  browser = await startChromium()
})
afterAll(() => browser?.close())
const crm = useCrm({ own: true })
const visits = portalVisits(crm)
beforeEach(() => crm.app.stripe.clear())

const MOST_BYTES = 60_000
const SCREENS = [
  ['light, with scripts', { dark: false, scripts: true }],
  ['dark, with scripts', { dark: true, scripts: true }],
  ['light, without scripts', { dark: false, scripts: false }],
] as const

/** A reader on a screen of 320 pixels, with what all pages have loaded, and what the browser has refused because of the policy. */
async function visitor(options: { dark: boolean; scripts: boolean }) {
  const reader = await newReader(browser, { width: 320, height: 640, ...options })
  let bytes = 0
  let pages = 0
  const policies = new Set<string>()
  const refused: string[] = []
  reader.tab.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  reader.tab.on('Network.responseReceived', ({ type, response }) => {
    if (type !== 'Document') return
    pages += 1
    policies.add(String(response.headers['content-security-policy'] ?? response.headers['Content-Security-Policy']))
  })
  reader.tab.on('Log.entryAdded', ({ entry }) => {
    if (/Content Security Policy/.test(entry.text)) refused.push(entry.text)
  })
  return {
    ...reader,
    async seesPage(text: string) {
      await reader.sees(text)
      await reader.check()
      expect(pages).toBeGreaterThan(0)
      expect(bytes / pages).toBeLessThan(MOST_BYTES)
      expect(refused).toEqual([])
      for (const policy of policies)
        expect(policy).toMatch(/^default-src 'none'; script-src 'self';.* base-uri 'none'; frame-ancestors 'none'$/)
    },
  }
}

/** Whether the page is dark: it follows the scheme of the screen. */
const isDark = async (reader: Pick<Reader, 'tab'>) => {
  const colour = await reader.tab.evaluate<string>('getComputedStyle(document.body).backgroundColor')
  return (colour.match(/\d+/g) ?? []).slice(0, 3).every((part) => Number(part) < 128)
}

test.each(SCREENS)(
  'a client opens the portal by its link and PIN, and closes it, by keyboard alone on a screen of 320 pixels: %s',
  async (_, options) => {
    found(await crm.ws.patch('/company', { primary_color: '#ffd200' }))
    await visits.mail.config()
    const { token, pin } = await visits.received(await visits.delivery())
    const client = await visitor(options)
    const { origin } = await crm.app.url()
    await client.open(`${origin}/portal/${token}`)
    await client.seesPage('Your page is protected')
    expect(await isDark(client)).toBe(options.dark)
    await client.write(/^PIN/, pin === '000000' ? '000001' : '000000')
    await client.follow(/^Open the page/)
    await client.seesPage('This PIN is not right')
    await client.write(/^PIN/, pin.split('').join(' '))
    await client.follow(/^Open the page/)
    await client.seesPage('Install panels')
    expect(await client.text()).toContain('Monday 4 May 2026, all day')
    await client.follow(/^Deutsch/)
    await client.seesPage('Alle Zeiten')
    await client.follow(/^Seite schließen/)
    await client.seesPage('Ihre Seite ist geschützt')
    await client.open(`${origin}/portal/${token.slice(0, -1)}x`)
    await client.seesPage('This page does not exist')
  },
)

test.each(SCREENS)('a visitor orders and pays by keyboard alone on a screen of 320 pixels: %s', async (_, options) => {
  const shop = await openShop(crm.app, crm.ws)
  const items = [
    { label: 'Inspection', unit_price: 49.5, quantity_max: 10, tax_rate: 10 },
    { label: 'Photos by drone of the whole roof and its surroundings', unit_price: 60, quantity_max: 1 },
  ]
  const contact_fields = [{ field: 'phone', required: true }, { field: 'city' }, { field: 'notes' }]
  const { id, slug } = await orderForm(crm, { items, contact_fields, description: 'We come within a week.' })
  const ana = await visitor(options)
  const { origin } = await crm.app.url()
  await ana.open(`${origin}/order/${slug}`)
  await ana.seesPage('What would you like to order?')
  expect(await isDark(ana)).toBe(options.dark)
  await ana.write(/^Inspection/, '2')
  await ana.write(/^Photos by drone/, '1')
  await ana.write(/^Your name/, 'Ana Lee')
  await ana.write(/^Email address/, 'ana@')
  await ana.follow(/^Continue to payment/)
  await ana.seesPage('There is a problem')
  expect(crm.app.stripe.world.sessions).toEqual([])
  await ana.write(/^Email address/, 'ana@example.com')
  await ana.write(/^Phone number/, '+61 412 345 678')
  await ana.follow(/^Continue to payment/)
  await ana.sees('Total: 168.90 AUD')
  await ana.follow(/^Pay$/)
  await expect.poll(() => crm.app.stripe.world.sessions[0]?.status).toBe('complete')
  const [paid] = crm.app.stripe.world.events
  await shop.reported(paid as NonNullable<typeof paid>)
  // The provider leads to the public address of the API, which has no server here.
  const { pathname, search } = new URL(crm.app.stripe.world.sessions[0]?.success_url as string)
  const back = await visitor(options)
  await back.open(origin + pathname + search)
  await back.seesPage('Your payment of $168.90 has arrived')
  const logs = found(await crm.ws.get(`/order-forms/${id}/logs`))
  expect(logs.map(({ event }) => event)).toEqual(['paid', 'checkout_started'])
})
