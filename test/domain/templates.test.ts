import { expect, test } from 'vitest'
import { FILTERS, fill } from '../../src/features/automations/rules/templates.ts'

const SCOPE = { values: { contact: { first_name: 'Ana' } }, zone: 'UTC' }

test('templates are filled in, and an opening without an end stays as it is', () => {
  expect(fill('{{ contact.first_name }} and {{contact.last_name | default: "}"}}, {{', SCOPE)).toBe('Ana and }, {{')
})

test('a million characters of openings without an end are read in less than half a second', () => {
  const text = '{{'.repeat(500_000)
  const begun = process.cpuUsage()
  expect(fill(text, SCOPE)).toBe(text)
  expect(process.cpuUsage(begun).user / 1000).toBeLessThan(500)
})

const VALUES = {
  contact: {
    first_name: 'Ana',
    city: null,
    email: '',
    tags: [{ name: 'VIP' }, { name: 'Old' }],
    since: '2026-02-28',
    seen_at: '2026-02-28T23:30:00Z',
    score: 0,
    company: { name: 'Mill' },
    address: { city: 'Perth' },
  },
}
const FILTERED: Record<(typeof FILTERS)[number], [template: string, value: unknown][]> = {
  default: [
    ['{{ contact.city | default: "nowhere" }}', 'nowhere'],
    ["{{ contact.email | default: 'none' }}", 'none'],
    ['{{ contact.nothing | default: -1.5 }}', -1.5],
    ['{{ contact.score | default: 5 }}', 0],
    ['{{ contact.city | default }}', null],
  ],
  upper: [['{{ contact.first_name | upper }}', 'ANA']],
  lower: [
    ['{{ contact.first_name | lower }}', 'ana'],
    ['{{ contact.city | lower }}', ''],
  ],
  date: [
    ['{{ contact.since | date }}', '2026-02-28'],
    ['{{ contact.seen_at | date }}', '2026-03-01'],
    ['{{ contact.first_name | date }}', null],
    ['Since {{ contact.city | date }}.', 'Since .'],
  ],
  add_days: [
    ['{{ contact.since | add_days: 1 }}', '2026-03-01'],
    ['{{ contact.seen_at | add_days: -1 }}', '2026-02-28'],
    ['{{ contact.since | add_days: 1.9 }}', '2026-03-01'],
    ['{{ contact.since | add_days: "2" }}', '2026-03-02'],
    ['{{ contact.since | add_days }}', '2026-02-28'],
    ['{{ contact.city | add_days: 1 }}', null],
  ],
  join: [
    ['{{ contact.tags | join }}', 'VIP, Old'],
    ['{{ contact.tags | join: " and " }}', 'VIP and Old'],
    ['{{ contact.first_name | join: "-" }}', 'Ana'],
  ],
  first: [
    ['{{ contact.tags | first }}', { name: 'VIP' }],
    ['The {{ contact.tags | first | lower }} one', 'The vip one'],
    ['{{ contact.first_name | first }}', 'Ana'],
  ],
  count: [
    ['{{ contact.tags | count }}', 2],
    ['{{ contact.first_name | count }}', 1],
    ['{{ contact.city | count }}', 0],
    ['{{ contact.email | count }}', 0],
  ],
}
test.each(FILTERS)('the filter %s', (name) => {
  for (const [template, value] of FILTERED[name]) expect(fill(template, { values: VALUES, zone: 'Europe/Rome' }), template).toEqual(value)
})

test('a calendar day is that day in every zone', () => {
  for (const zone of ['America/New_York', 'Pacific/Kiritimati'])
    expect(fill('{{ contact.since | date }}', { values: VALUES, zone }), zone).toBe('2026-02-28')
})

test('within text a list is separated by commas, a record is its name or its JSON, and what is missing is empty', () => {
  const filled = (text: unknown) => fill(text, { values: VALUES, zone: 'UTC' })
  expect(filled('{{ contact.tags }} of {{ contact.company }}{{ contact.city }}')).toBe('VIP, Old of Mill')
  expect(filled('At {{ contact.address }}')).toBe('At {"city":"Perth"}')
  expect(filled({ list: ['{{ contact.score }}', 3, null], tags: '{{ contact.tags }}' })).toEqual({
    list: [0, 3, null],
    tags: VALUES.contact.tags,
  })
})

test('what is inserted into HTML is escaped, also where it is the whole text', () => {
  const values = { contact: { first_name: '<b>&' } }
  const filled = fill({ html: '{{ contact.first_name }}', text: '{{ contact.first_name }}' }, { values, zone: 'UTC' })
  expect(filled).toEqual({ html: '&lt;b&gt;&amp;', text: '<b>&' })
})

test('a day that does not exist is missing', () => {
  const add = (days: string, since = '2026-02-28') =>
    fill(`{{ contact.since | add_days: ${days} }}`, { values: { contact: { since } }, zone: 'UTC' })
  for (const days of ['"many"', '"1e99"', '99999999999', '-99999999999']) expect(add(days), days).toBeNull()
  expect(add('1', '2026-02-31')).toBeNull()
})
