import { expect, test } from 'vitest'
import type { TestWorkspace } from '../workspace.ts'
import { approval, approveIn, held } from './approving.ts'
import { useCrm } from './crm.ts'
import { useImports } from './importing.ts'

/** Approval policies: which writes wait, however they are sent, and who may approve them. */
const crm = useCrm()
const { uploaded } = useImports(crm)
const decided = approveIn(() => crm.app)
const made = async (ws: TestWorkspace, path: string, body: object) => {
  const { status, body: response } = await ws.post(path, body)
  expect([path, status, response.error]).toEqual([path, 201, undefined])
  return response.data
}
const policy = (ws: TestWorkspace, fields: object) => made(ws, '/approval-policies', { name: crypto.randomUUID(), ...fields })

test('large deals wait, by any call, and only those', async () => {
  const { ws } = crm
  const { id: policyId } = await policy(ws, { events: ['opportunity.*'], value_over: 1000, currency: 'AUD' })
  const small = await made(ws, '/opportunities', { name: 'Small', value: 1000 })
  await made(ws, '/opportunities', { name: 'Elsewhere', value: 5000, currency: 'NZD' })
  const id = await held(ws, 'POST', '/opportunities', { name: 'Large', value: 1000.01, external_id: 'large' })
  expect(await approval(ws, id)).toMatchObject({ policy_ids: [policyId], changes: [{ fields: { name: { after: 'Large' } } }] })
  const raised = { id: small.id, value: 2000 }
  await held(ws, 'PATCH', `/opportunities/${small.id}`, { value: 2000 })
  await held(ws, 'POST', '/opportunities/bulk-update', { records: [raised] })
  await held(ws, 'POST', '/opportunities/bulk-upsert', { records: [{ name: 'X', external_id: 'x', value: 9000 }] })
  expect((await ws.patch(`/opportunities/${small.id}`, { value: 900 })).status).toBe(200)
  const approver = await ws.key()
  await decided(approver, id)
  const { id: large } = (await approval(ws, id)).response_body.data
  // Its value counts before the change too, and what is unknown of an erased record counts as large.
  await held(ws, 'PATCH', `/opportunities/${large}`, { value: 1 })
  await held(ws, 'PATCH', `/opportunities/${large}`, { currency: 'NZD' })
  await held(ws, 'POST', '/opportunities/merge', { winner_id: small.id, loser_ids: [large] })
  await held(ws, 'DELETE', `/opportunities/${large}?purge=true`)
  await ws.patch(`/approval-policies/${policyId}`, { is_active: false })
  expect((await ws.delete(`/opportunities/${large}`)).status).toBe(200)
})

test('writes of many records wait, and those that need a scope', async () => {
  const { ws } = crm
  const ids = await Promise.all(['A', 'B', 'C'].map(async (first_name) => (await made(ws, '/contacts', { first_name })).id))
  await policy(ws, { events: ['contact.deleted'], more_than: 1 })
  expect((await ws.post('/contacts/bulk-delete', { ids: ids.slice(0, 1) })).status).toBe(200)
  const key = { 'idempotency-key': crypto.randomUUID() }
  const first = await ws.post('/contacts/bulk-delete', { ids: ids.slice(1) }, key)
  expect(first.status).toBe(202)
  expect((await ws.post('/contacts/bulk-delete', { ids: ids.slice(1) }, key)).body).toEqual(first.body)
  expect((await ws.post('/contacts/bulk-delete?dry_run=true', { ids: ids.slice(1) })).status).toBe(200)
  await policy(ws, { scopes: ['*:*'] })
  await held(ws, 'POST', '/lists', { name: 'New', object: 'contacts', kind: 'static' })
  // Neither decisions nor policies wait, and what cannot wait is refused.
  expect(await ws.post('/api-keys', { name: 'New', scopes: ['contacts:read'] })).toMatchObject({
    status: 403,
    body: { error: { code: 'FORBIDDEN' } },
  })
  expect((await ws.post(`/approvals/${first.body.approval_id}/reject`)).status).toBe(200)
  const { data } = (await ws.get('/approval-policies')).body
  for (const { id } of data) expect((await ws.delete(`/approval-policies/${id}`)).status).toBe(200)
  expect((await ws.post('/contacts/bulk-delete', { ids: ids.slice(1) })).status).toBe(200)
})

test('are decided by others than who made or edited the request, with the role that the policy names', async () => {
  const { ws } = crm
  await policy(ws, { events: ['product.created'] })
  const wide = await policy(ws, { events: ['contact.created'], approver_roles: ['client_admin'] })
  const [requester, editor, approver] = [await ws.key(), await ws.key({ role: 'client_editor' }), await ws.key()]
  const id = await held(requester, 'POST', '/contacts', { first_name: 'Ana' })
  for (const one of [requester, editor])
    expect(await decided(one, id)).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN', details: { ids: [wide.id] } } } })
  expect((await approver.patch(`/approvals/${id}`, { body: { first_name: 'Bo' } })).status).toBe(200)
  expect((await decided(approver, id)).status).toBe(403)
  expect((await decided(ws, id)).status).toBe(200)
  expect(await approval(ws, id)).toMatchObject({ status: 'executed' })
  // A policy that begins to apply by an edit, or later, is asked when the request is executed.
  const late = await held(requester, 'POST', '/companies', { name: 'Acme', require_approval: true })
  await policy(ws, { events: ['company.created'] })
  expect((await decided(requester, late)).status).toBe(200)
  expect(await approval(ws, late)).toMatchObject({ status: 'failed', response_status: 403 })
  await policy(ws, { events: ['task.created'], requester_may_approve: true })
  const own = await held(requester, 'POST', '/tasks', { title: 'Call' })
  await decided(requester, own)
  expect(await approval(ws, own)).toMatchObject({ status: 'executed' })
})

test('are about roles and keys, and about the keys that those create', async () => {
  const { ws } = crm
  const editor = await ws.key({ role: 'client_editor' })
  const agent = await ws.key()
  const { id } = await policy(ws, { events: ['contact.*'], requester_roles: ['client_editor'], requester_key_ids: [agent.keyId] })
  await held(editor, 'POST', '/contacts', { first_name: 'Ana' })
  await held(agent, 'POST', '/contacts', { first_name: 'Ana' })
  expect((await ws.post('/contacts', { first_name: 'Ana' })).status).toBe(201)
  const other = await made(agent, '/api-keys', { name: 'Other', scopes: ['*:*'], user_id: ws.userId })
  const as = { authorization: `Bearer ${other.key}` }
  expect((await ws.post('/contacts', { first_name: 'Ana' }, as)).status).toBe(202)
  expect((await ws.get(`/approval-policies/${id}`)).body.data.requester_key_ids).toEqual([agent.keyId, other.id])
  const narrow = await ws.key({ scopes: ['users:*'] })
  await ws.patch(`/approval-policies/${id}`, { requester_key_ids: [narrow.keyId] })
  const escaping = await narrow.patch(`/company/users/${editor.userId}/workspace-user-roles`, { role: 'client_admin' })
  expect(escaping.status).toBe(403)
  const role = await made(ws, '/roles', { name: 'Sellers', key: 'sellers', scopes: ['contacts:*'] })
  await ws.patch(`/approval-policies/${id}`, { requester_roles: ['sellers'] })
  expect(await ws.delete(`/roles/${role.id}`)).toMatchObject({ status: 409, body: { error: { details: { ids: [id] } } } })
  const wrong = await ws.post('/approval-policies', {
    name: 'Wrong',
    events: ['contact.created'],
    requester_roles: ['nobody'],
    value_over: 5,
  })
  expect(wrong).toMatchObject({ status: 400, body: { error: { details: { issues: [{ path: 'requester_roles.0' }] } } } })
  for (const fields of [{ events: ['approval.updated'] }, { events: [] }, { scopes: ['approvals:write'] }, { events: ['contact.create'] }])
    expect((await ws.post('/approval-policies', { name: 'Wrong', ...fields })).status).toBe(400)
})

test('imports wait as a whole, and stop where they would write more than they were approved for', async () => {
  const { ws } = crm
  const { id: policyId } = await policy(ws, { events: ['contact.created'], more_than: 1 })
  // The companies that it creates as well are known only when it runs, and were then approved by nobody else.
  await policy(ws, { events: ['company.created'] })
  const { id: own } = await uploaded('first name,email,company\nAna,x@example.com,Acme\n', { mode: 'create', unknown_companies: 'create' })
  await decided(ws, await held(ws, 'POST', `/imports/${own}/start`, { require_approval: true }))
  await crm.app.drain()
  expect((await ws.get(`/imports/${own}`)).body.data).toMatchObject({
    state: 'failed',
    reason: expect.stringContaining('neither made nor edited'),
  })
  const { id: first } = await uploaded('first name,email\nAna,a@example.com\nBo,b@example.com\n', { mode: 'create' })
  await decided(await ws.key(), await held(ws, 'POST', `/imports/${first}/start`))
  await crm.app.drain()
  expect((await ws.get(`/imports/${first}`)).body.data).toMatchObject({ state: 'finished', progress: { created: 2 } })
  const undo = await held(ws, 'POST', `/imports/${first}/undo`)
  expect((await ws.post(`/approvals/${undo}/reject`)).status).toBe(200)
  await ws.patch(`/approval-policies/${policyId}`, { is_active: false })
  const { id: second } = await uploaded('first name,email\nCy,c@example.com\nDi,d@example.com\n', { mode: 'create' })
  // It begins when the policy is active again.
  await crm.app.capture(true)
  expect((await ws.post(`/imports/${second}/start`)).status).toBe(200)
  await ws.patch(`/approval-policies/${policyId}`, { is_active: true })
  for (const { queue, body } of await crm.app.capture(false)) await crm.app.deliver(queue, [body])
  await crm.app.drain()
  const stopped = { state: 'failed', reason: expect.stringContaining('require_approval') }
  expect((await ws.get(`/imports/${second}`)).body.data).toMatchObject(stopped)
  expect((await ws.get('/contacts')).body.data).toHaveLength(2)
})
