import { describe, expect, test } from 'vitest'
import { reportedTranscript } from '../../src/features/transcripts/provider/transcribe.ts'
import { coachingOf } from '../../src/features/transcripts/rules/coaching.ts'
import { transcribed } from '../../src/features/transcripts/rules/transcripts.ts'

const speech = (speaker: number, started: number, text: string, ended = started + 1) => ({ speaker, started, ended, text })

describe('what was said', () => {
  test('is in order, with what a speaker says in a row as one entry, and without silence', () => {
    const { entries, is_truncated } = transcribed([
      speech(7, 5, 'Fine.'),
      speech(3, 0, ' Hello. '),
      speech(3, 2, '\0 '),
      speech(9, 3, ''),
      speech(3, 1, 'How are you?', 4),
      speech(7, 6, 'And you?'),
    ])
    expect(entries).toEqual([
      { speaker: 'Speaker 1', started_seconds: 0, ended_seconds: 4, text: 'Hello. How are you?' },
      { speaker: 'Speaker 2', started_seconds: 5, ended_seconds: 7, text: 'Fine. And you?' },
    ])
    expect(is_truncated).toBe(false)
  })

  test('ends with so many entries, to which the last speaker may add', () => {
    const turns = Array.from({ length: 5_000 }, (_, n) => speech(n % 2, n, 'a'))
    const whole = transcribed([...turns, speech(1, 5_000, 'more')])
    expect([whole.entries.length, whole.entries.at(-1)?.text, whole.is_truncated]).toEqual([5_000, 'a more', false])
    const cut = transcribed([...turns, speech(0, 5_000, 'more')])
    expect([cut.entries.length, cut.entries.at(-1)?.text, cut.is_truncated]).toEqual([5_000, 'a', true])
  })

  test('ends with so many characters', () => {
    const long = 'x'.repeat(250_000)
    expect(transcribed([speech(0, 0, long), speech(1, 1, long)])).toMatchObject({ is_truncated: false, entries: [{}, {}] })
    const { entries, is_truncated } = transcribed([speech(0, 0, long), speech(1, 1, long), speech(0, 2, 'y')])
    expect([entries.length, is_truncated]).toEqual([2, true])
  })
})

describe('the figures of a conversation', () => {
  const entry = (speaker: string, started_seconds: number, ended_seconds: number, text: string) => ({
    speaker,
    started_seconds,
    ended_seconds,
    text,
  })

  test('of nobody are empty', () => {
    expect(coachingOf([])).toEqual({ speakers: [], longest_monologue: null, questions: [], interruptions: [], silence_seconds: 0 })
  })

  test('of a recording without lengths are no numbers out of nothing', () => {
    const { speakers, longest_monologue } = coachingOf([entry('A', 5, 5, 'One two'), entry('B', 5, 4, 'Three')])
    expect(speakers).toMatchObject([
      { talk_seconds: 0, talk_ratio: 0, words: 2, words_per_minute: 0, longest_monologue_seconds: 0 },
      { talk_seconds: 0, talk_ratio: 0, words: 1, words_per_minute: 0 },
    ])
    expect(longest_monologue).toMatchObject({ speaker: 'A', seconds: 0 })
  })

  test('a speaker does not interrupt itself, chance overlap is none, and a lone question mark asks nothing', () => {
    const { interruptions, questions, silence_seconds } = coachingOf([
      entry('A', 2, 10, 'Well. ? Is it so? Yes.'),
      entry('A', 9, 12, 'And more.'),
      entry('B', 11.8, 13, 'What?'),
      entry('A', 12.5, 14, 'No.'),
      entry('B', 20, 21, 'Then.'),
    ])
    expect(interruptions).toEqual([{ speaker: 'A', at_seconds: 12.5, quote: 'No.', interrupted: 'B' }])
    expect(questions.map(({ quote }) => quote)).toEqual(['Is it so?', 'What?'])
    expect(silence_seconds).toBe(6)
  })
})

test('what the provider reports is a result, an error with or without a text, or nothing that is known', () => {
  expect(reportedTranscript({ metadata: { duration: 5 }, results: {} })).toEqual({
    outcome: 'done',
    duration_seconds: 5,
    language: null,
    utterances: [],
  })
  const utterance = { start: 0, end: 1, transcript: 'Hi', speaker: null }
  expect(reportedTranscript({ metadata: { duration: 5 }, results: { channels: [{}], utterances: [utterance] } })).toMatchObject({
    utterances: [{ speaker: 0, text: 'Hi' }],
  })
  expect(reportedTranscript({ err_code: 'E', err_msg: 'Gone' })).toEqual({ outcome: 'failed', reason: 'E: Gone' })
  expect(reportedTranscript({ err_code: 'E', err_msg: null })).toEqual({ outcome: 'failed', reason: 'E: ' })
  expect(reportedTranscript({ results: {} })).toBeUndefined()
})
