import { describe, expect, test } from 'vitest'
import type { MergeChoices } from '../../src/features/merges/rules/draft.ts'
import { type Case, decide } from './merge-cases.ts'

const opportunity: Partial<MergeChoices> = { entity: 'opportunity' }
const company: Partial<MergeChoices> = { entity: 'company' }

test.each<Case>([
  ['a field stays', { city: 'Perth' }, [{ city: 'Sydney' }], {}, {}],
  [
    'an empty field takes the first value',
    { job_title: ' ' },
    [{}, { job_title: 'CEO' }, { job_title: 'CFO' }],
    {},
    { job_title: 'CEO' },
    { job_title: ['b'] },
  ],
  ['nothing is filled on request', { job_title: null }, [{ job_title: 'CEO' }], { fill: false }, {}],
  ['an override wins', { job_title: 'A' }, [{ job_title: 'B' }], { overrides: { job_title: 'C' } }, { job_title: 'C' }],
  [
    'an override to nothing is not filled',
    { job_title: 'A' },
    [{ job_title: 'B' }],
    { overrides: { job_title: null } },
    { job_title: null },
  ],
  ['false and zero are values', { is_referrer: false, score: 0 }, [{ score: 5 }], {}, {}],
  ['the record’s identity is never filled', { version: null, archived: null }, [{ version: 3, archived: true }], {}, {}],

  [
    'an address comes from one loser',
    { city: null },
    [{ postal_code: '2000', city: 'Sydney' }, { address_line1: '1 High St' }],
    {},
    { postal_code: '2000', city: 'Sydney' },
  ],
  ['a part of an address blocks the rest', { city: 'Perth' }, [{ address_line1: '1 High St' }], {}, {}],
  [
    'an address must be of the same country',
    { country: 'Australia' },
    [
      { city: 'Kiel', country: 'Germany' },
      { city: 'Perth', country: 'Australia' },
    ],
    {},
    { city: 'Perth' },
    { city: ['b'] },
  ],
  [
    'a value comes with its currency',
    { value: 0, currency: 'AUD' },
    [
      { value: 9, currency: 'USD' },
      { value: 4, currency: 'AUD' },
    ],
    opportunity,
    { value: 4 },
  ],
  [
    'a next action comes whole',
    { next_action_type: null },
    [{ next_action_note: 'Soon' }, { next_action_type: 'call' }],
    opportunity,
    { next_action_note: 'Soon' },
  ],
  [
    'the stage is the winner’s',
    { stage_id: null, status: 'open' },
    [{ stage_id: 's', status: 'won', won_reasons: ['Price'] }],
    opportunity,
    {},
  ],
  [
    'reasons of the winner’s status are filled',
    { status: 'lost', lost_reasons: [] },
    [{ status: 'won', won_reasons: ['x'] }, { lost_reasons: ['Price'] }],
    opportunity,
    { lost_reasons: ['Price'] },
  ],

  [
    'metadata is merged by key',
    { metadata: { a: 1, b: '' } },
    [{ metadata: { a: 2, b: 3, c: null } }, { metadata: { c: 4 } }],
    {},
    { metadata: { a: 1, b: 3, c: 4 } },
    { 'metadata.b': ['a'], 'metadata.c': ['b'] },
  ],
  [
    'null in an override removes a key for good',
    { metadata: { a: 1 } },
    [{ metadata: { a: 2 } }],
    { overrides: { metadata: { a: null, b: 5 } } },
    { metadata: { b: 5 } },
  ],
  [
    'a custom value that is no longer valid is skipped',
    { metadata: {} },
    [{ metadata: { tier: 'Tin' } }, { metadata: { tier: 'Gold' } }],
    {},
    { metadata: { tier: 'Gold' } },
    { 'metadata.tier': ['b'] },
    { unusable: { a: ['tier'] } },
  ],

  [
    'notes are appended once each',
    { notes: 'Mine' },
    [{ notes: 'A' }, { notes: ' Mine ' }, { notes: 'A' }, { notes: 'B' }],
    { appendNotes: true },
    { notes: 'Mine\n\nA\n\nB' },
    { notes: ['a', 'd'] },
  ],
  [
    'tags are united by name',
    { tags: [{ name: 'VIP' }] },
    [{ tags: [{ name: 'vip' }, { name: 'New' }] }, { tags: [{ name: 'ＮＥＷ' }] }],
    { ...opportunity, uniteTags: true },
    { tags: [{ name: 'VIP' }, { name: 'New' }] },
    { tags: ['a'] },
  ],

  [
    'addresses are collected',
    { email: 'w@x.co', alternate_emails: ['1@x.co'] },
    [{ email: 'a@x.co', alternate_emails: ['w@x.co', '1@x.co', '2@x.co'] }],
    {},
    { alternate_emails: ['1@x.co', 'a@x.co', '2@x.co'] },
    { alternate_emails: ['a'] },
  ],
  [
    'a filled main address is no alternate one',
    { email: null },
    [{ email: 'a@x.co' }, { email: 'b@x.co' }],
    {},
    { email: 'a@x.co', alternate_emails: ['b@x.co'] },
  ],
  [
    'the former main address is kept',
    { email: 'w@x.co' },
    [{ email: 'a@x.co' }],
    { overrides: { email: 'a@x.co' } },
    { email: 'a@x.co', alternate_emails: ['w@x.co'] },
  ],
  ['overriding alternate addresses stay', { email: 'w@x.co' }, [{ email: 'a@x.co' }], { overrides: { alternate_emails: [] } }, {}],
  [
    'numbers are collected, also without filling',
    { phone: '+1', landline: null },
    [
      { phone: '+1', alternate_phones: ['+3'] },
      { phone: '+2', alternate_phones: ['+3'] },
    ],
    { fill: false },
    { alternate_phones: ['+3', '+2'] },
    { alternate_phones: ['a', 'b'] },
  ],
  [
    'withdrawn consent is kept, also without filling',
    { sms_unsubscribed: false, is_referrer: false },
    [{ sms_unsubscribed: true, is_referrer: true }, { sms_unsubscribed: true }],
    { fill: false },
    { sms_unsubscribed: true },
    { sms_unsubscribed: ['a', 'b'] },
  ],
  ['a referrer stays one', { is_referrer: false }, [{ is_referrer: true }], {}, { is_referrer: true }],
  [
    'the primary contact of the same company',
    { is_primary: false, customer_id: 'c' },
    [
      { is_primary: true, customer_id: 'd' },
      { is_primary: true, customer_id: 'c' },
    ],
    {},
    { is_primary: true },
    { is_primary: ['b'] },
  ],

  [
    'domains are collected, those of websites too, but not of shared hosts',
    { website_url: 'https://w.com', domains: ['a.com'] },
    [
      { website_url: 'https://www.b.com/about', domains: ['c.com', 'w.com'] },
      { website_url: 'https://facebook.com/b', domains: ['c.com'] },
    ],
    company,
    { domains: ['a.com', 'b.com', 'c.com'] },
    { domains: ['a'] },
  ],
  [
    'a filled website is no further domain',
    { website_url: null },
    [{ website_url: 'https://b.com' }],
    company,
    { website_url: 'https://b.com' },
  ],
  [
    'a company keeps its parent',
    { parent_company_id: 'p' },
    [{ parent_company_id: 'q' }],
    company,
    {},
    undefined,
    { parents: { w: 'p', a: 'q', p: null, q: null } },
  ],
  [
    'without a parent, it takes the first one of a loser',
    { parent_company_id: null },
    [{}, { parent_company_id: 'q' }],
    company,
    { parent_company_id: 'q' },
    { parent_company_id: ['b'] },
    { parents: { w: null, a: null, b: 'q', q: null } },
  ],
  [
    'it replaces the topmost loser above it',
    { parent_company_id: 'm' },
    [{ parent_company_id: 't' }],
    company,
    { parent_company_id: 't' },
    { parent_company_id: ['a'] },
    { parents: { w: 'm', m: 'a', a: 't', t: null } },
  ],
  [
    'it replaces a loser at the top',
    { parent_company_id: 'a' },
    [{}],
    company,
    { parent_company_id: null },
    { parent_company_id: ['a'] },
    { parents: { w: 'a', a: null } },
  ],
  [
    'a loser below the winner lends no parent',
    { parent_company_id: null },
    [{ parent_company_id: 'm' }],
    company,
    {},
    undefined,
    { parents: { w: null, a: 'm', m: 'w' } },
  ],
])('%s', (...row) => {
  const [, , , , values, sources] = row
  const decided = decide(row)
  expect(decided.issues).toEqual([])
  expect(decided.values).toEqual(values)
  if (sources) expect(decided.sources).toEqual(sources)
})

describe('a merge is refused', () => {
  const tags = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => ({ name: `${prefix}${index}` }))
  const chain = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`c${index}`, `c${index + 1}`]))

  test.each<[path: string, ...Case]>([
    [
      'append_notes',
      'for notes of more than 20,000 characters',
      { notes: 'a'.repeat(15_000) },
      [{ notes: 'b'.repeat(5_000) }],
      { appendNotes: true },
      {},
    ],
    ['union_tags', 'for more than 50 tags', { tags: tags('a', 30) }, [{ tags: tags('b', 21) }], { ...opportunity, uniteTags: true }, {}],
    [
      'field_overrides.parent_company_id',
      'for a parent that is merged',
      {},
      [{}],
      { ...company, overrides: { parent_company_id: 'a' } },
      {},
    ],
    [
      'field_overrides.parent_company_id',
      'for a parent below the winner',
      {},
      [{}],
      { ...company, overrides: { parent_company_id: 'm' } },
      {},
      undefined,
      { parents: { m: 'w' } },
    ],
    [
      'field_overrides.parent_company_id',
      'for a parent with 50 companies above it',
      {},
      [{}],
      { ...company, overrides: { parent_company_id: 'c0' } },
      {},
      undefined,
      { parents: chain },
    ],
  ])('%s: %s', (path, ...row) => {
    expect(decide(row).issues).toMatchObject([{ path }])
  })
})
