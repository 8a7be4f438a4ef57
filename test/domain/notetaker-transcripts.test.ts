import { expect, test } from 'vitest'
import { perform } from '../../src/features/notetakers/plans/perform.ts'
import type { Bot, BotRecording, NotetakerProvider } from '../../src/features/notetakers/provider/port.ts'
import type { ClaimedNotetaker } from '../../src/features/notetakers/rules/decisions.ts'

const ENDED = Date.UTC(2026, 10, 30, 10)
const notetaker = {
  id: 'n',
  state: 'done',
  bot_id: 'b',
  join_at: new Date(ENDED - 3_600_000).toISOString(),
  attempts: 1,
  transcript_status: 'pending',
  recording_ended_at: new Date(ENDED).toISOString(),
} as ClaimedNotetaker
const recording = (id: string, minutes: number, status: 'processing' | 'done' | 'failed' = 'done'): BotRecording => ({
  id,
  started_at: new Date(ENDED - 3_600_000 + minutes * 60_000).toISOString(),
  completed_at: new Date(ENDED).toISOString(),
  transcript: { status, url: status === 'done' ? id : null },
})
const spoken: Record<string, string[]> = { first: ['Good morning.', 'Let us take a break.'], second: ['Welcome back.', 'Goodbye.'] }
const reading = (recordings: BotRecording[], hours = 1) =>
  perform(
    {
      get: async () => ({ id: 'b', join_at: null, meeting_url: null, statuses: [], recordings }) satisfies Bot,
      transcript: async (url: string) =>
        (spoken[url] ?? []).map((text, n) => ({
          participant_id: String(n),
          name: `Person ${n}`,
          is_host: false,
          words: [{ text, started: n * 2 + 1, ended: n * 2 + 2 }],
        })),
    } as Partial<NotetakerProvider> as NotetakerProvider,
    'w',
    notetaker,
    new Date(ENDED + hours * 3_600_000),
  )

test('what was said in several recordings stands in the order in which it was said', async () => {
  const { transcript } = await reading([recording('second', 30), recording('first', 0)])
  expect(transcript?.text).toBe(
    'Person 0 (0:01): Good morning.\nPerson 1 (0:03): Let us take a break.\nPerson 0 (30:01): Welcome back.\nPerson 1 (30:03): Goodbye.',
  )
})

test('a transcript that is there is kept however late it is read, and one that is not is given up after a day', async () => {
  expect((await reading([recording('first', 0)], 30)).transcript?.text).toContain('Good morning.')
  expect(await reading([recording('first', 0, 'processing')], 30)).toMatchObject({ recorded: { transcript_status: 'failed' } })
  expect(await reading([recording('first', 0, 'processing')])).toMatchObject({ failed: true, error: 'The transcript is not finished yet' })
  expect((await reading([recording('first', 0), recording('second', 30, 'processing')], 30)).transcript?.text).toContain('Good morning.')
  expect(await reading([])).toMatchObject({ recorded: { transcript_status: 'failed' } })
})
