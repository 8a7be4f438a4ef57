import { expect, test } from 'vitest'
import { approveIn } from '../routes/approving.ts'
import { created, failed, found, type Row, useCrm } from '../routes/crm.ts'
import { task, useQueues } from './queue.ts'

/** What an enrolment in an auto queue refuses, and how it goes on. */
const crm = useCrm({ ownServer: true })
const { settle, elapse, queueOf, enrol, enrolment, change, titles, published, runs, steps } = useQueues(crm)
const decided = approveIn(() => crm.app)

test('a step that waits for an approval is neither paused nor skipped, and the queue goes on after the decision', async () => {
  const queue = await queueOf([task('Asked', { action: { type: 'create_task', fields: { title: 'Asked' }, require_approval: true } })])
  const contact = await crm.contact()
  const enrolled = await enrol(queue, { contact_id: contact.id })
  await elapse()
  const [{ id }] = found(await crm.ws.get('/approvals?status=pending')) as Row[] as [Row]
  for (const verb of ['pause', 'skip'])
    expect(await change(queue, enrolled, verb)).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT', details: { id } } } })
  expect(await enrolment(queue, enrolled)).toMatchObject({ state: 'active' })
  await decided(crm.ws, id)
  await settle()
  expect(await titles(contact)).toEqual(['Asked'])
  expect(await enrolment(queue, enrolled)).toMatchObject({ state: 'completed' })
})

test('an enrolment that has failed is not tried again while its record is enrolled again', async () => {
  const broken = { type: 'add_to_list', list_id: crypto.randomUUID(), record: 'contact' }
  const queue = await queueOf([task('Broken', { action: broken })], { re_enrolment: { mode: 'after_end' } })
  const contact = await crm.contact()
  const first = await enrol(queue, { contact_id: contact.id })
  await elapse()
  expect(await enrolment(queue, first)).toMatchObject({ state: 'failed' })
  const again = await enrol(queue, { contact_id: contact.id })
  expect(await change(queue, first, 'retry')).toMatchObject({
    status: 409,
    body: { error: { code: 'CONFLICT', details: { reason: 'already_enrolled', id: again.id } } },
  })
  expect(await enrolment(queue, first)).toMatchObject({ state: 'failed' })
  found(await change(queue, again, 'remove'))
  expect(found(await change(queue, first, 'retry'))).toMatchObject({ state: 'active' })
})

test('an enrolment in a queue whose steps are all gone has no step to skip', async () => {
  const queue = await queueOf([task('Gone')])
  found(await crm.ws.delete(`/auto-queues/${queue.id}/steps/${queue.steps[0]?.id}`))
  const contact = await crm.contact()
  await crm.app.capture(true)
  const enrolled = created(await crm.ws.post(`/auto-queues/${queue.id}/enrolments`, { contact_id: contact.id }))
  expect(await change(queue, enrolled, 'skip')).toMatchObject(failed(409, 'CONFLICT'))
  await crm.app.capture(false)
  await elapse()
  expect(await enrolment(queue, enrolled)).toMatchObject({ state: 'completed' })
})

test('an enrolment that too many automated steps have led to is refused, one by one and in bulk', async () => {
  const queue = await queueOf([task('Never')])
  const contact = await crm.contact()
  const call = (path: string, body: Row) => ({
    type: 'api_request',
    method: 'POST',
    path: `/auto-queues/{auto_queue_id}/enrolments${path}`,
    params: { auto_queue_id: queue.id },
    body,
  })
  const { id } = await published({
    trigger: { type: 'manual' },
    steps: [
      { type: 'wait', for: { amount: 1, unit: 'days' } },
      { ...call('', { contact_id: contact.id }), on_error: 'continue' },
      { ...call('/bulk-create', { records: [{ contact_id: contact.id }] }), key: 'bulk' },
    ],
  })
  found(await crm.ws.post(`/automations/${id}/start`, { contact_id: contact.id }))
  await settle()
  await crm.app.owner.query('update automation_runs set depth = 8 where automation_id = $1', [id])
  await elapse()
  const [run] = await runs(id)
  const [, one, bulk] = await steps(run?.id)
  expect(one).toMatchObject({ state: 'failed', error: { code: 'CONFLICT', details: { reason: 'too_deep' } } })
  expect(bulk?.output.skipped).toMatchObject([{ id: contact.id, reason: expect.stringContaining('Too many automated steps') }])
  expect(found(await crm.ws.get(`/auto-queues/${queue.id}/enrolments`))).toEqual([])
})
