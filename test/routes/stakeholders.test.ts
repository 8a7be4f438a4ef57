import { expect, test } from 'vitest'
import { created, failed, found, held, ids, nobody, type Row, refused, useCrm, uuid } from './crm.ts'

const crm = useCrm()

const type = async (fields: Row = {}) => created(await crm.ws.post('/stakeholder-types', { name: 'Installer', ...fields }))
const join = async (typeId: string, contact_id: string) => found(await crm.ws.post(`/stakeholder-types/${typeId}/members`, { contact_id }))
const members = async (typeId: string) => found(await crm.ws.get(`/stakeholder-types/${typeId}/members`))
const contact = async (first_name = 'Ana') => (await crm.contact({ first_name })).id as string
const task = async () => created(await crm.ws.post('/tasks', { title: 'Build the deck' })).id as string
const deal = async () => (await crm.opportunity()).id as string
const attach = (fields: Row) => crm.ws.post('/deal-stakeholders', fields)
const unknown = { last_name: null, email: null, phone: null }
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

test('a type needs a name, and its permissions are off by default', async () => {
  const answer = await crm.ws.post('/stakeholder-types', { name: ' Installer ' })
  const made = created(answer)
  const off = { portal_eligible: false, commission_eligible: false, assignable_to_work_orders: false }
  expect(made).toEqual({ id: uuid, name: 'Installer', colour: null, ...off, version: 1, created_at: moment, updated_at: moment })
  expect(answer.headers.get('location')).toBe(`/v1/stakeholder-types/${made.id}`)
  expect(found(await crm.ws.get(`/stakeholder-types/${made.id}`))).toEqual(made)
  const on = { name: 'Agent', colour: '#1A73E8', portal_eligible: true, commission_eligible: true, assignable_to_work_orders: true }
  expect(await type(on)).toMatchObject({ ...on, colour: '#1a73e8' })
  expect((await crm.events(made.id)).map(({ type }) => type)).toEqual(['stakeholder_type.created'])
})

test.each<[string, Row]>([
  ['name', { name: '' }],
  ['colour', { colour: 'reddish' }],
  ['color', { color: '#1a73e8' }],
  ['portal_eligible', { portal_eligible: 'yes' }],
  ['assignable_to_work_orders', { assignable_to_work_orders: null }],
])('%s is refused in %j', async (path, fields) => {
  const { id } = await type()
  expect(await crm.ws.post('/stakeholder-types', { name: 'Agent', ...fields })).toMatchObject(refused(path))
  expect(await crm.ws.patch(`/stakeholder-types/${id}`, fields)).toMatchObject(refused(path))
  expect(await crm.ws.post('/stakeholder-types', {})).toMatchObject(refused('name'))
})

test('an update changes only what it names', async () => {
  const made = await type({ colour: '#1a73e8', portal_eligible: true })
  const patched = found(await crm.ws.patch(`/stakeholder-types/${made.id}`, { commission_eligible: true }))
  expect(patched).toEqual({ ...made, commission_eligible: true, version: 2, updated_at: moment })
  expect(await crm.ws.patch(`/stakeholder-types/${made.id}`, { name: 'Late' }, { 'if-match': '"1"' })).toMatchObject(
    failed(412, 'PRECONDITION_FAILED'),
  )
  expect(found(await crm.ws.patch(`/stakeholder-types/${made.id}`, { colour: null }))).toMatchObject({
    colour: null,
    portal_eligible: true,
  })
  const history = found(await crm.ws.get(`/stakeholder-types/${made.id}/history`))
  expect(history.map(({ action }) => action)).toEqual(['updated', 'updated', 'created'])
  expect(history[1]!.fields).toEqual({ commission_eligible: { before: false, after: true } })
})

test('a name is unique in a workspace, regardless of case, even when two are created at once', async () => {
  const { id } = await type()
  expect(await crm.ws.post('/stakeholder-types', { name: 'INSTALLER' })).toMatchObject(failed(409, 'CONFLICT'))
  const other = await type({ name: 'Agent' })
  expect(await crm.ws.patch(`/stakeholder-types/${other.id}`, { name: 'installer' })).toMatchObject(failed(409, 'CONFLICT'))
  found(await crm.ws.patch(`/stakeholder-types/${id}`, { name: 'installer' }))
  const twins = await Promise.all(['Twin', 'twin', 'TWIN'].map((name) => crm.ws.post('/stakeholder-types', { name })))
  expect(twins.map(({ status }) => status).sort()).toEqual([201, 409, 409])
})

test('types are listed by creation or by name, in pages', async () => {
  for (const name of ['builder', 'Agent', 'Émigré', 'Cook']) await type({ name })
  const names = async (query: string) => (await crm.walk(`/stakeholder-types?limit=2${query}`)).map(({ name }) => name)
  expect(await names('')).toEqual(['Cook', 'Émigré', 'Agent', 'builder'])
  expect(await names('&sort=created_at')).toEqual(['builder', 'Agent', 'Émigré', 'Cook'])
  expect(await names('&sort=name')).toEqual(['Agent', 'builder', 'Cook', 'Émigré'])
  expect(await names('&sort=-name')).toEqual(['Émigré', 'Cook', 'builder', 'Agent'])
  expect(await crm.ws.get('/stakeholder-types?sort=colour')).toMatchObject(refused('sort'))
})

test('members are contacts; joining twice, or at once, is one membership', async () => {
  const { id } = await type()
  const [ana, bo] = [await contact(), await contact('Bo')]
  const member = await join(id, ana)
  expect(member).toEqual({
    id: uuid,
    type_id: id,
    contact_id: ana,
    first_name: 'Ana',
    ...unknown,
    created_at: moment,
  })
  expect(await join(id, ana)).toEqual(member)
  const joined = await Promise.all(Array.from({ length: 4 }, () => join(id, bo)))
  expect(new Set(ids(joined)).size).toBe(1)
  expect(ids(await members(id))).toEqual([member.id, joined[0]!.id])
  expect(ids(await crm.walk(`/stakeholder-types/${id}/members?limit=1`))).toEqual([member.id, joined[0]!.id])
  expect((await crm.events(joined[0]!.id)).map(({ type }) => type)).toEqual(['stakeholder_member.created'])
})

test('a membership ends by its own id, within its type', async () => {
  const [one, two] = [await type(), await type({ name: 'Agent' })]
  const ana = await contact()
  const member = await join(one.id, ana)
  const at = `/stakeholder-types/${one.id}/members`
  for (const path of [`${at}/${ana}`, `${at}/${nobody}`, `/stakeholder-types/${two.id}/members/${member.id}`])
    expect(await crm.ws.delete(path)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await (await crm.app.workspace()).delete(`${at}/${member.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(found(await crm.ws.delete(`${at}/${member.id}`))).toEqual({ id: member.id, deleted: true })
  expect(await members(one.id)).toEqual([])
  expect(found(await crm.ws.get(`/contacts/${ana}`)).id).toBe(ana)
})

test('a type takes its memberships along; its members stay contacts, and stakeholders of opportunities', async () => {
  const [one, two] = [await type(), await type({ name: 'Agent' })]
  const [ana, deal_id] = [await contact(), await deal()]
  const member = await join(one.id, ana)
  await join(two.id, ana)
  for (const bucket_id of [one.id, two.id, null]) created(await attach({ deal_id, contact_id: ana, bucket_id }))
  for (const { id } of [one, two]) {
    expect(found(await crm.ws.delete(`/stakeholder-types/${id}`))).toEqual({ id, deleted: true })
    for (const path of ['', '/members']) expect(await crm.ws.get(`/stakeholder-types/${id}${path}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  }
  expect(await crm.count('stakeholder_members')).toBe(0)
  expect((await crm.events(member.id)).map(({ type }) => type)).toEqual(['stakeholder_member.created', 'stakeholder_member.deleted'])
  const kept = found(await crm.ws.get(`/deal-stakeholders?deal_id=${deal_id}`))
  expect(kept.map(({ bucket_id, bucket_name }) => [bucket_id, bucket_name])).toEqual(Array(3).fill([null, null]))
  expect(await attach({ deal_id, contact_id: ana }), 'there without a type several times').toMatchObject(failed(409, 'CONFLICT'))
  expect(found(await crm.ws.get(`/contacts/${ana}`)).id).toBe(ana)
})

test('a task takes as stakeholder whom a type allows, and nobody else', async () => {
  const [task_id, ana] = [await task(), await contact()]
  const add = (contact_id: unknown) => crm.ws.post(`/tasks/${task_id}/stakeholders`, { contact_id })
  const allowed = await type({ assignable_to_work_orders: true })
  const other = await type({ name: 'Agent', portal_eligible: true, commission_eligible: true })
  expect(await add(ana), 'in no type').toMatchObject(refused('contact_id'))
  await join(other.id, ana)
  const answer = await add(ana)
  expect(answer, 'in a type that does not allow it').toMatchObject(refused('contact_id'))
  expect(answer.body.error.details.issues[0].message).toContain('assignable_to_work_orders')
  await join(allowed.id, ana)
  const added = found(await add(ana))
  expect(added).toEqual({ task_id, contact_id: ana, first_name: 'Ana', last_name: null, email: null, phone: null, created_at: moment })
  expect(found(await add(ana)), 'once more').toEqual(added)
  expect(found(await crm.ws.get(`/tasks/${task_id}/stakeholders`))).toEqual([added])
  expect(await crm.count('task_stakeholders')).toBe(1)
  for (const bad of ['ana', null, undefined]) expect(await add(bad)).toMatchObject(refused('contact_id'))

  const at = `/tasks/${task_id}/stakeholders/${ana}`
  expect(await (await crm.app.workspace()).delete(at)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(found(await crm.ws.delete(at))).toEqual({ task_id, contact_id: ana, deleted: true })
  expect(await crm.ws.delete(at)).toMatchObject(failed(404, 'NOT_FOUND'))
})

test('once a type allows it no more, or the membership ends, tasks keep whom they have and take nobody new', async () => {
  const [first, second, ana] = [await task(), await task(), await contact()]
  const { id } = await type({ assignable_to_work_orders: true })
  const { id: member } = await join(id, ana)
  const add = (taskId: string) => crm.ws.post(`/tasks/${taskId}/stakeholders`, { contact_id: ana })
  const stakeholders = async () => found(await crm.ws.get(`/tasks/${first}/stakeholders`)).map(({ contact_id }) => contact_id)
  found(await add(first))
  found(await crm.ws.patch(`/stakeholder-types/${id}`, { assignable_to_work_orders: false }))
  expect([(await add(second)).status, await stakeholders()]).toEqual([400, [ana]])
  found(await crm.ws.patch(`/stakeholder-types/${id}`, { assignable_to_work_orders: true }))
  found(await crm.ws.delete(`/stakeholder-types/${id}/members/${member}`))
  expect([(await add(second)).status, await stakeholders()]).toEqual([400, [ana]])
  found(await crm.ws.delete(`/contacts/${ana}`))
  expect(await stakeholders()).toEqual([])
})

test('an attachment has an opportunity, a contact and, if wanted, a type and a role', async () => {
  const [deal_id, ana, { id: bucket_id }] = [await deal(), await contact(), await type()]
  await join(bucket_id, ana)
  const answer = await attach({ deal_id, contact_id: ana, bucket_id, role: 'Installs it' })
  const made = created(answer)
  const person = { contact_id: ana, first_name: 'Ana', last_name: null, email: null, phone: null }
  expect(made).toEqual({
    id: uuid,
    deal_id,
    ...person,
    bucket_id,
    bucket_name: 'Installer',
    role: 'Installs it',
    created_at: moment,
    version: 1,
  })
  expect(found(await crm.ws.get(answer.headers.get('location')!.replace('/v1', '')))).toEqual(made)
  const bare = created(await attach({ deal_id, contact_id: ana }))
  expect(bare).toMatchObject({ bucket_id: null, bucket_name: null, role: null })
  created(await attach({ deal_id: await deal(), contact_id: ana }))
  expect(ids(found(await crm.ws.get(`/deal-stakeholders?deal_id=${deal_id}`)))).toEqual([made.id, bare.id])
  expect(ids(await crm.walk(`/deal-stakeholders?deal_id=${deal_id}&limit=1`))).toEqual([made.id, bare.id])
  expect((await crm.events(made.id)).map(({ type }) => type)).toEqual(['deal_stakeholder.created'])
  expect(found(await crm.ws.delete(`/deal-stakeholders/${made.id}`))).toEqual({ id: made.id, deleted: true })
  expect(await crm.ws.delete(`/deal-stakeholders/${made.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
})

test('a contact is attached once in each type and once without one, also of several calls at once', async () => {
  const [deal_id, ana, { id: bucket_id }] = [await deal(), await contact(), await type()]
  await join(bucket_id, ana)
  for (const bucket of [undefined, bucket_id]) {
    const answers = await Promise.all(Array.from({ length: 4 }, () => attach({ deal_id, contact_id: ana, bucket_id: bucket })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
  }
  expect(await crm.count('deal_stakeholders')).toBe(2)
})

test('the type of an attachment may be one that the contact is no member of, but must exist', async () => {
  const [deal_id, ana, { id: bucket_id }] = [await deal(), await contact(), await type()]
  expect(created(await attach({ deal_id, contact_id: ana, bucket_id }))).toMatchObject({ bucket_id })
  found(await crm.ws.delete(`/deal-stakeholders/${found(await crm.ws.get(`/deal-stakeholders?deal_id=${deal_id}`))[0]!.id}`))
  expect(await attach({ deal_id, contact_id: ana, bucket_id: nobody })).toMatchObject(refused('bucket_id'))
  expect(await attach({ deal_id })).toMatchObject(refused('contact_id'))
  expect(await attach({ contact_id: ana })).toMatchObject(refused('deal_id'))
  expect(await crm.ws.get('/deal-stakeholders')).toMatchObject(refused('deal_id'))
  expect(await crm.count('deal_stakeholders')).toBe(0)
})

test('another workspace’s records cannot be named', async () => {
  const [task_id, deal_id, ana] = [await task(), await deal(), await contact()]
  const { id } = await type({ assignable_to_work_orders: true })
  const other = await crm.app.workspace()
  const theirs = created(await other.post('/contacts', { first_name: 'Theirs' })).id
  const theirType = created(await other.post('/stakeholder-types', { name: 'Theirs', assignable_to_work_orders: true })).id
  found(await other.post(`/stakeholder-types/${theirType}/members`, { contact_id: theirs }))
  const theirDeal = created(await other.post('/opportunities', { name: 'Theirs' })).id
  const attached = created(await other.post('/deal-stakeholders', { deal_id: theirDeal, contact_id: theirs })).id
  for (const contact_id of [theirs, nobody]) {
    expect(await crm.ws.post(`/stakeholder-types/${id}/members`, { contact_id })).toMatchObject(refused('contact_id'))
    expect(await crm.ws.post(`/tasks/${task_id}/stakeholders`, { contact_id })).toMatchObject(refused('contact_id'))
    expect(await attach({ deal_id, contact_id })).toMatchObject(refused('contact_id'))
  }
  expect(await attach({ deal_id: theirDeal, contact_id: ana })).toMatchObject(refused('deal_id'))
  expect(await attach({ deal_id, contact_id: ana, bucket_id: theirType })).toMatchObject(refused('bucket_id'))
  const paths: [string, string, unknown?][] = [
    ['GET', `/stakeholder-types/${theirType}`],
    ['PATCH', `/stakeholder-types/${theirType}`, { name: 'Mine' }],
    ['DELETE', `/stakeholder-types/${theirType}`],
    ['GET', `/stakeholder-types/${theirType}/members`],
    ['POST', `/stakeholder-types/${theirType}/members`, { contact_id: ana }],
    ['GET', `/deal-stakeholders?deal_id=${theirDeal}`],
    ['GET', `/deal-stakeholders/${attached}`],
    ['DELETE', `/deal-stakeholders/${attached}`],
    ['GET', `/tasks/${nobody}/stakeholders`],
    ['POST', `/tasks/${nobody}/stakeholders`, { contact_id: ana }],
  ]
  for (const [method, path, body] of paths)
    expect(await crm.ws.call(method, path, body), `${method} ${path}`).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(found(await crm.ws.get('/stakeholder-types'))).toHaveLength(1)
})

test('If-Match guards what is added to a task or a type, and a removal', async () => {
  const [task_id, ana] = [await task(), await contact()]
  const { id } = await type({ assignable_to_work_orders: true })
  const [now, late] = [{ 'if-match': '"1"' }, { 'if-match': '"7"' }]
  for (const path of [`/stakeholder-types/${id}/members`, `/tasks/${task_id}/stakeholders`]) {
    expect(await crm.ws.post(path, { contact_id: ana }, late), path).toMatchObject(failed(412, 'PRECONDITION_FAILED'))
    found(await crm.ws.post(path, { contact_id: ana }, now))
  }
  const [member] = await members(id)
  const { id: attached } = created(await attach({ deal_id: await deal(), contact_id: ana }))
  const paths = [
    `/tasks/${task_id}/stakeholders/${ana}`,
    `/deal-stakeholders/${attached}`,
    `/stakeholder-types/${id}/members/${member!.id}`,
  ]
  for (const path of [...paths, `/stakeholder-types/${id}`]) {
    expect(await crm.ws.delete(path, late), path).toMatchObject(failed(412, 'PRECONDITION_FAILED'))
    found(await crm.ws.delete(path, now))
  }
})

test('a write that waits for approval has not happened', async () => {
  const { id } = await type()
  const body = { contact_id: await contact(), require_approval: true }
  expect(await crm.ws.post(`/stakeholder-types/${id}/members`, body)).toMatchObject(held)
  expect(await attach({ deal_id: await deal(), ...body })).toMatchObject(held)
  expect(await crm.ws.delete(`/stakeholder-types/${id}?require_approval=true`)).toMatchObject(held)
  expect([await members(id), await crm.count('deal_stakeholders')]).toEqual([[], 0])
})

const scopes: [string, string, string][] = [
  ['GET', '/stakeholder-types', 'contacts:read'],
  ['POST', '/stakeholder-types', 'contacts:write'],
  ['GET', `/stakeholder-types/${nobody}`, 'contacts:read'],
  ['PATCH', `/stakeholder-types/${nobody}`, 'contacts:write'],
  ['DELETE', `/stakeholder-types/${nobody}`, 'contacts:delete'],
  ['GET', `/stakeholder-types/${nobody}/members`, 'contacts:read'],
  ['POST', `/stakeholder-types/${nobody}/members`, 'contacts:write'],
  ['DELETE', `/stakeholder-types/${nobody}/members/${nobody}`, 'contacts:delete'],
  ['GET', `/deal-stakeholders?deal_id=${nobody}`, 'opportunities:read'],
  ['POST', '/deal-stakeholders', 'opportunities:write'],
  ['DELETE', `/deal-stakeholders/${nobody}`, 'opportunities:delete'],
  ['GET', `/tasks/${nobody}/stakeholders`, 'opportunities:read'],
  ['POST', `/tasks/${nobody}/stakeholders`, 'opportunities:write'],
  ['DELETE', `/tasks/${nobody}/stakeholders/${nobody}`, 'opportunities:delete'],
]
test.each(scopes)('%s %s needs %s', async (method, path, needed) => {
  const all = ['contacts', 'opportunities', 'tasks'].flatMap((name) => ['read', 'write', 'delete'].map((action) => `${name}:${action}`))
  const key = await crm.ws.key({ scopes: all.filter((scope) => scope !== needed) })
  const answer = await key.call(method, path, method === 'POST' || method === 'PATCH' ? {} : undefined)
  expect(answer).toMatchObject({ status: 403, body: { error: { code: 'INSUFFICIENT_SCOPE', details: { required_scopes: [needed] } } } })
})
