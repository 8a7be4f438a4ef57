import { deliverEvents } from './deliver-events.ts'
import { followFeed } from './follow-feed.ts'
import type { WorkSet } from './work/set.ts'

/** Events that a transaction has committed: their listeners get them, and the followers of the feed read it. */
export const committedEvents: WorkSet = {
  name: 'events.deliver',
  queue: 'EVENTS',
  due: [
    { table: 'feed_wakes', due: 'at', where: 't.since < pg_snapshot_xmin(pg_current_snapshot())' },
    { name: 'webhooks.replay', table: 'webhook_states', due: 'replayed_at', where: 't.replay_id is not null' },
  ],
  run: (env, workspaceId) => Promise.all([deliverEvents(env, workspaceId), followFeed(env, workspaceId)]).then(() => false),
}
