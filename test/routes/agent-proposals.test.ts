import { expect, test } from 'vitest'
import { approval, approveIn } from './approving.ts'
import { created, failed, found, ids, type Row, refused, useCrm } from './crm.ts'

const crm = useCrm({ ownServer: true })
const path = '/agent-proposals'
const decided = approveIn(() => crm.app)
const reason = 'She wrote that she has moved.'
const evidence = [{ type: 'other', quote: 'We live in Oslo now' }]
const propose = (fields: Row, ws = crm.ws) => ws.post(path, { reason, evidence, ...fields })
const move = (contact_id: string) => ({ operation_id: 'updateContact', params: { contact_id }, body: { city: 'Oslo' } })

test('a proposed write is tried, waits with its reason and evidence, and is executed once approved', async () => {
  const contact = await crm.contact({ city: 'Rome' })
  const agent = await crm.ws.key({ scopes: ['contacts:read', 'contacts:write'], level: 'approval' })
  const proposal = created(await propose(move(contact.id), agent))
  const given = [{ type: 'other', id: null, url: null, quote: 'We live in Oslo now' }]
  expect(proposal).toMatchObject({ status: 'pending', operation_id: 'updateContact', reason, evidence: given, proposed_by: agent.userId })
  expect(proposal.changes).toMatchObject([{ entity_id: contact.id, fields: { city: { before: 'Rome', after: 'Oslo' } } }])
  expect(found(await crm.ws.get(`/contacts/${contact.id}`))).toMatchObject({ city: 'Rome', version: contact.version })
  expect(await approval(crm.ws, proposal.approval_id)).toMatchObject({
    status: 'pending',
    method: 'PATCH',
    key_id: agent.keyId,
    requested_by: agent.userId,
    proposal: { id: proposal.id, operation_id: 'updateContact', reason, evidence: given },
  })
  expect(ids(found(await crm.ws.get('/approvals?status=pending')))).toEqual([proposal.approval_id])
  found(await decided(crm.ws, proposal.approval_id))
  expect(found(await crm.ws.get(`/contacts/${contact.id}`))).toMatchObject({ city: 'Oslo' })
  expect(found(await crm.ws.get(`${path}/${proposal.id}`))).toMatchObject({ status: 'executed', decided_by: crm.ws.userId })
  const [change] = found(await crm.ws.get(`/contacts/${contact.id}/history`))
  expect(change).toMatchObject({ key_id: agent.keyId, user_id: agent.userId })
})

test('evidence names records of this workspace that are of its type', async () => {
  const contact = await crm.contact()
  const company = created(await crm.ws.post('/companies', { name: 'Deck & Co' }))
  const known = [
    { type: 'contact', id: contact.id },
    { type: 'company', id: company.id },
  ]
  created(await propose({ ...move(contact.id), evidence: known }))
  const stranger = await crm.app.workspace()
  const theirs = created(await stranger.post('/contacts', { first_name: 'Cy' }))
  const other = { type: 'other', quote: 'x' }
  for (const wrong of [
    { type: 'contact', id: theirs.id },
    { type: 'contact', id: company.id },
    { type: 'page', id: contact.id, url: 'https://example.com/' },
    { type: 'run', id: crypto.randomUUID() },
  ])
    expect(await propose({ ...move(contact.id), evidence: [other, wrong] })).toMatchObject(refused('evidence.1.id'))
})

test('a proposal is refused with the errors of its write, and stores nothing', async () => {
  const contact = await crm.contact()
  const invalid = await crm.ws.patch(`/contacts/${contact.id}`, { email: 'no address' })
  const proposed = await propose({ ...move(contact.id), body: { email: 'no address' } })
  expect(proposed.status).toBe(400)
  expect(proposed.body.error.details).toEqual(invalid.body.error.details)
  expect(await propose(move(crypto.randomUUID()))).toMatchObject(failed(404, 'NOT_FOUND'))
  const reader = await crm.ws.key({ scopes: ['contacts:read'], level: 'approval' })
  expect(await propose(move(contact.id), reader)).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
  const viewer = await crm.ws.key({ scopes: ['contacts:write'], level: 'read_only' })
  expect((await propose(move(contact.id), viewer)).status).toBe(403)
  for (const operation_id of ['getContact', 'approveRequest', 'createAgentProposal', 'uploadFile', 'nothing'])
    expect(await propose({ operation_id })).toMatchObject(refused('operation_id'))
  expect(await propose({ ...move(contact.id), evidence: [] })).toMatchObject(refused('evidence'))
  expect(await propose({ ...move(contact.id), evidence: [{ type: 'page' }] })).toMatchObject(refused('evidence.0'))
  expect(await propose({ ...move(contact.id), reason: ' ' })).toMatchObject(refused('reason'))
  expect(found(await crm.ws.get(path))).toEqual([])
  expect(found(await crm.ws.get('/approvals'))).toEqual([])
})

test('a proposal is withdrawn by its member alone, expires, and is decided once', async () => {
  const contact = await crm.contact()
  const agent = await crm.ws.key({ scopes: ['contacts:write'], level: 'approval' })
  const { id, approval_id } = created(await propose(move(contact.id), agent))
  expect(await crm.ws.post(`${path}/${id}/withdraw`)).toMatchObject(failed(403, 'FORBIDDEN'))
  expect(found(await agent.post(`${path}/${id}/withdraw`))).toMatchObject({ status: 'withdrawn', withdrawn_at: expect.any(String) })
  expect(await approval(crm.ws, approval_id)).toMatchObject({ status: 'rejected', decided_by: agent.userId })
  expect(await decided(crm.ws, approval_id)).toMatchObject(failed(409, 'INVALID_STATE'))
  expect(await agent.post(`${path}/${id}/withdraw`)).toMatchObject(failed(409, 'INVALID_STATE'))

  const short = created(await propose({ ...move(contact.id), expires_in_hours: 1 }, agent))
  expect(Date.parse(short.expires_at) - Date.parse(short.created_at)).toBeLessThanOrEqual(3_600_000)
  await crm.rewrite('approvals', short.approval_id, { expires_at: new Date(Date.now() - 1_000).toISOString() })
  expect(found(await crm.ws.get(`${path}/${short.id}`))).toMatchObject({ status: 'expired' })
  expect(await agent.post(`${path}/${short.id}/withdraw`)).toMatchObject(failed(409, 'INVALID_STATE'))
  expect(ids(found(await crm.ws.get(`${path}?operation_id=updateContact`)))).toEqual([short.id, id])
})

test('grounds are for those who may read what they are about, stay in the workspace, and go with a purge', async () => {
  const contact = await crm.contact()
  const proposal = created(await propose(move(contact.id)))
  const reader = await crm.ws.key({ scopes: ['approvals:read'] })
  expect(found(await reader.get(`${path}/${proposal.id}`))).toMatchObject({
    reason: null,
    evidence: [],
    changes: [{ fields: { city: {} } }],
  })
  expect(await approval(reader, proposal.approval_id)).toMatchObject({ proposal: null })
  const stranger = await crm.app.workspace()
  expect(await stranger.get(`${path}/${proposal.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await stranger.post(`${path}/${proposal.id}/withdraw`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await propose(move(contact.id), stranger)).toMatchObject(failed(404, 'NOT_FOUND'))
  found(await crm.ws.delete(`/contacts/${contact.id}?purge=true`))
  expect(found(await crm.ws.get(`${path}/${proposal.id}`))).toMatchObject({ status: 'rejected', reason: '(purged)', evidence: [] })
})
