import { type SQL, sql } from 'drizzle-orm'
import { batch } from '../src/data/batch.ts'
import { call } from '../src/data/call.ts'
import { type Env, jobsDatabaseOf } from '../src/env.ts'
import { type Event, listeners } from '../src/features/events/plans/listeners.ts'
import { loggable } from '../src/lib/text.ts'

const AT_ONCE = 100

/** Claims events for a minute, oldest first: those of one workspace, or of all. So concurrent deliveries share the work. */
export const claimEvents = (workspaceId: string | null): SQL =>
  sql`select coalesce(json_agg(event), '[]') from claim_events(${workspaceId}::uuid, ${AT_ONCE})`

/** Delivers the events of every workspace whose wake-up message was lost. */
export async function deliverEvents(env: Env): Promise<void> {
  const [claimed] = (await batch(jobsDatabaseOf(env), [claimEvents(null)])) as [Event[]]
  await deliverClaimed(env, null, claimed)
}

/**
 * Delivers claimed events, and all that follow, to the listeners of their type. A failed event remains and is retried, and the later ones
 * of its record wait for it until it has failed for good.
 */
export async function deliverClaimed(env: Env, workspaceId: string | null, first: Event[]): Promise<void> {
  for (let claimed = first; claimed.length > 0; ) {
    const done: Event[] = []
    const failed: (Event & { error: string })[] = []
    const waiting: Event[] = []
    for (const event of claimed) {
      if (
        [...failed, ...waiting].some(({ workspace_id, entity_id }) => workspace_id === event.workspace_id && entity_id === event.entity_id)
      ) {
        waiting.push(event)
        continue
      }
      try {
        for (const { types, handle } of listeners) if (types.includes(event.type)) await handle(env, event)
        done.push(event)
      } catch (error) {
        failed.push({ ...event, error: loggable(String(error), 500) })
      }
    }
    const ids = (events: Event[]) =>
      JSON.stringify(events.map(({ workspace_id, id, ...rest }) => ({ workspace_id, id, ...('error' in rest && { error: rest.error }) })))
    const [, next] = (await batch(jobsDatabaseOf(env), [
      call('ack_events', ids(done), ids(failed), ids(waiting)),
      claimEvents(workspaceId),
    ])) as [unknown, Event[]]
    claimed = next
  }
}
