import fc from 'fast-check'
import { expect, test } from 'vitest'
import { periodsOf } from '../../src/features/pipelines/rules/periods.ts'

const day = (first: string, last = first) => ({ period: 'day', first, last })
const month = (first: string, last: string) => ({ period: 'month', first, last })

test.each([
  ['2026-03-01', '2026-03-31', [month('2026-03-01', '2026-03-31')]],
  ['2024-02-01', '2024-02-29', [month('2024-02-01', '2024-02-29')]],
  ['2026-03-02', '2026-03-31', [day('2026-03-02', '2026-03-31')]],
  ['2026-03-31', '2026-05-01', [day('2026-03-31'), month('2026-04-01', '2026-04-30'), day('2026-05-01')]],
  ['2025-12-31', '2026-01-31', [day('2025-12-31'), month('2026-01-01', '2026-01-31')]],
  ['2026-01-15', '2026-02-14', [day('2026-01-15', '2026-02-14')]],
  ['2026-05-02', '2026-05-01', [day('2026-05-02', '2026-05-01')]],
  ['2026-12-01', undefined, [month('2026-12-01', 'infinity')]],
  ['2026-12-02', undefined, [day('2026-12-02', '2026-12-31'), month('2027-01-01', 'infinity')]],
  [undefined, '2026-12-31', [month('-infinity', '2026-12-31')]],
  [undefined, '2026-12-30', [month('-infinity', '2026-11-30'), day('2026-12-01', '2026-12-30')]],
])('%s to %s', (from, to, expected) => {
  expect(periodsOf(from, to)).toEqual(expected)
})

test('the periods of a range hold each of its days once, and no other', () => {
  const DAY = 86_400_000
  const start = Date.UTC(2023, 11, 1)
  const dateOf = (n: number) => new Date(start + n * DAY).toISOString().slice(0, 10)
  const days = Array.from({ length: 900 }, (_, n) => dateOf(n))
  fc.assert(
    fc.property(fc.option(fc.nat(850), { nil: undefined }), fc.option(fc.nat(850), { nil: undefined }), (a, b) => {
      if (a === undefined && b === undefined) return
      const [from, to] = [a, b].map((n) => (n === undefined ? undefined : dateOf(n)))
      const ranges = periodsOf(from, to)
      // A month is found by its first day.
      const within = (one: string) =>
        ranges.filter(({ period, first, last }) => {
          const at = period === 'month' ? `${one.slice(0, 7)}-01` : one
          return (first === '-infinity' || at >= first) && (last === 'infinity' || at <= last)
        }).length
      for (const one of days) expect(within(one), `${one} in ${from} to ${to}`).toBe((!from || one >= from) && (!to || one <= to) ? 1 : 0)
    }),
  )
})
