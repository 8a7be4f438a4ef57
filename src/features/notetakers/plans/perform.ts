import { loggable } from '../../../lib/text.ts'
import type { Bot, BotOrder, NotetakerProvider } from '../provider/port.ts'
import {
  afterCreation,
  afterSearch,
  botOf,
  type ClaimedNotetaker,
  expired,
  failedCall,
  isTranscriptLate,
  nextTask,
  type Outcome,
  untilLook,
} from '../rules/decisions.ts'
import { hasEnded, observe } from '../rules/observations.ts'
import { laterBy, transcriptOf, transcriptText } from '../rules/transcript.ts'

/** The next call of the provider for a notetaker, and what it means. Never throws. */
export async function perform(provider: NotetakerProvider, workspaceId: string, notetaker: ClaimedNotetaker, now: Date): Promise<Outcome> {
  const at = now.getTime()
  const bounded = ({ error, ...outcome }: Outcome): Outcome => ({ ...outcome, ...(error !== undefined && { error: loggable(error, 500) }) })
  try {
    return bounded(await carryOut(provider, workspaceId, notetaker, at))
  } catch (error) {
    return bounded(failedCall(notetaker, String(error), at))
  }
}

async function carryOut(provider: NotetakerProvider, workspaceId: string, notetaker: ClaimedNotetaker, now: number): Promise<Outcome> {
  const bot_id = notetaker.bot_id ?? ''
  switch (nextTask(notetaker, now)) {
    case 'nothing':
      return {}
    case 'expire':
      return expired(notetaker)
    case 'create':
      return afterCreation(notetaker, await provider.create(orderOf(workspaceId, notetaker, now)), now)
    case 'find':
      return search(provider, notetaker, now)
    case 'update':
      return update(provider, workspaceId, notetaker, now)
    case 'remove':
      return remove(provider, notetaker, now)
    case 'leave':
      await provider.leave(bot_id)
      return soon(look(notetaker, await provider.get(bot_id), now))
    case 'look':
      return look(notetaker, await provider.get(bot_id), now)
    case 'transcript':
      return readTranscript(provider, notetaker, now)
  }
}

/** A bot that is leaving is looked at soon. */
const soon = (outcome: Outcome): Outcome => (outcome.seconds ? { ...outcome, seconds: Math.min(outcome.seconds, 30) } : outcome)

/** A bot whose time has come joins at once. */
function orderOf(workspace_id: string, { id, meeting_url, join_at, limit_minutes }: ClaimedNotetaker, now: number): BotOrder {
  return {
    workspace_id,
    notetaker_id: id,
    meeting_url,
    join_at: Date.parse(join_at) > now ? join_at : null,
    ordered_join_at: join_at,
    limit_seconds: limit_minutes * 60,
  }
}

async function search(provider: NotetakerProvider, notetaker: ClaimedNotetaker, now: number): Promise<Outcome> {
  const [first, ...others] = await provider.find(notetaker.id)
  for (const { id } of others) if ((await provider.remove(id)) === 'too_late') await provider.leave(id)
  return afterSearch(notetaker, first, now)
}

/** A bot whose time cannot be changed any more is ended, and the booking gets another one. */
async function update(provider: NotetakerProvider, workspaceId: string, notetaker: ClaimedNotetaker, now: number): Promise<Outcome> {
  const bot_id = notetaker.bot_id as string
  if ((await provider.update(bot_id, orderOf(workspaceId, notetaker, now))) === 'too_late')
    return { transition: 'cancel', replace: true, seconds: 0 }
  return { transition: 'schedule', bot: botOf(bot_id, notetaker), seconds: untilLook(notetaker, now) }
}

/** Too late to remove the bot: it leaves, and is looked at until it has ended. */
async function remove(provider: NotetakerProvider, notetaker: ClaimedNotetaker, now: number): Promise<Outcome> {
  const bot_id = notetaker.bot_id as string
  if ((await provider.remove(bot_id)) === 'removed') return { bot: { is_bot_gone: true } }
  await provider.leave(bot_id)
  const bot = await provider.get(bot_id)
  return !bot || hasEnded(bot) ? { bot: { is_bot_gone: true } } : { ...failedCall(notetaker, 'The bot has not left yet', now), seconds: 15 }
}

function look(notetaker: ClaimedNotetaker, bot: Bot | undefined, now: number): Outcome {
  if (!bot) return { transition: 'fail', bot: { is_bot_gone: true }, error: 'The provider has no such bot any more' }
  return observe(notetaker, bot, now)
}

async function readTranscript(provider: NotetakerProvider, notetaker: ClaimedNotetaker, now: number): Promise<Outcome> {
  const recordings = (await provider.get(notetaker.bot_id as string))?.recordings ?? []
  const isWaitedFor = recordings.some(({ transcript }) => transcript?.status !== 'done' && transcript?.status !== 'failed')
  if (isWaitedFor && !isTranscriptLate(notetaker, now)) return failedCall(notetaker, 'The transcript is not finished yet', now)
  if (!recordings.some(({ transcript }) => transcript?.status === 'done'))
    return { recorded: { transcript_status: 'failed' }, error: 'The provider has no transcript' }
  const parts = []
  // The times of each recording begin with it, and those of the transcript with the first one.
  const starts = recordings.map(({ started_at }) => Date.parse(started_at ?? '') || 0)
  const first = Math.min(...starts.filter((start) => start > 0))
  for (const [at, { transcript }] of recordings.entries())
    if (transcript?.url) parts.push(...laterBy(await provider.transcript(transcript.url), Math.max(0, ((starts[at] ?? 0) - first) / 1000)))
  const transcript = transcriptOf(parts)
  return { transcript: { ...transcript, text: transcriptText(transcript) } }
}
