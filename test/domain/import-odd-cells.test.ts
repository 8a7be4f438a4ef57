import { Temporal } from 'temporal-polyfill'
import { expect, test } from 'vitest'
import { instantOf, zoneOffsets } from '../../src/domain/zone-offsets.ts'
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
  ['Email opt out', 'Mar 1, 2024 2:30 PM', true],
  ['Email opt out', 'Mar 1', undefined],
  ['Email opt out', 'perhaps', undefined],
  ['Newsletter', 'yes', false],
  ['Newsletter', 'no', true],
  ['Newsletter', 'Do not email', true],
  ['Newsletter', '01/03/2024', false],
  ['Newsletter', '1 March 2024', false],
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
  ['0,125', 0.125],
  ['-0,5', -0.5],
  ['1234,567', 1234.567],
  ['12,345', 12_345],
  ['123,456', 123_456],
  ['1,234,567.8', 1_234_567.8],
  ['12,34,567.50', 1_234_567.5],
  ['US$1,200', 1200],
  ['R$ 1.234,56', 1234.56],
])('%j is the number %s', (text, value) => {
  expect(readCell(field('annual_revenue', 'companies'), text, { zone: 'UTC', date_format: 'dmy' })).toEqual({ value })
})

test.each([
  ['31/03/2026 9:30:15', '2026-03-31T09:30:15.000Z'],
  ['31/03/2026, 9:30', '2026-03-31T09:30:00.000Z'],
  ['31 March 2026 19:30', '2026-03-31T19:30:00.000Z'],
  ['31/03/2026 02:30 PM', '2026-03-31T14:30:00.000Z'],
  ['31.03.2026, 14:30:15', '2026-03-31T14:30:15.000Z'],
  ['Mar 31, 2026 02:30 PM', '2026-03-31T14:30:00.000Z'],
  ['March 31, 2026 at 2:30\u202fpm', '2026-03-31T14:30:00.000Z'],
  ['Tuesday, March 31, 2026 2:30:05 p.m.', '2026-03-31T14:30:05.000Z'],
  ['Tue, 31 Mar 2026 14:30:00 +1100', '2026-03-31T03:30:00.000Z'],
  ['31-Mar-2026 12:05am', '2026-03-31T00:05:00.000Z'],
  ['31-Mar-2026 12:05 PM', '2026-03-31T12:05:00.000Z'],
  ['2026-03-31 00:05 AM', '2026-03-31T00:05:00.000Z'],
  ['2026-03-31 14:30 PM', '2026-03-31T14:30:00.000Z'],
  ['2026-03-31 14:30:00 UTC', '2026-03-31T14:30:00.000Z'],
  ['2026/3/31 14:30 +02:00', '2026-03-31T12:30:00.000Z'],
  ['2026-03-31T14:30:00.123+0000', '2026-03-31T14:30:00.123Z'],
  ['367', '1901-01-01'],
  ['2958465', '9999-12-31'],
])('%j is the moment %s', (text, value) => {
  expect(readCell(field('relationship_started_at'), text, { zone: 'UTC', date_format: 'dmy' })).toEqual({ value })
})
test.each([
  ...['31/03/2026 25:00', 'soon 9:30', '366', '2958466', '31/02/2026 9:30'],
  ...['31/03/2026 0:30 PM', '31/03/2026 13:30 AM', '31/03/2026 24:30 PM', '31/03/2026 2:60 PM', '31/03/2026 2:30 XM', '2:30 PM'],
])('%j is no moment', (text) => {
  expect(readCell(field('relationship_started_at'), text, { zone: 'UTC', date_format: 'dmy' })).toEqual(wrong)
})

test.each<[text: string, format: 'dmy' | 'mdy', day: string | undefined, moment: string | undefined]>([
  ['3/31/2026 2:30 PM', 'mdy', '2026-03-31', '2026-03-31T14:30:00.000Z'],
  ['3/4/2026, 12:00:00 AM', 'mdy', '2026-03-04', '2026-03-04T00:00:00.000Z'],
  ['3/4/2026, 12:00:00 AM', 'dmy', '2026-04-03', '2026-04-03T00:00:00.000Z'],
  ['2026-03-31T23:30:00-05:00', 'dmy', '2026-03-31', '2026-04-01T04:30:00.000Z'],
  ['Tuesday, 31 March 2026', 'dmy', '2026-03-31', '2026-03-31'],
  ['3/31/2026 2:30 PM', 'dmy', undefined, undefined],
  ['2026-03-31 25:00', 'dmy', undefined, undefined],
])('the date of %j (%s) is %s, and its moment %s', (text, date_format, day, moment) => {
  const read = (name: string, object: 'contacts' | 'opportunities') => readCell(field(name, object), text, { zone: 'UTC', date_format })
  expect(read('expected_close_date', 'opportunities')).toEqual(day === undefined ? wrong : { value: day })
  expect(read('date_of_birth', 'contacts')).toEqual(day === undefined ? wrong : { value: day })
  expect(read('relationship_started_at', 'contacts')).toEqual(moment === undefined ? wrong : { value: moment })
})

test.each([
  ['2026-07-01 09:30', 'Australia/Melbourne', '2026-06-30T23:30:00.000Z'],
  ['1/7/2026 2:30 PM', 'America/New_York', '2026-07-01T18:30:00.000Z'],
  ['2026-01-01 02:30:15', 'America/New_York', '2026-01-01T07:30:15.000Z'],
  // The clocks skip this time, and repeat the next one.
  ['2026-03-29 02:30', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
  ['2026-10-25 02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
  ['2026-10-25 03:00', 'Europe/Berlin', '2026-10-25T02:00:00.000Z'],
  ['2026-07-01T09:30+02:00', 'Australia/Melbourne', '2026-07-01T07:30:00.000Z'],
  ['2026-07-01T09:30Z', 'Australia/Melbourne', '2026-07-01T09:30:00.000Z'],
  ['1/7/2026', 'Australia/Melbourne', '2026-07-01'],
])('the moment %j of %s is %s', (text, zone, value) => {
  expect(readCell(field('opened_at', 'opportunities'), text, { zone, date_format: 'dmy' })).toEqual({ value })
})

test('local times are the instants that Temporal gives, before and after each change of the clocks', () => {
  for (const zone of ['Australia/Lord_Howe', 'America/Sao_Paulo', 'Africa/Casablanca', 'Pacific/Apia', 'Europe/London']) {
    const offsets = zoneOffsets(zone)
    for (const [n, from] of offsets.from.entries()) {
      for (const near of [-7200, -1800, -1, 0, 1, 1800, 3600, 7200]) {
        const local = from + (offsets.seconds[n] as number) + near
        if (!Number.isFinite(local)) continue
        const written = new Date(local * 1000).toISOString().slice(0, -1)
        const expected = Temporal.PlainDateTime.from(written).toZonedDateTime(zone).epochMilliseconds / 1000
        expect(instantOf(offsets, local), `${zone} ${written}`).toBe(expected)
      }
    }
  }
})

test('a date that cannot be read says why, also with a time', () => {
  const read = (text: string) => readCell(field('relationship_started_at'), text, { zone: 'UTC', date_format: 'dmy' })
  expect(read('3/31/2026 2:30 PM')).toEqual({ message: expect.stringContaining('no date of the calendar with the day first') })
  for (const text of ['3/31/26 2:30 PM', '31-Mar-26'])
    expect(read(text)).toEqual({ message: expect.stringContaining('all four digits of the year') })
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
  const read = readCell(field('phone'), text, { zone: 'UTC', date_format: 'dmy', country: 'Australia' })
  expect(read).toEqual(value === undefined ? { message: expect.stringContaining('rounded') } : { value })
})

test('one number of several that a spreadsheet has rounded makes the cell wrong', () => {
  const read = (text: string) => readCell(field('alternate_phones'), text, { zone: 'UTC', date_format: 'dmy', country: 'Australia' })
  expect(read('0412 345 678; 0412 345 679')).toEqual({ value: ['+61412345678', '+61412345679'] })
  expect(read('0412 345 678; 6.14E+10')).toEqual({ message: expect.stringContaining('rounded') })
})

test('a long text among addresses is looked through in no time', () => {
  const text = `${'a '.repeat(60_000)}<`
  const begin = performance.now()
  expect(splitCell(field('email'), text)).toEqual([text])
  expect(performance.now() - begin).toBeLessThan(2_000)
})

test.each<[cell: string, numbers: string[]]>([
  ['030/901820', ['+4930901820']],
  ['030/901820; 030/901821', ['+4930901820', '+4930901821']],
  ['030 901820/030 901821, 030 901822', ['+4930901820', '+4930901821', '+4930901822']],
  ['030 901820 ::: ; 030 901821\n', ['+4930901820', '+4930901821']],
  ['["030/901820", "030 901821"]', ['+4930901820', '+4930901821']],
])('the further numbers %j', (text, numbers) => {
  expect(readCell(field('alternate_phones'), text, { zone: 'UTC', date_format: 'dmy', country: 'Germany' })).toEqual({ value: numbers })
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
  expect(readCell(field('line_items', 'opportunities'), text, { zone: 'UTC', date_format: 'dmy' })).toEqual(cell)
})

test.each<[string, string[]]>([
  ['VIP; New', ['VIP', 'New']],
  ['"Big, blue", "say ""hi"""', ['Big, blue', 'say "hi"']],
  ['["A, b", " "]', ['A, b']],
  ['* myContacts ::: * Friends ::: ', ['Friends']],
  ['"", ;', []],
])('the tags %s', (text, names) => {
  expect(readCell(field('tags'), text, { zone: 'UTC', date_format: 'dmy' })).toEqual({ value: names.map((name) => ({ name })) })
})

test.each<[name: string, text: string, parts: string[]]>([
  ['email', 'a@x.example; ; b@x.example', ['a@x.example', 'b@x.example']],
  ['email', 'a@x.example b@x.example', ['a@x.example', 'b@x.example']],
  ['email', 'Ana Lee', ['Ana Lee']],
  ['email', 'Ana Lee <a@x.example>', ['a@x.example']],
  ['email', '"Lee, Ana" <a@x.example>, b@x.example; Bo <mailto:c@x.example>', ['a@x.example', 'b@x.example', 'c@x.example']],
  ['phone', '0412 345 678 ::: 0412 345 679', ['0412 345 678', '0412 345 679']],
  ['phone', '0412 345 678/9', ['0412 345 678/9']],
  ['first_name', 'Ana; Bo', ['Ana; Bo']],
])('a cell of %s with %j has the values %j', (name, text, parts) => {
  expect(splitCell(field(name), text)).toEqual(parts)
})

test.each(['1900', '1980', '2026', '2099'])('the year %s is no date', (year) => {
  expect(readCell(field('date_of_birth'), year, { zone: 'UTC', date_format: 'dmy' })).toEqual({
    warning: expect.stringContaining('has no day'),
  })
  expect(readCell(field('relationship_started_at'), year, { zone: 'UTC', date_format: 'dmy' })).toEqual({
    message: expect.stringContaining('is a year'),
  })
  expect(readCell(field('expected_close_date', 'opportunities'), year, { zone: 'UTC', date_format: 'dmy' })).toEqual({
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
  expect(readCell(field('date_of_birth'), text, { zone: 'UTC', date_format: 'dmy' })).toEqual(value === undefined ? wrong : { value })
})
