import type { WorkSet } from '../../../../queues/work/set.ts'
import { batch, type Database } from '../../../data/batch.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { AppError, STATUS_OF } from '../../../errors.ts'
import { enqueue } from '../../../wake.ts'
import { reasonOf } from '../../lists/plans/tracking.ts'
import { audienceOfFire, type Deliveries, deliveriesIn, type Fire, failFire, loadFire, startPart, zonesOfPart } from '../plans/fire.ts'

/** Parts per message, after which another message continues, so that a large audience does not delay others for long. */
const MAX_PARTS = 2

/** Fires of schedules. */
export const scheduleRuns: WorkSet = {
  name: 'schedule.run',
  queue: 'IMPORTS',
  hasItems: true,
  due: [
    {
      table: 'schedule_runs',
      due: 'touched_at',
      where: "t.ended_at is null and t.touched_at < now() - interval '2 minutes'",
      item: 'id',
    },
  ],
  run: runSchedule,
  dead: async (env, workspaceId, id) => {
    await batch(jobsDatabaseOf(env), [failFire(workspaceId, id, 'INTERNAL', 'The audience could not be read')])
  },
}

/** Starts the runs of a fire's audience. */
async function runSchedule(env: Env, workspaceId: string, id: string): Promise<boolean> {
  const database = jobsDatabaseOf(env)
  let more = true
  for (let part = 0; more && part < MAX_PARTS; part++) {
    const [fire] = (await batch(database, [loadFire(workspaceId, id)])) as [Fire | null]
    if (!fire) return false
    more = await runPart(database, workspaceId, fire)
  }
  // The runs that are due at once do not wait for cron.
  await enqueue(env, 'automations.run', workspaceId)
  return more
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
