import { randomUUID } from 'node:crypto'

/** What a participant said, as Recall.ai's transcripts have it. */
export type Words = {
  participant: { id: number; name: string | null; is_host: boolean; platform: string }
  words: { text: string; start_timestamp: { relative: number }; end_timestamp: { relative: number } }[]
}

type Status = { code: string; sub_code: string | null; message: string | null; created_at: string }
type Recording = { started_at: string; completed_at: string | null; transcript: 'done' | 'failed' | 'processing' }

/** A bot of the emulated Recall.ai. */
export interface EmulatedBot {
  id: string
  meeting_url: string
  bot_name: string
  join_at: string | null
  automatic_leave: Record<string, unknown>
  recording_config: Record<string, unknown>
  metadata: Record<string, string>
  status_changes: Status[]
  recording: Recording | null
  spoken: Words[]
  deleted: boolean
  /** It was asked to leave its call. */
  isLeaving: boolean
}

type Order = Pick<EmulatedBot, 'meeting_url'> & Partial<EmulatedBot>

export function newBot({
  meeting_url,
  bot_name = 'Meeting Notetaker',
  join_at = null,
  automatic_leave = {},
  recording_config = {},
  metadata = {},
}: Order) {
  const bot: EmulatedBot = {
    id: randomUUID(),
    meeting_url,
    bot_name,
    join_at,
    automatic_leave,
    recording_config,
    metadata,
    status_changes: [],
    recording: null,
    spoken: [],
    deleted: false,
    isLeaving: false,
  }
  setStatus(bot, 'ready')
  return bot
}

/** Later statuses have later times, however fast they follow. */
export function setStatus(bot: EmulatedBot, code: string, subCode: string | null = null): void {
  const last = Date.parse(bot.status_changes.at(-1)?.created_at ?? '') || 0
  const created_at = new Date(Math.max(Date.now(), last + 1)).toISOString()
  bot.status_changes.push({ code, sub_code: subCode, message: null, created_at })
  if (code === 'in_call_recording') bot.recording ??= { started_at: created_at, completed_at: null, transcript: 'processing' }
}

const codes = ({ status_changes }: EmulatedBot) => status_changes.map(({ code }) => code)
export const isDispatched = (bot: EmulatedBot): boolean => codes(bot).some((code) => code !== 'ready')
export const isOver = (bot: EmulatedBot): boolean => codes(bot).some((code) => ['call_ended', 'done', 'fatal'].includes(code))

type Meeting = { seconds?: number; startedAt?: number; spoken?: Words[]; transcript?: Recording['transcript'] }

/** Lets a bot go through the rest of its meeting: what it has recorded, for so many seconds, and what was said. */
export function finishMeeting(bot: EmulatedBot, { seconds, startedAt, spoken = SPOKEN, transcript = 'done' }: Meeting = {}): void {
  for (const code of ['joining_call', 'in_call_recording']) if (!codes(bot).includes(code)) setStatus(bot, code)
  const completed = Date.now()
  const started = startedAt ?? completed - (seconds ?? 60) * 1000
  bot.recording = { started_at: new Date(started).toISOString(), completed_at: new Date(completed).toISOString(), transcript }
  bot.spoken = spoken
  for (const code of ['call_ended', 'done']) if (!codes(bot).includes(code)) setStatus(bot, code)
}

const words = (start: number, text: string): Words['words'] =>
  text
    .split(' ')
    .map((word, n) => ({ text: word, start_timestamp: { relative: start + n / 2 }, end_timestamp: { relative: start + (n + 1) / 2 } }))
const SPOKEN: Words[] = [
  { participant: { id: 100, name: 'Ana Lee', is_host: false, platform: 'desktop' }, words: words(1, 'Thank you for your time.') },
  { participant: { id: 200, name: 'Ben Fox', is_host: true, platform: 'desktop' }, words: words(5, 'Shall we begin with the offer?') },
  { participant: { id: 100, name: 'Ana Lee', is_host: false, platform: 'desktop' }, words: words(9, 'Yes, please.') },
]

/** A bot as Recall.ai returns it. */
export function shown(bot: EmulatedBot, url: string) {
  const { id, meeting_url, bot_name, join_at, status_changes, recording, metadata } = bot
  const isTranscribed = recording?.transcript === 'done' && recording.completed_at !== null
  const transcript = {
    id: `transcript-${id}`,
    status: { code: isTranscribed ? 'done' : (recording?.transcript ?? 'processing'), sub_code: null },
    data: { download_url: isTranscribed ? `${url}/transcripts/${id}.json` : null },
  }
  const recordings = recording && {
    id: `recording-${id}`,
    started_at: recording.started_at,
    completed_at: recording.completed_at,
    status: { code: recording.completed_at ? 'done' : 'processing' },
    media_shortcuts: { transcript },
  }
  return {
    id,
    bot_name,
    join_at,
    metadata,
    status_changes,
    recordings: recordings ? [recordings] : [],
    meeting_url: { meeting_id: meeting_url.slice(meeting_url.lastIndexOf('/') + 1), platform: 'google_meet' },
  }
}
