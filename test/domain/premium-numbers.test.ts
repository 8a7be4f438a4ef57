import { getCountries, getExampleNumber } from 'libphonenumber-js/max'
import metadata from 'libphonenumber-js/metadata.max.json' with { type: 'json' }
import mobile from 'libphonenumber-js/mobile/examples'
import { expect, test } from 'vitest'
import { isPremium, PREMIUM_NUMBERS } from '../../src/domain/premium-numbers.ts'

/** The position of the premium numbers among the types of numbers of a country in the library's metadata. */
const [TYPES, PREMIUM] = [11, 3]

test('the premium numbers are those that libphonenumber knows', () => {
  const known: Record<string, Set<string>> = {}
  for (const [code, ...facts] of [...Object.values(metadata.countries), ...Object.values(metadata.nonGeographic)] as [
    string,
    ...unknown[],
  ][]) {
    const types = facts[TYPES - 1] as [string][] | undefined
    const [numbers] = types?.[PREMIUM] || []
    if (numbers) {
      known[code] ??= new Set()
      known[code].add(numbers)
    }
  }
  expect(PREMIUM_NUMBERS).toEqual(Object.fromEntries(Object.entries(known).map(([code, numbers]) => [code, [...numbers].join('|')])))
})

test('premium numbers of several countries are known, and no mobile number of any country is one', () => {
  for (const number of ['+611900123456', '+19005551234', '+449012345678', '+499001234567', '+33897123456'])
    expect([number, isPremium(number)]).toEqual([number, true])
  for (const country of getCountries())
    expect([country, isPremium(getExampleNumber(country, mobile)?.number ?? '')]).toEqual([country, false])
})
