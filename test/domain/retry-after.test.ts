import { expect, test } from 'vitest'
import { secondsOfRetryAfter, waitAfter } from '../../src/domain/retry-after.ts'

const NOW = Date.UTC(2026, 10, 24, 12)

test.each([
  ['7', 7],
  ['0', 1],
  ['7200', 7_200],
  ['86400', 86_400],
  ['864000', 86_400],
  ['Tue, 24 Nov 2026 14:00:00 GMT', 7_200],
  ['Tue, 24 Nov 2026 11:00:00 GMT', 1],
  ['Tue, 24 Nov 2027 11:00:00 GMT', 86_400],
  ['soon', null],
  ['', null],
  [null, null],
  [undefined, null],
])('Retry-After %s is %s seconds', (header, seconds) => expect(secondsOfRetryAfter(header, NOW)).toBe(seconds))

test('a provider is not called again before it has asked for, up to a day; otherwise the wait grows to five minutes', () => {
  expect([1, 7, 3_600, 86_400].map((seconds) => waitAfter(seconds, 3))).toEqual([5, 7, 3_600, 86_400])
  expect([0, 1, 2, 3, 4, 5, 50].map((attempts) => waitAfter(null, attempts))).toEqual([15, 30, 60, 120, 240, 300, 300])
})
