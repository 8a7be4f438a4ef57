import { expect, test } from 'vitest'
import { created, type Row, useCrm } from '../crm.ts'

const crm = useCrm()
const preview = async (sections: [type: string, content: object][], query: Row, ws: { apiKey: string } = crm.ws) => {
  const { id } = created(await crm.ws.post('/document-templates', { name: 'Proposal' }))
  for (const [type, content] of sections) created(await crm.ws.post(`/document-templates/${id}/sections`, { type, content }))
  const url = `/v1/document-templates/${id}/preview?${new URLSearchParams(query)}`
  const response = await crm.app.fetch(url, { headers: { authorization: `Bearer ${ws.apiKey}` } })
  return /<main>(.*)<\/main>/s.exec(await response.text())?.[1]
}
const section = (type: string, html: string) => `<section class="${type}">${html}</section>`
const rows = (...lines: string[][]) => lines.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('')
const table = (head: string[], ...lines: string[][]) =>
  `<table><thead><tr>${head.map((cell) => `<th>${cell}</th>`).join('')}</tr></thead><tbody>${rows(...lines)}</tbody></table>`

const VALUES = { priced: { currency: 'AUD', value: 99 }, valued: { currency: 'EUR', value: 1000 }, bare: { currency: 'EUR', value: 0 } }
async function deal(of: keyof typeof VALUES): Promise<Row> {
  const { id: opportunity_id } = await crm.opportunity(VALUES[of])
  const items = [
    { name: 'Deck', description: 'Oiled', quantity: 3, unit_price: 0.1, tax_percent: 10 },
    { name: 'Roof', quantity: 1, unit_price: 20, tax_percent: 0 },
  ]
  if (of === 'priced') for (const item of items) created(await crm.ws.post(`/opportunities/${opportunity_id}/products`, item))
  return { opportunity_id }
}

const TWO = [{ name: 'Deck', quantity: 3, unit_price: 0.1 }, { name: 'Roof', description: 'Of tin', unit_price: 20 }, { name: 'Advice' }]
const AMOUNTS = ['', 'Amount']
const DECK = ['Deck<p>Oiled</p>', '3']
const PROMISE = { heading: 'Promise', text: 'It works', min_value: 1000 }
const ITEMS = [
  ['Deck', '3', 'AUD 0.10', 'AUD 0.30'],
  ['Roof<p>Of tin</p>', '1', 'AUD 20.00', 'AUD 20.00'],
  ['Advice', '1', 'AUD 0.00', 'AUD 0.00'],
]
const HEAD = ['Item', 'Quantity', 'Price', 'Total']
const TOTAL = '<p class="total">Total AUD 20.30</p>'

test.each<[of: keyof typeof VALUES, type: string, content: object, html: string]>([
  ['priced', 'product-table', { items: TWO }, table(HEAD, ...ITEMS) + TOTAL],
  ['priced', 'product-table', { items: TWO, show_total: true }, table(HEAD, ...ITEMS) + TOTAL],
  ['priced', 'product-table', { items: TWO, show_total: false }, table(HEAD, ...ITEMS)],
  [
    'priced',
    'dynamic-pricing',
    { heading: 'Price' },
    `<h2>Price</h2>${table(AMOUNTS, ['Subtotal', 'AUD 20.30'], ['Tax', 'AUD 0.03'], ['Total', 'AUD 20.33'])}`,
  ],
  ['priced', 'dynamic-pricing', { show_tax: false }, table(AMOUNTS, ['Subtotal', 'AUD 20.30'], ['Total', 'AUD 20.33'])],
  ['valued', 'dynamic-pricing', {}, table(AMOUNTS, ['Total', 'EUR 1000.00'])],
  ['bare', 'dynamic-pricing', { text: 'Free' }, `<p>Free</p>${table(AMOUNTS, ['Total', 'EUR 0.00'])}`],
  ['priced', 'dynamic-products', {}, table(['Item', 'Quantity', 'Total'], [...DECK, 'AUD 0.33'], ['Roof', '1', 'AUD 20.00'])],
  ['priced', 'dynamic-products', { show_prices: false }, table(['Item', 'Quantity'], DECK, ['Roof', '1'])],
  ['bare', 'dynamic-products', {}, table(['Item', 'Quantity', 'Total'])],
  ['valued', 'dynamic-guarantee', PROMISE, '<h2>Promise</h2><p>It works</p>'],
  ['priced', 'product-showcase', { name: 'GTX', price: 0 }, '<h3>GTX</h3><p class="price">AUD 0.00</p>'],
  ['priced', 'product-showcase', { name: 'GTX' }, '<h3>GTX</h3>'],
  ['bare', 'signature-block', { signer_role: 'client' }, '<p class="signature">Signature: <span>client</span></p>'],
  ['bare', 'signature-block', { signer_role: 'client', label: 'Sign' }, '<p class="signature">Sign: <span>client</span></p>'],
  ['bare', 'signer-input', { signer_role: 'client', label: 'Day' }, '<p class="input">Day: <span>client</span></p>'],
  ['bare', 'signer-input', { signer_role: 'a', label: 'Day', is_required: true }, '<p class="input">Day *: <span>a</span></p>'],
  ['bare', 'divider', {}, '<hr class="solid">'],
  ['bare', 'doc-footer', { text: 'End' }, '<footer><p>End</p></footer>'],
  ['bare', 'cover-page', { heading: 'Offer', subheading: '', prepared_by: 'Us' }, '<h1>Offer</h1><p>Us</p>'],
  ['bare', 'text-block', { text: '\n\n One \n \n\nTwo\n' }, '<p>One</p><p>Two</p>'],
])('of an opportunity that is %s, the section %s with %j', async (of, type, content, html) => {
  expect(await preview([[type, content]], await deal(of))).toBe(section(type, html))
})

test('a guarantee is for opportunities of its least value', async () => {
  const sections: [string, object][] = [
    ['dynamic-guarantee', { ...PROMISE, min_value: 1000.01 }],
    ['divider', {}],
  ]
  expect(await preview(sections, await deal('valued'))).toBe(`\n${section('divider', '<hr class="solid">')}`)
  expect(await preview([['dynamic-guarantee', { ...PROMISE, min_value: 0 }]], {})).toBe('')
})

test('milestones have the days after today in the zone of the workspace', async () => {
  const days = [0, 1, 365]
  const milestones = days.map((days_after) => ({ label: `After ${days_after}`, days_after }))
  const html = (await preview(
    [
      ['dynamic-timeline', { milestones }],
      ['text-block', { text: '{{today}}' }],
    ],
    await deal('bare'),
  )) as string
  const today = /<p>(\d{4}-\d\d-\d\d)<\/p>/.exec(html)?.[1] as string
  const dayAfter = (count: number) => new Date(Date.parse(today) + count * 86_400_000).toISOString().slice(0, 10)
  expect(html).toContain(rows(...days.map((count) => [dayAfter(count), `After ${count}`])))
})

test('the company is the one that is named, or that of the opportunity, or that of the contact, for those who may read it', async () => {
  const [own, deals, named] = [await crm.company('Own'), await crm.company('Deals'), await crm.company('Named')]
  const contact_id = (await crm.contact({ customer_id: own })).id
  const opportunity_id = (await crm.opportunity({ customer_id: deals })).id
  const free = (await crm.opportunity()).id
  const reader = await crm.ws.key({ scopes: ['documents:read', 'contacts:read', 'opportunities:read'] })
  const cases: [Row, string][] = [
    [{ contact_id }, 'Own'],
    [{ contact_id, opportunity_id: free }, 'Own'],
    [{ contact_id, opportunity_id }, 'Deals'],
    [{ contact_id, opportunity_id, customer_id: named }, 'Named'],
    [{}, 'nobody'],
  ]
  const sections: [string, object][] = [['text-block', { text: '{{company.name | nobody}}' }]]
  for (const [of, name] of cases) {
    expect(await preview(sections, of), name).toBe(section('text-block', `<p>${name}</p>`))
    const seen = await preview(sections, of, reader)
    expect(seen, name).toBe(of.customer_id ? undefined : section('text-block', '<p>nobody</p>'))
  }
})
