import { beforeEach, expect, test } from 'vitest'
import { found, type Row, useCrm } from './crm.ts'
import { fieldsIn, openShop, order, orderForm, post, type Shop } from './ordering.ts'

/** Reports of payments that name less than usual, or come when nobody expects them, and what the page says to the buyer. */
const crm = useCrm()
let shop: Shop
beforeEach(async () => {
  crm.app.stripe.clear()
  shop = await openShop(crm.app, crm.ws)
})

const world = () => crm.app.stripe.world
const logs = async (form: Row): Promise<Row[]> => found(await crm.ws.get(`/order-forms/${form.id}/logs`))
const eventsOf = async (form: Row) => (await logs(form)).map(({ event }) => event).toReversed()
const contacts = async (): Promise<Row[]> => found(await crm.ws.get('/contacts'))
const opportunities = async (): Promise<Row[]> => found(await crm.ws.get('/opportunities'))
const pageAfter = async (session: { success_url: string }, lang = 'en') =>
  (await crm.app.fetch(`${new URL(session.success_url).pathname}?lang=${lang}`)).text()

test('a refund and a dispute find their order by the payment alone, and a dispute is followed while it is open', async () => {
  const form = await orderForm(crm)
  const session = await order(crm.app, form.slug)
  await shop.reported(world().pay(session))
  const charge = world().chargeOf(session)
  charge.metadata = {}
  await shop.reported(world().refund(charge, 1000))
  await shop.reported(world().dispute(charge))
  await shop.reported(world().dispute(charge, 'under_review'))
  expect(await eventsOf(form)).toEqual(['checkout_started', 'paid', 'refunded', 'dispute_opened', 'dispute_updated'])
  expect((await logs(form))[0]).toMatchObject({ event: 'dispute_updated', order_status: 'disputed', amount: 54.45, currency: 'AUD' })
})

test('what an account does besides its order forms is taken, and changes nothing', async () => {
  const form = await orderForm(crm)
  const [session, foreign] = [await order(crm.app, form.slug), await order(crm.app, form.slug)]
  await shop.reported(world().pay(session))
  // A payment of the account that no order form has begun.
  foreign.payment_metadata = {}
  world().pay(foreign)
  const before = [await logs(form), await contacts(), await opportunities()]
  const charge = world().chargeOf(session)
  const other = { ...charge, metadata: {} }
  const reports: [string, Row][] = [
    ['checkout.session.completed', { ...session, metadata: {} }],
    ['checkout.session.completed', { ...session, metadata: { order_id: 'of another program' } }],
    ['charge.refunded', { ...other, payment_intent: null }],
    ['charge.refunded', { ...other, payment_intent: foreign.payment_intent }],
    ['charge.dispute.created', { ...world().disputes[0], ...other, object: 'dispute', payment_intent: null, reason: 'fraudulent' }],
    ['charge.succeeded', charge],
  ]
  for (const [type, object] of reports) await shop.reported(world().emit(type, object as never))
  expect([await logs(form), await contacts(), await opportunities()]).toEqual(before)
})

test('a payment that is reported although its page has expired is of whom the provider names', async () => {
  const form = await orderForm(crm)
  const paid = async (customer: Row | null) => {
    const session = await order(crm.app, form.slug)
    await shop.reported(world().expire(session))
    const event = world().pay(session)
    event.body = event.body.replace(/"customer_details":\{[^}]*\}/, `"customer_details":${JSON.stringify(customer)}`)
    await shop.reported(event)
  }
  await paid({ name: null, email: 'bo.berg@example.com' })
  await paid(null)
  expect(await contacts()).toMatchObject([{ first_name: 'bo.berg', email: 'bo.berg@example.com', source: 'order_form' }])
  expect((await opportunities()).map(({ name }) => name).toSorted()).toEqual([form.name, `${form.name}: bo.berg`])
  expect((await eventsOf(form)).filter((event) => event === 'paid')).toHaveLength(2)
})

test('a payment of somebody who was purged meanwhile is of whom the provider names, who may be known again', async () => {
  const form = await orderForm(crm)
  const paid = async (isKnownAgain: boolean) => {
    const email = isKnownAgain ? 'cy@example.com' : 'bo@example.com'
    const { id } = await crm.contact({ first_name: 'Somebody', email })
    const session = await order(crm.app, form.slug, { quantity_0: '1', name: 'Bo Berg', email })
    found(await crm.ws.delete(`/contacts/${id}?purge=true`))
    const known = isKnownAgain ? await crm.contact({ first_name: 'Cynthia', email }) : null
    const event = world().pay(session)
    event.body = event.body.replace(/"customer_details":\{[^}]*\}/, `"customer_details":${JSON.stringify({ name: 'Bo B', email })}`)
    await shop.reported(event)
    return known
  }
  await paid(false)
  expect(await contacts()).toMatchObject([{ first_name: 'Bo', last_name: 'B', email: 'bo@example.com', source: 'order_form' }])
  const known = await paid(true)
  expect((await contacts()).map(({ id, first_name }) => [id === known?.id, first_name]).toSorted()).toEqual([
    [false, 'Bo'],
    [true, 'Cynthia'],
  ])
  expect((await opportunities()).map(({ name }) => name)).toEqual([`${form.name}: Bo B`, `${form.name}: Bo B`])
})

test('the page after an order says whether the payment has arrived, is awaited or has failed, in both languages', async () => {
  const form = await orderForm(crm)
  const shown = async (session: { success_url: string }) => [await pageAfter(session), await pageAfter(session, 'de')]
  const [paid, failed, expired] = [await order(crm.app, form.slug), await order(crm.app, form.slug), await order(crm.app, form.slug)]
  expect(await shown(paid)).toEqual([
    expect.stringContaining('Your payment of $54.45 is being confirmed.'),
    expect.stringMatching(/Ihre Zahlung von 54,45\sAU\$ wird bestätigt/),
  ])
  await shop.reported(world().pay(paid))
  expect(await shown(paid)).toEqual([
    expect.stringContaining('Your payment of $54.45 has arrived.'),
    expect.stringMatching(/Ihre Zahlung von 54,45\sAU\$ ist eingegangen/),
  ])
  await shop.reported(world().pay(failed, 'Ana Lee', true))
  await shop.reported(world().confirm(failed, false))
  await shop.reported(world().expire(expired))
  for (const session of [failed, expired]) {
    const [english, german] = (await shown(session)) as [string, string]
    expect(english).toContain('The payment did not go through, and nothing was charged.')
    expect(english).toContain(`<a href="/order/${form.slug}?lang=en">Order again</a>`)
    expect(german).toContain('Die Zahlung ist nicht zustande gekommen, und es wurde nichts abgebucht.')
    expect(german).toContain(`<a href="/order/${form.slug}?lang=de">Noch einmal bestellen</a>`)
  }
})

/** What is sent, the field at fault, and what the page says in English and in German. */
const FAULTS: [sent: Row, field: string, en: string, de: string][] = [
  [
    { quantity_0: '11' },
    'quantity_0',
    'Inspection: enter a whole number from 1 to 10',
    'Inspection: geben Sie eine ganze Zahl von 1 bis 10 ein',
  ],
  [{ quantity_0: '10', quantity_1: '2' }, 'quantity_0', 'is worth more than $999,999.99', 'kostet mehr als 999.999,99'],
  [{ name: 'x'.repeat(201) }, 'name', 'Enter your name, with at most 200', 'Geben Sie Ihren Namen ein, mit höchstens 200'],
  [{ email: 'ana@' }, 'email', 'Enter an email address such as', 'Geben Sie eine E-Mail-Adresse ein'],
  [{ phone: '12' }, 'phone', 'Enter a complete phone number', 'Geben Sie eine vollständige Telefonnummer ein'],
  [{ city: '' }, 'city', 'Enter: City', 'Bitte eingeben: Ort'],
  [{ city: 'x'.repeat(121) }, 'city', 'City: write less, in one line', 'Ort: bitte kürzer und in einer Zeile'],
  [{ postal_code: '1\n2' }, 'postal_code', 'Postal code: write less', 'Postleitzahl: bitte kürzer'],
  [{ country: 'Atlantis' }, 'country', 'Enter a country such as Australia', 'Geben Sie ein Land ein'],
  [{ notes: 'x'.repeat(2_001) }, 'notes', 'Anything we should know: write less', 'Was wir wissen sollten: bitte kürzer'],
  [{ website: 'x' }, 'website', 'Leave this field empty', 'Dieses Feld leer lassen'],
]

test('each fault of an order is named at its field, in the language of the page, and nothing is ordered', async () => {
  const { slug } = await orderForm(crm, {
    prices_include_tax: true,
    items: [
      { label: 'Inspection', unit_price: 49.5, quantity_min: 1, quantity_max: 10, tax_rate: 10 },
      { label: 'Crane', unit_price: 500_000, quantity_max: 2 },
    ],
    contact_fields: [
      { field: 'phone' },
      { field: 'city', required: true },
      { field: 'postal_code' },
      { field: 'country' },
      { field: 'notes' },
    ],
  })
  const page = await (await crm.app.fetch(`/order/${slug}?lang=de`)).text()
  expect(page).toContain('einschließlich 10 % Steuer')
  const right = { ...fieldsIn(page), name: 'Ana Lee', email: 'ana@example.com', city: 'Hobart' }
  for (const [sent, field, en, de] of FAULTS)
    for (const [lang, shown] of [
      ['en', en],
      ['de', de],
    ] as const) {
      const response = await post(crm.app, `/order/${slug}`, { ...right, lang, ...sent })
      const faults = [...(await response.text()).matchAll(/<li><a href="#([^"]+)">([^<]*)<\/a>/g)].map(([, id, text]) => [id, text])
      expect([response.status, faults], `${lang} ${field}`).toEqual([422, [[field, expect.stringContaining(shown)]]])
    }
  expect([await crm.count('form_orders'), world().sessions]).toEqual([0, []])
})
