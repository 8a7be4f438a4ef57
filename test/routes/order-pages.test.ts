import { beforeEach, describe, expect, test } from 'vitest'
import { type Row, useCrm } from './crm.ts'
import { BUYER, fieldsIn, openShop, order, orderForm, post, type Shop } from './ordering.ts'

const crm = useCrm()
let shop: Shop
beforeEach(async () => {
  crm.app.stripe.clear()
  shop = await openShop(crm.app, crm.ws)
})

const open = async (path: string, headers: Record<string, string> = {}) => {
  const response = await crm.app.fetch(path, { headers })
  return { status: response.status, headers: response.headers, html: await response.text() }
}
const sessions = () => crm.app.stripe.world.sessions
const stored = async () => {
  const { rows } = await crm.app.owner.query('select * from form_orders where workspace_id = $1 order by id', [crm.ws.id])
  return rows
}
const logged = async () => {
  const { rows } = await crm.app.owner.query('select event, message from order_form_logs where workspace_id = $1 order by id', [crm.ws.id])
  return rows
}
const typed = async (slug: string, fields: Row = {}) => ({ ...fieldsIn((await open(`/order/${slug}`)).html), ...BUYER, ...fields })

describe('the page of an order form', () => {
  test('shows what can be ordered, with prices and taxes, in the language of its visitor', async () => {
    const items = [{ label: 'Inspection <b>', unit_price: 49.5, quantity_max: 3, tax_rate: 10 }]
    const { slug } = await orderForm(crm, {
      items,
      description: 'We come\nsoon',
      contact_fields: [{ field: 'phone', required: true }, { field: 'notes' }],
    })
    const page = await open(`/order/${slug}`)
    expect(page.status).toBe(200)
    expect(page.html).toContain('Inspection &lt;b&gt;')
    expect(page.html).toContain('$49.50 each, plus 10 % tax. From 0 to 3.')
    expect(page.html).toMatch(/<input id="phone" name="phone" required/)
    expect(page.html).not.toContain('<script')
    expect(page.html.length).toBeLessThan(60_000)
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' https:")
    expect((await open(`/order/${slug}`, { 'accept-language': 'de' })).html).toContain('zuzüglich 10 % Steuer')
    expect((await open(`/order/${slug}?lang=de&utm_source=mail`)).html).toContain('<html lang="de">')
  })

  test('looks the same for an unknown form and one that is closed', async () => {
    const { slug } = await orderForm(crm, { is_active: false })
    const [closed, unknown] = [await open(`/order/${slug}`), await open('/order/no-such-form')]
    expect(closed.status).toBe(404)
    expect(unknown.status).toBe(404)
    expect(closed.html.replaceAll(slug, '')).toBe(unknown.html.replaceAll('no-such-form', ''))
    expect((await post(crm.app, `/order/${slug}`, BUYER)).status).toBe(404)
  })

  test('takes no orders without an account and its signing secret', async () => {
    const { slug } = await orderForm(crm)
    await crm.ws.patch('/company/payment-settings', { webhook_secret: null })
    const page = await open(`/order/${slug}`)
    expect([page.status, page.html.includes('does not take payments')]).toEqual([503, true])
    expect((await post(crm.app, `/order/${slug}`, { ...BUYER, quantity_0: '1' })).status).toBe(503)
    expect(await stored()).toEqual([])
  })
})

describe('a form that is sent', () => {
  const refusals: [string, Row, string[]][] = [
    ['nothing ordered', { quantity_0: '0' }, ['quantity_0']],
    ['more than there is', { quantity_0: '4' }, ['quantity_0']],
    ['a negative quantity', { quantity_0: '-1' }, ['quantity_0']],
    ['half a piece', { quantity_0: '1.5' }, ['quantity_0']],
    ['no name and a bad address', { name: ' ', email: 'ana@' }, ['name', 'email']],
    ['a detail missing', { phone: '' }, ['phone']],
    ['a bad number and country', { phone: '12', country: 'Atlantis' }, ['phone', 'country']],
    ['a field that people do not see', { website: 'x' }, ['website']],
  ]
  test.each(refusals)('with %s is shown again, with what was typed', async (_, fields, faults) => {
    const { slug } = await orderForm(crm, {
      items: [{ label: 'Inspection', unit_price: 49.5, quantity_max: 3 }],
      contact_fields: [{ field: 'phone', required: true }, { field: 'country' }],
    })
    const sent: Row = { ...(await typed(slug)), phone: '+61412345678', ...fields }
    const response = await post(crm.app, `/order/${slug}`, sent)
    const html = await response.text()
    expect(response.status).toBe(422)
    expect([...html.matchAll(/<li><a href="#([^"]+)">/g)].map(([, id]) => id)).toEqual(faults)
    expect(fieldsIn(html)).toMatchObject({ email: sent.email, quantity_0: sent.quantity_0 })
    expect(await stored()).toEqual([])
    expect(sessions()).toEqual([])
  })

  test('is refused beyond what can be charged at once', async () => {
    const { slug } = await orderForm(crm, { items: [{ label: 'Crane', unit_price: 500_000, quantity_max: 9 }] })
    const response = await post(crm.app, `/order/${slug}`, await typed(slug, { quantity_0: '2' }))
    expect([response.status, (await response.text()).includes('999,999.99')]).toEqual([422, true])
  })

  test('leads to one page of the provider, also when it is sent twice at once', async () => {
    const { slug } = await orderForm(crm)
    const fields = await typed(slug)
    const answers = await Promise.all([1, 2, 3].map(() => post(crm.app, `/order/${slug}`, fields)))
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303])
    expect(new Set(answers.map(({ headers }) => headers.get('location')))).toEqual(new Set([sessions()[0]?.url]))
    expect(sessions()).toHaveLength(1)
    expect(await stored()).toMatchObject([{ status: 'open', total: '54.45', tax: '4.95', buyer: BUYER }])
    const other = await post(crm.app, `/order/${slug}`, { ...fields, quantity_0: '2' })
    expect(other.headers.get('location')).toBe(sessions()[1]?.url)
    expect(sessions()[1]?.amount_total).toBe(10_890)
  })

  test('leads back to the form with its language, and to the thanks or the own page of the workspace', async () => {
    const { slug, id } = await orderForm(crm, { success_message: 'Bis bald!' })
    const session = await order(crm.app, slug, { lang: 'de' })
    const path = new URL(session.success_url).pathname
    expect((await open(new URL(session.cancel_url).pathname + new URL(session.cancel_url).search)).html).toContain(
      'Es wurde nichts abgebucht',
    )
    expect((await open(path)).html).toContain('is being confirmed')
    await shop.reported(crm.app.stripe.world.pay(session))
    expect((await open(`${path}?lang=de`)).html).toContain('Bis bald!')
    await crm.ws.patch(`/order-forms/${id}`, { redirect_url: 'https://example.com/thanks' })
    expect((await order(crm.app, slug)).success_url).toBe('https://example.com/thanks')
    const other = await orderForm(crm, { slug: 'other-form' })
    expect((await open(path.replace(slug, other.slug))).status).toBe(404)
  })
})

describe('a provider that fails', () => {
  const failures: [string, '429' | '500' | 'drop', number, string][] = [
    ['has too many requests', '429', 503, 'Try again in a minute'],
    ['fails twice', '500', 503, 'Try again in a minute'],
    ['closes the connection', 'drop', 503, 'Try again in a minute'],
  ]
  test.each(failures)('and %s charges nothing, and the same order can be sent again', async (_, mode, status, text) => {
    const { slug } = await orderForm(crm)
    crm.app.stripe.failures.always = { mode, accept: false }
    const response = await post(crm.app, `/order/${slug}`, await typed(slug, { quantity_0: '3' }))
    const html = await response.text()
    expect([response.status, html.includes(text)]).toEqual([status, true])
    expect(await logged()).toMatchObject([{ event: 'checkout_failed' }])
    crm.app.stripe.failures.clear()
    const again = await post(crm.app, `/order/${slug}`, fieldsIn(html))
    expect(again.headers.get('location')).toBe(sessions()[0]?.url)
    expect(sessions()).toMatchObject([{ amount_total: 16_335 }])
  })

  test('once is asked again by itself, and a lost response makes no second page', async () => {
    const { slug } = await orderForm(crm)
    crm.app.stripe.failures.add('500', 1, true)
    const response = await post(crm.app, `/order/${slug}`, await typed(slug))
    expect(response.headers.get('location')).toBe(sessions()[0]?.url)
    expect(sessions()).toHaveLength(1)
  })

  test.each(['401', '402'] as const)('refuses with %s: the page says so, and the log says why', async (mode) => {
    const { slug } = await orderForm(crm)
    crm.app.stripe.failures.add(mode)
    const response = await post(crm.app, `/order/${slug}`, await typed(slug))
    expect([response.status, (await response.text()).includes('cannot be paid online')]).toEqual([502, true])
    expect(await logged()).toMatchObject([{ event: 'checkout_failed', message: expect.stringMatching(/Invalid API Key|declined/) }])
    expect(await stored()).toMatchObject([{ status: 'failed' }])
  })
})
