import { expect, test } from 'vitest'
import { decode, encode } from '../../src/data/cursors.ts'

type Parts = Parameters<typeof encode>[0]
const ID = '018bcfe5-6800-7000-8000-000000000001'

test.each<[Parts]>([
  [['contacts', '2026-01-01', ID]],
  [['contacts', '', '']],
  [['contacts', '', ID, { synced_until: '2026-01-01T00:00:00.000Z' }]],
  [['contacts', '', ID, { count: 3, count_exact: false }]],
])('a cursor is read as it was written: %j', (parts) => {
  expect(decode(encode(parts))).toEqual(parts)
})

test.each<[string, unknown]>([
  ['a list that is no text', [5, '', ID]],
  ['a key that is no text', ['contacts', 5, ID]],
  ['an id that is no text', ['contacts', '', null]],
  ['no id', ['contacts', '']],
  ['facts that are no object', ['contacts', '', ID, 'a']],
  ['a time that is no text', ['contacts', '', ID, { synced_until: 5 }]],
  ['a count that is no number', ['contacts', '', ID, { count: '5' }]],
  ['an exactness that is neither true nor false', ['contacts', '', ID, { count: 5, count_exact: 'yes' }]],
])('a cursor with %s is refused, although its sum is right', (_, parts) => {
  expect(() => decode(encode(parts as Parts))).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }))
})

test.each([['a'], [''], ['a.b'], [encode(['contacts', '', ID]).slice(1)]])('%j is no cursor', (cursor) => {
  expect(() => decode(cursor)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }))
})
