import { expect, test } from 'vitest'
import { type EventFilter, faultsInEventFilter, matchesEvent } from '../../src/features/webhooks/rules/filter.ts'
import { mapPayload } from '../../src/features/webhooks/rules/mapping.ts'
import { deliveriesOf, type FedEvent, isSubscribed } from '../../src/features/webhooks/rules/matching.ts'
import { delayAfter, hasFailedTooLong, isAccepted, MAX_ATTEMPTS, MAX_FAILING_MS } from '../../src/features/webhooks/rules/retries.ts'

const event = {
  id: 'e',
  xid: '12',
  type: 'contact.updated',
  entity: 'contact',
  entity_id: 'c',
  cause_type: 'request',
  payload: { city: 'Perth', tags: ['VIP', 'new'], value: 120, date_of_birth: '1990-02-01', email: null, metadata: { tier: 'gold' } },
  changes: { city: { before: 'Sydney', after: 'Perth' } },
}
const holds = (field: string, op: string, value?: unknown) => matchesEvent({ field, op, value } as EventFilter, event)

test.each([
  ['payload.city', 'eq', 'perth'],
  ['payload.city', 'not_eq', 'Sydney'],
  ['payload.city', 'in', ['a', 'PERTH']],
  ['payload.city', 'contains', 'ERT'],
  ['payload.city', 'starts_with', 'per'],
  ['payload.tags', 'eq', 'vip'],
  ['payload.tags', 'contains', 'VIP'],
  ['payload.tags', 'not_in', ['other']],
  ['payload.value', 'gte', 120],
  ['payload.value', 'lt', 121],
  ['payload.date_of_birth', 'gt', '1989-12-31'],
  ['payload.email', 'is_empty'],
  ['payload.unknown', 'is_empty'],
  ['payload.metadata.tier', 'eq', 'gold'],
  ['changes.city', 'eq', 'Perth'],
  ['changes.city.before', 'eq', 'Sydney'],
  ['changes.city', 'is_not_empty'],
  ['type', 'starts_with', 'contact.'],
])('%s %s %j holds', (field, op, value?: unknown) => {
  expect(faultsInEventFilter({ field, op, value })).toEqual([])
  expect(holds(field, op, value)).toBe(true)
})

test.each([
  ['payload.city', 'eq', 'Sydney'],
  ['payload.value', 'gt', '100'],
  ['payload.unknown', 'eq', 'x'],
  ['payload.constructor', 'is_not_empty'],
  ['changes.email', 'is_not_empty'],
])('%s %s %j does not hold', (field, op, value?: unknown) => {
  expect(holds(field, op, value)).toBe(false)
})

test('numbers and texts are compared by their order, each with its own kind only', () => {
  const orders = ['lt', 'lte', 'gte', 'gt'] as const
  const truths = (field: string, value: unknown) => orders.map((op) => holds(field, op, value))
  for (const [field, less, same, more] of [
    ['payload.value', 119, 120, 121],
    ['payload.date_of_birth', '1990-01-31', '1990-02-01', '1990-02-02'],
  ] as const)
    expect([less, same, more].map((value) => truths(field, value))).toEqual([
      [false, false, true, true],
      [false, true, true, false],
      [true, true, false, false],
    ])
  for (const [field, value] of [
    ['payload.value', '120'],
    ['payload.date_of_birth', 1990],
    ['payload.unknown', '1990'],
    ['payload.email', 0],
    ['payload.tags', 'VIP'],
  ] as const)
    expect(truths(field, value)).toEqual([false, false, false, false])
})

test('text is contained and begun with in text only, without case, and a list contains whole entries', () => {
  const truths = (op: string) => [
    ...['perth', 'ERT', 'x'].map((value) => holds('payload.city', op, value)),
    ...['vip', 'VI'].map((value) => holds('payload.tags', op, value)),
    ...['payload.value', 'payload.email', 'payload.metadata'].map((field) => holds(field, op, '1')),
  ]
  expect(truths('contains')).toEqual([true, true, false, true, false, false, false, false])
  expect(truths('starts_with')).toEqual([true, false, false, false, false, false, false, false])
})

test('what is empty: nothing, null, an empty text and an empty list', () => {
  const empty = (payload: unknown) => matchesEvent({ field: 'payload.x', op: 'is_empty' } as EventFilter, { payload })
  expect([{}, { x: null }, { x: '' }, { x: [] }, null, 'text'].map(empty)).toEqual([true, true, true, true, true, true])
  expect([{ x: 0 }, { x: false }, { x: ' ' }, { x: [''] }, { x: {} }].map(empty)).toEqual([false, false, false, false, false])
})

test('groups', () => {
  const [yes, no] = [
    { field: 'type', op: 'eq', value: 'contact.updated' },
    { field: 'type', op: 'eq', value: 'x' },
  ] as EventFilter[] as [EventFilter, EventFilter]
  expect([{ all: [yes, no] }, { any: [yes, no] }, { not: no }].map((filter) => matchesEvent(filter as EventFilter, event))).toEqual([
    false,
    true,
    true,
  ])
})

test.each<[filter: unknown, path: string]>([
  [[], ''],
  [{}, ''],
  [{ all: [] }, '.all'],
  [{ all: [{ field: 'payload.city', op: 'like', value: 'x' }] }, '.all.0.op'],
  [{ not: { field: 'payload', op: 'eq', value: 'x' } }, '.not.field'],
  [{ field: 'payload.__proto__.x', op: 'eq' }, '.value'],
  [{ field: 'payload.city', op: 'in', value: 'x' }, '.value'],
  [{ field: 'payload.city', op: 'is_empty', value: 1 }, '.value'],
  [{ field: 'payload.city', op: 'eq', value: 'x', more: 1 }, '.more'],
  [null, ''],
  ['text', ''],
  [{ op: 'eq', all: [{ field: 'type', op: 'is_empty' }] }, ''],
  [{ value: 1, not: { field: 'type', op: 'is_empty' } }, ''],
  [{ not: null }, '.not'],
  [{ field: 1, op: 'eq', value: 'x' }, '.field'],
  [{ field: 'type', op: 1, value: 'x' }, '.op'],
  ...['eq', 'lt', 'lte', 'gt', 'gte'].flatMap((op) =>
    [undefined, null, ['x'], {}].map((value) => [{ field: 'payload.value', op, value }, '.value'] as [unknown, string]),
  ),
  ...['lt', 'lte', 'gt', 'gte'].map((op) => [{ field: 'payload.value', op, value: true }, '.value'] as [unknown, string]),
  ...[[], ['a', null], [['a']], Array.from({ length: 101 }, () => 1)].map(
    (value) => [{ field: 'payload.city', op: 'in', value }, '.value'] as [unknown, string],
  ),
  ...['contains', 'starts_with'].flatMap((op) =>
    ['', 1, true, null, ['x']].map((value) => [{ field: 'payload.city', op, value }, '.value'] as [unknown, string]),
  ),
  [{ all: [{ field: 'type', op: 'is_empty' }], any: [] }, ''],
  [{ any: Array.from({ length: 60 }, () => ({ field: 'type', op: 'is_empty' })) }, ''],
  [Array.from({ length: 8 }).reduce((of) => ({ not: of }), { field: 'type', op: 'is_empty' }), '.not.not.not.not.not'],
])('refuses %j at %s', (filter, path) => {
  expect(faultsInEventFilter(filter)[0]?.path).toBe(path)
})

test.each([
  ['eq', false],
  ['eq', ''],
  ['not_eq', 0],
  ['in', [1, 'a', true]],
  ['not_in', Array.from({ length: 100 }, () => 1)],
  ['is_empty', null],
  ['gte', 0],
])('accepts %s with %j', (op, value) => {
  expect(faultsInEventFilter({ field: 'payload.city', op, value })).toEqual([])
})

test('a text that is compared has at most 500 characters', () => {
  const faultsOf = (op: string, length: number) => faultsInEventFilter({ field: 'payload.city', op, value: 'x'.repeat(length) }).length
  expect(['contains', 'eq'].map((op) => [1, 500, 501].map((length) => faultsOf(op, length)))).toEqual([
    [0, 0, 1],
    [0, 0, 1],
  ])
})

test('subscriptions', () => {
  expect(
    [['contact.*'], ['contact.updated'], ['*'], ['company.*'], ['contact.created']].map((names) => isSubscribed(names, 'contact.updated')),
  ).toEqual([...[true, true, true, false, false]])
  const webhook = { id: 'w', event_types: ['*'], filter: null, since: '12', readable: ['contact'], replay_id: null }
  const of = (more: object, replay?: string) => deliveriesOf([{ ...webhook, ...more }], [event as FedEvent], replay).length
  expect([of({}), of({ since: '13' }), of({ since: '13' }, 'r'), of({ readable: ['company'] }), of({ readable: null })]).toEqual([
    1, 0, 1, 0, 0,
  ])
})

test('ten attempts within three days', () => {
  const delays = Array.from({ length: MAX_ATTEMPTS }, (_, index) => delayAfter(index + 1, 0))
  expect(delays.at(-1)).toBeUndefined()
  const total = delays.slice(0, -1).reduce<number>((sum, delay) => sum + (delay as number), 0)
  expect(total / 3600).toBeGreaterThan(70)
  expect(total / 3600).toBeLessThanOrEqual(72)
  expect([delayAfter(2, 1), delayAfter(2, 0.5)]).toEqual([270, 285])
})

test('payloads are mapped to fields', () => {
  const payload = { data: { name: ' Ana ', phone: 61412345678, amount: '12.5', items: [{ sku: 'A1' }], empty: '' } }
  const mapping = {
    first_name: 'data.name',
    phone: 'data.phone',
    value: 'data.amount',
    notes: 'data.items.0.sku',
    email: 'data.empty',
    'metadata.sku': 'data.items.0.sku',
    source: { value: 'web' },
    x: 'data.__proto__',
  }
  expect(mapPayload(mapping, payload)).toEqual({
    first_name: ' Ana ',
    phone: '61412345678',
    value: 12.5,
    notes: 'A1',
    metadata: { sku: 'A1' },
    source: 'web',
  })
})

test('only numbers become numbers, and only numbers become text', () => {
  const mapping = { value: 'a', probability: 'b', phone: 'c', email: 'd' }
  expect(mapPayload(mapping, { a: ' 12 ', b: '0', c: 7, d: '8' })).toEqual({ value: 12, probability: 0, phone: '7', email: '8' })
  expect(mapPayload(mapping, { a: ' ', b: 'many', c: true, d: ['x'] })).toEqual({
    value: ' ',
    probability: 'many',
    phone: true,
    email: ['x'],
  })
  expect(mapPayload(mapping, { a: 3, b: null, c: '', d: {} })).toEqual({ value: 3, email: {} })
  for (const payload of [null, 'text', 7, undefined]) expect(mapPayload({ value: 'a.b' }, payload)).toEqual({})
  expect(mapPayload({ value: 'a.b' }, { a: null })).toEqual({})
})

test('a receiver accepts with any status of success, and with no other', () => {
  expect([199, 200, 299, 300].map(isAccepted)).toEqual([false, true, true, false])
})

test('a webhook has failed too long from the end of its time on', () => {
  const now = new Date(MAX_FAILING_MS).toISOString()
  expect([null, new Date(1).toISOString(), new Date(0).toISOString()].map((since) => hasFailedTooLong(since, now))).toEqual([
    false,
    false,
    true,
  ])
})
