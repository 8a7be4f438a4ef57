import type { Harness } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import type { Ids } from './samples.ts'

/** A queue that can be activated, and enrolments that can be resumed and continued. */
export async function addEnrolments(app: Harness, ws: TestWorkspace, ids: Ids): Promise<void> {
  const step = { delay: { amount: 1, unit: 'days' }, action: { type: 'create_task', fields: { title: 'Call' } } }
  ids.queue_contact_id = (await ws.post('/contacts', { first_name: 'Queued' })).body.data.id
  ids.draft_queue_id = (await ws.post('/auto-queues', { name: `Draft ${crypto.randomUUID()}` })).body.data.id
  ids.draft_step_id = (await ws.post(`/auto-queues/${ids.draft_queue_id}/steps`, step)).body.data.id
  ids.closing_queue_id = (await ws.post('/auto-queues', { name: `Closing ${crypto.randomUUID()}` })).body.data.id
  await ws.post(`/auto-queues/${ids.closing_queue_id}/steps`, step)
  await ws.post(`/auto-queues/${ids.closing_queue_id}/activate`)
  for (const state of ['paused', 'failed', 'waiting']) {
    const contact_id = (await ws.post('/contacts', { first_name: state })).body.data.id
    const { id } = (await ws.post(`/auto-queues/${ids.auto_queue_id}/enrolments`, { contact_id })).body.data
    await app.owner.query(`begin; set local session_replication_role = replica; update automation_runs set state = '${state}',
      due_at = case '${state}' when 'waiting' then due_at end, awaits = null,
      ended_at = case '${state}' when 'failed' then now() end where id = '${id}'; commit`)
    ids[`${state}_enrolment_id`] = id
  }
}
