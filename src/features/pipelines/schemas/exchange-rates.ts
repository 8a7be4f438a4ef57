import * as v from 'valibot'
import { Currency } from '../../../schemas/codes.ts'
import { named, timestamps } from '../../../schemas/common.ts'
import { describe, Id, IsoDate } from '../../../schemas/fields.ts'
import { moneyOut } from '../../../schemas/pipes.ts'

const rate = v.pipe(
  v.number('must be a number, such as 1.6512'),
  v.minValue(0.000001, 'must be 0.000001 or more'),
  v.maxValue(1_000_000, 'must be 1000000 or less'),
  v.check((value) => /^\d+(?:\.\d{1,10})?$/.test(String(value)), 'must have at most ten decimals'),
  v.description('How many units of quote_currency one unit of base_currency is worth, with at most ten decimals.'),
  v.examples([1.6512]),
)
const effective_on = describe(
  IsoDate,
  'The first day on which the rate applies. It applies until the next rate of the two currencies.',
  '2026-01-01',
)

export const NewExchangeRate = v.pipe(
  v.strictObject({
    base_currency: describe(Currency, 'The currency that is converted (ISO 4217).', 'EUR'),
    quote_currency: describe(Currency, 'The currency that it is converted to (ISO 4217).', 'AUD'),
    rate,
    effective_on,
  }),
  v.forward(
    v.partialCheck(
      [['base_currency'], ['quote_currency']],
      ({ base_currency, quote_currency }) => base_currency !== quote_currency,
      'must be another currency than base_currency',
    ),
    ['quote_currency'],
  ),
)
/** The currencies of a rate stay: another pair is another rate. */
export const ExchangeRatePatch = v.strictObject({ rate: v.optional(rate), effective_on: v.optional(effective_on) })

export const ExchangeRate = named(
  'ExchangeRate',
  v.object({
    id: Id,
    base_currency: v.string(),
    quote_currency: v.string(),
    rate: v.number(),
    effective_on: IsoDate,
    ...timestamps,
  }),
)

/** The query parameters of a conversion. */
export const conversionQuery = {
  convert_to: v.optional(describe(Currency, 'Also returns the sums in this currency, by the workspace’s exchange rates.', 'EUR')),
  rates_on: v.optional(describe(IsoDate, 'The day whose exchange rates apply. Defaults to today in UTC.', '2026-03-31')),
}

const Converted = named('ConvertedSums', v.object({ value: moneyOut, weighted_value: moneyOut }))
/** Part of sums, if a conversion was requested. */
export const converted = v.optional(
  v.pipe(v.nullable(Converted), v.description('With convert_to: the sums in that currency; null if a rate is missing.')),
)
export const Conversion = named(
  'Conversion',
  v.object({
    currency: v.string(),
    rates_on: IsoDate,
    rates: v.array(
      v.object({
        currency: v.string(),
        rate: v.pipe(v.number(), v.description('The rate of the currency to the target; with inverse, of the target to the currency.')),
        inverse: v.boolean(),
        effective_on: IsoDate,
      }),
    ),
    missing: v.pipe(
      v.array(v.string()),
      v.description('The currencies for which there is no rate until that day. Sums with one of them are null.'),
    ),
  }),
)
export const conversion = v.optional(v.pipe(Conversion, v.description('With convert_to: the rates by which sums were converted.')))
