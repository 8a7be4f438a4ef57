import type { NotetakerState, NotetakerTransition, TranscriptStatus } from './states.ts'

/** A notetaker as a worker has claimed it (read_notetakers). */
export type ClaimedNotetaker = {
  id: string
  state: NotetakerState
  is_new: boolean
  meeting_url: string
  join_at: string
  ends_at: string
  limit_minutes: number
  stop_requested: boolean
  bot_id: string | null
  bot_join_at: string | null
  bot_meeting_url: string | null
  bot_requested_at: string | null
  is_bot_gone: boolean
  attempts: number
  transcript_status: TranscriptStatus
  recording_ended_at: string | null
}

/** What is stored of it (conclude_notetaker). Without `seconds` the background is done with it. */
export type Outcome = {
  transition?: NotetakerTransition
  error?: string
  seconds?: number
  /** The call failed, so that the next attempt comes later. */
  failed?: true
  bot?: Partial<Record<'bot_id' | 'bot_join_at' | 'bot_meeting_url' | 'bot_requested_at', string | null>> & { is_bot_gone?: boolean }
  recorded?:
    | { recording_started_at: string; recording_ended_at: string; recorded_minutes: number; transcript_status: TranscriptStatus }
    | {
        transcript_status: TranscriptStatus
      }
  transcript?: { entries: unknown[]; is_truncated: boolean; text: string }
  /** The booking gets another notetaker, because the bot of this one cannot be moved any more. */
  replace?: true
}

/**
 * What the provider is called for next: `create` a bot, `find` out whether an unclear request has created one, `update` its time and
 * meeting, `remove` it, make it `leave`, `look` at it, read its `transcript`; or `expire`, because it is too late, or `nothing`.
 */
export type Task = 'create' | 'find' | 'update' | 'remove' | 'leave' | 'look' | 'transcript' | 'expire' | 'nothing'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** So long after the end of the longest recording the provider must have reported it. */
const SILENCE = 6 * HOUR
/** So long an end of a bot that nobody wants is tried. */
const REMOVAL = 24 * HOUR
const TRANSCRIPTION = 24 * HOUR
/** The list of the provider's bots has a new one after so long. */
const LISTED = MINUTE

export function nextTask(notetaker: ClaimedNotetaker, now: number): Task {
  const { state, bot_id, bot_requested_at } = notetaker
  if (state === 'done') return notetaker.transcript_status === 'pending' ? 'transcript' : 'nothing'
  if (state === 'cancelled' || state === 'failed') {
    if (notetaker.is_bot_gone || (bot_id === null && bot_requested_at === null)) return 'nothing'
    if (now > lastMoment(notetaker) + REMOVAL) return 'expire'
    return bot_id === null ? 'find' : 'remove'
  }
  if (bot_id === null) {
    if (now >= Date.parse(notetaker.ends_at)) return 'expire'
    return notetaker.is_new ? 'create' : 'find'
  }
  if (now > lastMoment(notetaker) + SILENCE) return 'expire'
  if (state === 'recording' && notetaker.stop_requested) return 'leave'
  return isAgreed(notetaker) || (state !== 'requested' && state !== 'scheduled') ? 'look' : 'update'
}

const lastMoment = ({ join_at, limit_minutes }: ClaimedNotetaker) => Date.parse(join_at) + limit_minutes * MINUTE
const isAgreed = ({ join_at, meeting_url, bot_join_at, bot_meeting_url }: ClaimedNotetaker) =>
  bot_join_at !== null && Date.parse(bot_join_at) === Date.parse(join_at) && bot_meeting_url === meeting_url

const TOO_LATE = 'No bot could join before the meeting ended'

/** The outcome of `expire`. */
export function expired({ state, bot_id, is_new }: ClaimedNotetaker): Outcome {
  if (state === 'cancelled' || state === 'failed') return { bot: { is_bot_gone: true }, error: 'The provider did not remove the bot' }
  if (bot_id !== null)
    return { transition: 'fail', bot: { is_bot_gone: true }, error: 'The provider did not report the end of the meeting' }
  if (is_new) return { transition: 'fail', bot: { bot_requested_at: null }, error: TOO_LATE }
  // A request whose outcome is still unclear is looked up until its bot is removed.
  return { transition: 'fail', error: TOO_LATE, seconds: 0 }
}

/** The seconds until the next attempt after so many without success: near the meeting half a minute at most. */
export function retrySeconds({ attempts, join_at }: Pick<ClaimedNotetaker, 'attempts' | 'join_at'>, now: number): number {
  const isNear = now > Date.parse(join_at) - 15 * MINUTE
  return Math.min(15 * 2 ** Math.min(attempts - 1, 10), isNear ? 30 : 600)
}

export const failedCall = (notetaker: ClaimedNotetaker, reason: string, now: number): Outcome => ({
  failed: true,
  error: reason,
  seconds: retrySeconds(notetaker, now),
})

/** What a creation means. A bot that was refused for now is requested again, as long as the meeting lasts. */
export function afterCreation(
  notetaker: ClaimedNotetaker,
  creation: { outcome: 'created'; bot: { id: string } } | { outcome: 'refused' | 'busy' | 'unavailable' | 'unclear'; reason: string },
  now: number,
): Outcome {
  switch (creation.outcome) {
    case 'created':
      return { transition: 'schedule', bot: botOf(creation.bot.id, notetaker), seconds: untilLook(notetaker, now) }
    case 'refused':
      return { transition: 'fail', bot: { bot_requested_at: null, is_bot_gone: true }, error: creation.reason }
    case 'unclear':
      return { failed: true, error: creation.reason, seconds: 5 }
    default:
      return { ...failedCall(notetaker, creation.reason, now), bot: { bot_requested_at: null } }
  }
}

/** What the bots mean that the provider has for an unclear request; the others than the first were removed. */
export function afterSearch(
  notetaker: ClaimedNotetaker,
  bot: { id: string; join_at: string | null; meeting_url: string | null } | undefined,
  now: number,
) {
  if (bot)
    return {
      bot: { bot_id: bot.id, bot_join_at: bot.join_at, bot_meeting_url: bot.meeting_url },
      transition: 'schedule',
      seconds: 0,
    } satisfies Outcome
  if (now < Date.parse(notetaker.bot_requested_at ?? '') + LISTED)
    return { failed: true, error: 'It is not known yet whether a bot was created', seconds: 15 } satisfies Outcome
  const isWanted = notetaker.state === 'requested'
  return { bot: { bot_requested_at: null, is_bot_gone: !isWanted }, ...(isWanted && { seconds: 0 }) } satisfies Outcome
}

/** What the bot has as soon as the provider has accepted an order. */
export const botOf = (bot_id: string, { join_at, meeting_url }: Pick<ClaimedNotetaker, 'join_at' | 'meeting_url'>) => ({
  bot_id,
  bot_join_at: join_at,
  bot_meeting_url: meeting_url,
})

/** Webhooks wake a notetaker at once. Without them, a bot is looked at after it should have joined. */
export const untilLook = ({ join_at }: Pick<ClaimedNotetaker, 'join_at'>, now: number): number =>
  Math.max(60, Math.ceil((Date.parse(join_at) + 2 * MINUTE - now) / 1000))

/** Whether a transcript that is still not there is no longer waited for. */
export const isTranscriptLate = ({ recording_ended_at }: ClaimedNotetaker, now: number): boolean =>
  now > Date.parse(recording_ended_at ?? '') + TRANSCRIPTION
