import { expect, test } from 'vitest'
import { created, failed, found, type Row, refused, useCrm } from './crm.ts'

const crm = useCrm()

const rate = (base_currency: string, quote_currency: string, rate: number, effective_on = '2026-01-01') =>
  crm.ws.post('/company/exchange-rates', { base_currency, quote_currency, rate, effective_on })

test('a pair of currencies has one rate from each day', async () => {
  const first = created(await rate('eur', 'AUD', 1.65))
  expect(first).toMatchObject({ base_currency: 'EUR', quote_currency: 'AUD', rate: 1.65, effective_on: '2026-01-01' })
  expect(await rate('EUR', 'AUD', 1.7)).toMatchObject(failed(409, 'CONFLICT'))
  created(await rate('EUR', 'AUD', 1.7, '2026-02-01'))
  expect(await rate('EUR', 'EUR', 1)).toMatchObject(refused('quote_currency'))
  expect(await rate('EUR', 'USD', 0)).toMatchObject(refused('rate'))
  const list = found(await crm.ws.get('/company/exchange-rates?base_currency=EUR&sort=-effective_on'))
  expect(list.map((one: Row) => one.rate)).toEqual([1.7, 1.65])
})

test('a board and a report have their sums in one currency too, and say which rates are missing', async () => {
  created(await rate('EUR', 'AUD', 1.5, '2026-01-01'))
  created(await rate('EUR', 'AUD', 2, '2026-06-01'))
  created(await rate('AUD', 'NZD', 1.25))
  for (const currency of ['AUD', 'EUR', 'NZD']) await crm.opportunity({ currency, value: 10 })
  const { pipeline } = await crm.firstPipeline()
  const board = async (query: string) => found(await crm.ws.get(`/pipelines/${pipeline}/board${query}`))

  const plain = await board('')
  expect([plain.conversion, plain.columns[0].converted, plain.columns[0].value]).toEqual([undefined, undefined, null])
  const converted = await board('?convert_to=aud&rates_on=2026-05-31')
  expect(converted.conversion).toEqual({
    currency: 'AUD',
    rates_on: '2026-05-31',
    rates: [
      { currency: 'EUR', rate: 1.5, inverse: false, effective_on: '2026-01-01' },
      { currency: 'NZD', rate: 1.25, inverse: true, effective_on: '2026-01-01' },
    ],
    missing: [],
  })
  expect(converted.columns[0]).toMatchObject({ value: null, converted: { value: 33, weighted_value: 3.3 } })
  expect((await board('?convert_to=AUD')).columns[0].converted.value).toBe(38)

  const summary = found(await crm.ws.get(`/pipelines/${pipeline}/summary?convert_to=AUD&rates_on=2025-12-31`))
  expect(summary.conversion).toMatchObject({ rates: [], missing: ['EUR', 'NZD'] })
  expect([summary.open.converted, summary.won.converted, summary.open.by_currency.length]).toEqual([
    null,
    { value: 0, weighted_value: 0 },
    3,
  ])

  const narrow = await crm.ws.key({ scopes: ['pipelines:read', 'opportunities:read'] })
  expect(await narrow.get(`/pipelines/${pipeline}/board?convert_to=AUD`)).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
})
