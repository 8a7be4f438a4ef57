import { eq } from 'drizzle-orm'
import { emailCampaigns } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db } from '../../../data/db.ts'
import { afterRead, type Plan, read } from '../../../data/plan.ts'
import { mapResult, oneOrThrow } from '../../../data/query.ts'
import { Streamed } from '../../../data/streamed.ts'
import { AppError } from '../../../errors.ts'
import type { Place } from '../../../providers/feed/port.ts'
import type { CampaignStatus } from '../rules/states.ts'
import { campaignFields, WHAT } from './campaigns.ts'

/** Whose numbers may still change by themselves. */
const FOLLOWED: CampaignStatus[] = ['scheduled', 'sending', 'paused']
const POLL_MS = 1000
/** The most reads of a stream. Each is a subrequest of the Worker, which may make a thousand. */
const MOST_READS = 500
/** How soon a client connects again when its stream has ended, in milliseconds. */
const RETRY_MS = 1000
/** A position of the feed that is never reached: this reader's place is only counted. */
const NEVER = String(2n ** 62n)

const { workspace_id, id, status, scheduled_at, started_at, ended_at, error } = emailCampaigns
const columns = { workspace_id, id, status, ...campaignFields, scheduled_at, started_at, ended_at, error }
const progressOf = (campaign: string) =>
  mapResult(oneOrThrow(db.select(columns).from(emailCampaigns).where(eq(id, campaign)), WHAT, campaign), (found) => found)
type Progress = ReturnType<ReturnType<typeof progressOf>['decode']>

/**
 * The numbers of a campaign as server-sent events, whenever they have changed. The stream has one of the places of the workspace's readers
 * of events.
 */
export function streamProgress(ctx: Ctx, campaign: string): Plan<Streamed> {
  return afterRead(read(progressOf(campaign)), async (first: Progress) => {
    const place = await ctx.feed.join(first.workspace_id)
    return new Streamed('text/event-stream', (gone) => {
      gone.addEventListener('abort', () => place.leave())
      return messages(follow(ctx, campaign, first, place), place, ctx.feed.heartbeatSeconds * 1000)
    })
  })
}

/** What is read every second until the campaign or the stream ends, or the client leaves. */
async function* follow(ctx: Ctx, campaign: string, first: Progress, place: Place): AsyncGenerator<Progress> {
  const until = Date.now() + ctx.feed.streamSeconds * 1000
  let progress = first
  for (let count = 1; ; count++) {
    yield progress
    if (!FOLLOWED.includes(progress.status) || count === MOST_READS || Date.now() >= until) return
    if ((await place.moved(NEVER, POLL_MS)) === 'ended') return
    progress = await ctx.read(progressOf(campaign))
  }
}

/**
 * A message for each change, and a comment when nothing has changed for a while. A reader who is refused, or a database that fails, ends
 * the stream.
 */
async function* messages(reads: AsyncIterable<Progress>, place: Place, patience: number): AsyncGenerator<string> {
  let last = ''
  let at = 0
  try {
    yield `retry: ${RETRY_MS}\n\n`
    for await (const { workspace_id: _, ...progress } of reads) {
      const data = JSON.stringify(progress)
      if (data === last && Date.now() - at < patience) continue
      yield data === last ? ': heartbeat\n\n' : `event: ${FOLLOWED.includes(progress.status) ? 'progress' : 'end'}\ndata: ${data}\n\n`
      last = data
      at = Date.now()
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  } finally {
    await place.leave()
  }
}
