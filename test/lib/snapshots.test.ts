import { expect, test } from 'vitest'
import { wasVisible } from '../../src/lib/snapshots.ts'

test.each([
  ['9', '10:10:', true],
  ['10', '10:10:', false],
  ['10', '10:14:10,12', false],
  ['11', '10:14:10,12', true],
  ['12', '10:14:10,12', false],
  ['13', '10:14:10,12', true],
  ['14', '10:14:10,12', false],
  // Ids are longer than a number is exact.
  ['18446744073709551614', '18446744073709551615:18446744073709551615:', true],
])('transaction %s had ended at the time of %s: %s', (xid, snapshot, ended) => {
  expect(wasVisible(xid, snapshot)).toBe(ended)
})
