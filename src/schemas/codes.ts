import * as v from 'valibot'
import { CURRENCIES } from '../domain/currencies.ts'
import { DEFAULT_CURRENCY } from '../domain/money.ts'
import { toCountryName } from '../domain/time-zones.ts'
import { parse, shortEnough, text } from './pipes.ts'

/** Values from the lists of ISO: countries and currencies. */

/** Stored as the English name of the country. */
export const Country = v.pipe(
  text('a country, such as Australia'),
  v.trim(),
  shortEnough(80),
  parse('country', toCountryName, 'must be a country: its English name or its ISO 3166 code, such as Australia, AU or AUS'),
  v.description('A country: its English name, a common alternative or its ISO 3166 code; stored as its English name.'),
  v.examples(['Australia']),
)

export const Currency = v.pipe(
  text('a currency, such as AUD'),
  v.trim(),
  v.toUpperCase(),
  v.check((code) => CURRENCIES.has(code), 'must be a currency code of ISO 4217 in use, such as AUD'),
  v.description(`An ISO 4217 currency code. Defaults to ${DEFAULT_CURRENCY}.`),
  v.examples([DEFAULT_CURRENCY]),
)
