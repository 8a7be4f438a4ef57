import { expect, test } from 'vitest'
import { coachingOf } from '../../src/features/transcripts/rules/coaching.ts'

const entry = (speaker: string, started_seconds: number, ended_seconds: number, text = 'Well') => ({
  speaker,
  started_seconds,
  ended_seconds,
  text,
})

test.each([
  [0.3, 1],
  [0.29, 0],
])('who begins %d seconds before the other has ended interrupts %d times', (seconds, times) => {
  const { interruptions } = coachingOf([entry('Ana', -5, seconds), entry('Bo', 0, 2)])
  expect(interruptions).toHaveLength(times)
})

test('fifty questions and interruptions are quoted, with three hundred characters of each', () => {
  const long = `${'a'.repeat(310)}?`
  const entries = Array.from({ length: 60 }, (_, at) => entry(at % 2 ? 'Ana' : 'Bo', at, at + 3, long))
  const { questions, interruptions } = coachingOf(entries)
  expect([questions.length, interruptions.length]).toEqual([50, 50])
  expect(questions[0]?.quote).toBe('a'.repeat(300))
})

test('of the longest parts the first one is named', () => {
  expect(coachingOf([entry('Ana', 0, 2), entry('Bo', 2, 4)]).longest_monologue).toMatchObject({ speaker: 'Ana', seconds: 2 })
})
