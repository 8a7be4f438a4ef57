import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Browser, startChromium } from '../../bench/chromium.ts'
import { type Inbox, startInbox } from '../../dev/inbox/server.ts'
import { TOKEN } from '../routes/campaigning.ts'
import { useCrm } from '../routes/crm.ts'
import { openShop, order, orderForm } from '../routes/ordering.ts'
import { newReader } from './reader.ts'

let browser: Browser
let inbox: Inbox
beforeAll(async () => {
  browser = await startChromium()
})
const crm = useCrm({ own: true })
beforeAll(async () => {
  const { email, sms, whatsapp, google, stripe, fetch } = crm.app
  const post = async (url: string, init: object) => fetch(url.slice('http://api.test'.length), init)
  inbox = await startInbox({ email, sms, whatsapp, google, stripe, apiUrl: 'http://api.test', emailToken: TOKEN, post })
})
afterAll(async () => {
  await inbox?.close()
  await browser?.close()
})

test.each([
  [360, false],
  [1360, true],
])('a keyboard is enough to pay an order as the buyer, and to refund it, on a screen of %i pixels', async (width, dark) => {
  crm.app.stripe.clear()
  await openShop(crm.app, crm.ws)
  const email = `buyer-${width}@example.com`
  await order(crm.app, (await orderForm(crm)).slug, { email, quantity_0: '2' })
  const reader = await newReader(browser, { width, dark })
  await reader.open(`${inbox.url}/`)
  await reader.follow(/^Payments/)
  await reader.sees(email)
  await reader.check()
  await reader.follow(new RegExp(email))
  await reader.sees('2 × Inspection: 99.00 AUD')
  await reader.check()
  await reader.follow(/^Pay as the buyer/)
  await reader.sees('Ana Lee')
  await reader.sees('paid')
  await reader.follow(/^Refund all/)
  await reader.sees('refunded')
  await reader.check()
  expect(crm.app.stripe.world.events.map(({ type }) => type)).toEqual(['checkout.session.completed', 'charge.refunded'])
})
