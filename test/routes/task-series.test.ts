import { expect, test } from 'vitest'
import { created, failed, found, ids, type Row, refused, useCrm } from './crm.ts'

const crm = useCrm({ own: true })

const daily = { frequency: 'daily', interval: 1, weekdays: [], month: null, day_of_month: null, until: null, count: null }
const DAY = 86_400_000
/** Noon in UTC, this many days from today. */
const noon = (days: number) => `${new Date(Date.now() + days * DAY).toISOString().slice(0, 10)}T12:00:00.000Z`
const task = async (fields: Row = {}) => created(await crm.ws.post('/tasks', { title: 'Call', ...fields }))
const complete = async (id: string) => found(await crm.ws.post(`/tasks/${id}/complete`))
const series = async (id: string) => found(await crm.ws.get(`/tasks?series_id=${id}&sort=created_at`))
const UTC = async () => found(await crm.ws.patch('/company', { timezone: 'UTC' }))

test('completing a task that recurs creates the next one, once', async () => {
  await UTC()
  const { id: contact_id } = await crm.contact()
  const fields = { description: 'Ask', task_type: 'call', priority: 'high', contact_id, assigned_to: crm.ws.userId, all_day: true }
  const first = await task({
    ...fields,
    external_id: 'x',
    due_at: noon(3),
    reminder_at: noon(2),
    recurrence: { ...daily, interval: 7, count: 2 },
  })
  expect(first).toMatchObject({ series_id: first.id, occurrence: 1, recurrence: { ...daily, interval: 7, count: 2 } })
  // Of two calls at once, one completes it.
  const both = await Promise.all([1, 2].map(() => crm.ws.post(`/tasks/${first.id}/complete`)))
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
  const [, second] = await series(first.id)
  expect(second).toMatchObject({ ...fields, title: 'Call', status: 'open', external_id: null, due_at: noon(10), reminder_at: noon(9) })
  expect(second).toMatchObject({ series_id: first.id, occurrence: 2, recurrence: first.recurrence, version: 1 })
  expect((await crm.events(second?.id)).map(({ type }) => type)).toEqual(['task.created'])
  // Again completed, it has its next task already.
  found(await crm.ws.post(`/tasks/${first.id}/reopen`))
  await complete(first.id)
  expect(await series(first.id)).toHaveLength(2)
  // It is the last one.
  await complete(second?.id)
  expect(await series(first.id)).toHaveLength(2)
  expect(ids(found(await crm.ws.get('/tasks?task_type=call')))).toHaveLength(2)
})

test('every way of completing creates the next task; a dry run and a held request do not', async () => {
  await UTC()
  const tasks = await Promise.all([1, 2, 3, 4].map((days) => task({ due_at: noon(days), recurrence: daily })))
  const [patched, bulk, many, held] = ids(tasks) as [string, string, string, string]
  found(await crm.ws.post(`/tasks/${patched}/complete?dry_run=true`))
  expect(await series(patched)).toHaveLength(1)
  found(await crm.ws.patch(`/tasks/${patched}`, { status: 'completed', due_at: noon(20) }))
  found(
    await crm.ws.post('/tasks/bulk-update', {
      records: [
        { id: bulk, status: 'completed' },
        { id: held, title: 'Later' },
      ],
    }),
  )
  found(await crm.ws.post('/tasks/bulk-complete', { ids: [many, many, patched] }))
  expect(await crm.ws.post(`/tasks/${held}/complete`, { require_approval: true })).toMatchObject({ status: 202 })
  const due = async (id: string) => (await series(id)).map(({ due_at }) => due_at)
  expect(await due(patched)).toEqual([noon(20), noon(21)])
  expect(await due(bulk)).toEqual([noon(2), noon(3)])
  expect(await due(many)).toEqual([noon(3), noon(4)])
  expect(await due(held)).toEqual([noon(4)])
})

test('a series is skipped, edited and stopped', async () => {
  await UTC()
  const { id } = await task({ due_at: noon(1), reminder_at: noon(0), recurrence: { ...daily, count: 3 } })
  const skip = () => crm.ws.post(`/tasks/${id}/skip`)
  expect(found(await skip())).toMatchObject({ due_at: noon(2), reminder_at: noon(1), occurrence: 2, version: 2 })
  found(await crm.ws.patch(`/tasks/${id}`, { title: 'Write', due_at: noon(5) }))
  await complete(id)
  const [, last] = await series(id)
  expect(last).toMatchObject({ title: 'Write', due_at: noon(6), occurrence: 3 })
  expect(await skip()).toMatchObject(failed(409, 'INVALID_STATE'))
  expect(await crm.ws.post(`/tasks/${last?.id}/skip`)).toMatchObject(failed(409, 'INVALID_STATE'))
  const other = await task({ due_at: noon(1), recurrence: daily })
  const stopped = found(await crm.ws.patch(`/tasks/${other.id}`, { recurrence: null }))
  expect(stopped).toMatchObject({ recurrence: null, series_id: other.id, occurrence: 1 })
  expect(await crm.ws.post(`/tasks/${other.id}/skip`)).toMatchObject(failed(409, 'INVALID_STATE'))
  const again = found(await crm.ws.patch(`/tasks/${other.id}`, { recurrence: daily }))
  expect(again).toMatchObject({ occurrence: 1 })
  expect(again.series_id).not.toBe(other.id)
  found(await crm.ws.patch(`/tasks/${other.id}`, { recurrence: null }))
  await complete(other.id)
  expect(await series(again.series_id)).toHaveLength(1)
})

test.each<[string, Row]>([
  ['recurrence', { recurrence: daily, due_at: null }],
  ['recurrence.frequency', { recurrence: { frequency: 'hourly' } }],
  ['recurrence.interval', { recurrence: { ...daily, interval: 0 } }],
  ['recurrence.weekdays', { recurrence: { frequency: 'weekly' } }],
  ['recurrence.weekdays.0', { recurrence: { frequency: 'weekly', weekdays: ['someday'] } }],
  ['recurrence.day_of_month', { recurrence: { frequency: 'monthly' } }],
  ['recurrence.day_of_month', { recurrence: { frequency: 'monthly', day_of_month: 32 } }],
  ['recurrence.day_of_month', { recurrence: { frequency: 'yearly', month: 2, day_of_month: 31 } }],
  ['recurrence.until', { recurrence: { ...daily, until: '2026-02-31' } }],
  ['recurrence.count', { recurrence: { ...daily, count: 0 } }],
  ['task_type', { task_type: 'party' }],
  ['reminder_at', { reminder_at: 'soon' }],
])('%s is refused in %j', async (path, fields) => {
  const { id } = await task({ due_at: noon(1) })
  expect(await crm.ws.post('/tasks', { title: 'Call', due_at: noon(1), ...fields })).toMatchObject(refused(path))
  expect(await crm.ws.patch(`/tasks/${id}`, fields)).toMatchObject(refused(path))
  const bulk = found(await crm.ws.post('/tasks/bulk-update', { records: [{ id, ...fields }] }))
  expect(bulk.errors).toMatchObject([{ index: 0, error: { details: { issues: [{ path }] } } }])
})

test('a task that recurs keeps its due date, and is not created as completed', async () => {
  const { id } = await task({ due_at: noon(1), recurrence: daily })
  expect(await crm.ws.patch(`/tasks/${id}`, { due_at: null })).toMatchObject(refused('recurrence'))
  const done = { title: 'Done', due_at: noon(1), status: 'completed', recurrence: daily }
  expect(await crm.ws.post('/tasks', done)).toMatchObject(refused('recurrence'))
})

test('a reminder that is due is an event, once, unless the task is done', async () => {
  const remind = () => crm.app.cron('* * * * *')
  const types = async (id: string) => (await crm.events(id)).map(({ type }) => type)
  const due = await task({ due_at: noon(1), reminder_at: noon(-2) })
  const done = await task({ reminder_at: noon(-2), status: 'completed' })
  const later = await task({ reminder_at: noon(2) })
  await Promise.all([remind(), remind()])
  await remind()
  expect(await types(due.id)).toEqual(['task.created', 'task.reminder'])
  const [, event] = await crm.events(due.id)
  expect(event?.payload).toMatchObject({ due_at: noon(1), reminder_at: noon(-2) })
  expect(found(await crm.ws.get(`/tasks/${due.id}`))).toEqual(due)
  for (const { id } of [done, later]) expect(await types(id)).not.toContain('task.reminder')
  // A reminder that was moved is due again.
  found(await crm.ws.patch(`/tasks/${due.id}`, { reminder_at: noon(-1) }))
  await remind()
  expect(await types(due.id)).toEqual(['task.created', 'task.reminder', 'task.updated', 'task.reminder'])
  const feed = found(await crm.ws.get('/events?type=task.reminder'))
  expect(feed).toHaveLength(2)
})

test('a search of tasks filters by every field and sorts by due date and priority', async () => {
  const { id: contact_id } = await crm.contact({ first_name: 'Ana' })
  const late = await task({ title: 'Late quote', due_at: noon(-2), priority: 'low', contact_id })
  const soon = await task({ title: 'Soon', due_at: noon(2), priority: 'urgent', recurrence: daily, task_type: 'call' })
  const never = await task({ title: 'Never', status: 'completed', external_id: 'crm-1' })
  const search = async (body: Row) => ids(found(await crm.ws.post('/tasks/search', body)))
  const of = (field: string, op: string, value?: unknown) => search({ filter: { field, op, value }, sort: 'due_at' })
  expect(await search({ sort: 'due_at' })).toEqual([late.id, soon.id, never.id])
  expect(await search({ sort: '-priority' })).toEqual([soon.id, never.id, late.id])
  expect(await search({ search: 'quote' })).toEqual([late.id])
  expect(await of('overdue', 'eq', true)).toEqual([late.id])
  expect(await of('is_recurring', 'eq', true)).toEqual([soon.id])
  expect(await of('due_at', 'within_next', { days: 7 })).toEqual([soon.id])
  expect(await of('due_at', 'not_within_last', { days: 7 })).toEqual([soon.id, never.id])
  expect(await of('status', 'not_eq', 'completed')).toEqual([late.id, soon.id])
  expect(await of('task_type', 'in', ['call', 'email'])).toEqual([soon.id])
  expect(await of('title', 'contains', 'EVE')).toEqual([never.id])
  expect(await of('external_id', 'eq', 'crm-1')).toEqual([never.id])
  const ofAna = { has: 'contact', where: { field: 'first_name', op: 'eq', value: 'Ana' } }
  expect(await search({ filter: ofAna })).toEqual([late.id])
  const [shown] = found(await crm.ws.post('/tasks/search', { filter: ofAna, fields: ['title'], include: ['contact'] }))
  expect(shown).toEqual({ id: late.id, title: 'Late quote', contact: expect.objectContaining({ id: contact_id }) })
  const page = await crm.ws.post('/tasks/search', { sort: 'due_at', limit: 1 })
  expect(await search({ sort: 'due_at', limit: 1, after: page.body.page.next })).toEqual([soon.id])
  found(await crm.ws.patch(`/tasks/${late.id}`, { archived: true }))
  expect(await search({ search: 'quote', archived: 'true' })).toEqual([late.id])
})

test('records without an open task, and without an activity for some days or ever, are found', async () => {
  const people = await Promise.all(['Idle', 'Busy', 'Recent', 'Done'].map((first_name) => crm.contact({ first_name })))
  const [idle, busy, recent, done] = ids(people) as [string, string, string, string]
  const log = async (contact_ids: string[], days: number) =>
    created(await crm.ws.post('/activities', { activity_type: 'meeting', contact_ids, occurred_at: noon(-days) }))
  await task({ contact_id: busy })
  await task({ contact_id: done, status: 'completed' })
  const archived = await task({ contact_id: recent })
  found(await crm.ws.patch(`/tasks/${archived.id}`, { archived: true }))
  await log([busy, recent], 2)
  await log([done], 40)
  const search = async (filter: Row) => ids(found(await crm.ws.post('/contacts/search', { filter, sort: 'created_at' }))).toSorted()
  const noTask = { not: { has: 'tasks', where: { field: 'status', op: 'not_eq', value: 'completed' } } }
  const noActivity = { field: 'last_activity_at', op: 'not_within_last', value: { days: 30 } }
  expect(await search(noTask)).toEqual([idle, recent, done].toSorted())
  expect(await search(noActivity)).toEqual([idle, done].toSorted())
  expect(await search({ all: [noTask, noActivity] })).toEqual([idle, done].toSorted())
  const customer_id = await crm.company()
  const { id: opportunity_id } = await crm.opportunity({ customer_id })
  for (const [plural, id] of [
    ['companies', customer_id],
    ['opportunities', opportunity_id],
  ] as const) {
    const of = async (filter: Row) => ids(found(await crm.ws.post(`/${plural}/search`, { filter })))
    expect(await of({ all: [noTask, noActivity] })).toEqual([id])
    await task(plural === 'companies' ? { customer_id } : { opportunity_id })
    expect(await of(noTask)).toEqual([])
  }
})
