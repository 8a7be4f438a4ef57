import { beforeEach, describe, expect, test } from 'vitest'
import type { Session } from '../../dev/stripe-world.ts'
import { found, type Row, useCrm } from './crm.ts'
import { BUYER, fieldsIn, openShop, order, orderForm, post, type Shop } from './ordering.ts'

/** Orders whose form has changed, or was sent again, and amounts that the provider would refuse. */
const crm = useCrm()
let shop: Shop
beforeEach(async () => {
  crm.app.stripe.clear()
  shop = await openShop(crm.app, crm.ws)
})

const world = () => crm.app.stripe.world
const logs = async (form: string): Promise<Row[]> => found(await crm.ws.get(`/order-forms/${form}/logs`))
const contacts = async (): Promise<Row[]> => found(await crm.ws.get('/contacts'))
const opportunities = async (): Promise<Row[]> => found(await crm.ws.get('/opportunities'))

describe('an order of which only some amounts can be charged', () => {
  test.each([
    ['KWD', 1.25, 5, 1310, 1.31],
    ['ISK', 1990, 11, 220_900, 2209],
  ])('in %s has its tax rounded to one that can', async (currency, unit_price, tax_rate, charged, value) => {
    const form = await orderForm(crm, { currency, items: [{ label: 'One', unit_price, tax_rate }] })
    const session = await order(crm.app, form.slug, { quantity_0: '1' })
    expect(session.amount_total).toBe(charged)
    await shop.reported(world().pay(session))
    expect((await logs(form.id))[0]).toMatchObject({ event: 'paid', amount: value, currency, message: null })
  })
})

test('an order keeps the taxes of its form as they were when it was placed', async () => {
  const form = await orderForm(crm, { prices_include_tax: true, items: [{ label: 'Ticket', unit_price: 110, tax_rate: 10 }] })
  const session = await order(crm.app, form.slug, { quantity_0: '1' })
  found(await crm.ws.patch(`/order-forms/${form.id}`, { prices_include_tax: false }))
  await shop.reported(world().pay(session))
  const [deal] = await opportunities()
  expect(deal).toMatchObject({ value: 110 })
  expect(found(await crm.ws.get(`/opportunities/${deal?.id}/products`))).toMatchObject([{ unit_price: 100, tax_percent: 10, total: 110 }])
})

describe('a form that is sent again', () => {
  const sent = async (fields: Row, slug: string) => (await post(crm.app, `/order/${slug}`, fields)).headers.get('location')
  const shown = async (slug: string) => ({ ...fieldsIn(await (await crm.app.fetch(`/order/${slug}`)).text()), ...BUYER, quantity_0: '1' })

  test('after its page of the provider has expired leads to a new page', async () => {
    const form = await orderForm(crm)
    const fields = await shown(form.slug)
    const first = await sent(fields, form.slug)
    expect(await sent(fields, form.slug)).toBe(first)
    await shop.reported(world().expire(world().sessions.find(({ url }) => url === first) as Session))
    const second = await sent(fields, form.slug)
    expect(second).toMatch(/^http/)
    expect(second).not.toBe(first)
    await shop.reported(world().pay(world().sessions.find(({ url }) => url === second) as Session))
    expect(await contacts()).toMatchObject([{ email: BUYER.email }])
    expect((await logs(form.id)).map(({ event, order_status }) => [event, order_status])).toEqual([
      ['paid', 'paid'],
      ['checkout_started', 'paid'],
      ['checkout_expired', 'expired'],
      ['checkout_started', 'expired'],
    ])
  })

  test('after the currency was changed is not paid in the former one', async () => {
    const form = await orderForm(crm)
    const fields = await shown(form.slug)
    await sent(fields, form.slug)
    found(await crm.ws.patch(`/order-forms/${form.id}`, { currency: 'USD' }))
    const again = await sent(fields, form.slug)
    expect(world().sessions.find(({ url }) => url === again)).toMatchObject({ currency: 'usd' })
  })
})

test('a page whose response was lost expires without the order that another page is for', async () => {
  const form = await orderForm(crm, { contact_fields: [{ field: 'phone' }, { field: 'notes' }] })
  const page = await (await crm.app.fetch(`/order/${form.slug}`)).text()
  const fields = { ...fieldsIn(page), ...BUYER, quantity_0: '1', phone: '+61412345678', notes: 'Ring twice' }
  crm.app.stripe.failures.add('drop', 1, true)
  crm.app.stripe.failures.add('drop')
  expect((await post(crm.app, `/order/${form.slug}`, fields)).status).toBe(503)
  expect((await post(crm.app, `/order/${form.slug}`, fields)).status).toBe(303)
  const [lost, paid] = world().sessions as [Session, Session]
  await shop.reported(world().pay(paid, 'Ana Lee', true))
  await shop.reported(world().expire(lost))
  expect((await logs(form.id))[0]?.order_status).toBe('open')
  await shop.reported(world().confirm(paid))
  expect(await contacts()).toMatchObject([{ email: BUYER.email, phone: '+61412345678' }])
  expect(await opportunities()).toMatchObject([{ notes: 'Ring twice' }])
})
