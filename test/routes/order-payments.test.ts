import { beforeEach, describe, expect, test } from 'vitest'
import type { StripeEvent } from '../../dev/stripe-world.ts'
import { found, type Row, useCrm, uuid } from './crm.ts'
import { BUYER, openShop, order, orderForm, type Shop } from './ordering.ts'

const crm = useCrm({ own: true })
let shop: Shop
beforeEach(async () => {
  crm.app.stripe.clear()
  shop = await openShop(crm.app, crm.ws)
})

const world = () => crm.app.stripe.world
const logs = async (form: string) => found(await crm.ws.get(`/order-forms/${form}/logs`))
const eventsOf = async (form: string) => (await logs(form)).map(({ event }) => event).toReversed()
const contacts = async () => found(await crm.ws.get('/contacts'))
const opportunities = async () => found(await crm.ws.get('/opportunities'))

describe('a paid order', () => {
  test('of a buyer with a long name makes the contact and the opportunity, cut between characters', async () => {
    const form = await orderForm(crm)
    const [first, last] = [`${'a'.repeat(119)}\u{1F600}b`, `${'c'.repeat(59)}\u{1F600}d`]
    await shop.reported(world().pay(await order(crm.app, form.slug, { name: `${first} ${last}` })))
    expect(await contacts()).toMatchObject([{ first_name: 'a'.repeat(119), last_name: last }])
    expect(await opportunities()).toMatchObject([{ name: `Site inspection: ${first} ${'c'.repeat(59)}` }])
  })

  test('makes the contact, the opportunity with what was ordered, and the log', async () => {
    const product_id = await crm.product({ price: 100, tax_percent: 10 })
    const { pipeline_id } = { pipeline_id: (await crm.pipeline({ name: 'Orders', stages: [{ name: 'Paid' }] })).id }
    const form = await orderForm(crm, {
      pipeline_id,
      items: [
        { product_id, quantity_max: 5 },
        { label: 'Setup', unit_price: 49.5 },
      ],
      contact_fields: [{ field: 'phone' }, { field: 'city', required: true }, { field: 'country' }, { field: 'notes' }],
    })
    const details = { phone: '+61 412 345 678', city: 'Hobart', country: 'AU', notes: 'Ring twice' }
    const session = await order(crm.app, form.slug, { quantity_0: '2', quantity_1: '1', ...details })
    expect(session).toMatchObject({ amount_total: 26950, currency: 'aud', customer_email: 'ana@example.com' })
    expect(session.line_items).toEqual([
      { name: 'GTX Pro', quantity: 2, unit_amount: 10000 },
      { name: 'Setup', quantity: 1, unit_amount: 4950 },
      { name: 'Tax 10 %', quantity: 1, unit_amount: 2000 },
    ])
    expect(await contacts()).toEqual([])
    await shop.reported(world().pay(session))
    const [contact] = await contacts()
    expect(contact).toMatchObject({
      first_name: 'Ana',
      last_name: 'Lee',
      email: 'ana@example.com',
      source: 'order_form',
      phone: '+61412345678',
      city: 'Hobart',
      country: 'Australia',
    })
    const [deal] = await opportunities()
    expect(deal).toMatchObject({ name: 'Site inspection: Ana Lee', value: 269.5, currency: 'AUD', pipeline_id, notes: 'Ring twice' })
    expect(found(await crm.ws.get(`/opportunities/${deal?.id}/contacts`))).toMatchObject([{ contact_id: contact?.id, is_primary: true }])
    expect(found(await crm.ws.get(`/opportunities/${deal?.id}/products`))).toMatchObject([
      { product_id, quantity: 2, unit_price: 100, tax_percent: 10 },
      { product_id: null, name: 'Setup', quantity: 1, unit_price: 49.5 },
    ])
    const [paid, started] = await logs(form.id)
    expect(paid).toEqual({
      id: uuid,
      order_id: uuid,
      order_status: 'paid',
      event: 'paid',
      amount: 269.5,
      currency: 'AUD',
      message: null,
      provider_id: session.id,
      contact_id: contact?.id,
      opportunity_id: deal?.id,
      created_at: expect.any(String),
    })
    expect(started).toMatchObject({ event: 'checkout_started', amount: 269.5, provider_id: session.id })
    const { rows } = await crm.app.owner.query('select buyer from form_orders where workspace_id = $1', [crm.ws.id])
    expect(rows).toEqual([{ buyer: null }])
  })

  test('says in the log what the provider has charged, if that is not what was ordered', async () => {
    const form = await orderForm(crm)
    for (const charged of [{ currency: 'usd' }, { amount_total: 100 }]) {
      const session = await order(crm.app, form.slug, { quantity_0: '1' })
      Object.assign(session, charged)
      await shop.reported(world().pay(session))
    }
    const messages = (await logs(form.id)).filter(({ event }) => event === 'paid').map(({ message }) => message)
    expect(messages).toEqual([
      'The provider has charged 1 AUD instead of 54.45 AUD',
      'The provider has charged 54.45 USD instead of 54.45 AUD',
    ])
  })

  test('is recorded once, however often and in whatever order it is reported', async () => {
    const form = await orderForm(crm)
    const session = await order(crm.app, form.slug, { quantity_0: '1' })
    const paid = world().pay(session)
    const charge = world().chargeOf(session)
    const refunds = [world().refund(charge, 1000), world().refund(charge, 4445)] as [StripeEvent, StripeEvent]
    const disputes = [world().dispute(charge), world().dispute(charge, 'lost')]
    const all = [...disputes, ...refunds.toReversed(), paid]
    for (const event of all) await shop.reported(event)
    await Promise.all([...all, ...all].map((event) => shop.reported(event)))
    expect(await contacts()).toHaveLength(1)
    expect(await opportunities()).toHaveLength(1)
    const entries = await logs(form.id)
    expect((await eventsOf(form.id)).toSorted()).toEqual(
      ['checkout_started', 'dispute_closed', 'dispute_opened', 'paid', 'refunded', 'refunded'].toSorted(),
    )
    expect(new Set(entries.map(({ order_status }) => order_status))).toEqual(new Set(['dispute_lost']))
    const { rows } = await crm.app.owner.query('select amount_refunded::float8 from form_orders where workspace_id = $1', [crm.ws.id])
    expect(rows).toEqual([{ amount_refunded: 54.45 }])
  })

  test('is recorded once when its reports arrive at the same time', async () => {
    const form = await orderForm(crm)
    const session = await order(crm.app, form.slug)
    const paid = world().pay(session)
    const again = world().emit('checkout.session.async_payment_succeeded', session)
    await Promise.all([paid, again, paid, again, paid].map((event) => shop.reported(event)))
    expect(await contacts()).toHaveLength(1)
    expect(await opportunities()).toHaveLength(1)
    expect((await eventsOf(form.id)).filter((event) => event === 'paid')).toHaveLength(1)
  })

  test.each([
    ['email', { email: 'ana@example.com' }],
    ['alternate email', { email: 'work@example.com', alternate_emails: ['ana@example.com'] }],
  ])('belongs to the contact with its %s', async (_, fields) => {
    const company = await crm.company()
    const known = await crm.contact({ first_name: 'Anastasia', customer_id: company, ...fields })
    const session = await order(crm.app, (await orderForm(crm)).slug, { email: 'ANA@example.com' })
    await shop.reported(world().pay(session))
    expect(await contacts()).toMatchObject([{ id: known.id, first_name: 'Anastasia', source: 'manual' }])
    expect(await opportunities()).toMatchObject([{ customer_id: company }])
  })

  test('of one new buyer twice at the same time makes one contact', async () => {
    const form = await orderForm(crm)
    const sessions = [await order(crm.app, form.slug), await order(crm.app, form.slug)]
    await Promise.all(sessions.map((session) => shop.reported(world().pay(session))))
    expect(await contacts()).toHaveLength(1)
    expect(await opportunities()).toHaveLength(2)
  })

  test('is recorded although its product is gone and a policy holds new opportunities', async () => {
    const product_id = await crm.product({ price: 10 })
    const form = await orderForm(crm, { items: [{ product_id }] })
    const session = await order(crm.app, form.slug, { quantity_0: '1' })
    await crm.ws.delete(`/products/${product_id}`)
    const policy = { name: 'All deals', events: ['opportunity.created'] }
    found(await crm.ws.post('/approval-policies', policy))
    await shop.reported(world().pay(session))
    expect(await opportunities()).toMatchObject([{ value: 10 }])
  })

  test('with prices that include the tax is worth what was paid', async () => {
    const item = { label: 'Ticket', unit_price: 10, quantity_max: 100, tax_rate: 10 }
    const form = await orderForm(crm, { prices_include_tax: true, items: [item] })
    const session = await order(crm.app, form.slug, { quantity_0: '100' })
    expect(session).toMatchObject({ amount_total: 100_000, line_items: [{ quantity: 100, unit_amount: 1000 }] })
    await shop.reported(world().pay(session))
    const [deal] = await opportunities()
    const [line] = found(await crm.ws.get(`/opportunities/${deal?.id}/products`))
    expect(line).toMatchObject({ name: '100 × Ticket', quantity: 1, unit_price: 909.09, tax_percent: 10, total: 1000 })
  })

  test.each([
    ['JPY', 500, 500],
    ['KWD', 1.5, 1500],
  ])('in %s is charged in its smallest unit', async (currency, unit_price, charged) => {
    const form = await orderForm(crm, { currency, items: [{ label: 'One', unit_price }] })
    const session = await order(crm.app, form.slug, { quantity_0: '1' })
    expect(session.amount_total).toBe(charged)
    await shop.reported(world().pay(session))
    expect((await logs(form.id))[0]).toMatchObject({ event: 'paid', amount: unit_price, currency, message: null })
  })
})

describe('other reports', () => {
  const statusOf = async (form: string) => (await logs(form))[0]?.order_status

  test('a delayed payment makes nothing before the bank confirms it', async () => {
    const form = await orderForm(crm)
    const session = await order(crm.app, form.slug)
    await shop.reported(world().pay(session, 'Ana Lee', true))
    expect(await opportunities()).toEqual([])
    expect(await statusOf(form.id)).toBe('open')
    await shop.reported(world().confirm(session))
    expect(await eventsOf(form.id)).toEqual(['checkout_started', 'payment_pending', 'paid'])
    expect(await contacts()).toMatchObject([BUYER_CONTACT])
  })

  test('a delayed payment that fails makes nothing', async () => {
    const form = await orderForm(crm)
    const session = await order(crm.app, form.slug)
    await shop.reported(world().pay(session, 'Ana Lee', true))
    await shop.reported(world().confirm(session, false))
    expect(await statusOf(form.id)).toBe('failed')
    expect(await contacts()).toEqual([])
  })

  test('a page that expires keeps nothing of its visitor', async () => {
    const form = await orderForm(crm)
    await shop.reported(world().expire(await order(crm.app, form.slug)))
    expect(await statusOf(form.id)).toBe('expired')
    const { rows } = await crm.app.owner.query('select * from form_orders where workspace_id = $1', [crm.ws.id])
    expect(JSON.stringify(rows)).not.toContain('ana@example.com')
  })

  test('an order that was never paid is deleted after 30 days, and no other', async () => {
    const form = await orderForm(crm)
    const [paid] = [await order(crm.app, form.slug), await order(crm.app, form.slug)]
    await shop.reported(world().pay(paid))
    await crm.app.cron('* * * * *')
    expect(await logs(form.id)).toHaveLength(3)
    await crm.app.owner.query("update form_orders set created_at = created_at - interval '31 days' where workspace_id = $1", [crm.ws.id])
    await crm.app.cron('* * * * *')
    expect(await eventsOf(form.id)).toEqual(['checkout_started', 'paid'])
  })

  test('refunds and disputes change the status, and a dispute that is won gives it back', async () => {
    const form = await orderForm(crm)
    const session = await order(crm.app, form.slug)
    await shop.reported(world().pay(session))
    const charge = world().chargeOf(session)
    const first = world().refund(charge, 1000)
    await shop.reported(first)
    expect(await statusOf(form.id)).toBe('partially_refunded')
    expect((await logs(form.id))[0]).toMatchObject({ event: 'refunded', amount: 10, contact_id: uuid, opportunity_id: uuid })
    await shop.reported(world().dispute(charge))
    expect(await statusOf(form.id)).toBe('disputed')
    expect((await logs(form.id))[0]).toMatchObject({ event: 'dispute_opened', message: 'fraudulent', amount: 54.45 })
    await shop.reported(world().dispute(charge, 'won'))
    await shop.reported(world().refund(charge))
    expect(await statusOf(form.id)).toBe('refunded')
  })

  test('a dispute that comes before the payment asks the provider what it is about', async () => {
    const form = await orderForm(crm)
    const session = await order(crm.app, form.slug)
    const paid = world().pay(session)
    const dispute = world().dispute(world().chargeOf(session))
    crm.app.stripe.failures.add('500', 2)
    expect((await shop.report(dispute)).status).toBe(502)
    await shop.reported(dispute)
    await shop.reported(paid)
    expect(await statusOf(form.id)).toBe('disputed')
    expect(await opportunities()).toHaveLength(1)
  })
})

const BUYER_CONTACT = { first_name: 'Ana', email: BUYER.email }

describe('a report that is not from the provider of this workspace is refused', () => {
  const refusals: [string, (other: Shop, event: StripeEvent) => Row, number][] = [
    ['signed with the secret of another workspace', (other) => ({ secret: other.webhookSecret }), 401],
    ['for another workspace, signed with our secret', (other) => ({ path: other.eventsPath }), 401],
    ['signed long ago', () => ({ at: Math.floor(Date.now() / 1000) - 301 }), 401],
    ['to an unknown address', () => ({ path: `/payment-events/stripe/${'0'.repeat(48)}` }), 401],
  ]
  test.each(refusals)('%s', async (_, more, status) => {
    const form = await orderForm(crm)
    const other = await openShop(crm.app, await crm.app.workspace())
    const event = world().pay(await order(crm.app, form.slug))
    expect((await shop.report(event, more(other, event))).status).toBe(status)
    expect(await contacts()).toEqual([])
    await shop.reported(event)
    expect(await contacts()).toHaveLength(1)
  })

  test('changed on its way, unsigned, or about an order of another workspace', async () => {
    const form = await orderForm(crm)
    const session = await order(crm.app, form.slug)
    const event = world().pay(session)
    const { headers, body } = crm.app.stripe.report(event, { secret: shop.webhookSecret })
    const send = (init: Row) => crm.app.fetch(shop.eventsPath, { method: 'POST', headers, body, ...init })
    expect((await send({ body: body.replace('5445', '1') })).status).toBe(401)
    expect((await send({ headers: { 'content-type': 'application/json' } })).status).toBe(401)
    const other = await openShop(crm.app, await crm.app.workspace())
    expect((await other.report(event)).status).toBe(200)
    expect(await contacts()).toEqual([])
    expect(await crm.count('opportunities')).toBe(0)
  })
})
