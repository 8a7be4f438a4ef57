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

test('a recurrence that is sent with the completion decides about the next task', async () => {
  const dates = async ({ id }: Row, fields: object) => {
    const { series_id } = found(await change(id, { status: 'completed', ...fields }))
    return found(await crm.ws.get(`/tasks?series_id=${series_id}&sort=created_at`)).map(({ due_at }) => due_at.slice(0, 10))
  }
  expect(await dates(await series(), { recurrence: { frequency: 'daily', interval: 7 } })).toEqual(['2099-05-31', '2099-06-07'])
  expect(await dates(await series(), { recurrence: { frequency: 'daily', count: 1 } })).toEqual(['2099-05-31'])
  expect(await dates(await series({ recurrence: null }), { recurrence })).toEqual(['2099-05-31', '2099-06-01'])
  const undated = await series({ recurrence: null, due_at: null })
  expect(await dates(undated, { recurrence, due_at: '2099-07-01T12:00:00Z' })).toEqual(['2099-07-01', '2099-07-02'])
  expect(await change((await series()).id, { status: 'completed', recurrence, due_at: null })).toMatchObject(refused('recurrence'))

  const again = await series({ recurrence: { frequency: 'daily', count: 2 } })
  const second = await following(again)
  found(await change(second.id, { recurrence: null }))
  expect(await dates(second, { recurrence: { frequency: 'daily', count: 2 } })).toEqual(['2099-06-01', '2099-06-02'])

  const [one, other] = [await series(), await series({ recurrence: null })]
  const records = [one, other].map(({ id }) => ({ id, status: 'completed', recurrence: { frequency: 'daily', interval: 3 } }))
  for (const { series_id } of found(await crm.ws.post('/tasks/bulk-update', { records })).results) {
    const [next] = found(await crm.ws.get(`/tasks?series_id=${series_id}`))
    expect(next).toMatchObject({ occurrence: 2, due_at: '2099-06-03T09:30:00.000Z' })
  }
})

test('the next task is shared with the same stakeholders, and has no value that only one task can have', async () => {
  created(await crm.ws.post('/custom-fields', { object: 'task', key: 'ticket', label: 'Ticket', type: 'text', unique: true }))
  created(await crm.ws.post('/custom-fields', { object: 'task', key: 'site', label: 'Site', type: 'text' }))
  await crm.app.drain()
  const { id: type } = created(await crm.ws.post('/stakeholder-types', { name: 'Installer', assignable_to_work_orders: true }))
  const { id: contact_id } = await crm.contact()
  created(await crm.ws.post(`/stakeholder-types/${type}/members`, { contact_id }))
  const first = await series({ metadata: { ticket: 'T-1', site: 'North' } })
  created(await crm.ws.post(`/tasks/${first.id}/stakeholders`, { contact_id }))
  const second = await following(first)
  expect(second.metadata).toEqual({ site: 'North' })
  expect(found(await crm.ws.get(`/tasks/${second.id}/stakeholders`))).toMatchObject([{ contact_id }])
  found(await crm.ws.post(`/tasks/${first.id}/reopen`))
  found(await crm.ws.post('/tasks/bulk-complete', { ids: [first.id] }))
  expect(found(await crm.ws.get(`/tasks?series_id=${first.id}`))).toHaveLength(2)
})

test('a time that the clocks skip on one day is the same again on the next', async () => {
  found(await crm.ws.patch('/company', { timezone: 'Australia/Sydney' }))
  const times = ({ due_at, reminder_at }: Row) => [due_at, reminder_at]
  const first = await series({ due_at: '2055-10-01T16:30:00Z', reminder_at: '2055-10-01T15:30:00Z' })
  const skipped = await following(first)
  expect(times(skipped)).toEqual(['2055-10-02T16:30:00.000Z', '2055-10-02T15:30:00.000Z'])
  const third = await following(skipped)
  expect(times(third)).toEqual(['2055-10-03T15:30:00.000Z', '2055-10-03T14:30:00.000Z'])
  found(await change(third.id, { due_at: '2055-10-03T20:00:00Z' }))
  expect(times(await following(third))).toEqual(['2055-10-04T20:00:00.000Z', '2055-10-04T14:30:00.000Z'])
})
