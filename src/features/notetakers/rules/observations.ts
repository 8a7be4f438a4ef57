import { type ClaimedNotetaker, type Outcome, untilLook } from './decisions.ts'
import type { NotetakerTransition } from './states.ts'

type ObservedRecording = {
  started_at: string | null
  completed_at: string | null
  transcript: { status: 'processing' | 'done' | 'failed' } | null
}
export type ObservedBot = { statuses: { code: string; sub_code: string | null; at: string }[]; recordings: ObservedRecording[] }

/** What the provider's statuses of a bot mean as long as it has not ended. Others mean nothing new. */
const TRANSITION_OF: Readonly<Record<string, NotetakerTransition>> = {
  ready: 'schedule',
  joining_call: 'join',
  in_waiting_room: 'join',
  in_call_not_recording: 'join',
  recording_permission_allowed: 'join',
  recording_permission_denied: 'join',
  in_call_recording: 'record',
}
const ENDED = ['done', 'fatal']
const RECORDED = 'in_call_recording'

/** Whether the bot has ended, so that it can no longer record. */
export const hasEnded = ({ statuses }: Pick<ObservedBot, 'statuses'>): boolean => endOf(statuses) !== undefined

/** What a look at the bot means: the provider's own account of it, whatever was reported in which order before. */
export function observe(notetaker: ClaimedNotetaker, bot: ObservedBot, now: number): Outcome {
  const last = latest(bot.statuses)
  const recorded = recordedIn(bot.recordings, notetaker.limit_minutes)
  const end = endOf(bot.statuses)
  const isOver = end !== undefined || bot.statuses.some(({ code }) => code === 'call_ended')
  if (isOver && recorded) return { transition: 'finish', bot: { is_bot_gone: true }, recorded, seconds: 0 }
  if (end) {
    const isRecordingComing = end.code === 'done' && bot.recordings.some(({ started_at, completed_at }) => started_at && !completed_at)
    if (isRecordingComing) return { seconds: 30 }
    return { transition: 'fail', bot: { is_bot_gone: true }, error: `The bot recorded nothing: ${end.sub_code ?? end.code}` }
  }
  // A status that comes after the recording has begun does not take that back.
  const hasRecorded = bot.statuses.some(({ code }) => code === RECORDED)
  const transition = hasRecorded ? 'record' : TRANSITION_OF[last?.code ?? 'ready']
  const seconds = last === undefined || last.code === 'ready' ? untilLook(notetaker, now) : hasRecorded && !isOver ? 300 : 30
  return { ...(transition && { transition }), seconds }
}

/** The status with which a bot has ended. Others may follow, such as that its recording was analysed or has expired. */
const endOf = (statuses: ObservedBot['statuses']) => latest(statuses.filter(({ code }) => ENDED.includes(code)))
const latest = (statuses: ObservedBot['statuses']) => statuses.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)).at(-1)

/** What was recorded, in minutes that have begun, never more than the limit. Undefined as long as a recording lasts, or without any. */
function recordedIn(recordings: ObservedRecording[], limit: number) {
  const spans = recordings.flatMap(({ started_at, completed_at }) =>
    started_at && completed_at ? [[started_at, completed_at] as const] : [],
  )
  if (spans.length === 0 || recordings.some(({ started_at, completed_at }) => started_at && !completed_at)) return undefined
  const length = spans.reduce((sum, [from, to]) => sum + Math.max(0, Date.parse(to) - Date.parse(from)), 0)
  const order = (a: string, b: string) => Date.parse(a) - Date.parse(b)
  return {
    recording_started_at: spans.map(([from]) => from).toSorted(order)[0] as string,
    recording_ended_at: spans
      .map(([, to]) => to)
      .toSorted(order)
      .at(-1) as string,
    recorded_minutes: Math.min(limit, Math.ceil(length / 60_000)),
    transcript_status: 'pending' as const,
  }
}
