import { expect, test } from 'vitest'
import { type DateSystem, formOf, numberText } from '../../src/domain/xlsx/numbers.ts'

const shown = (code: string | number, raw: string, system: DateSystem = 1900) =>
  numberText(raw, typeof code === 'number' ? formOf(code, undefined) : formOf(164, code), system)

test.each<[string | number, string, string]>([
  ...[14, 17, 27, 31, 36, 50, 58].map((id): [number, string, string] => [id, '45474', '2024-07-01']),
  ...[18, 21, 32, 35, 45, 47].map((id): [number, string, string] => [id, '0.5', '12:00:00']),
  [22, '45474.5', '2024-07-01 12:00:00'],
  ...[0, 1, 2, 13, 23, 26, 37, 44, 48, 49, 59].map((id): [number, string, string] => [id, '45474', '45474']),
  ['yyyy-mm-dd', '45474.75', '2024-07-01'],
  ['mmm', '45474', '2024-07-01'],
  ['dd/mm/yyyy hh:mm', '45474.75', '2024-07-01 18:00:00'],
  ['dd/mm/yyyy hh:mm', '45474', '2024-07-01'],
  ['[$-409]d\\-mmm;@', '45474', '2024-07-01'],
  ['mm:ss', '0.0007', '00:01:00'],
  ['[h]:mm:ss', '1.75', '42:00:00'],
  ['General', '45474', '45474'],
  ['General;[Red]-General', '45474', '45474'],
  ['0.00E+00', '45474', '45474'],
  ['[Red]0;-0', '45474', '45474'],
  ['#,##0.00" days"', '45474', '45474'],
  ['0000', '12', '0012'],
  ['0000', '123456', '123456'],
  ['0000', '12.5', '12.5'],
  ['0000', '-12', '-12'],
])('with the format %s the number %s is %s', (code, raw, text) => {
  expect(shown(code, raw)).toBe(text)
})

test.each<[string, DateSystem, string]>([
  ['0', 1900, '1899-12-31'],
  ['1', 1900, '1900-01-01'],
  ['59', 1900, '1900-02-28'],
  ['60', 1900, '1900-02-29'],
  ['61', 1900, '1900-03-01'],
  ['2958465', 1900, '9999-12-31'],
  ['2958466', 1900, '2958466'],
  ['-1', 1900, '-1'],
  ['0', 1904, '1904-01-01'],
  ['60', 1904, '1904-03-01'],
  ['2957003', 1904, '9999-12-31'],
  ['2957004', 1904, '2957004'],
])('day %s of the system of %i is %s', (raw, system, text) => {
  expect(shown(14, raw, system)).toBe(text)
})

test.each([
  ['', ''],
  [' ', ' '],
  ['abc', 'abc'],
  ['1e999', '1e999'],
  ['0.30000000000000004', '0.3'],
  ['6.1412345678E10', '61412345678'],
  ['-2.50', '-2.5'],
  ['0.00000012', '0.00000012'],
  ['-0.0000005', '-0.0000005'],
])('the number %j without a format is %j', (raw, text) => {
  expect(shown('0', raw)).toBe(text)
})
