import type { MessageOf } from '../../../../queues/messages.ts'
import { batch, type Database } from '../../../data/batch.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { AppError, STATUS_OF } from '../../../errors.ts'
import { reasonOf } from '../../lists/plans/tracking.ts'
import { audienceOfFire, type Deliveries, deliveriesIn, type Fire, failFire, loadFire, startPart, zonesOfPart } from '../plans/fire.ts'

/** Parts per message, after which another message continues, so that a large audience does not delay others for long. */
const MAX_PARTS = 2

/** Starts the runs of a fire's audience. Repeated and concurrent messages do no harm, and cron sends a lost one again. */
export async function runSchedule(env: Env, message: MessageOf<'schedule.run'>): Promise<void> {
  const { workspace_id, schedule_run_id } = message
  const database = jobsDatabaseOf(env)
  let more = true
  for (let part = 0; more && part < MAX_PARTS; part++) {
    const [fire] = (await batch(database, [loadFire(workspace_id, schedule_run_id)])) as [Fire | null]
    if (!fire) return
    more = await runPart(database, workspace_id, fire)
  }
  // The runs that are due at once do not wait for cron.
  await env.EVENTS.send({ type: 'automations.run', workspace_id })
  if (more) await env.IMPORTS.send(message)
}

/** Starts the runs of the next part, and returns whether there is another. A filter that the database refuses ends the fire. */
async function runPart(database: Database, workspaceId: string, fire: Fire): Promise<boolean> {
  try {
    const audience = audienceOfFire(fire)
    let deliveries: Deliveries = {}
    if (fire.settings.deliver_at_local !== null) {
      const zones = (await batch(database, zonesOfPart(workspaceId, fire, audience))).at(-1) as string[]
      deliveries = deliveriesIn(fire, zones)
    }
    const next = (await batch(database, startPart(workspaceId, fire, audience, deliveries))).at(-1)
    return next !== null
  } catch (error) {
    if (!(error instanceof AppError) || STATUS_OF[error.code] >= 500) throw error
    // Another worker has moved on with it.
    if (error.code === 'CONFLICT') return true
    await batch(database, [failFire(workspaceId, fire.id, error.code, reasonOf(error))])
    return false
  }
}

/** Ends a fire whose message has failed every time. */
export async function deadLetterSchedule(env: Env, { workspace_id, schedule_run_id }: MessageOf<'schedule.run'>): Promise<void> {
  await batch(jobsDatabaseOf(env), [failFire(workspace_id, schedule_run_id, 'INTERNAL', 'The audience could not be read')])
}
