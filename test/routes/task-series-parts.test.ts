import { expect, test } from 'vitest'
import { created, found, type Row, refused, useCrm } from './crm.ts'

const crm = useCrm()
const recurrence = { frequency: 'daily' }
const series = (fields: object = {}) =>
  crm.ws.post('/tasks', { title: 'Call', priority: 'low', due_at: '2099-05-31T09:30:00Z', recurrence, ...fields }).then(created)
const change = (id: string, patch: object) => crm.ws.patch(`/tasks/${id}`, patch)
/** The task that follows the completed one. */
async function following({ id, series_id, occurrence }: Row): Promise<Row> {
  found(await crm.ws.post(`/tasks/${id}/complete`))
  const all = found(await crm.ws.get(`/tasks?series_id=${series_id}`))
  return all.find((task) => task.occurrence === occurrence + 1) as Row
}

test('a change of one task of a series is undone by the next one, and one of those that follow is kept', async () => {
  const { userId } = await crm.ws.key()
  const first = await series()
  const alone = { title: 'Visit', due_at: '2099-06-02T12:00:00.000Z', reminder_at: '2099-06-02T11:00:00.000Z', assigned_to: userId }
  const changed = found(await change(first.id, { ...alone, apply_to: 'this' }))
  expect(changed).toMatchObject({ ...alone, version: first.version + 1 })
  expect(found(await change(first.id, { title: 'Visit Ana', apply_to: 'this' }))).toMatchObject({ title: 'Visit Ana' })
  for (const archived of [true, false])
    expect(found(await change(first.id, { archived, apply_to: 'this' }))).toMatchObject({ archived, title: 'Visit Ana' })
  found(await change(first.id, { priority: 'urgent' }))
  const second = await following(first)
  expect(second).toMatchObject({
    title: 'Call',
    priority: 'urgent',
    due_at: '2099-06-01T09:30:00.000Z',
    reminder_at: null,
    assigned_to: null,
  })

  found(await change(second.id, { title: 'Alone', apply_to: 'this' }))
  found(await change(second.id, { title: 'All', apply_to: 'following' }))
  const third = await following(second)
  expect(third).toMatchObject({ title: 'All', due_at: '2099-06-02T09:30:00.000Z' })

  found(await change(third.id, { title: 'Alone', priority: 'high', apply_to: 'this' }))
  found(await crm.ws.post('/tasks/bulk-update', { records: [{ id: third.id, title: 'Bulk' }] }))
  found(await change(third.id, { due_at: '2099-06-20T09:30:00Z', status: 'completed', apply_to: 'this' }))
  const [fourth] = found(await crm.ws.get(`/tasks?series_id=${first.series_id}`))
  expect(fourth).toMatchObject({ title: 'Bulk', priority: 'urgent', due_at: '2099-06-03T09:30:00.000Z' })

  found(await change(fourth?.id, { due_at: '2099-06-30T09:30:00Z', title: 'Moved', apply_to: 'this' }))
  const skipped = found(await crm.ws.post(`/tasks/${fourth?.id}/skip`))
  expect(skipped).toMatchObject({ title: 'Moved', due_at: '2099-06-04T09:30:00.000Z' })
  expect(await following(skipped)).toMatchObject({ title: 'Bulk', due_at: '2099-06-05T09:30:00.000Z' })
})

test('only a task that recurs has a part that follows, and links, custom fields and the recurrence are changed for all', async () => {
  const single = created(await crm.ws.post('/tasks', { title: 'Once' }))
  expect(await change(single.id, { title: 'B', apply_to: 'this' })).toMatchObject(refused('apply_to'))
  expect(found(await change(single.id, { title: 'B', apply_to: 'following' }))).toMatchObject({ title: 'B' })
  const task = await series()
  for (const [field, value] of Object.entries({ recurrence: null, contact_id: null, metadata: {} }))
    expect(await change(task.id, { [field]: value, apply_to: 'this' })).toMatchObject(refused(field))
  expect(await change(task.id, { title: 'B', apply_to: 'all' })).toMatchObject(refused('apply_to'))
})
