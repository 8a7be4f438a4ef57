import { expect, test } from 'vitest'
import {
  afterCreation,
  afterSearch,
  type ClaimedNotetaker,
  expired,
  nextTask,
  retrySeconds,
} from '../../src/features/notetakers/rules/decisions.ts'
import { observe } from '../../src/features/notetakers/rules/observations.ts'
import { NOTETAKER_STATES, NOTETAKER_TRANSITIONS, type NotetakerState } from '../../src/features/notetakers/rules/states.ts'
import { transcriptOf, transcriptText } from '../../src/features/notetakers/rules/transcript.ts'

const NOW = Date.UTC(2026, 10, 30, 9)
const at = (minutes: number) => new Date(NOW + minutes * 60_000).toISOString()
const notetaker = (fields: Partial<ClaimedNotetaker> = {}): ClaimedNotetaker => ({
  id: 'n',
  state: 'scheduled',
  is_new: false,
  meeting_url: 'https://meet.example.com/a',
  join_at: at(60),
  ends_at: at(91),
  limit_minutes: 90,
  stop_requested: false,
  bot_id: 'b',
  bot_join_at: at(60),
  bot_meeting_url: 'https://meet.example.com/a',
  bot_requested_at: at(-5),
  is_bot_gone: false,
  attempts: 1,
  transcript_status: 'none',
  recording_ended_at: null,
  ...fields,
})
const noBot = { bot_id: null, bot_join_at: null, bot_meeting_url: null }

test('every state of a notetaker times every trigger', () => {
  const after = (from: NotetakerState) =>
    Object.fromEntries(
      Object.entries(NOTETAKER_TRANSITIONS).flatMap(([step, moves]) => {
        const to = (moves as Partial<Record<NotetakerState, string>>)[from]
        return to ? [[step, to]] : []
      }),
    )
  const ending = { finish: 'done', fail: 'failed' }
  expect(Object.fromEntries(NOTETAKER_STATES.map((state) => [state, after(state)]))).toEqual({
    requested: { schedule: 'scheduled', join: 'joining', record: 'recording', ...ending, cancel: 'cancelled' },
    scheduled: { join: 'joining', record: 'recording', ...ending, cancel: 'cancelled' },
    joining: { record: 'recording', ...ending, cancel: 'cancelled' },
    recording: ending,
    done: {},
    failed: {},
    cancelled: {},
  })
})

test('what is done next, in every state', () => {
  const task = (fields: Partial<ClaimedNotetaker>, now = NOW) => nextTask(notetaker(fields), now)
  const late = NOW + 60 * 24 * 60_000 * 3
  const ofState = (fields: (state: NotetakerState) => Partial<ClaimedNotetaker>, now = NOW) =>
    Object.fromEntries(NOTETAKER_STATES.map((state) => [state, task({ state, ...fields(state) }, now)]))
  expect(ofState(() => ({}))).toEqual({
    requested: 'look',
    scheduled: 'look',
    joining: 'look',
    recording: 'look',
    done: 'nothing',
    failed: 'remove',
    cancelled: 'remove',
  })
  expect(ofState(() => ({ is_bot_gone: true }))).toMatchObject({ done: 'nothing', failed: 'nothing', cancelled: 'nothing' })
  expect(ofState(() => ({ ...noBot }))).toMatchObject({ requested: 'find', failed: 'find', cancelled: 'find' })
  expect(ofState(() => ({ ...noBot, bot_requested_at: null }))).toMatchObject({ failed: 'nothing', cancelled: 'nothing' })
  expect(ofState(() => ({}), late)).toEqual({
    requested: 'expire',
    scheduled: 'expire',
    joining: 'expire',
    recording: 'expire',
    done: 'nothing',
    failed: 'expire',
    cancelled: 'expire',
  })
  expect(ofState(() => ({ join_at: at(30) }))).toMatchObject({
    requested: 'update',
    scheduled: 'update',
    joining: 'look',
    recording: 'look',
  })
  expect(ofState(() => ({ meeting_url: 'https://meet.example.com/b' }))).toMatchObject({ scheduled: 'update', joining: 'look' })
  expect(ofState(() => ({ stop_requested: true }))).toMatchObject({ recording: 'leave', done: 'nothing' })
  expect(task({ state: 'requested', is_new: true, ...noBot })).toBe('create')
  expect(task({ state: 'requested', is_new: true, ...noBot }, NOW + 92 * 60_000)).toBe('expire')
  expect(task({ state: 'done', transcript_status: 'pending' })).toBe('transcript')
})

test('what follows the request of a bot', () => {
  const requested = notetaker({ state: 'requested', ...noBot })
  const outcome = (outcome: 'refused' | 'busy' | 'unavailable' | 'unclear') => afterCreation(requested, { outcome, reason: 'why' }, NOW)
  expect(afterCreation(requested, { outcome: 'created', bot: { id: 'b' } }, NOW)).toEqual({
    transition: 'schedule',
    bot: { bot_id: 'b', bot_join_at: at(60), bot_meeting_url: requested.meeting_url },
    seconds: 62 * 60,
  })
  expect(outcome('refused')).toMatchObject({ transition: 'fail', error: 'why', bot: { is_bot_gone: true } })
  expect(outcome('unclear')).toEqual({ failed: true, error: 'why', seconds: 5 })
  for (const which of ['busy', 'unavailable'] as const)
    expect(outcome(which)).toMatchObject({ failed: true, bot: { bot_requested_at: null }, seconds: 15 })
  expect([1, 2, 3, 10, 40].map((attempts) => retrySeconds({ attempts, join_at: at(60) }, NOW))).toEqual([15, 30, 60, 600, 600])
  expect([1, 5].map((attempts) => retrySeconds({ attempts, join_at: at(1) }, NOW))).toEqual([15, 30])
  expect(expired(notetaker({ state: 'requested', is_new: true, ...noBot }))).toEqual({
    transition: 'fail',
    bot: { bot_requested_at: null },
    error: 'No bot could join before the meeting ended',
  })
})

test('an unclear request is repeated only when the provider has had time to list its bot', () => {
  const unclear = (minutes: number, state: NotetakerState = 'requested') => notetaker({ state, ...noBot, bot_requested_at: at(-minutes) })
  expect(afterSearch(unclear(0.5), undefined, NOW)).toMatchObject({ failed: true, seconds: 15 })
  expect(afterSearch(unclear(1), undefined, NOW)).toEqual({ bot: { bot_requested_at: null, is_bot_gone: false }, seconds: 0 })
  expect(afterSearch(unclear(1, 'cancelled'), undefined, NOW)).toEqual({ bot: { bot_requested_at: null, is_bot_gone: true } })
  const found = { id: 'b', join_at: at(30), meeting_url: 'https://meet.example.com/a' }
  expect(afterSearch(unclear(1), found, NOW)).toMatchObject({
    transition: 'schedule',
    bot: { bot_id: 'b', bot_join_at: at(30) },
    seconds: 0,
  })
})

test('a bot is judged by its latest status and its recordings, in whatever order they are listed', () => {
  const seen = (codes: string[], recordings: Parameters<typeof observe>[1]['recordings'] = []) => {
    const statuses = codes.map((code, n) => ({ code, sub_code: code === 'fatal' ? 'bot_kicked_from_call' : null, at: at(n) }))
    const outcome = observe(notetaker(), { statuses: statuses.toReversed(), recordings }, NOW)
    expect(observe(notetaker(), { statuses, recordings }, NOW)).toEqual(outcome)
    return outcome
  }
  const recording = (from: number, to: number | null) => ({
    started_at: at(from),
    completed_at: to === null ? null : at(to),
    transcript: null,
  })
  expect(seen([])).toEqual({ transition: 'schedule', seconds: 62 * 60 })
  expect(seen(['ready'])).toEqual({ transition: 'schedule', seconds: 62 * 60 })
  for (const code of [
    'joining_call',
    'in_waiting_room',
    'in_call_not_recording',
    'recording_permission_allowed',
    'recording_permission_denied',
  ])
    expect([code, seen(['ready', code])]).toEqual([code, { transition: 'join', seconds: 30 }])
  expect(seen(['ready', 'in_call_recording'], [recording(0, null)])).toEqual({ transition: 'record', seconds: 300 })
  expect(seen(['in_call_recording', 'recording_permission_denied'])).toMatchObject({ transition: 'record' })
  expect(seen(['in_call_recording', 'call_ended'], [recording(0, null)])).toEqual({ transition: 'record', seconds: 30 })
  expect(seen(['in_call_recording', 'call_ended', 'done'], [recording(0, null)])).toEqual({ seconds: 30 })
  expect(seen(['ready', 'an_unknown_status'])).toEqual({ seconds: 30 })
  expect(seen(['ready', 'joining_call', 'done'])).toMatchObject({ transition: 'fail', error: 'The bot recorded nothing: done' })
  expect(seen(['ready', 'fatal'])).toMatchObject({ transition: 'fail', error: 'The bot recorded nothing: bot_kicked_from_call' })
  expect(seen(['in_call_recording', 'fatal'], [recording(0, 2)])).toMatchObject({ transition: 'finish', recorded: { recorded_minutes: 2 } })
  // Statuses that follow the end, and are new to us, do not take it back.
  const late = ['in_call_recording', 'call_ended', 'done', 'media_expired']
  expect(seen(late, [recording(0, 2)])).toMatchObject({ transition: 'finish', recorded: { recorded_minutes: 2 } })
  expect(seen(['joining_call', 'done', 'media_expired'])).toMatchObject({ transition: 'fail', error: 'The bot recorded nothing: done' })
  const minutes = (...recordings: ReturnType<typeof recording>[]) =>
    (seen(['in_call_recording', 'done'], recordings).recorded as { recorded_minutes: number }).recorded_minutes
  expect([minutes(recording(0, 1)), minutes(recording(0, 1.001)), minutes(recording(0, 0)), minutes(recording(2, 1))]).toEqual([1, 2, 0, 0])
  expect([minutes(recording(0, 1.2), recording(3, 4.2)), minutes(recording(0, 500))]).toEqual([3, 90])
})

test('a transcript joins what each speaker says in a row, orders it, numbers people without a name, and is bounded', () => {
  const part = (participant_id: string, name: string | null, started: number, text: string) => ({
    participant_id,
    name,
    is_host: false,
    words: text.split(' ').map((word) => ({ text: word, started, ended: started + 1 })),
  })
  const { entries } = transcriptOf([
    part('2', null, 9, 'Fine.'),
    part('1', ' Ana ', 1, 'How are'),
    part('1', 'Ana', 2, 'you?'),
    part('3', '', 8, 'Hm.'),
    part('4', 'X', 5, ' '),
  ])
  expect(entries.map(({ speaker, started_seconds, text }) => [speaker, started_seconds, text])).toEqual([
    ['Ana', 1, 'How are you?'],
    ['Speaker 1', 8, 'Hm.'],
    ['Speaker 2', 9, 'Fine.'],
  ])
  expect(transcriptText({ entries: [{ ...entries[0]!, started_seconds: 3_725 }], is_truncated: true })).toBe(
    'Ana (1:02:05): How are you?\n(The rest was too long to be kept.)',
  )
  const many = transcriptOf(Array.from({ length: 6_000 }, (_, n) => part(String(n % 2), `P${n % 2}`, n, 'word')))
  expect([many.entries.length, many.is_truncated]).toEqual([5_000, true])
  const long = transcriptOf(Array.from({ length: 600 }, (_, n) => part(String(n % 2), 'P', n, 'x'.repeat(1_000))))
  expect([long.entries.length, long.is_truncated]).toEqual([500, true])
  expect(transcriptText(long).length).toBeLessThanOrEqual(65_536)
  expect(transcriptText(long)).toMatch(/\(The notetaker of the booking has the rest\.\)$/)
  expect(transcriptOf([part('1', 'a\ud800', 0, 'b\0\ud800')]).entries[0]).toMatchObject({ speaker: 'a\ufffd', text: 'b\ufffd' })
})
