import { expect, test } from 'vitest'
import { occurrencesOf } from '../../../src/features/scheduling/rules/series.ts'

const wall = (text: string) => Date.parse(`${text}:00Z`)
const shown = (walls: number[]) => walls.map((at) => new Date(at).toISOString().slice(0, 16))

test('occurrences keep the time of day; a shorter month has its last day', () => {
  expect(shown(occurrencesOf(wall('2027-01-31T09:30'), { frequency: 'monthly', interval: 1, count: 4 }))).toEqual([
    ...['2027-01-31T09:30', '2027-02-28T09:30', '2027-03-31T09:30', '2027-04-30T09:30'],
  ])
  expect(shown(occurrencesOf(wall('2026-12-28T09:30'), { frequency: 'weekly', interval: 2, count: 2 }))).toEqual([
    ...['2026-12-28T09:30', '2027-01-11T09:30'],
  ])
})
