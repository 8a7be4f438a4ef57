import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import { approval, approveIn, held } from './approving.ts'

let app: Harness
beforeAll(async () => {
  app = await start({ own: true })
})
afterAll(() => app.close())

const decided = approveIn(() => app)

test('each write of a key of level approval waits; once approved it runs as that key and the response is stored', async () => {
  const ws = await app.workspace()
  const agent = await ws.key({ level: 'approval' })
  const id = await held(agent, 'POST', '/contacts', { first_name: 'Ana', email: 'ana@example.com' })
  expect((await ws.get('/contacts')).body.data).toEqual([])
  expect(await approval(ws, id)).toMatchObject({
    status: 'pending',
    resource: 'contacts',
    method: 'POST',
    path: '/contacts',
    requested_by: agent.userId,
    key_id: agent.keyId,
    request: { body: { first_name: 'Ana', email: 'ana@example.com' } },
    changes: [{ entity: 'contact', action: 'created', fields: { first_name: { after: 'Ana' } } }],
  })

  expect(await decided(ws, id)).toMatchObject({ status: 200, body: { data: { status: 'approved', decided_by: ws.userId } } })
  const [contact] = (await ws.get('/contacts')).body.data
  expect(contact).toMatchObject({ first_name: 'Ana', email: 'ana@example.com' })
  expect(await approval(ws, id)).toMatchObject({
    status: 'executed',
    response_status: 201,
    response_body: { data: { id: contact.id, first_name: 'Ana' } },
  })
  const [change] = (await ws.get(`/contacts/${contact.id}/history`)).body.data
  expect(change).toMatchObject({ key_id: agent.keyId, user_id: agent.userId })
})

test('an approval shows what an update or a delete would change, field by field', async () => {
  const ws = await app.workspace()
  const { id } = (await ws.post('/contacts', { first_name: 'Ana', city: 'Perth' })).body.data
  const update = await held(ws, 'PATCH', `/contacts/${id}`, { city: 'Sydney', require_approval: true })
  expect((await approval(ws, update)).changes).toEqual([
    { entity: 'contact', entity_id: id, action: 'updated', version: 2, fields: { city: { before: 'Perth', after: 'Sydney' } } },
  ])
  const removal = await held(ws, 'DELETE', `/contacts/${id}?require_approval=true`)
  expect((await approval(ws, removal)).changes).toMatchObject([
    { entity_id: id, action: 'deleted', fields: { first_name: { before: 'Ana' } } },
  ])
  expect((await ws.get(`/contacts/${id}`)).body.data).toMatchObject({ city: 'Perth', version: 1 })
})

test('an invalid write is refused at once, even if only the database can detect it', async () => {
  const ws = await app.workspace()
  const agent = await ws.key({ level: 'approval' })
  expect((await agent.post('/contacts', { last_name: 'x' })).status).toBe(400)
  expect(await agent.post('/contacts', { first_name: 'x', customer_id: ws.id })).toMatchObject({
    status: 400,
    body: { error: { details: { issues: [{ path: 'customer_id' }] } } },
  })
  expect((await agent.delete(`/contacts/${ws.id}`)).status).toBe(404)
  expect((await ws.get('/approvals')).body.data).toEqual([])
})

test('a rejected request never runs, and has a reason', async () => {
  const ws = await app.workspace()
  const id = await held(ws, 'POST', '/contacts', { first_name: 'Ana', require_approval: true })
  expect(await ws.post(`/approvals/${id}/reject`, { reason: 'Duplicate' })).toMatchObject({
    status: 200,
    body: { data: { status: 'rejected', reason: 'Duplicate' } },
  })
  expect(await decided(ws, id)).toMatchObject({
    status: 409,
    body: { error: { code: 'INVALID_STATE', details: { state: 'rejected', allowed: ['pending'] } } },
  })
  expect((await ws.get('/contacts')).body.data).toEqual([])
})

test('after 30 days it expires', async () => {
  const ws = await app.workspace()
  const [late, swept] = [
    await held(ws, 'POST', '/contacts', { first_name: 'A', require_approval: true }),
    await held(ws, 'POST', '/contacts', { first_name: 'B', require_approval: true }),
  ]
  const { rows } = await app.owner.query('select extract(day from expires_at - created_at) as days from approvals where id = $1', [late])
  expect(Number(rows[0].days)).toBe(30)
  await app.owner.query("update approvals set expires_at = now() - interval '1 second' where workspace_id = $1", [ws.id])
  expect(await decided(ws, late)).toMatchObject({ status: 409, body: { error: { details: { state: 'expired' } } } })
  await app.cron('* * * * *')
  expect(await approval(ws, swept)).toMatchObject({ status: 'expired' })
  expect((await ws.get('/approvals?status=expired')).body.data).toHaveLength(2)
})

test('delivered many times at once, it runs once', async () => {
  const ws = await app.workspace()
  const id = await held(ws, 'POST', '/contacts', { first_name: 'Once', require_approval: true })
  await decided(ws, id)
  await app.owner.query(
    "update approvals set status = 'approved', response_status = null, answer = null, executed_at = null where id = $1",
    [id],
  )
  await app.owner.query('delete from contacts where workspace_id = $1', [ws.id])
  const message = { type: 'work.run', kind: 'approval.run', workspace_id: ws.id, item_id: id }
  await Promise.all(Array.from({ length: 12 }, () => app.deliver('approvals', [message, message])))
  expect((await ws.get('/contacts')).body.data).toHaveLength(1)
  expect(await approval(ws, id)).toMatchObject({ status: 'executed', response_status: 201 })
})

test('a request that has run is executed once its response is stored, which the sweep does if the queue could not', async () => {
  const ws = await app.workspace()
  const id = await held(ws, 'POST', '/contacts', { first_name: 'Lost', require_approval: true })
  const hold = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  app.proxy.onRequest = (request) => {
    if (!JSON.stringify(request).includes('complete_approval')) return
    reached.resolve()
    return hold.promise
  }
  await ws.post(`/approvals/${id}/approve`, {})
  await reached.promise
  app.proxy.onRequest = undefined
  const { data: contacts } = (await ws.get('/contacts')).body
  expect(contacts).toMatchObject([{ first_name: 'Lost' }])
  const between = { status: 'approved', executed_at: expect.any(String), response_status: null, response_body: null }
  expect(await approval(ws, id)).toMatchObject(between)
  const answered = { status: 'executed', response_status: 201, response_body: { data: contacts[0] } }
  hold.resolve()
  await app.drain()
  expect(await approval(ws, id)).toMatchObject(answered)
  const steps = (await ws.get(`/approvals/${id}/history`)).body.data.map(({ fields }: { fields: object }) => Object.keys(fields).sort())
  expect(steps.slice(0, 2)).toEqual([['response_status', 'status'], ['executed_at']])

  const lost = "status = 'approved', response_status = null, response_body = null, decided_at = now() - interval '2 minutes'"
  await app.owner.query(`update approvals set ${lost} where id = $1`, [id])
  await app.cron('* * * * *')
  await app.drain()
  expect(await approval(ws, id)).toMatchObject(answered)
  expect((await ws.get('/contacts')).body.data).toHaveLength(1)
})

test('what has run never becomes failed: if its response cannot be built, it is executed without a body', async () => {
  const ws = await app.workspace()
  const id = await held(ws, 'POST', '/contacts', { first_name: 'Odd', require_approval: true })
  await decided(ws, id)
  await app.owner.query(
    "update approvals set status = 'approved', response_status = null, response_body = null, request = 'null' where id = $1",
    [id],
  )
  const message = { type: 'work.run', kind: 'approval.run', workspace_id: ws.id, item_id: id }
  expect((await app.deliver('approvals', [message])).retryMessages).toHaveLength(1)
  await app.deliver('approvals-dead', [message], 5)
  const { rows } = await app.owner.query('select status, response_status, response_body from approvals where id = $1', [id])
  expect(rows).toMatchObject([{ status: 'executed', response_status: 201 }])
  expect((await ws.get('/contacts')).body.data).toHaveLength(1)
})

test('a run whose message was lost is found by the sweep', async () => {
  const ws = await app.workspace()
  const other = await held(ws, 'POST', '/contacts', { first_name: 'Silent', require_approval: true })
  await app.owner.query(
    "update approvals set status = 'approved', decided_key_id = key_id, decided_at = now() - interval '5 minutes' where id = $1",
    [other],
  )
  await app.drain()
  await app.owner.query('update outbox set delivered_at = now() where workspace_id = $1', [ws.id])
  await app.cron('* * * * *')
  await app.drain()
  expect(await approval(ws, other)).toMatchObject({ status: 'executed' })
})

test.each([
  ['revoked', (ws: TestWorkspace, key: string) => ws.post(`/api-keys/${key}/revoke`), 401, 'UNAUTHENTICATED'],
  ['narrowed', (ws: TestWorkspace, key: string) => ws.patch(`/api-keys/${key}`, { scopes: ['contacts:read'] }), 403, 'INSUFFICIENT_SCOPE'],
])('when the key was %s since, it fails and nothing runs', async (_, change, status, code) => {
  const ws = await app.workspace()
  const agent = await ws.key({ level: 'approval' })
  const id = await held(agent, 'POST', '/contacts', { first_name: 'Ana' })
  expect((await change(ws, agent.keyId)).status).toBe(200)
  await decided(ws, id)
  expect(await approval(ws, id)).toMatchObject({ status: 'failed', response_status: status, response_body: { error: { code } } })
  expect((await ws.get('/contacts')).body.data).toEqual([])
})

test('a record changed since the request makes the approval stale, unless forced', async () => {
  const ws = await app.workspace()
  const { id } = (await ws.post('/contacts', { first_name: 'Ana', city: 'Perth' })).body.data
  const update = await held(ws, 'PATCH', `/contacts/${id}`, { city: 'Sydney', require_approval: true })
  await ws.patch(`/contacts/${id}`, { city: 'Hobart' })
  expect(await decided(ws, update)).toMatchObject({ status: 409, body: { error: { code: 'APPROVAL_STALE' } } })
  expect((await ws.get(`/contacts/${id}`)).body.data.city).toBe('Hobart')
  expect((await decided(ws, update, { force: true })).status).toBe(200)
  expect((await ws.get(`/contacts/${id}`)).body.data.city).toBe('Sydney')
  expect(await approval(ws, update)).toMatchObject({ status: 'executed', forced: true })
})

test('a change between the decision and the run makes the run fail as stale', async () => {
  const ws = await app.workspace()
  const { id } = (await ws.post('/contacts', { first_name: 'Ana', city: 'Perth' })).body.data
  const update = await held(ws, 'PATCH', `/contacts/${id}`, { city: 'Sydney', require_approval: true })
  await app.owner.query("update approvals set status = 'approved', decided_key_id = key_id, decided_at = now() where id = $1", [update])
  await app.owner.query('update outbox set delivered_at = now() where workspace_id = $1', [ws.id])
  await ws.patch(`/contacts/${id}`, { city: 'Hobart' })
  await app.deliver('approvals', [{ type: 'work.run', kind: 'approval.run', workspace_id: ws.id, item_id: update }])
  expect(await approval(ws, update)).toMatchObject({
    status: 'failed',
    response_status: 409,
    response_body: { error: { code: 'APPROVAL_STALE' } },
  })
  expect((await ws.get(`/contacts/${id}`)).body.data.city).toBe('Hobart')
})

test('a key of level approval cannot decide', async () => {
  const ws = await app.workspace()
  const agent = await ws.key({ level: 'approval' })
  const id = await held(agent, 'POST', '/contacts', { first_name: 'Ana' })
  for (const verb of ['approve', 'reject'])
    expect(await agent.post(`/approvals/${id}/${verb}`)).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } })
  expect(await approval(ws, id)).toMatchObject({ status: 'pending' })
})

test('lists filter by status, resource and requester, and another workspace sees none of it', async () => {
  const [ws, stranger] = [await app.workspace(), await app.workspace()]
  const agent = await ws.key({ level: 'approval' })
  const contact = await held(agent, 'POST', '/contacts', { first_name: 'Ana' })
  const pipeline = await held(ws, 'POST', '/pipelines', { name: 'New', require_approval: true })
  await ws.post(`/approvals/${pipeline}/reject`)
  const ids = async (query: string) => (await ws.get(`/approvals${query}`)).body.data.map((one: { id: string }) => one.id)
  expect(await ids('')).toEqual([pipeline, contact])
  expect(await ids('?status=pending')).toEqual([contact])
  expect(await ids('?resource=pipelines')).toEqual([pipeline])
  expect(await ids(`?requested_by=${agent.userId}`)).toEqual([contact])
  expect((await stranger.get('/approvals')).body.data).toEqual([])
  for (const path of ['', '/approve', '/reject'])
    expect((await stranger.call(path ? 'POST' : 'GET', `/approvals/${contact}${path}`)).status).toBe(404)
})

test('a bulk call waits and runs as a whole', async () => {
  const ws = await app.workspace()
  const id = await held(ws, 'POST', '/contacts/bulk-create', {
    records: [{ first_name: 'A' }, { first_name: 'B' }],
    require_approval: true,
  })
  expect((await approval(ws, id)).changes).toHaveLength(2)
  await decided(ws, id)
  expect((await ws.get('/contacts')).body.data).toHaveLength(2)
})

test('what a request needs beyond its endpoint, whoever approves it needs too', async () => {
  const ws = await app.workspace()
  const [agent, editor] = [await ws.key({ level: 'approval' }), await ws.key({ role: 'client_editor' })]
  const { id } = (await ws.post('/contacts', { first_name: 'Ana' })).body.data
  const { body } = await agent.delete(`/contacts/${id}?purge=true`)
  expect((await ws.get(`/approvals/${body.approval_id}`)).body.data).toMatchObject({
    requires_admin: true,
    required_scopes: expect.arrayContaining(['*:delete']),
  })
  expect((await editor.post(`/approvals/${body.approval_id}/approve`)).status).toBe(403)
})
