import { expect, test } from 'vitest'
import { created, failed, found, held, ids, nobody, type Row, refused, useCrm } from './crm.ts'

const crm = useCrm()

const task = async (fields: Row = {}) => created(await crm.ws.post('/tasks', { title: 'Call Ana', ...fields }))
const read = async (id: string) => found(await crm.ws.get(`/tasks/${id}`))
const types = async (id: string) => (await crm.events(id)).map(({ type }) => type)
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

test('a title is enough; the rest has its defaults, and the creator is the key’s owner', async () => {
  const answer = await crm.ws.post('/tasks', { title: ' Call Ana ' })
  const made = created(answer)
  expect(made).toEqual({
    id: made.id,
    title: 'Call Ana',
    description: null,
    task_type: 'to_do',
    reminder_at: null,
    recurrence: null,
    series_id: null,
    occurrence: null,
    status: 'open',
    priority: 'normal',
    due_at: null,
    all_day: false,
    completed_at: null,
    assigned_to: null,
    created_by: crm.ws.userId,
    contact_id: null,
    customer_id: null,
    opportunity_id: null,
    external_id: null,
    metadata: {},
    archived: false,
    version: 1,
    created_at: moment,
    updated_at: made.created_at,
  })
  expect(answer.headers.get('location')).toBe(`/v1/tasks/${made.id}`)
  expect(await read(made.id)).toEqual(made)
})

test('every field is stored, and an update changes only the fields it names', async () => {
  const fields = {
    title: 'Measure the deck',
    description: 'Bring\nthe laser',
    status: 'in_progress',
    priority: 'urgent',
    due_at: '2026-03-31T09:30:00.000Z',
    all_day: true,
    assigned_to: (await crm.ws.key()).userId,
    contact_id: (await crm.contact()).id,
    customer_id: await crm.company(),
    opportunity_id: (await crm.opportunity()).id,
    external_id: 'asana-1',
  }
  const made = await task(fields)
  expect(made).toMatchObject(fields)
  const patched = found(await crm.ws.patch(`/tasks/${made.id}`, { priority: 'low', due_at: null, assigned_to: null, contact_id: '' }))
  expect(patched).toEqual({ ...made, priority: 'low', due_at: null, assigned_to: null, contact_id: null, version: 2, updated_at: moment })
  expect(found(await crm.ws.patch(`/tasks/${made.id}`, { priority: 'low' })).version).toBe(2)
  expect(found(await crm.ws.patch(`/tasks/${made.id}`, { archived: true }))).toMatchObject({ archived: true, version: 3 })
})

const bad: [string, Row][] = [
  ['title', { title: ' ' }],
  ['title', { title: null }],
  ['status', { status: 'done' }],
  ['priority', { priority: 5 }],
  ['due_at', { due_at: '2026-03-31' }],
  ['all_day', { all_day: 'yes' }],
  ['assigned_to', { assigned_to: 'me' }],
  ['completed_at', { completed_at: '2026-03-31T09:30:00Z' }],
  ['created_by', { created_by: nobody }],
]
test.each(bad)('%s is refused in %j', async (path, fields) => {
  const { id } = await task()
  expect(await crm.ws.post('/tasks', { title: 'Call', ...fields })).toMatchObject(refused(path))
  expect(await crm.ws.patch(`/tasks/${id}`, fields)).toMatchObject(refused(path))
})

test("a link to nothing, or to another workspace's record, is a 400 that names the field", async () => {
  const other = await crm.app.workspace()
  const foreign: Row = {
    assigned_to: other.userId,
    contact_id: created(await other.post('/contacts', { first_name: 'Theirs' })).id,
    customer_id: await crm.company('Theirs', other),
    opportunity_id: created(await other.post('/opportunities', { name: 'Theirs' })).id,
  }
  const { id } = await task()
  for (const [field, value] of Object.entries(foreign)) {
    for (const unknown of [value, nobody]) {
      expect(await crm.ws.post('/tasks', { title: 'Call', [field]: unknown }), field).toMatchObject(refused(field))
      expect(await crm.ws.patch(`/tasks/${id}`, { [field]: unknown }), field).toMatchObject(refused(field))
    }
  }
  const all = await crm.ws.post('/tasks', { title: 'Call', ...foreign })
  expect(all.body.error.details.issues.map(({ path }: Row) => path).sort(), 'all at once').toEqual(Object.keys(foreign).sort())
  expect(ids(found(await crm.ws.get('/tasks')))).toEqual([id])
})

test('a former member gets no task, but keeps the one there is', async () => {
  const former = await crm.formerMember()
  const { id } = await task()
  expect(await crm.ws.post('/tasks', { title: 'Call', assigned_to: former })).toMatchObject(refused('assigned_to'))
  expect(await crm.ws.patch(`/tasks/${id}`, { assigned_to: former })).toMatchObject(refused('assigned_to'))
  await crm.rewrite('tasks', id, { assigned_to: former })
  expect(found(await crm.ws.patch(`/tasks/${id}`, { assigned_to: former, title: 'Call again' }))).toMatchObject({ assigned_to: former })
  const other = await task()
  const records = [id, other.id].map((id) => ({ id, assigned_to: former, priority: 'high' }))
  const { results, errors } = found(await crm.ws.post('/tasks/bulk-update', { records }))
  expect([ids(results), ids(errors)]).toEqual([[id], [other.id]])
})

test('completing stamps the time and reopening clears it, each with an event of its own', async () => {
  const { id } = await task({ status: 'in_progress', assigned_to: crm.ws.userId })
  const completed = await crm.ws.post(`/tasks/${id}/complete`)
  expect(found(completed)).toMatchObject({ status: 'completed', completed_at: moment, version: 2 })
  expect(completed.headers.get('etag')).toBe('"2"')
  expect(found(await crm.ws.post(`/tasks/${id}/reopen`, {}))).toMatchObject({ status: 'open', completed_at: null, version: 3 })
  expect(await types(id)).toEqual(['task.created', 'task.updated', 'task.completed', 'task.updated', 'task.reopened'])
  const [, , event] = await crm.events(id)
  expect(event).toMatchObject({ payload: { assigned_to: crm.ws.userId, contact_id: null }, user_id: crm.ws.userId })
  expect(event!.request_id).toBe(completed.headers.get('x-request-id'))
})

const steps: [string, string, string[]][] = [
  ['complete', 'completed', ['open', 'in_progress']],
  ['reopen', 'open', ['completed']],
  ['reopen', 'in_progress', ['completed']],
]
test.each(steps)('%s is refused from %s, saying from where it is allowed', async (step, state, allowed) => {
  const before = await task({ status: state })
  expect(await crm.ws.post(`/tasks/${before.id}/${step}`)).toMatchObject({
    status: 409,
    body: { error: { code: 'INVALID_STATE', details: { state, allowed } } },
  })
  expect(await read(before.id)).toEqual(before)
})

test('of two completions at once one is done, and there is one event', async () => {
  const { id } = await task()
  const answers = await Promise.all(Array.from({ length: 6 }, () => crm.ws.post(`/tasks/${id}/complete`)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409])
  expect((await types(id)).filter((type) => type === 'task.completed')).toHaveLength(1)
  expect(found(await crm.ws.get(`/tasks/${id}/history`))).toHaveLength(2)
})

test('a status that is set by hand counts as the step it is', async () => {
  const { id } = await task()
  const { completed_at } = found(await crm.ws.patch(`/tasks/${id}`, { status: 'completed' }))
  expect(completed_at).toEqual(moment)
  expect(found(await crm.ws.patch(`/tasks/${id}`, { status: 'completed', title: 'Called' })).completed_at).toBe(completed_at)
  expect(found(await crm.ws.patch(`/tasks/${id}`, { status: 'in_progress' })).completed_at).toBeNull()
  const statusEvents = (await types(id)).filter((type) => !/created|updated/.test(type))
  expect(statusEvents).toEqual(['task.completed', 'task.reopened'])
  const imported = await task({ status: 'completed' })
  expect([imported.completed_at, await types(imported.id)]).toEqual([moment, ['task.created', 'task.completed']])
})

test('If-Match guards an update, a step and a deletion', async () => {
  const { id } = await task()
  found(await crm.ws.patch(`/tasks/${id}`, { priority: 'high' }, { 'if-match': '"1"' }))
  const late = { 'if-match': '"1"' }
  expect(await crm.ws.patch(`/tasks/${id}`, { priority: 'low' }, late)).toMatchObject(failed(412, 'PRECONDITION_FAILED'))
  expect(await crm.ws.post(`/tasks/${id}/complete`, {}, late)).toMatchObject(failed(412, 'PRECONDITION_FAILED'))
  expect(await crm.ws.delete(`/tasks/${id}`, late)).toMatchObject(failed(412, 'PRECONDITION_FAILED'))
  expect(await read(id)).toMatchObject({ priority: 'high', status: 'open', version: 2 })
})

test('an external_id is there once in a workspace', async () => {
  await task({ external_id: 'a-1' })
  expect(await crm.ws.post('/tasks', { title: 'Call', external_id: 'a-1' })).toMatchObject(failed(409, 'CONFLICT'))
  created(await (await crm.app.workspace()).post('/tasks', { title: 'Call', external_id: 'a-1' }))
})

test('the history says who did what, also of a deleted task', async () => {
  const colleague = await crm.ws.key()
  const { id } = await task({ external_id: 'a-1' })
  found(await colleague.post(`/tasks/${id}/complete`))
  expect(found(await crm.ws.delete(`/tasks/${id}`))).toEqual({ id, deleted: true })
  expect(await crm.ws.get(`/tasks/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  const [deleted, completed, first] = found(await crm.ws.get(`/tasks/${id}/history`))
  expect(first).toMatchObject({
    action: 'created',
    version: 1,
    fields: { title: { after: 'Call Ana' }, created_by: { after: crm.ws.userId } },
  })
  expect(completed).toMatchObject({
    action: 'updated',
    version: 2,
    user_id: colleague.userId,
    fields: { status: { before: 'open', after: 'completed' }, completed_at: { before: null, after: moment } },
  })
  expect(Object.keys(completed!.fields).sort()).toEqual(['completed_at', 'status'])
  expect(deleted).toMatchObject({ action: 'deleted', version: 3 })
})

test('a task outlives what it is about', async () => {
  const contact = await crm.contact()
  const customer_id = await crm.company()
  const opportunity = await crm.opportunity()
  const { id } = await task({ contact_id: contact.id, customer_id, opportunity_id: opportunity.id })
  for (const path of [`/contacts/${contact.id}`, `/opportunities/${opportunity.id}`, `/companies/${customer_id}`])
    found(await crm.ws.delete(path))
  expect(await read(id)).toMatchObject({ contact_id: null, customer_id: null, opportunity_id: null, title: 'Call Ana' })
})

test('a completion that waits for approval has not happened', async () => {
  const { id } = await task()
  expect(await crm.ws.post(`/tasks/${id}/complete`, { require_approval: true })).toMatchObject(held)
  expect(await crm.ws.post(`/tasks/${id}/reopen`, { require_approval: true })).toMatchObject(failed(409, 'INVALID_STATE'))
  expect(await types(id)).toEqual(['task.created'])
  const trial = await crm.ws.post(`/tasks/${id}/complete?dry_run=true`)
  expect(trial.body).toMatchObject({ data: { status: 'completed' }, dry_run: { changes: [{ entity: 'task', entity_id: id }] } })
  expect((await read(id)).version).toBe(1)
})

const paths: [string, string, unknown?][] = [
  ['GET', ''],
  ['PATCH', '', {}],
  ['DELETE', ''],
  ['POST', '/complete', {}],
  ['POST', '/reopen', {}],
]
test.each(paths)('%s /tasks/:id%s: a malformed id is a 400, an unknown or a foreign one a 404', async (method, rest, body) => {
  const foreign = created(await (await crm.app.workspace()).post('/tasks', { title: 'Theirs' }))
  expect(await crm.ws.call(method, `/tasks/ana${rest}`, body)).toMatchObject(refused('task_id'))
  expect(await crm.ws.call(method, `/tasks/${nobody}${rest}`, body)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await crm.ws.call(method, `/tasks/${foreign.id}${rest}`, body)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await crm.ws.get(`/tasks/${foreign.id}/history`)).toMatchObject(failed(404, 'NOT_FOUND'))
})

const scopes: [string, string, string][] = [
  ['GET', '/tasks', 'tasks:read'],
  ['POST', '/tasks', 'tasks:write'],
  ['GET', `/tasks/${nobody}`, 'tasks:read'],
  ['PATCH', `/tasks/${nobody}`, 'tasks:write'],
  ['DELETE', `/tasks/${nobody}`, 'tasks:delete'],
  ['POST', `/tasks/${nobody}/complete`, 'tasks:write'],
  ['POST', `/tasks/${nobody}/reopen`, 'tasks:write'],
  ['POST', '/tasks/bulk-create', 'tasks:write'],
  ['POST', '/tasks/bulk-update', 'tasks:write'],
  ['POST', '/tasks/bulk-complete', 'tasks:write'],
  ['POST', '/tasks/bulk-delete', 'tasks:delete'],
]
test.each(scopes)('%s %s needs %s', async (method, path, needed) => {
  const others = ['tasks:read', 'tasks:write', 'tasks:delete'].filter((scope) => scope !== needed)
  const answer = await (await crm.ws.key({ scopes: others })).call(method, path, method === 'GET' || method === 'DELETE' ? undefined : {})
  expect(answer).toMatchObject({ status: 403, body: { error: { code: 'INSUFFICIENT_SCOPE', details: { required_scopes: [needed] } } } })
})
