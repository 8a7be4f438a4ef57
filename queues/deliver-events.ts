import { sql } from 'drizzle-orm'
import { batch } from '../src/data/batch.ts'
import { type Env, jobsDatabaseOf } from '../src/env.ts'
import { type Event, listeners } from '../src/features/events/plans/listeners.ts'
import { loggable } from '../src/lib/text.ts'

const AT_ONCE = 100

/**
 * Delivers events, oldest first, to the listeners of their type: those of one workspace, or of all in the sweep. Claiming an event for a
 * minute lets concurrent deliveries share the work. A failed event remains and is retried, and the later ones of its record wait for it
 * until it has failed for good.
 */
export async function deliverEvents(env: Env, workspaceId: string | null): Promise<void> {
  const database = jobsDatabaseOf(env)
  for (;;) {
    const [claimed] = (await batch(database, [
      sql`select coalesce(json_agg(event), '[]') from claim_events(${workspaceId}::uuid, ${AT_ONCE})`,
    ])) as [Event[]]
    if (claimed.length === 0) return
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
    await batch(database, [sql`select ack_events(${ids(done)}::jsonb, ${ids(failed)}::jsonb, ${ids(waiting)}::jsonb)`])
  }
}
