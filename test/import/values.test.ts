import { expect, test } from 'vitest'
import { fromCents, normalise, squash, tidy, toCents, toDate, toEmail, toPlainNumber } from '../../dev/import/values.ts'

test.each([
  ['10/20/2016', '2016-10-20'],
  ['3/1/2017', '2017-03-01'],
  ['03/01/2017', '2017-03-01'],
  ['12/31/1999', '1999-12-31'],
  ['2/29/2016', '2016-02-29'],
  ['2016-10-20', '2016-10-20'],
  ['2/29/2017', undefined],
  ['20/10/2016', undefined],
  ['0/10/2016', undefined],
  ['10/20/16', undefined],
  ['1/1/0000', undefined],
  ['2016-13-01', undefined],
  ['10/20/2016 8:00', undefined],
  ['yesterday', undefined],
  ['', undefined],
])('the date %j is %j', (text, date) => {
  expect(toDate(text)).toBe(date)
})

test.each([
  ['1054', '1054'],
  ['1,054', '1054'],
  ['$1,234,567.80', '1234567.80'],
  ['$ 5', '5'],
  ['-5', '-5'],
  ['-$5.25', '-5.25'],
  ['0', '0'],
  ['1,05', undefined],
  ['1.054,00', undefined],
  ['1e3', undefined],
  ['.5', undefined],
  ['12 USD', undefined],
  ['', undefined],
])('the number %j is %j', (text, plain) => {
  expect(toPlainNumber(text)).toBe(plain)
})

test.each([
  ['1100.04', 6, 1_100_040_000, false],
  ['11698.03', 6, 11_698_030_000, false],
  ['4.54', 6, 4_540_000, false],
  ['9007199.25474099', 6, 9_007_199_254_740.99, false],
  ['1054', 0, 1054, false],
  ['0.1', 0, 0.1, false],
  ['1.005', 0, 1.01, true],
  ['1.0049', 0, 1, true],
  ['0.999', 0, 1, true],
  ['-2.5', 0, -2.5, false],
  ['1.2300', 0, 1.23, false],
])('%j times ten to the power of %j is exactly %j', (plain, shift, amount, rounded) => {
  const { cents, ...rest } = toCents(plain, shift)
  expect([fromCents(cents), rest.rounded]).toEqual([amount, rounded])
})

test.each([
  ['GTXPro', 'GTX Pro'],
  ['gtx-pro', 'GTX Pro'],
  ['GTX  PRO', 'GTX Pro'],
  ['ＧＴＸ Pro', 'GTX Pro'],
])('%j and %j are one product', (one, other) => {
  expect(squash(one)).toBe(squash(other))
})

test('names differ by more than case and blanks', () => {
  expect(normalise(' Acme \t CORPORATION')).toBe('acme corporation')
  expect(normalise('Green-Plus')).not.toBe(normalise('Green Plus'))
})

test.each([
  ['  Gekko  & Co ', 'Gekko & Co'],
  ['a\u00a0b\u2003c', 'a b c'],
  ['\u200bAcme\u0007\n', 'Acme'],
  ['', ''],
])('%j tidied is %j', (text, tidied) => {
  expect(tidy(text)).toBe(tidied)
})

test.each([
  ['Anna Snelling', 'anna.snelling@x.example'],
  ['Mei-Mei Johns', 'mei-mei.johns@x.example'],
  ['René Faz', 'rene.faz@x.example'],
  ["Conan O'Brien", 'conan.obrien@x.example'],
  ['Ana Maria de Lee', 'ana.maria.de.lee@x.example'],
  ['- Anna', 'anna@x.example'],
  ['李 明', undefined],
  ['***', undefined],
  ['a'.repeat(65), undefined],
])('the address of %j is %j', (name, email) => {
  expect(toEmail(name, 'x.example')).toBe(email)
})
