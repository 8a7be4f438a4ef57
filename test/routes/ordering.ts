import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Session, StripeEvent } from '../../dev/stripe-world.ts'
import type { Harness } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import { type Crm, created, found, type Row } from './crm.ts'

export const WEBHOOK_SECRET = 'whsec_TheSecretOfTheTests'

/** The fields of a form in a page, by their names; those of quantities as they are shown. */
export const fieldsIn = (html: string): Row =>
  Object.fromEntries(
    [...html.matchAll(/<input[^>]* name="([^"]+)"[^>]*>/g)].map(([tag, name]) => [name, /value="([^"]*)"/.exec(tag)?.[1] ?? '']),
  )

export type Shop = Awaited<ReturnType<typeof openShop>>

/** Gives a workspace an account of its own at the emulated Stripe, and its page. */
export async function openShop(app: Harness, ws: TestWorkspace) {
  const secret = `sk_test_${randomUUID().replaceAll('-', '')}`
  const webhookSecret = `whsec_${randomUUID().replaceAll('-', '')}`
  const settings = found(await ws.patch('/company/payment-settings', { secret_key: secret, webhook_secret: webhookSecret }))
  const eventsPath = new URL(settings.webhook_url).pathname
  const report = (event: StripeEvent, more: { secret?: string; at?: number; path?: string } = {}) =>
    app.fetch(more.path ?? eventsPath, app.stripe.report(event, { secret: more.secret ?? webhookSecret }, more.at))
  return {
    secret,
    webhookSecret,
    eventsPath,
    /** Posts the signed report of an event. */
    report,
    /** The same for one that must be taken. */
    async reported(event: StripeEvent): Promise<void> {
      const response = await report(event)
      expect(response.status, await response.text()).toBe(200)
    },
  }
}

/** Posts the form of a page as a browser does. */
export const post = (app: Harness, path: string, fields: Row) =>
  app.fetch(path, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields as Record<string, string>).toString(),
  })

export const orderForm = async (crm: Crm, fields: Row = {}) =>
  created(
    await crm.ws.post('/order-forms', {
      name: 'Site inspection',
      items: [{ label: 'Inspection', unit_price: 49.5, quantity_max: 10, tax_rate: 10 }],
      ...fields,
    }),
  )

export const BUYER = { name: 'Ana Lee', email: 'ana@example.com' }

/** Orders on the page of a form, as far as the provider's page. */
export async function order(app: Harness, slug: string, fields: Row = {}): Promise<Session> {
  const page = await (await app.fetch(`/order/${slug}`)).text()
  const response = await post(app, `/order/${slug}`, { ...fieldsIn(page), ...BUYER, ...fields })
  expect(response.status, await response.text()).toBe(303)
  const session = app.stripe.world.sessions.find(({ url }) => url === response.headers.get('location'))
  return session as Session
}
