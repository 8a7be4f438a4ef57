import type { MessageOf } from '../../../../queues/messages.ts'
import type { Env } from '../../../env.ts'
import { enqueueWake } from '../../../http/wake.ts'
import { enrolLists } from './enrol-lists.ts'
import { runDue } from './run.ts'
import { startFromEvents } from './trigger.ts'

/**
 * Starts the runs for the new events of a workspace, takes the steps that are due, and enrols the members of lists in auto queues. One
 * message at a time does so much and leaves the rest to another, so that no workspace delays the others. Repeated and concurrent messages
 * do no harm.
 */
export async function runAutomations(env: Env, message: MessageOf<'automations.run'>): Promise<void> {
  const { workspace_id } = message
  const moreEvents = await startFromEvents(env, workspace_id)
  const { more, acted, wakes } = await runDue(env, workspace_id)
  await Promise.all([...wakes].map((wake) => enqueueWake(env, workspace_id, wake)))
  const moreMembers = await enrolLists(env, workspace_id)
  if (acted) await env.EVENTS.send({ type: 'events.deliver', workspace_id })
  if (moreMembers || (!acted && (moreEvents || more))) await env.EVENTS.send(message)
}
