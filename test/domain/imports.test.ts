import { describe, expect, test } from 'vitest'
import { readCell } from '../../src/features/imports/rules/cells.ts'
import { fieldOf } from '../../src/features/imports/rules/fields.ts'
import type { Field } from '../../src/features/imports/rules/kinds.ts'
import { guessDateFormat, guessObject, suggestMapping } from '../../src/features/imports/rules/suggest.ts'
import { type DateFormat, type Definition, IMPORT_OBJECTS } from '../../src/features/imports/rules/types.ts'

const contact = (name: string) => fieldOf('contacts', name, []) as Field
const of = (name: string, text: string, date_format: DateFormat = 'dmy', country?: string) =>
  readCell(contact(name), text, { date_format, zone: 'UTC', country })
const wrong = (part: string) => ({ message: expect.stringContaining(part) })

describe('a cell', () => {
  test('with characters that could not be decoded is refused', () => {
    expect(of('last_name', 'Ren\uFFFD')).toEqual(wrong('save the file as UTF-8'))
  })

  test.each([
    ['2026-03-31', '2026-03-31'],
    ['31/03/2026', '2026-03-31'],
    ['3.4.2026', '2026-04-03'],
    ['2026/3/4', '2026-03-04'],
    ['31 March 2026', '2026-03-31'],
    ['Mar 31, 2026', '2026-03-31'],
    ['44927', '2023-01-01'],
    ["'2026-03-31", '2026-03-31'],
    ['31/03/2026 00:00:00', '2026-03-31'],
  ])('%j is the date %s', (text, value) => {
    expect(of('date_of_birth', text)).toEqual({ value })
  })

  test('with a date that may be two is read as it was set', () => {
    expect(of('date_of_birth', '03/04/2026', 'mdy')).toEqual({ value: '2026-03-04' })
    expect(of('date_of_birth', '31/04/2026')).toEqual(wrong('no date of the calendar with the day first'))
    expect(of('date_of_birth', '03/04/26')).toEqual(wrong('all four digits'))
    expect(of('date_of_birth', 'soon')).toEqual(wrong('2026-03-31'))
  })

  test.each([
    ['2026-03-31', '2026-03-31'],
    ['2026-03-31T09:30:00+10:00', '2026-03-30T23:30:00.000Z'],
    ['2026-03-31 09:30', '2026-03-31T09:30:00.000Z'],
    ['31/03/2026 9:30', '2026-03-31T09:30:00.000Z'],
    ['31/03/2026 09:30:15', '2026-03-31T09:30:15.000Z'],
  ])('%j is the moment %s', (text, value) => {
    expect(of('relationship_started_at', text)).toEqual({ value })
  })

  const money = fieldOf('companies', 'annual_revenue', []) as Field
  test.each([
    ['1250.5', 1250.5],
    ['$1,054.00', 1054],
    ['1.054,50 €', 1054.5],
    ['1 054 000', 1054000],
    ['12,5', 12.5],
    ['1,054', 1054],
    ['(80)', -80],
    ['-80', -80],
    ['AUD 99', 99],
    ['1.5E+6', 1500000],
    ["'42", 42],
    ['5%', 5],
  ])('%j is the number %s', (text, value) => {
    expect(readCell(money, text, { zone: 'UTC', date_format: 'dmy' })).toEqual({ value })
  })
  test.each(['twelve', '1,2,3', '1.2.3', '--', ''])('%j is no number', (text) => {
    expect(readCell(money, text, { zone: 'UTC', date_format: 'dmy' })).toEqual(wrong('must be a number'))
  })

  test.each([
    ['0412 345 678', 'Australia', '+61412345678'],
    ["'+61412345678", undefined, '+61412345678'],
    ['61412345678', 'Australia', '+61412345678'],
    ['14155552671', undefined, '+14155552671'],
    ['412345678.0', 'Australia', '+61412345678'],
    ['6.1412345678E+10', 'Australia', '+61412345678'],
    ['030 901820', 'Germany', '+4930901820'],
  ])('%j of %s is the phone number %s', (text, country, value) => {
    expect(of('phone', text, 'dmy', country)).toEqual({ value })
  })
  test('with a phone number that a spreadsheet has rounded says so', () => {
    for (const text of ['1.5E+10', '6.14E+10']) expect(of('phone', text)).toEqual(wrong('rounded'))
  })

  test('is a yes or a no, a list, an option in whatever case, a name', () => {
    expect([of('is_primary', 'Yes'), of('is_primary', '0'), of('is_primary', 'maybe')]).toEqual([
      { value: true },
      { value: false },
      wrong('yes or no'),
    ])
    expect(of('alternate_emails', 'a@x.co; b@x.co c@x.co')).toEqual({ value: ['a@x.co', 'b@x.co', 'c@x.co'] })
    expect(of('alternate_phones', '0412 345 678; +44 20 7946 0018 ::: 021 123 4567')).toEqual({
      value: ['0412 345 678', '+44 20 7946 0018', '021 123 4567'],
    })
    expect(of('alternate_phones', '0412 345 678; 6.14E+10')).toEqual(wrong('rounded'))
    expect(of('source', 'API')).toEqual({ value: 'api' })
    expect(of('first_name', "'=Ana")).toEqual({ value: '=Ana' })
  })
})

describe('a mapping', () => {
  const columns = (...names: string[]) => names.map((name) => ({ name, samples: [] }))
  const definitions: Definition[] = [{ key: 'tier', label: 'Account tier', type: 'select', options: ['Gold'] }]
  const suggested = (...names: string[]) =>
    suggestMapping('contacts', columns(...names), definitions).map(({ column, field, confidence }) => [column, field, confidence])

  test('is suggested from the names of columns, fields and their other names, each once', () => {
    expect(suggested('first_name', 'Surname', 'E-Mail Address', 'Mobile Phone', 'Account Tier', 'Zork')).toEqual([
      ['first_name', 'first_name', 1],
      ['Surname', 'last_name', 0.9],
      ['E-Mail Address', 'email', 0.9],
      ['Mobile Phone', 'phone', 0.9],
      ['Account Tier', 'metadata.tier', 0.9],
    ])
    expect(suggested('Email', 'Email (2)').map(([, field]) => field)).toEqual(['email', 'alternate_emails'])
    expect(suggested('Mobile', 'Phone 2', 'Other Phone', 'Work Phone').map(([, field]) => field)).toEqual([
      'phone',
      'alternate_phones',
      'alternate_phones',
      'landline',
    ])
    expect(suggested('Full Name', 'Email')).toEqual([
      ['Full Name', 'name', 0.9],
      ['Email', 'email', 1],
    ])
  })

  test('takes what the values look like for a hint', () => {
    expect(suggestMapping('contacts', [{ name: 'Column 1', samples: ['a@x.co', 'b@x.co'] }], [])).toEqual([
      { column: 'Column 1', field: 'email', confidence: 0.5 },
    ])
    for (const samples of [['a@x.co', 'nobody'], ['nobody'], []])
      expect(suggestMapping('contacts', [{ name: 'Column 1', samples }], []).filter(({ confidence }) => confidence > 0)).toEqual([])
  })

  test('detects the kind of record', () => {
    const guess = (...names: string[]) =>
      guessObject(
        Object.fromEntries(IMPORT_OBJECTS.map((object) => [object, suggestMapping(object, columns(...names), [])])) as Parameters<
          typeof guessObject
        >[0],
      )
    expect(guess('First Name', 'Last Name', 'Email', 'Company')).toBe('contacts')
    expect(guess('account', 'sector', 'year_established', 'revenue', 'employees', 'office_location', 'subsidiary_of')).toBe('companies')
    expect(guess('opportunity_id', 'sales_agent', 'product', 'account', 'deal_stage', 'engage_date', 'close_date', 'close_value')).toBe(
      'opportunities',
    )
    expect(guess('Product Name', 'Product Code', 'List Price', 'Active')).toBe('products')
    expect(guess('Task', 'Due Date', 'Priority', 'Status', 'Assigned To')).toBe('tasks')
    expect(guess('Type', 'Date', 'Subject', 'Contact', 'Notes')).toBe('activities')
    expect(guess('Name', 'Email', 'Notes', 'Type')).toBe('contacts')
  })

  test('guesses which of day and month comes first', () => {
    expect([guessDateFormat(['03/04/2026', '12/31/2026']), guessDateFormat(['31/12/2026']), guessDateFormat(['x'])]).toEqual([
      'mdy',
      'dmy',
      'dmy',
    ])
  })
})
