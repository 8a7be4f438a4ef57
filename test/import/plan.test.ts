import { describe, expect, test } from 'vitest'
import {
  differences,
  isNamedFor,
  lineItems,
  planFor,
  type References,
  type Wanted,
  wantedCompany,
  wantedOpportunity,
} from '../../dev/import/plan.ts'
import type { Opportunity } from '../../dev/import/sales.ts'

const place = { file: 'sales_pipeline.csv', line: 2 }
const known: References = {
  companies: new Map([['acme', 'id-acme']]),
  members: new Map([['anna@x', 'id-anna']]),
  products: new Map([['gtx', 'id-gtx']]),
  prices: new Map([['gtx', 550]]),
  stages: new Map([
    ['Won', 'id-won'],
    ['Engaging', 'id-engaging'],
  ]),
}
const won: Opportunity = {
  place,
  key: 'W1',
  name: 'GTX for Acme',
  stage: 'Won',
  value: 1054,
  owner: 'anna@x',
  company: 'acme',
  product: 'gtx',
  product_name: 'GTX',
  opened_at: '2016-10-20T00:00:00.000Z',
  closed_at: '2017-03-01T00:00:00.000Z',
}
const record = {
  id: 'id-1',
  external_id: 'W1',
  name: 'GTX for Acme',
  value: 1054,
  currency: 'USD',
  assigned_to: 'id-anna',
  customer_id: 'id-acme',
  stage_id: 'id-won',
  opened_at: '2016-10-20T00:00:00.000Z',
  closed_at: '2017-03-01T00:00:00.000Z',
  notes: 'The workspace’s own',
  version: 3,
}
const planOf = (wanted: Wanted, there?: Record<string, unknown>) =>
  planFor([wanted], new Map(there ? [['W1', { ...record, ...there }]] : []))

test('missing opportunities are created, at their stage and with their line item', () => {
  const { create, move, change } = planOf(wantedOpportunity(won, known))
  expect([move, change]).toEqual([[], []])
  expect({ ...create[0]!.fields, ...create[0]!.first }).toEqual({
    external_id: 'W1',
    name: 'GTX for Acme',
    value: 1054,
    currency: 'USD',
    assigned_to: 'id-anna',
    customer_id: 'id-acme',
    stage_id: 'id-won',
    opened_at: '2016-10-20T00:00:00.000Z',
    closed_at: '2017-03-01T00:00:00.000Z',
    products: [{ product_id: 'id-gtx', name: 'GTX', quantity: 1, unit_price: 550 }],
  })
})

describe('existing records are changed only where they differ', () => {
  const lost = (key: 'company' | 'owner') => ({ ...won, [key]: 'unknown' })
  test.each([
    ['nothing', won, {}, undefined],
    ['what the files do not speak of', won, { notes: 'other', archived: true }, undefined],
    ['the value', won, { value: 1 }, { value: 1054 }],
    ['a company it should not have', { ...won, company: null }, {}, { customer_id: null }],
    ['a date that it lacks', won, { closed_at: null }, { closed_at: '2017-03-01T00:00:00.000Z' }],
    ['a date that only the API knows', { ...won, closed_at: undefined }, { closed_at: '2026-01-01T00:00:00.000Z' }, undefined],
    ['a company that could not be brought over', lost('company'), { customer_id: 'id-other' }, undefined],
    ['an owner who could not be invited', lost('owner'), { assigned_to: null }, undefined],
  ] as [string, Opportunity, object, object | undefined][])('%s', (_, opportunity, there, patch) => {
    const { create, move, change } = planOf(wantedOpportunity(opportunity, known), { ...there })
    expect([create, move]).toEqual([[], []])
    expect(change[0]?.patch).toEqual(patch)
  })
})

test('a card on another stage is moved', () => {
  const { create, move, change } = planOf(wantedOpportunity({ ...won, stage: 'Engaging' }, known), {})
  expect([create, change]).toEqual([[], []])
  expect(move).toMatchObject([{ id: 'id-1', wanted: { stage_id: 'id-engaging' } }])
})

test('values are compared, and undefined means no value', () => {
  expect(differences({ a: 1, b: null, c: undefined, d: 'x' }, { a: 1, b: 2, c: 3, d: undefined })).toEqual({ b: null, d: 'x' })
})

test('a company waits for the id of its parent', () => {
  const company = {
    place,
    key: 'bluth',
    parent: 'acme',
    name: 'Bluth',
    industry: null,
    country: null,
    founded_year: null,
    annual_revenue: null,
    employee_count: null,
  }
  expect(wantedCompany(company, new Map()).fields.parent_company_id).toBeUndefined()
  expect(wantedCompany(company, known.companies).fields.parent_company_id).toBe('id-acme')
  expect(wantedCompany({ ...company, parent: null }, known.companies).fields.parent_company_id).toBeNull()
})

test.each([
  ['a known one', won, [{ product_id: 'id-gtx', name: 'GTX', quantity: 1, unit_price: 550 }]],
  [
    'an unknown one, by its name alone',
    { ...won, product: null, product_name: 'Abacus' },
    [{ product_id: undefined, name: 'Abacus', quantity: 1, unit_price: 0 }],
  ],
  ['none', { ...won, product: null, product_name: '' }, []],
] as [string, Opportunity, object[]][])('the line item of a product: %s', (_, opportunity, items) => {
  expect(lineItems(opportunity, known)).toEqual(items)
})

test.each([
  ['GTX', 'GTX for Acme', true],
  ['GTX', 'GTX (no company)', true],
  ['GTX', 'GTX Pro for Acme', false],
  ['GTX Pro', 'GTX for Acme', false],
  ['', 'Opportunity for Acme', true],
  ['GTX', 'Our big one', false],
  ['GTX', undefined, false],
])('an opportunity of %j named %j: %j', (product, name, named) => {
  expect(isNamedFor(product, name)).toBe(named)
})
