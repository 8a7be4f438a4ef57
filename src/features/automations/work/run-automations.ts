import type { WorkSet } from '../../../../queues/work/set.ts'
import type { Env } from '../../../env.ts'
import { enqueue, wake } from '../../../wake.ts'
import { enrolLists } from './enrol-lists.ts'
import { runDue } from './run.ts'
import { startFromEvents } from './trigger.ts'

/** Runs that are due, and lists whose members are enrolled in auto queues. */
export const automationRuns: WorkSet = {
  name: 'automations.run',
  queue: 'EVENTS',
  due: [
    {
      table: 'automation_runs',
      due: 'due_at',
      where: 't.due_at <= now() and (t.claimed_until is null or t.claimed_until <= now())',
    },
    {
      name: 'auto-queues.enrol',
      table: 'auto_queue_list_enrolments',
      due: 'created_at',
      where: `t.state = 'running' and exists (select from auto_queues q
        where q.workspace_id = t.workspace_id and q.id = t.auto_queue_id and q.state = 'active')`,
    },
  ],
  run: runAutomations,
}

/**
 * Starts the runs for the new events of a workspace, takes the steps that are due, and enrols the members of lists in auto queues. One
 * message at a time does so much and leaves the rest to another, so that no workspace delays the others.
 */
async function runAutomations(env: Env, workspaceId: string): Promise<boolean> {
  const moreEvents = await startFromEvents(env, workspaceId)
  const { more, acted, enrols, wakes } = await runDue(env, workspaceId)
  await Promise.all([...wakes].map((kind) => wake(env, kind, workspaceId)))
  const moreMembers = enrols && (await enrolLists(env, workspaceId))
  // Those that read the events of these steps go on with the rest.
  if (acted) await enqueue(env, 'events.deliver', workspaceId)
  return moreMembers || (!acted && (moreEvents || more))
}
