import type { SQL } from 'drizzle-orm'
import { call } from '../src/data/call.ts'
import type { Follower } from '../src/domain/events.ts'
import type { Env } from '../src/env.ts'
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

/** The followers of a workspace that have something to read: Follower[]. */
export const followersOf = (workspaceId: string): SQL => call('followers_of', workspaceId)

/** Lets followers read the new events of a workspace. One that fails does not delay the others. */
export async function letRead(env: Env, workspaceId: string, names: Follower[]): Promise<void> {
  const results = await Promise.allSettled(names.map((name) => followers[name]?.(env, workspaceId)))
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
}
