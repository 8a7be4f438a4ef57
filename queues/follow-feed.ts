import { sql } from 'drizzle-orm'
import { batch } from '../src/data/batch.ts'
import type { Follower } from '../src/domain/events.ts'
import { type Env, jobsDatabaseOf } from '../src/env.ts'
import { automationRuns } from '../src/features/automations/work/run-automations.ts'
import { trackedLists } from '../src/features/lists/work/track-lists.ts'
import { followWebhooks } from '../src/features/webhooks/work/follow-webhooks.ts'
import { runSet } from './work/run.ts'

type Follow = (env: Env, workspaceId: string) => Promise<void>

/**
 * What reads the feed of a workspace (feed-followers.sql). Each reads on from its own position and tolerates repeated and concurrent calls.
 */
const followers: Partial<Record<Follower, Follow>> = {
  automations: (env, workspaceId) => runSet(env, automationRuns, workspaceId),
  lists: (env, workspaceId) => runSet(env, trackedLists, workspaceId),
  webhooks: followWebhooks,
}

/** Lets the followers of a workspace read its new events. One that fails does not delay the others. */
export async function followFeed(env: Env, workspaceId: string): Promise<void> {
  const [names] = (await batch(jobsDatabaseOf(env), [sql`select followers_of(${workspaceId}::uuid)`])) as [Follower[]]
  const results = await Promise.allSettled(names.map((name) => followers[name]?.(env, workspaceId)))
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
}
