import { batch } from '../src/data/batch.ts'
import type { Follower } from '../src/domain/events.ts'
import { jobsDatabaseOf } from '../src/env.ts'
import type { Event } from '../src/features/events/plans/listeners.ts'
import { claimEvents, deliverClaimed } from './deliver-events.ts'
import { followersOf, letRead } from './follow-feed.ts'
import type { WorkSet } from './work/set.ts'

/** Events that a transaction has committed: their listeners get them, and the followers of the feed read it. */
export const committedEvents: WorkSet = {
  name: 'events.deliver',
  queue: 'EVENTS',
  due: [
    { table: 'feed_wakes', due: 'at', where: 't.since < pg_snapshot_xmin(pg_current_snapshot())' },
    { name: 'webhooks.replay', table: 'webhook_states', due: 'replayed_at', where: 't.replay_id is not null' },
  ],
  async run(env, workspaceId) {
    const [claimed, followers] = (await batch(jobsDatabaseOf(env), [claimEvents(workspaceId), followersOf(workspaceId)])) as [
      Event[],
      Follower[],
    ]
    await Promise.all([deliverClaimed(env, workspaceId, claimed), letRead(env, workspaceId, followers)])
  },
}
