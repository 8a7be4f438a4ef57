import { expect, test } from 'vitest'
import { mergeHits } from '../../src/features/service-requests/rules/search.ts'

const similar = ['s1', 's2', 's3', 's4', 's5']
const byWords = ['w1', 'w2', 'w3']

test.each([
  { limit: 8, expected: [...similar, ...byWords] },
  { limit: 6, expected: [...similar, 'w1'] },
  { limit: 4, expected: ['s1', 's2', 's3', 'w1'] },
  { limit: 3, expected: ['s1', 's2', 's3'] },
])('of $limit results those by words have at least a quarter, and come last', ({ limit, expected }) => {
  expect(mergeHits(similar, byWords, limit)).toEqual(expected)
})

test('results of one kind take all places', () => {
  expect(mergeHits(similar, [], 3)).toEqual(['s1', 's2', 's3'])
  expect(mergeHits([], byWords, 2)).toEqual(['w1', 'w2'])
})
