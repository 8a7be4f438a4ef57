import { expect, test } from 'vitest'
import { convertedSums, missingRates } from '../../src/features/pipelines/rules/conversion.ts'

const rate = (currency: string, rate: string, inverse = false) => ({ currency, rate, inverse, effective_on: '2026-01-01' })
const amount = (currency: string, value: number, weighted_value = 0) => ({ currency, value, weighted_value })

test.each([
  ['the own currency needs no rate', [amount('AUD', 12.34, 1)], [], { value: 12.34, weighted_value: 1 }],
  ['a rate multiplies', [amount('EUR', 10.1, 5)], [rate('EUR', '1.6500000000')], { value: 16.67, weighted_value: 8.25 }],
  ['an inverse rate divides', [amount('EUR', 10, 1)], [rate('EUR', '3.0000000000', true)], { value: 3.33, weighted_value: 0.33 }],
  ['halves of a cent round up', [amount('EUR', 0.5)], [rate('EUR', '0.0100000000')], { value: 0.01, weighted_value: 0 }],
  [
    'large amounts are exact',
    [amount('EUR', 999_999_999_999.99)],
    [rate('EUR', '1.0000000001')],
    { value: 1_000_000_000_099.99, weighted_value: 0 },
  ],
  ['currencies add up', [amount('EUR', 1), amount('AUD', 1)], [rate('EUR', '2')], { value: 3, weighted_value: 0 }],
  ['a missing rate makes no sum', [amount('EUR', 1), amount('AUD', 1)], [], null],
])('%s', (_, amounts, rates, sums) => {
  expect(convertedSums(amounts, 'AUD', rates)).toEqual(sums)
})

test('the currencies without a rate are named once', () => {
  expect(missingRates([amount('USD', 1), amount('EUR', 1), amount('USD', 2), amount('AUD', 1)], 'AUD', [rate('EUR', '2')])).toEqual(['USD'])
})
