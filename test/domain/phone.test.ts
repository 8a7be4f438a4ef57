import { expect, test } from 'vitest'
import { countryOfPhone, toE164 } from '../../src/domain/phone.ts'

test.each([
  ['0412 345 678', 'AU', '+61412345678'],
  ['(02) 9374-4000', 'AU', '+61293744000'],
  ['0412.345.678', 'AU', '+61412345678'],
  ['+61 (0)412 345 678', 'AU', '+61412345678'],
  ['61412345678', 'AU', '+61412345678'],
  ['0061 412 345 678', 'AU', '+61412345678'],
  ['(00) 61 412 345 678', 'AU', '+61412345678'],
  ['0011 44 20 7946 0958', 'AU', '+442079460958'],
  ['00 44 20 7946 0958', 'US', '+442079460958'],
  ['(02) 9374 4000 ext 12', 'AU', '+61293744000'],
  ['02 9374 4000 x12', 'AU', '+61293744000'],
  ['tel:+61-2-9374-4000', 'AU', '+61293744000'],
  ['0412 345 678 (mobile)', 'AU', '+61412345678'],
  ['０４１２３４５６７８', 'AU', '+61412345678'],
  ['13 11 14', 'AU', '+61131114'],
  ['1300 123 456', 'AU', '+611300123456'],
  ['(555) 123-4567', 'us', '+15551234567'],
  ['+1 555 123 4567', 'AU', '+15551234567'],
  ['021 123 4567', 'NZ', '+64211234567'],
  ['020 7946 0958', 'GB', '+442079460958'],
  ['+64 21 123 4567', 'AQ', '+64211234567'],
])('%j of %s is %s', (text, country, e164) => {
  expect(toE164(text, country)).toBe(e164)
})

test('a number without a country is Australian', () => {
  expect(toE164('0412 345 678')).toBe('+61412345678')
})

test.each([
  ['words', 'call me'],
  ['nothing', ''],
  ['a number without its area code', '9374 4000'],
  ['the same with the country', '+61 9374 4000'],
  ['an emergency number', '000'],
  ['letters for digits', '1300 FLOWERS'],
  ['two numbers', '0412 345 678 / 0400 000 000'],
  ['a country that does not exist', '+999 1234 5678'],
  ['too many digits', '+61 412 345 678 901 234'],
])('%s is no phone number: %j', (_, text) => {
  expect(toE164(text, 'AU')).toBeUndefined()
})

test('without a known country only an international number can be read', () => {
  expect(toE164('021 123 4567', 'AQ')).toBeUndefined()
})

test.each([
  ['+61412345678', 'AU'],
  ['+12125550123', 'US'],
  ['+14165550123', 'CA'],
  ['+64211234567', 'NZ'],
  ['+80012345678', undefined],
  ['nonsense', undefined],
])('%s belongs to %s', (e164, country) => {
  expect(countryOfPhone(e164)).toBe(country)
})
