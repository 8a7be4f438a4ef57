import { expect, test } from 'vitest'
import { editDistance, nearest } from '../../src/lib/nearest.ts'

test.each([
  ['', '', 0],
  ['', 'abc', 3],
  ['name', 'name', 0],
  ['nmae', 'name', 1],
  ['nam', 'name', 1],
  ['naame', 'name', 1],
  ['email', 'phone', 5],
])('from %j to %j are %i changes', (from, to, changes) => {
  expect([editDistance(from, to), editDistance(to, from)]).toEqual([changes, changes])
})

const FIELDS = ['first_name', 'last_name', 'email', 'phone', 'customer_id']
test.each([
  ['emial', 'email'],
  ['firstName', 'first_name'],
  ['Last-Name', 'last_name'],
  ['customerid', 'customer_id'],
  ['shoe_size', undefined],
  ['x', undefined],
  ['e'.repeat(100_000), undefined],
])('%.20s is nearest to %s', (name, expected) => {
  expect(nearest(name, FIELDS)).toBe(expected)
})
