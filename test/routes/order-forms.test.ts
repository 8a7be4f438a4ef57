import { beforeEach, describe, expect, test } from 'vitest'
import { created, failed, found, nobody, type Row, refused, useCrm, uuid } from './crm.ts'
import { openShop, orderForm } from './ordering.ts'

const crm = useCrm()
beforeEach(() => crm.app.stripe.clear())

const ITEM = { label: 'Inspection', unit_price: 49.5, tax_rate: 10 }
const post = (fields: Row) => crm.ws.post('/order-forms', { name: 'Shop', items: [ITEM], ...fields })

describe('order forms', () => {
  test('copy from a product what is not sent, once', async () => {
    const product_id = await crm.product({ price: 120, tax_percent: 12.5 })
    const { id, slug, items, ...rest } = await orderForm(crm, {
      items: [{ product_id }, { product_id, label: 'Cheap', unit_price: 1, quantity_min: 2, quantity_max: 3, tax_rate: 0 }],
    })
    expect(items).toEqual([
      { product_id, label: 'GTX Pro', unit_price: 120, quantity_min: 0, quantity_max: 1, tax_rate: 12.5 },
      { product_id, label: 'Cheap', unit_price: 1, quantity_min: 2, quantity_max: 3, tax_rate: 0 },
    ])
    expect(slug).toMatch(/^site-inspection-[0-9a-f]{8}$/)
    expect(rest).toMatchObject({
      currency: 'AUD',
      is_active: true,
      prices_include_tax: false,
      contact_fields: [],
      pipeline_id: null,
      version: 1,
    })
    await crm.ws.patch(`/products/${product_id}`, { price: 1 })
    expect(found(await crm.ws.get(`/order-forms/${id}`)).items[0]).toMatchObject({ unit_price: 120 })
    expect(found(await crm.ws.patch(`/order-forms/${id}`, { items: [{ product_id }] })).items[0]).toMatchObject({ unit_price: 1 })
    expect((await crm.events(id)).map(({ type }) => type)).toEqual(['order_form.created', 'order_form.updated'])
  })

  test('have an address that no other form has, in any workspace', async () => {
    const { slug } = await orderForm(crm, { slug: 'Summer-Sale' })
    expect(slug).toBe('summer-sale')
    const other = await crm.app.workspace()
    expect(await other.post('/order-forms', { name: 'Other', slug, items: [ITEM] })).toMatchObject(failed(409, 'CONFLICT'))
    expect(await post({ slug: 'Not a slug' })).toMatchObject(refused('slug'))
  })

  test('cannot be restored once another workspace has their address, and say so', async () => {
    const form = await orderForm(crm, { slug: 'winter-sale' })
    found(await crm.ws.delete(`/order-forms/${form.id}`))
    const other = await crm.app.workspace()
    const taker = created(await other.post('/order-forms', { name: 'Other', slug: 'winter-sale', items: [ITEM] }))
    const response = await crm.ws.post(`/order-forms/${form.id}/restore`)
    expect(response).toMatchObject(failed(409, 'CONFLICT'))
    expect(response.body.error).toMatchObject({
      message: expect.stringContaining('The slug of this order form'),
      details: { field: 'slug' },
    })
    expect(JSON.stringify(response.body)).not.toContain(taker.id)
    found(await other.patch(`/order-forms/${taker.id}`, { slug: 'spring-sale' }))
    expect(found(await crm.ws.post(`/order-forms/${form.id}/restore`))).toMatchObject({ id: form.id, slug: 'winter-sale' })
  })

  test('refuse what cannot be sold, and name the item', async () => {
    expect(await post({ items: [] })).toMatchObject(refused('items'))
    expect(await post({ items: [{ ...ITEM, unit_price: -1 }] })).toMatchObject(refused('items.0.unit_price'))
    expect(await post({ items: [{ ...ITEM, unit_price: 1_000_000_000_000 }] })).toMatchObject(refused('items.0.unit_price'))
    expect(await post({ items: [{ ...ITEM, quantity_max: 0 }] })).toMatchObject(refused('items.0.quantity_max'))
    expect(await post({ items: [{ ...ITEM, quantity_min: 3, quantity_max: 2 }] })).toMatchObject(refused('items.0.quantity_max'))
    expect(await post({ items: [ITEM, { unit_price: 1 }] })).toMatchObject(refused('items.1.label'))
    expect(await post({ items: [{ product_id: nobody }] })).toMatchObject(refused('items.0.product_id'))
    expect(await post({ pipeline_id: nobody })).toMatchObject(refused('pipeline_id'))
    expect(await post({ currency: 'JPY' })).toMatchObject(refused('items.0.unit_price'))
    expect(await post({ currency: 'ISK' })).toMatchObject(refused('items.0.unit_price'))
    const product_id = await crm.product({ price: 2_000_000 })
    expect(await post({ items: [{ product_id }] })).toMatchObject(refused('items.0.unit_price'))
    expect(await post({ contact_fields: [{ field: 'phone' }, { field: 'phone' }] })).toMatchObject(refused('contact_fields'))
    expect(await crm.count('order_forms')).toBe(0)
  })

  test('have no decimals in a currency without them, whether the prices or the currency are changed', async () => {
    const form = await orderForm(crm)
    const whole = { currency: 'JPY', items: [{ ...ITEM, unit_price: 500 }] }
    expect(await crm.ws.patch(`/order-forms/${form.id}`, { currency: 'JPY' })).toMatchObject(refused('items.0.unit_price'))
    found(await crm.ws.patch(`/order-forms/${form.id}`, whole))
    expect(await crm.ws.patch(`/order-forms/${form.id}`, { items: [ITEM] })).toMatchObject(refused('items.0.unit_price'))
    const product_id = await crm.product({ price: 49.5, currency: 'JPY' })
    expect(await crm.ws.patch(`/order-forms/${form.id}`, { items: [{ product_id }] })).toMatchObject(refused('items.0.unit_price'))
  })

  test('have one currency: that of all their products', async () => {
    const [euro, dollar] = [await crm.product({ currency: 'EUR' }), await crm.product({ currency: 'AUD' })]
    expect(await post({ currency: 'EUR', items: [{ product_id: euro }, { product_id: dollar }] })).toMatchObject(
      refused('items.1.product_id'),
    )
    const { id } = await orderForm(crm, { currency: 'EUR', items: [{ product_id: euro }] })
    expect(await crm.ws.patch(`/order-forms/${id}`, { currency: 'USD' })).toMatchObject(refused('items.0.product_id'))
    expect(await crm.ws.patch(`/order-forms/${id}`, { items: [{ product_id: dollar }] })).toMatchObject(refused('items.0.product_id'))
  })

  test('need the scopes of websites', async () => {
    const { id } = await orderForm(crm)
    const reader = await crm.ws.key({ scopes: ['websites:read'] })
    const writer = await crm.ws.key({ scopes: ['websites:write'] })
    expect(found(await reader.get(`/order-forms/${id}/logs`))).toEqual([])
    expect(await reader.delete(`/order-forms/${id}`)).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
    expect((await writer.delete(`/order-forms/${id}`)).body.data).toEqual({ id, deleted: true })
  })
})

describe('the account at the payment provider', () => {
  const PATH = '/company/payment-settings'

  test('is set once by callers who send the version of an account that is not there', async () => {
    const ws = await crm.app.workspace()
    const set = (version: number, end = 'One') => ws.patch(PATH, { secret_key: `sk_test_51Example${end}` }, { 'if-match': `"${version}"` })
    const { version } = found(await ws.get(PATH))
    expect(found(await set(version))).toMatchObject({ is_connected: true, version: 1 })
    expect(await set(version)).toMatchObject(failed(412, 'PRECONDITION_FAILED'))
    expect(found(await set(1, 'Two')).version).toBe(2)
    expect(await ws.delete(PATH, { 'if-match': '"1"' })).toMatchObject(failed(412, 'PRECONDITION_FAILED'))
    found(await ws.delete(PATH, { 'if-match': '"2"' }))
  })

  test('is stored sealed, and its secrets never come back', async () => {
    expect(found(await crm.ws.get(PATH))).toMatchObject({ id: null, is_connected: false, webhook_url: null, version: 0 })
    expect(await crm.ws.patch(PATH, { webhook_secret: 'whsec_12345678' })).toMatchObject(refused('secret_key'))
    expect(await crm.ws.patch(PATH, { secret_key: 'pk_test_12345678' })).toMatchObject(refused('secret_key'))
    const first = found(await crm.ws.patch(PATH, { secret_key: 'sk_test_51SecretSecretWxyz' }))
    expect(first).toMatchObject({
      id: uuid,
      is_connected: true,
      is_live: false,
      secret_key_hint: 'sk_test_51Se…Wxyz',
      has_webhook_secret: false,
    })
    const second = found(await crm.ws.patch(PATH, { secret_key: 'rk_live_51OtherOtherAbcd', webhook_secret: 'whsec_TheOtherSecret' }))
    expect(second).toMatchObject({ is_live: true, has_webhook_secret: true, webhook_url: first.webhook_url })
    const { rows } = await crm.app.owner.query('select * from payment_settings where workspace_id = $1', [crm.ws.id])
    expect(rows).toHaveLength(1)
    expect(rows[0].secret_key).toMatch(/^s1\./)
    const { rows: traces } = await crm.app.owner.query(
      `select o.payload::text || c.fields::text as text from outbox o join changes c on c.id = o.id where o.workspace_id = $1`,
      [crm.ws.id],
    )
    const all = JSON.stringify([rows, traces, second])
    for (const secret of ['SecretSecret', 'OtherOther', 'TheOtherSecret']) expect(all).not.toContain(secret)
    expect(JSON.stringify(traces)).not.toContain(new URL(first.webhook_url).pathname.split('/').at(-1))
    expect(found(await crm.ws.delete(PATH))).toEqual({ removed: true })
    expect(await crm.ws.delete(PATH)).toMatchObject(failed(404, 'NOT_FOUND'))
  })

  test('is changed by administrators only', async () => {
    const editor = await crm.ws.key({ role: 'client_editor' })
    expect((await editor.get(PATH)).status).toBe(403)
    expect((await editor.patch(PATH, { secret_key: 'sk_test_51SecretSecretWxyz' })).status).toBe(403)
  })

  test('belongs to one workspace', async () => {
    const shop = await openShop(crm.app, crm.ws)
    const other = await crm.app.workspace()
    expect(found(await other.get(PATH))).toMatchObject({ is_connected: false })
    expect(shop.eventsPath).not.toBe((await openShop(crm.app, other)).eventsPath)
  })
})
