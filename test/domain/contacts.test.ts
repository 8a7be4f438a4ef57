import { expect, test } from 'vitest'
import { type NormaliseContext, normaliseContact } from '../../src/features/contacts/rules/normalise.ts'
import type { ContactColumns, ContactInput } from '../../src/features/contacts/rules/types.ts'

const now = new Date('2026-11-20T20:00:00.000Z')
const create: NormaliseContext = { now, zone: 'Australia/Sydney' }
const update = (present: NormaliseContext['stored'] = {}): NormaliseContext => ({ ...create, stored: present })

test('a create of a first name alone is Australian, by hand, and nothing else', () => {
  expect(normaliseContact({ first_name: 'Ana' }, create)).toEqual({
    columns: { first_name: 'Ana', country: 'Australia', source: 'manual' },
    issues: [],
  })
})

test('an empty update writes nothing', () => {
  expect(normaliseContact({}, update())).toEqual({ columns: {}, issues: [] })
})

const stored: [string, ContactInput, NormaliseContext, ContactColumns][] = [
  ['a phone in the national form', { phone: '0412 345 678' }, create, { phone: '+61412345678' }],
  [
    'a phone of the country sent',
    { phone: '021 123 4567', country: 'New Zealand' },
    create,
    { phone: '+64211234567', country: 'New Zealand' },
  ],
  ['a phone of the country it has', { phone: '021 123 4567' }, update({ country: 'NZ' }), { phone: '+64211234567' }],
  ['a phone of an unknown country', { phone: '0412 345 678' }, update({ country: 'Narnia' }), { phone: '+61412345678' }],
  ['a cleared phone', { phone: null }, update(), { phone: null }],
  ['a landline', { landline: '(02) 9374 4000' }, update(), { landline: '+61293744000' }],
  ['a landline that is none', { landline: 'ask reception' }, update(), { landline: 'ask reception' }],
  ['a cleared landline', { landline: '' }, update(), { landline: null }],
  ['an email', { email: 'Ana@Example.com' }, update(), { email: 'ana@example.com' }],
  [
    'other emails, with the main one and a repeat',
    { email: 'ana@x.co', alternate_emails: ['B@x.co', 'ANA@x.co', 'b@X.co', 'c@x.co'] },
    update(),
    { email: 'ana@x.co', alternate_emails: ['b@x.co', 'c@x.co'] },
  ],
  [
    'other emails alone, with the main one it has',
    { alternate_emails: ['ana@x.co', 'b@x.co'] },
    update({ email: 'Ana@x.co' }),
    { alternate_emails: ['b@x.co'] },
  ],
  [
    'another main email that was among the others',
    { email: 'b@x.co' },
    update({ email: 'ana@x.co', alternate_emails: ['b@x.co', 'c@x.co'] }),
    { email: 'b@x.co', alternate_emails: ['c@x.co'] },
  ],
  ['a main email that was not', { email: 'd@x.co' }, update({ email: 'ana@x.co', alternate_emails: ['b@x.co'] }), { email: 'd@x.co' }],
  ['a cleared main email', { email: null }, update({ email: 'a@x.co', alternate_emails: ['b@x.co'] }), { email: null }],
  ['cleared other emails', { alternate_emails: null }, update({ email: 'a@x.co' }), { alternate_emails: [] }],
  [
    'other phones, with the main one and a repeat',
    { phone: '0412 345 678', alternate_phones: ['+61412345678', '02 9374 4000', '(02) 9374-4000', '+44 20 7946 0018'] },
    update(),
    { phone: '+61412345678', alternate_phones: ['+61293744000', '+442079460018'] },
  ],
  [
    'other phones of the country it has, with its main one',
    { alternate_phones: ['021 123 4567', '09 123 4567'] },
    update({ phone: '+64211234567', country: 'NZ' }),
    { alternate_phones: ['+6491234567'] },
  ],
  [
    'another main phone that was among the others',
    { phone: '+61293744000' },
    update({ phone: '+61412345678', alternate_phones: ['+61293744000', '+61412345679'] }),
    { phone: '+61293744000', alternate_phones: ['+61412345679'] },
  ],
  ['cleared other phones', { alternate_phones: null }, update({ phone: '+61412345678' }), { alternate_phones: [] }],
  ['a state as time zone', { timezone: 'NSW' }, update(), { timezone: 'Australia/Sydney' }],
  ['a state of the country it has', { timezone: 'WA' }, update({ country: 'USA' }), { timezone: 'America/Los_Angeles' }],
  ['a cleared time zone', { timezone: null }, update(), { timezone: null }],
  ['a birthday', { date_of_birth: '1988-02-29' }, update(), { date_of_birth: '1988-02-29' }],
  ['a birthday today, where the workspace is', { date_of_birth: '2026-11-21' }, update(), { date_of_birth: '2026-11-21' }],
  ['a cleared birthday', { date_of_birth: '' }, update(), { date_of_birth: null }],
  [
    'a relationship since a date',
    { relationship_started_at: '2020-05-01' },
    update(),
    { relationship_started_at: '2020-05-01T00:00:00.000Z' },
  ],
  [
    'a relationship since today, where the workspace is',
    { relationship_started_at: '2026-11-21' },
    update(),
    { relationship_started_at: '2026-11-21T00:00:00.000Z' },
  ],
  [
    'a relationship since a moment',
    { relationship_started_at: '2026-11-21T07:00:00+11:00' },
    update(),
    { relationship_started_at: '2026-11-20T20:00:00.000Z' },
  ],
  ['a cleared relationship', { relationship_started_at: '' }, update(), { relationship_started_at: null }],
  [
    'a referrer by their opportunity',
    { is_referrer: false, referrer_opportunity_id: 'id' },
    update(),
    { is_referrer: true, referrer_opportunity_id: 'id' },
  ],
  ['a referrer without one any more', { referrer_opportunity_id: null }, update(), { referrer_opportunity_id: null }],
  ['flags set and cleared', { is_primary: true, sms_unsubscribed: null }, update(), { is_primary: true, sms_unsubscribed: false }],
  ['blank text', { city: ' ', notes: '' }, update(), { city: null, notes: null }],
  ['a cleared country', { country: null }, update(), { country: null }],
  ['a cleared source', { source: null }, update(), { source: 'manual' }],
  ['custom fields with a key to remove', { metadata: { tier: 'gold', old: null } }, update(), { metadata: { tier: 'gold', old: null } }],
]

test.each(stored)('stored: %s', (_, input, circumstances, columns) => {
  const result = normaliseContact(input, circumstances)
  expect(result.issues).toEqual([])
  expect(result.columns).toMatchObject(columns)
  if (circumstances.stored) expect(result.columns).toEqual(columns)
})

test('a create drops custom fields without a value, and leaves the start of the relationship to its default', () => {
  const input: ContactInput = {
    first_name: 'Ana',
    metadata: { tier: 'gold', old: null },
    relationship_started_at: null,
    source: 'api',
    country: '',
  }
  expect(normaliseContact(input, create).columns).toEqual({
    first_name: 'Ana',
    metadata: { tier: 'gold' },
    source: 'api',
    country: 'Australia',
  })
})

test.each<[string, ContactInput, string, RegExp]>([
  ['a phone that is none', { phone: '12' }, 'phone', /start it with \+/],
  ['a zone that is none', { timezone: 'AEST' }, 'timezone', /Australia\/Sydney/],
  ['a birthday tomorrow', { date_of_birth: '2026-11-22' }, 'date_of_birth', /future/],
  ['a birthday that never was', { date_of_birth: '2025-02-29' }, 'date_of_birth', /YYYY-MM-DD/],
  ['a relationship from tomorrow', { relationship_started_at: '2026-11-22' }, 'relationship_started_at', /future/],
  ['a relationship from a moment on', { relationship_started_at: '2026-11-20T20:00:00.001Z' }, 'relationship_started_at', /future/],
  ['a relationship since whenever', { relationship_started_at: 'long ago' }, 'relationship_started_at', /ISO date/],
])('refused: %s', (_, input, path, message) => {
  for (const circumstances of [create, update()]) {
    const { columns, issues } = normaliseContact({ first_name: 'Ana', ...input }, circumstances)
    expect(issues).toEqual([{ path, message: expect.stringMatching(message) }])
    expect(columns).not.toHaveProperty(path)
  }
})

test('all faults are reported together', () => {
  const { issues } = normaliseContact({ phone: 'x', timezone: 'x', date_of_birth: 'x', relationship_started_at: 'x' }, create)
  expect(issues.map(({ path }) => path)).toEqual(['phone', 'timezone', 'date_of_birth', 'relationship_started_at'])
})
