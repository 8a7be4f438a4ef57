import { expect, test } from 'vitest'
import { readCell, splitCell } from '../../src/features/imports/rules/cells.ts'
import { readConsent } from '../../src/features/imports/rules/consent.ts'
import { fieldOf } from '../../src/features/imports/rules/fields.ts'
import type { Field } from '../../src/features/imports/rules/kinds.ts'

const field = (name: string, object: 'contacts' | 'companies' | 'opportunities' = 'contacts') => fieldOf(object, name, []) as Field
const wrong = { message: expect.any(String) }

test.each<[column: string, cell: string, out: boolean | undefined]>([
  ['Marketing status', 'active', false],
  ['Marketing status', 'Inactive', true],
  ['Marketing status', 'Subscribed', false],
  ['Marketing status', 'Unsubscribed', true],
  ['Marketing status', 'Do not email', true],
  ['Marketing status', 'yes', undefined],
  ['Marketing status', 'no', undefined],
  ['Marketing status', 'unknown', undefined],
  ['Opt-in status', 'inactive', true],
  ['Not opted out', 'Do not contact', true],
  ['Not opted out', 'yes', undefined],
  ['Unsubscribe status', 'yes', undefined],
  ['Email opt out', 'yes', true],
  ['Email opt out', 'no', false],
  ['Email opt out', 'Do not email', true],
  ['Email opt out', '2024-03-01', true],
  ['Email opt out', 'perhaps', undefined],
  ['Newsletter', 'yes', false],
  ['Newsletter', 'no', true],
  ['Newsletter', 'Do not email', true],
  ['Newsletter', '01/03/2024', false],
  ['Newsletter', 'perhaps', undefined],
  ['Newsletter', 'Non-marketing contact', false],
])('in the column %j the cell %j says whether a person has unsubscribed: %j', (column, cell, out) => {
  expect(readConsent('email_unsubscribed', column, cell)).toEqual(out === undefined ? wrong : { value: out })
})

test.each<[cell: string, email: boolean, sms: boolean]>([
  ['Email', true, false],
  ['SMS', false, true],
  ['Email, SMS', true, true],
  ['Phone', false, false],
])('a column of channels that are not wanted with the cell %j', (cell, email, sms) => {
  expect(readConsent('email_unsubscribed', 'Do not contact by', cell)).toEqual({ value: email })
  expect(readConsent('sms_unsubscribed', 'Do not contact by', cell)).toEqual({ value: sms })
})

test.each([
  ['80-', -80],
  ['- 80', -80],
  ['2,5E+3', 2500],
  ['.5', 0.5],
])('%j is the number %s', (text, value) => {
  expect(readCell(field('annual_revenue', 'companies'), text, { date_format: 'dmy' })).toEqual({ value })
})

test.each([
  ['31/03/2026 9:30:15', '2026-03-31T09:30:15.000Z'],
  ['31/03/2026, 9:30', '2026-03-31T09:30:00.000Z'],
  ['31 March 2026 19:30', '2026-03-31T19:30:00.000Z'],
  ['367', '1901-01-01'],
  ['2958465', '9999-12-31'],
])('%j is the moment %s', (text, value) => {
  expect(readCell(field('relationship_started_at'), text, { date_format: 'dmy' })).toEqual({ value })
})
test.each(['31/03/2026 25:00', 'soon 9:30', '366', '2958466', '31/02/2026 9:30'])('%j is no moment', (text) => {
  expect(readCell(field('relationship_started_at'), text, { date_format: 'dmy' })).toEqual(wrong)
})

test.each<[string, string | undefined]>([
  ['6.1412345678E+10', '+61412345678'],
  ['6.14123456E+10', '+61412345600'],
  ['6.141234E+10', undefined],
  ['6.1412E+10', undefined],
  ['6.1412345678E+5', undefined],
  ['6.1412345678E+16', undefined],
  ['61412345678.00', '+61412345678'],
])('the number %j that a spreadsheet has written is %j', (text, value) => {
  const read = readCell(field('phone'), text, { date_format: 'dmy', country: 'Australia' })
  expect(read).toEqual(value === undefined ? { message: expect.stringContaining('rounded') } : { value })
})

test('one number of several that a spreadsheet has rounded makes the cell wrong', () => {
  const read = (text: string) => readCell(field('alternate_phones'), text, { date_format: 'dmy', country: 'Australia' })
  expect(read('0412 345 678; 0412 345 679')).toEqual({ value: ['+61412345678', '+61412345679'] })
  expect(read('0412 345 678; 6.14E+10')).toEqual({ message: expect.stringContaining('rounded') })
})

test.each<[string, unknown]>([
  ['[{"name":"Desk","quantity":2}]', { value: [{ name: 'Desk', quantity: 2 }] }],
  ['[]', { value: [] }],
  ['["Desk"]', wrong],
  ['[null]', wrong],
  ['[["Desk"]]', wrong],
  ['[{"name":"Desk"}, 7]', wrong],
  ['{"name":"Desk"}', wrong],
  ['[{"name":', wrong],
  ['Desk', wrong],
])('the line items %s', (text, cell) => {
  expect(readCell(field('line_items', 'opportunities'), text, { date_format: 'dmy' })).toEqual(cell)
})

test.each<[string, string[]]>([
  ['VIP; New', ['VIP', 'New']],
  ['"Big, blue", "say ""hi"""', ['Big, blue', 'say "hi"']],
  ['["A, b", " "]', ['A, b']],
  ['* myContacts ::: * Friends ::: ', ['Friends']],
  ['"", ;', []],
])('the tags %s', (text, names) => {
  expect(readCell(field('tags'), text, { date_format: 'dmy' })).toEqual({ value: names.map((name) => ({ name })) })
})

test.each<[name: string, text: string, parts: string[]]>([
  ['email', 'a@x.example; ; b@x.example', ['a@x.example', 'b@x.example']],
  ['email', 'a@x.example b@x.example', ['a@x.example', 'b@x.example']],
  ['email', 'Ana Lee', ['Ana Lee']],
  ['phone', '0412 345 678 ::: 0412 345 679', ['0412 345 678', '0412 345 679']],
  ['phone', '0412 345 678/9', ['0412 345 678/9']],
  ['first_name', 'Ana; Bo', ['Ana; Bo']],
])('a cell of %s with %j has the values %j', (name, text, parts) => {
  expect(splitCell(field(name), text)).toEqual(parts)
})

test.each(['1900', '1980', '2026', '2099'])('the year %s is no date', (year) => {
  expect(readCell(field('date_of_birth'), year, { date_format: 'dmy' })).toEqual({ warning: expect.stringContaining('has no day') })
  expect(readCell(field('relationship_started_at'), year, { date_format: 'dmy' })).toEqual({
    message: expect.stringContaining('is a year'),
  })
  expect(readCell(field('expected_close_date', 'opportunities'), year, { date_format: 'dmy' })).toEqual({
    message: expect.stringContaining('is a year'),
  })
})

test.each([
  ['366', undefined],
  ['367', '1901-01-01'],
  ['2100', '1905-09-30'],
  ['2958465', '9999-12-31'],
  ['2958466', undefined],
])('the serial date %s is %s', (text, value) => {
  expect(readCell(field('date_of_birth'), text, { date_format: 'dmy' })).toEqual(value === undefined ? wrong : { value })
})
