import { enqueue } from '../../../wake.ts'
import type { Listener } from './listeners.ts'

/** Sends a fire by hand to the queue; cron sends those that are due. */
export const enqueueScheduleRun: Listener = {
  types: ['auto_schedule.fire_requested'],
  async handle(env, { workspace_id, payload }) {
    await enqueue(env, 'schedule.run', workspace_id, payload.schedule_run_id as string)
  },
}
