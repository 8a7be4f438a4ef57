import { expect, test } from 'vitest'
import { created, failed, found, held, ids, nobody, type Row, refused, useCrm, uuid } from './crm.ts'

const crm = useCrm()

const role = async (fields: Row = {}) =>
  created(await crm.ws.post('/roles', { name: 'Field sales', scopes: ['contacts:*', 'companies:read'], ...fields }))
const give = (userId: string, key: string, ws = crm.ws) => ws.patch(`/company/users/${userId}/workspace-user-roles`, { role: key })
/** A member's key that may do everything by itself, and the role that bounds it. */
async function bounded(fields: Row = {}, options: Parameters<typeof crm.ws.key>[0] = {}) {
  const own = await role(fields)
  const member = await crm.ws.key(options)
  found(await give(member.userId, own.key))
  return { own, member }
}
const forbidden = (details: Row) => ({ status: 403, body: { error: { code: 'FORBIDDEN', details } } })

test('a workspace has three fixed roles and custom ones', async () => {
  const builtIn = found(await crm.ws.get('/roles?built_in=true&sort=created_at'))
  expect(builtIn.map(({ key, scopes, can_write, members }) => [key, scopes, can_write, members])).toEqual([
    ['client_admin', ['*:*'], true, 1],
    ['client_editor', ['*:*'], true, 0],
    ['client_viewer', ['*:*'], false, 0],
  ])
  for (const { id, key } of builtIn) {
    expect(await crm.ws.patch(`/roles/${id}`, { scopes: ['contacts:read'] }), key).toMatchObject(failed(409, 'CONFLICT'))
    expect(await crm.ws.delete(`/roles/${id}`), key).toMatchObject(failed(409, 'CONFLICT'))
  }
  const own = await role()
  expect(found(await crm.ws.get('/roles?built_in=false'))).toEqual([own])
  expect((await crm.walk('/roles?limit=2&sort=name')).map(({ name }) => name)).toEqual(['Admin', 'Editor', 'Field sales', 'Viewer'])
})

test('a role is created, read, updated and deleted, with its history', async () => {
  const made = await role({ name: ' Field sales (VIC) ', scopes: ['contacts:read', 'contacts:read', '*:read'], description: 'Visits.' })
  expect(made).toEqual({
    id: uuid,
    key: 'field_sales_vic',
    name: 'Field sales (VIC)',
    description: 'Visits.',
    scopes: ['*:read', 'contacts:read'],
    can_write: true,
    built_in: false,
    members: 0,
    version: 1,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  })
  expect(found(await crm.ws.patch(`/roles/${made.id}`, { name: 'Visitors', can_write: false }))).toMatchObject({
    key: 'field_sales_vic',
    name: 'Visitors',
    can_write: false,
    version: 2,
  })
  expect(await crm.ws.patch(`/roles/${made.id}`, { name: 'X' }, { 'if-match': '"1"' })).toMatchObject(failed(412, 'PRECONDITION_FAILED'))
  found(await crm.ws.delete(`/roles/${made.id}`))
  expect(await crm.ws.get(`/roles/${made.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect((await crm.events(made.id)).map(({ type }) => type)).toEqual(['role.created', 'role.updated', 'role.deleted'])
  expect(found(await crm.ws.get(`/roles/${made.id}/history`)).map(({ action }) => action)).toEqual(['deleted', 'updated', 'created'])
})

test('names and keys are unique; a name without usable letters still gets a key', async () => {
  await role()
  expect(await crm.ws.post('/roles', { name: ' FIELD  sales', key: 'other', scopes: ['*:read'] })).toMatchObject(failed(409, 'CONFLICT'))
  for (const key of ['field_sales', 'client_editor'])
    expect(await crm.ws.post('/roles', { name: 'Other', key, scopes: ['*:read'] }), key).toMatchObject(failed(409, 'CONFLICT'))
  expect((await role({ name: '営業' })).key).toMatch(/^role_[0-9a-f]{12}$/)
  expect((await role({ name: '1st Überläufer' })).key).toBe('st_uberlaufer')
})

test('a key can do what both its scopes and its owner’s role allow', async () => {
  const { own, member } = await bounded({ scopes: ['contacts:*', 'companies:read'] })
  const contact = created(await member.post('/contacts', { first_name: 'Ana' }))
  found(await member.get('/companies'))
  expect(await member.post('/companies', { name: 'Acme' })).toMatchObject(forbidden({ role: own.key, missing_scopes: ['companies:write'] }))
  expect(await member.get('/opportunities')).toMatchObject(forbidden({ missing_scopes: ['opportunities:read'] }))
  expect(await member.get(`/contacts/${contact.id}/deals`)).toMatchObject(forbidden({ missing_scopes: ['opportunities:read'] }))
  expect((await member.get('/opportunities')).body.error.message).toContain('Field sales')
  const narrow = await crm.ws.key({ scopes: ['companies:read'] })
  found(await give(narrow.userId, own.key))
  expect(await narrow.get('/contacts'), 'the key’s own bounds stay').toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
  const search = { filter: { has: 'opportunities' } }
  expect(await member.post('/contacts/search', search), 'scopes that depend on what is asked').toMatchObject(
    forbidden({ missing_scopes: ['opportunities:read'] }),
  )
})

test('a role without writing only reads, whatever its scopes say', async () => {
  const { own, member } = await bounded({ scopes: ['*:*'], can_write: false })
  found(await member.get('/contacts'))
  expect(await member.post('/contacts', { first_name: 'Ana' })).toMatchObject(forbidden({ role: own.key }))
})

test('a role narrowed or widened holds from the next request on', async () => {
  const { own, member } = await bounded({ scopes: ['contacts:read'] })
  expect(await member.post('/contacts', { first_name: 'Ana' })).toMatchObject(failed(403, 'FORBIDDEN'))
  found(await crm.ws.patch(`/roles/${own.id}`, { scopes: ['contacts:*'] }))
  created(await member.post('/contacts', { first_name: 'Ana' }))
  found(await crm.ws.patch(`/roles/${own.id}`, { scopes: ['companies:read'] }))
  expect(await member.get('/contacts')).toMatchObject(failed(403, 'FORBIDDEN'))
})

test('an approved request fails if the role was narrowed before it ran', async () => {
  const { own, member } = await bounded({ scopes: ['contacts:*'] }, { level: 'approval' })
  const answer = await member.post('/contacts', { first_name: 'Ana' })
  expect(answer).toMatchObject(held)
  found(await crm.ws.patch(`/roles/${own.id}`, { scopes: ['contacts:read'] }))
  found(await crm.ws.post(`/approvals/${answer.body.approval_id}/approve`, {}))
  await crm.app.drain()
  expect(found(await crm.ws.get(`/approvals/${answer.body.approval_id}`))).toMatchObject({
    status: 'failed',
    response_status: 403,
    response_body: { error: { code: 'FORBIDDEN', details: { role: own.key, missing_scopes: ['contacts:write'] } } },
  })
  expect(await crm.count('contacts')).toBe(0)
})

test('a member’s role is shown, listed and invited by its key', async () => {
  const { own, member } = await bounded({ scopes: ['*:read'] })
  expect(found(await crm.ws.get(`/company/users/${member.userId}/workspace-user-roles`))).toEqual({
    role: own.key,
    created_at: expect.any(String),
    version: 2,
    updated_at: expect.any(String),
  })
  expect(found(await member.get('/me')).user.role).toBe(own.key)
  expect(ids(found(await crm.ws.get(`/company/users?role=${own.key}`)))).toEqual([member.userId])
  expect(found(await crm.ws.get(`/roles/${own.id}`)).members).toBe(1)
  expect(created(await crm.ws.post('/company/users/invite', { email: 'new@example.com', role: own.key })).role).toBe(own.key)
  expect(found(await crm.ws.get(`/roles/${own.id}`)).members).toBe(2)
  for (const unknown of ['field', 'Field sales', '']) expect(await give(member.userId, unknown), unknown).toMatchObject(refused('role'))
  expect(await crm.ws.post('/company/users/invite', { email: 'two@example.com', role: 'field' })).toMatchObject(refused('role'))
  const other = await crm.app.workspace()
  expect(await give(other.userId, own.key, other), 'a role of another workspace').toMatchObject(refused('role'))
})

test('a role in use can only be deleted with a replacement', async () => {
  const { own, member } = await bounded()
  const former = await crm.ws.key()
  found(await give(former.userId, own.key))
  found(await crm.ws.delete(`/company/users/${former.userId}`))
  expect(await crm.ws.delete(`/roles/${own.id}`)).toMatchObject({
    status: 409,
    body: { error: { code: 'CONFLICT', details: { members: 1 }, message: expect.stringContaining('reassign_to') } },
  })
  for (const wrong of [own.key, 'nobody'])
    expect(await crm.ws.delete(`/roles/${own.id}?reassign_to=${wrong}`), wrong).toMatchObject(refused('reassign_to'))
  found(await crm.ws.delete(`/roles/${own.id}?reassign_to=client_editor`))
  expect(found(await crm.ws.get(`/company/users/${member.userId}`)).role).toBe('client_editor')
  const unused = await role()
  found(await crm.ws.delete(`/roles/${unused.id}`))
})

test('only a client_admin manages roles, and gives no more than the own key may do', async () => {
  const { member } = await bounded({ scopes: ['*:*'] })
  const editor = await crm.ws.key({ role: 'client_editor' })
  for (const other of [member, editor]) {
    expect(await other.post('/roles', { name: 'X', scopes: ['*:read'] })).toMatchObject(failed(403, 'FORBIDDEN'))
    expect(await give(other.userId, 'client_admin', other)).toMatchObject(failed(403, 'FORBIDDEN'))
  }
  const narrow = await crm.ws.key({ scopes: ['roles:*', 'contacts:*'] })
  expect(await narrow.post('/roles', { name: 'X', scopes: ['contacts:read', 'companies:read'] })).toMatchObject(failed(403, 'FORBIDDEN'))
  const { id } = created(await narrow.post('/roles', { name: 'X', scopes: ['contacts:read'] }))
  expect(await narrow.patch(`/roles/${id}`, { scopes: ['*:*'] })).toMatchObject(failed(403, 'FORBIDDEN'))
})

test('the last admin cannot lose the role', async () => {
  const own = await role()
  expect(await give(crm.ws.userId, own.key)).toMatchObject(failed(409, 'CONFLICT'))
  await crm.ws.key({ role: 'client_admin' })
  found(await give(crm.ws.userId, own.key))
  expect(await give(crm.ws.userId, 'client_admin')).toMatchObject(failed(403, 'FORBIDDEN'))
})

test.each([
  [{ scopes: ['*:read'] }, 'name'],
  [{ name: 'X' }, 'scopes'],
  [{ name: 'X', scopes: [] }, 'scopes'],
  [{ name: 'X', scopes: ['contacts'] }, 'scopes.0'],
  [{ name: 'X', scopes: ['*:read'], key: 'Not a key' }, 'key'],
  [{ name: 'X', scopes: ['*:read'], can_write: 'no' }, 'can_write'],
])('%j is refused, naming %s', async (body, path) => {
  expect(await crm.ws.post('/roles', body)).toMatchObject(refused(path))
})

test('another workspace’s role is unknown', async () => {
  const other = await crm.app.workspace()
  const theirs = created(await other.post('/roles', { name: 'Theirs', scopes: ['*:read'] }))
  for (const id of [theirs.id, nobody]) {
    expect(await crm.ws.get(`/roles/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await crm.ws.patch(`/roles/${id}`, { name: 'X' })).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await crm.ws.delete(`/roles/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  }
})
