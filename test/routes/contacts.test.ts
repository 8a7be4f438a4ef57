import { expect, test } from 'vitest'
import { created, failed, found, held, ids, nobody, refused, useCrm, uuid } from './crm.ts'

const crm = useCrm()

test('a create answers 201 with the place and the version of the record', async () => {
  const answer = await crm.ws.post('/contacts', { first_name: 'Ana' })
  const { id } = created(answer)
  expect(answer.headers.get('location')).toBe(`/v1/contacts/${id}`)
  expect(answer.headers.get('etag')).toBe('"1"')
  expect(answer.headers.get('x-request-id')).toEqual(uuid)
  const read = await crm.ws.get(`/contacts/${id}`)
  expect(read.body).toEqual(answer.body)
  expect(read.headers.get('etag')).toBe('"1"')
})

test('with customer_id the contact is linked to the company, and the link is in the answer', async () => {
  const customer_id = await crm.company('Harbour Renovations')
  const contact = await crm.contact({ customer_id })
  expect(contact).toMatchObject({ customer_id, company: { id: customer_id, name: 'Harbour Renovations' } })
  expect(found(await crm.ws.get(`/contacts/${contact.id}`))).toEqual(contact)
  expect(found(await crm.ws.get(`/contacts/${contact.id}/employers`))).toMatchObject([
    { customer_id, company_name: 'Harbour Renovations', is_main: true },
  ])
})

test("an unknown company, or another workspace's, is a 400 and creates nothing", async () => {
  const foreign = await crm.company('Theirs', await crm.app.workspace())
  const [changes, events] = [await crm.count('changes'), await crm.count('outbox')]
  for (const customer_id of [nobody, foreign]) {
    expect(await crm.ws.post('/contacts', { first_name: 'Ana', customer_id })).toMatchObject(refused('customer_id'))
  }
  expect(found(await crm.ws.get('/contacts?archived=all'))).toEqual([])
  expect([await crm.count('changes'), await crm.count('outbox'), await crm.count('employers')]).toEqual([changes, events, 0])
})

test('an external_id is there once in a workspace', async () => {
  await crm.contact({ external_id: 'a-1' })
  expect(await crm.ws.post('/contacts', { first_name: 'Bo', external_id: 'a-1' })).toMatchObject(failed(409, 'CONFLICT'))
  const { id } = await crm.contact()
  expect(await crm.ws.patch(`/contacts/${id}`, { external_id: 'a-1' })).toMatchObject(failed(409, 'CONFLICT'))
  created(await (await crm.app.workspace()).post('/contacts', { first_name: 'Bo', external_id: 'a-1' }))
})

test('a deleted contact is gone, with its links', async () => {
  const { id } = await crm.contact({ customer_id: await crm.company() })
  const deal = await crm.opportunity({ contacts: [{ contact_id: id }] })
  expect(await crm.ws.delete(`/contacts/${id}`)).toMatchObject({ status: 200, body: { data: { id, deleted: true } } })
  expect(await crm.ws.get(`/contacts/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await crm.ws.delete(`/contacts/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(found(await crm.ws.get('/contacts?archived=all'))).toEqual([])
  expect(found(await crm.ws.get(`/opportunities/${deal.id}`)).contacts).toEqual([])
  expect(await crm.count('employers')).toBe(0)
})

const paths: [string, string, unknown?][] = [
  ['GET', ''],
  ['PATCH', '', {}],
  ['DELETE', ''],
  ['GET', '/employers'],
  ['GET', '/deals'],
  ['GET', '/local-time'],
]
test.each(paths)('%s /contacts/:id%s: a malformed id is a 400, an unknown or a foreign one a 404', async (method, rest, body) => {
  const { id: foreign } = created(await (await crm.app.workspace()).post('/contacts', { first_name: 'Theirs' }))
  expect(await crm.ws.call(method, `/contacts/ana${rest}`, body)).toMatchObject(refused('contact_id'))
  expect(await crm.ws.call(method, `/contacts/${nobody}${rest}`, body)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await crm.ws.call(method, `/contacts/${foreign}${rest}`, body)).toMatchObject(failed(404, 'NOT_FOUND'))
})

test('If-Match guards an update and a deletion against a change in between', async () => {
  const { id } = await crm.contact()
  const patched = await crm.ws.patch(`/contacts/${id}`, { last_name: 'Lee' }, { 'if-match': '"1"' })
  expect(patched).toMatchObject({ status: 200, body: { data: { version: 2 } } })
  expect(patched.headers.get('etag')).toBe('"2"')
  for (const method of ['PATCH', 'DELETE']) {
    const late = await crm.ws.call(method, `/contacts/${id}`, method === 'PATCH' ? { last_name: 'Late' } : undefined, { 'if-match': '"1"' })
    expect(late).toMatchObject({ status: 412, body: { error: { code: 'PRECONDITION_FAILED', details: { version: 2 } } } })
  }
  expect(await crm.ws.patch(`/contacts/${id}`, {}, { 'if-match': 'latest' })).toMatchObject(refused('If-Match'))
  expect(found(await crm.ws.get(`/contacts/${id}`))).toMatchObject({ last_name: 'Lee', version: 2 })
  found(await crm.ws.patch(`/contacts/${id}`, { last_name: 'Any' }, { 'if-match': '*' }))
  found(await crm.ws.delete(`/contacts/${id}`, { 'if-match': '"3"' }))
})

test('an update that changes nothing leaves the version and the history as they are', async () => {
  const { id } = await crm.contact({ last_name: 'Lee', metadata: { a: 1 } })
  for (const patch of [{}, { last_name: ' Lee ' }, { metadata: { a: 1, b: null } }]) {
    const { version } = found(await crm.ws.patch(`/contacts/${id}`, patch))
    expect(version).toBe(1)
  }
  expect(found(await crm.ws.get(`/contacts/${id}/history`))).toHaveLength(1)
})

test('the history says who changed what, when and in which request, also of a deleted contact', async () => {
  const editor = await crm.ws.key()
  const { id } = await crm.contact({ email: 'ana@example.com' })
  const patch = await editor.patch(`/contacts/${id}`, { email: 'lee@example.com', last_name: 'Lee', notes: '' })
  const removal = await crm.ws.delete(`/contacts/${id}`)
  const history = await crm.ws.get(`/contacts/${id}/history`)
  expect(history.body.page).toEqual({ limit: 50, next: null })
  const [deleted, updated, first] = found(history)
  const about = { id: uuid, entity: 'contact', entity_id: id }
  expect(first).toMatchObject({ ...about, action: 'created', version: 1, user_id: crm.ws.userId, key_id: crm.ws.keyId })
  expect(first!.fields).toMatchObject({
    first_name: { after: 'Ana' },
    email: { after: 'ana@example.com' },
    country: { after: 'Australia' },
  })
  expect(updated).toEqual({
    ...about,
    action: 'updated',
    version: 2,
    user_id: editor.userId,
    key_id: editor.keyId,
    request_id: patch.headers.get('x-request-id'),
    cause_type: 'request',
    cause_id: patch.headers.get('x-request-id'),
    at: patch.body.data.updated_at,
    fields: { email: { before: 'ana@example.com', after: 'lee@example.com' }, last_name: { before: null, after: 'Lee' } },
  })
  expect(deleted).toMatchObject({
    ...about,
    action: 'deleted',
    version: 3,
    user_id: crm.ws.userId,
    request_id: removal.headers.get('x-request-id'),
    cause_type: 'request',
    cause_id: removal.headers.get('x-request-id'),
  })
  expect(deleted!.fields).toMatchObject({ email: { before: 'lee@example.com' }, last_name: { before: 'Lee' } })
})

test('a history comes in pages, newest first', async () => {
  const { id } = await crm.contact()
  for (const last_name of ['A', 'B', 'C', 'D']) found(await crm.ws.patch(`/contacts/${id}`, { last_name }))
  const changes = await crm.walk(`/contacts/${id}/history?limit=2`)
  expect(changes.map(({ version }) => version)).toEqual([5, 4, 3, 2, 1])
})

test('each change is announced by an event of the request that made it', async () => {
  const answer = await crm.ws.post('/contacts', { first_name: 'Ana' })
  const { id } = created(answer)
  const patch = await crm.ws.patch(`/contacts/${id}`, { last_name: 'Lee' })
  const removal = await crm.ws.delete(`/contacts/${id}`)
  const by = { key_id: crm.ws.keyId, user_id: crm.ws.userId, skip_automations: false }
  expect(await crm.events(id)).toMatchObject([
    { type: 'contact.created', request_id: answer.headers.get('x-request-id'), ...by },
    { type: 'contact.updated', request_id: patch.headers.get('x-request-id'), ...by },
    { type: 'contact.deleted', request_id: removal.headers.get('x-request-id'), ...by },
  ])
})

test('skip_automations marks the event and never comes back in the record', async () => {
  const contact = await crm.contact({ skip_automations: true, require_approval: false })
  expect(Object.keys(contact)).not.toContain('skip_automations')
  expect(Object.keys(contact)).not.toContain('require_approval')
  expect(await crm.events(contact.id)).toMatchObject([{ type: 'contact.created', skip_automations: true }])
  await crm.ws.patch(`/contacts/${contact.id}`, { last_name: 'Lee', skip_automations: true })
  await crm.ws.patch(`/contacts/${contact.id}`, { last_name: 'Lo' })
  await crm.ws.delete(`/contacts/${contact.id}?skip_automations=true`)
  expect((await crm.events(contact.id)).map(({ skip_automations }) => skip_automations)).toEqual([true, true, false, true])
})

test('a write that requires approval changes nothing yet', async () => {
  const contact = await crm.contact()
  const before = [await crm.count('changes'), (await crm.events(contact.id)).length]
  const answers = [
    await crm.ws.post('/contacts', { first_name: 'Bo', require_approval: true }),
    await crm.ws.patch(`/contacts/${contact.id}`, { last_name: 'Lee', require_approval: true }),
    await crm.ws.delete(`/contacts/${contact.id}?require_approval=true`),
    await crm.ws.post(`/contacts/${contact.id}/employers/${await crm.company()}`, { require_approval: true }),
  ]
  for (const answer of answers) expect(answer).toMatchObject(held)
  expect(ids(found(await crm.ws.get('/contacts?archived=all')))).toEqual([contact.id])
  expect(found(await crm.ws.get(`/contacts/${contact.id}`))).toEqual(contact)
  expect(found(await crm.ws.get(`/contacts/${contact.id}/history`))).toHaveLength(1)
  expect((await crm.events(contact.id)).length).toBe(before[1])
  expect(await crm.count('employers')).toBe(0)
})

test('every write of a key of level approval is held, but a bad one is refused at once', async () => {
  const contact = await crm.contact()
  const clerk = await crm.ws.key({ level: 'approval' })
  expect(await clerk.post('/contacts', { first_name: 'Bo' })).toMatchObject(held)
  expect(await clerk.patch(`/contacts/${contact.id}`, { last_name: 'Lee' })).toMatchObject(held)
  expect(await clerk.delete(`/contacts/${contact.id}`)).toMatchObject(held)
  expect(await clerk.post('/contacts', { last_name: 'Lee' })).toMatchObject(refused('first_name'))
  expect(await clerk.post('/contacts', { first_name: 'Bo', customer_id: nobody })).toMatchObject(refused('customer_id'))
  expect(await clerk.patch(`/contacts/${nobody}`, {})).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(found(await clerk.get('/contacts'))).toHaveLength(1)
})

test('a dry run says what would happen and leaves no trace', async () => {
  const contact = await crm.contact()
  const traces = async () => [
    await crm.count('contacts'),
    await crm.count('changes'),
    await crm.count('outbox'),
    await crm.count('approvals'),
  ]
  const before = await traces()

  const create = await crm.ws.post('/contacts?dry_run=true', { first_name: 'Bo', phone: '0412 345 678' })
  expect(create).toMatchObject({ status: 200, body: { data: { first_name: 'Bo', phone: '+61412345678' } } })
  expect(create.body.dry_run).toMatchObject({
    changes: [{ entity: 'contact', action: 'created', entity_id: create.body.data.id, fields: { first_name: { after: 'Bo' } } }],
    events: [{ type: 'contact.created', entity_id: create.body.data.id }],
  })
  expect(await crm.ws.get(`/contacts/${create.body.data.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))

  const patch = await crm.ws.patch(`/contacts/${contact.id}?dry_run=true`, { last_name: 'Lee' })
  expect(patch.body).toMatchObject({
    data: { last_name: 'Lee', version: 2 },
    dry_run: { changes: [{ action: 'updated', fields: { last_name: { before: null, after: 'Lee' } } }] },
  })
  const removal = await crm.ws.delete(`/contacts/${contact.id}?dry_run=true`)
  expect(removal.body).toMatchObject({ data: { deleted: true }, dry_run: { changes: [{ action: 'deleted', entity_id: contact.id }] } })
  expect(await crm.ws.post('/contacts?dry_run=true', { last_name: 'Lee' })).toMatchObject(refused('first_name'))

  expect(found(await crm.ws.get(`/contacts/${contact.id}`))).toEqual(contact)
  expect(await traces()).toEqual(before)
})

const scopes: [string, string, string[]][] = [
  ['POST', '/contacts', ['contacts:write']],
  ['GET', '/contacts', ['contacts:read']],
  ['GET', `/contacts/${nobody}`, ['contacts:read']],
  ['DELETE', `/contacts/${nobody}`, ['contacts:delete']],
  ['POST', '/contacts/bulk-create', ['contacts:write']],
  ['POST', '/contacts/bulk-update', ['contacts:write']],
  ['POST', '/contacts/bulk-delete', ['contacts:delete']],
  ['POST', '/contacts/bulk-link', ['contacts:write']],
  ['POST', `/contacts/${nobody}/employers/${nobody}`, ['contacts:write']],
  ['GET', `/contacts/${nobody}/deals`, ['contacts:read', 'opportunities:read']],
]
test.each(scopes)('%s %s needs %j', async (method, path, needed) => {
  for (const lacking of needed) {
    const others = ['contacts:read', 'contacts:write', 'contacts:delete', 'opportunities:read'].filter((scope) => scope !== lacking)
    const answer = await (await crm.ws.key({ scopes: others })).call(method, path, method === 'POST' ? {} : undefined)
    expect(answer).toMatchObject({ status: 403, body: { error: { code: 'INSUFFICIENT_SCOPE', details: { required_scopes: needed } } } })
  }
  const allowed = await (await crm.ws.key({ scopes: needed })).call(method, path, method === 'POST' ? {} : undefined)
  expect([200, 400, 404]).toContain(allowed.status)
})
