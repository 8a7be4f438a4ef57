import type { MessageOf } from '../../../../queues/messages.ts'
import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { wake } from '../../../wake.ts'
import { CALL_STATUSES } from '../rules/calls.ts'

/** A call that goes on gives way to any outcome, and of two outcomes the first one stays. */
const RANKS = JSON.stringify(Object.fromEntries(CALL_STATUSES.map((status, rank) => [status, Math.min(rank, 2)])))

/** Stores what the providers report about calls, one statement for each workspace. Reports may come in any order, and repeatedly. */
export async function recordCallReports(env: Env, posted: MessageOf<'call.event'>[]): Promise<void> {
  for (const [workspace, messages] of Map.groupBy(posted, ({ workspace_id }) => workspace_id)) {
    const reports = JSON.stringify(messages.map(({ report }) => report))
    await batch(jobsDatabaseOf(env), [call('record_call_reports', workspace, reports, RANKS)])
    // Followers of the feed wait for calls. A lost wake-up costs a minute.
    await wake(env, 'events.deliver', workspace)
  }
}
