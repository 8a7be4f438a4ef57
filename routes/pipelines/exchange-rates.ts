import { Hono } from 'hono'
import * as v from 'valibot'
import { exchangeRates } from '../../schema/index.ts'
import { ExchangeRate, ExchangeRatePatch, NewExchangeRate } from '../../src/features/pipelines/schemas/exchange-rates.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Currency } from '../../src/schemas/codes.ts'
import { describe } from '../../src/schemas/fields.ts'
import { WORKSPACE } from '../paths.ts'

export const exchangeRatesRouter = new Hono<App>()
export const exchangeRatesApi = endpoints(exchangeRatesRouter, { path: WORKSPACE.exchangeRates, tag: 'Exchange rates' })

resource(exchangeRatesApi, {
  name: 'exchange_rate',
  plural: 'exchange_rates',
  scope: 'company',
  table: exchangeRates,
  returns: ExchangeRate,
  list: {
    filters: {
      base_currency: v.optional(describe(Currency, 'Of this currency.', 'EUR')),
      quote_currency: v.optional(describe(Currency, 'To this currency.', 'AUD')),
    },
    sorts: ['created_at', 'updated_at', 'effective_on'],
  },
  get: {},
  create: {
    description: 'Boards and pipeline reports convert by these rates: see convert_to. A pair of currencies has one rate from each day.',
    body: NewExchangeRate,
  },
  update: { body: ExchangeRatePatch },
  remove: {},
  history: true,
})
