import { expect, test } from 'vitest'
import { created, failed, found, held, ids, nobody, type Row, refused, useCrm, uuid } from './crm.ts'

const crm = useCrm()

test('a deleted opportunity is gone, with its parts', async () => {
  const { id: contact_id } = await crm.contact()
  const { id } = await crm.opportunity({ products: [{ name: 'Desk' }], contacts: [{ contact_id }], users: [{ user_id: crm.ws.userId }] })
  expect(await crm.ws.delete(`/opportunities/${id}`)).toMatchObject({ status: 200, body: { data: { id, deleted: true } } })
  expect(await crm.ws.get(`/opportunities/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(found(await crm.ws.get('/opportunities?archived=all'))).toEqual([])
  for (const table of ['opportunity_products', 'opportunity_contacts', 'opportunity_users', 'stage_moves'])
    expect(await crm.count(table), table).toBe(0)
  found(await crm.ws.get(`/contacts/${contact_id}`))
})

const paths: [string, string, unknown?][] = [
  ['GET', ''],
  ['PATCH', '', {}],
  ['DELETE', ''],
  ['POST', '/move', { stage_id: nobody }],
  ['POST', '/remove-card', { pipeline_id: nobody }],
  ['GET', '/stage-history'],
  ['GET', '/products'],
  ['POST', '/products', { name: 'Desk' }],
  ['POST', '/products/reorder', { ids: [nobody] }],
  ['GET', '/contacts'],
  ['POST', '/contacts', { contact_id: nobody }],
  ['GET', '/users'],
  ['POST', '/users', { user_id: nobody }],
]
test.each(paths)('%s /opportunities/:id%s: a malformed id is a 400, an unknown or a foreign one a 404', async (method, rest, body) => {
  const theirs = created(await (await crm.app.workspace()).post('/opportunities', { name: 'Theirs' }))
  expect(await crm.ws.call(method, `/opportunities/first${rest}`, body)).toMatchObject(refused('opportunity_id'))
  for (const id of [nobody, theirs.id])
    expect(await crm.ws.call(method, `/opportunities/${id}${rest}`, body)).toMatchObject(failed(404, 'NOT_FOUND'))
})

test('If-Match guards an update, a move and a deletion against a change in between', async () => {
  const { stages } = await crm.firstPipeline()
  const { id } = await crm.opportunity()
  const stale = { 'if-match': '"1"' }
  const patch = await crm.ws.patch(`/opportunities/${id}`, { value: 1 }, stale)
  expect(patch.headers.get('etag')).toBe('"2"')
  expect(await crm.ws.patch(`/opportunities/${id}`, { value: 2 }, stale)).toMatchObject(failed(412, 'PRECONDITION_FAILED'))
  expect(await crm.ws.post(`/opportunities/${id}/move`, { stage_id: stages.Won }, stale)).toMatchObject(failed(412, 'PRECONDITION_FAILED'))
  expect(await crm.ws.delete(`/opportunities/${id}`, stale)).toMatchObject(failed(412, 'PRECONDITION_FAILED'))
  expect(found(await crm.ws.get(`/opportunities/${id}`))).toMatchObject({ value: 1, status: 'open', version: 2 })
  found(await crm.ws.delete(`/opportunities/${id}`, { 'if-match': '"2"' }))
})

test('the history shows who changed what, when and in which request, even of a deleted opportunity', async () => {
  const { stages } = await crm.firstPipeline()
  const editor = await crm.ws.key()
  const { id } = await crm.opportunity({ value: 5 })
  const patch = await editor.patch(`/opportunities/${id}`, { value: 7.5, tags: [{ name: 'VIP' }] })
  const move = await crm.ws.post(`/opportunities/${id}/move`, { stage_id: stages.Won })
  found(await crm.ws.delete(`/opportunities/${id}`))
  const [deleted, moved, updated, first] = found(await crm.ws.get(`/opportunities/${id}/history`))
  expect(first).toMatchObject({
    entity: 'opportunity',
    action: 'created',
    user_id: crm.ws.userId,
    fields: { value: { after: 5 }, status: { after: 'open' } },
  })
  expect(updated).toEqual({
    id: uuid,
    entity: 'opportunity',
    entity_id: id,
    action: 'updated',
    version: 2,
    user_id: editor.userId,
    key_id: editor.keyId,
    request_id: patch.headers.get('x-request-id'),
    cause_type: 'request',
    cause_id: patch.headers.get('x-request-id'),
    at: patch.body.data.updated_at,
    fields: { value: { before: 5, after: 7.5 }, tags: { before: [], after: [{ name: 'VIP', color: null }] } },
  })
  const { stage_entered_at, ...fields } = moved!.fields
  expect(fields).toEqual({
    stage_id: { before: stages.New, after: stages.Won },
    status: { before: 'open', after: 'won' },
    probability: { before: 10, after: 100 },
    closed_at: { before: null, after: move.body.data.closed_at },
  })
  expect(stage_entered_at.after).toBe(move.body.data.stage_entered_at)
  expect(deleted).toMatchObject({ action: 'deleted', fields: { value: { before: 7.5 }, status: { before: 'won' } } })
})

test('each change is announced by an event of the request that made it, which skip_automations marks', async () => {
  const { id } = await crm.opportunity()
  const patch = await crm.ws.patch(`/opportunities/${id}`, { value: 1, skip_automations: true })
  found(await crm.ws.delete(`/opportunities/${id}?skip_automations=true`))
  const by = { user_id: crm.ws.userId, key_id: crm.ws.keyId }
  expect(await crm.events(id)).toMatchObject([
    { ...by, type: 'opportunity.created', skip_automations: false },
    { ...by, type: 'opportunity.updated', skip_automations: true, request_id: patch.headers.get('x-request-id') },
    { ...by, type: 'opportunity.deleted', skip_automations: true },
  ])
})

/** A call of each write, of which none must have an effect. */
async function writes(opportunity: Row): Promise<[string, string, Row | undefined][]> {
  const { pipeline, stages } = await crm.firstPipeline()
  const path = `/opportunities/${opportunity.id}`
  return [
    ['POST', '/opportunities', { name: 'Another', products: [{ name: 'Desk' }] }],
    ['PATCH', path, { value: 9 }],
    ['POST', `${path}/move`, { stage_id: stages.Lost, skip_action_ids: [nobody] }],
    ['POST', `${path}/move-card`, { stage_id: stages.Lost, pipeline_id: pipeline }],
    ['POST', `${path}/remove-card`, { pipeline_id: pipeline }],
    ['POST', `${path}/products`, { name: 'Desk' }],
    ['POST', `${path}/users`, { user_id: crm.ws.userId }],
    ['POST', '/opportunities/bulk-move', { records: [{ id: opportunity.id, stage_id: stages.Won }] }],
    ['POST', '/opportunities/bulk-delete', { ids: [opportunity.id] }],
    ['DELETE', path, undefined],
  ]
}
const traces = async () => {
  const tables = ['opportunities', 'opportunity_products', 'opportunity_users', 'stage_moves', 'changes', 'outbox']
  return Promise.all(tables.map((table) => crm.count(table)))
}

test('a write that requires approval changes nothing yet', async () => {
  const opportunity = await crm.opportunity()
  const before = found(await crm.ws.get(`/opportunities/${opportunity.id}/history`))
  for (const [method, path, body] of await writes(opportunity)) {
    const query = method === 'DELETE' ? '?require_approval=true' : ''
    expect(await crm.ws.call(method, path + query, body && { ...body, require_approval: true }), path).toMatchObject(held)
  }
  const clerk = await crm.ws.key({ level: 'approval' })
  for (const [method, path, body] of await writes(opportunity)) expect(await clerk.call(method, path, body), path).toMatchObject(held)
  expect(ids(found(await crm.ws.get('/opportunities?archived=all')))).toEqual([opportunity.id])
  expect(found(await crm.ws.get(`/opportunities/${opportunity.id}`))).toEqual(opportunity)
  expect(found(await crm.ws.get(`/opportunities/${opportunity.id}/history`))).toEqual(before)
  expect(found(await crm.ws.get(`/opportunities/${opportunity.id}/stage-history`))).toHaveLength(1)
})

test('a dry run returns what would happen and leaves no trace', async () => {
  const opportunity = await crm.opportunity()
  const before = await traces()
  for (const [method, path, body] of await writes(opportunity)) {
    const answer = await crm.ws.call(method, `${path}?dry_run=true`, body)
    expect(answer, path).toMatchObject({
      status: 200,
      body: { data: expect.anything(), dry_run: { changes: expect.anything(), events: expect.anything() } },
    })
    expect(answer.body.dry_run.changes.length, path).toBeGreaterThan(0)
  }
  const { stages } = await crm.firstPipeline()
  const move = await crm.ws.post(`/opportunities/${opportunity.id}/move?dry_run=true`, { stage_id: stages.Won, won_reasons: ['Luck'] })
  expect(move.body).toMatchObject({ data: { status: 'won', stage_id: stages.Won }, _warnings: [{ field: 'won_reasons' }] })
  expect(move.body.dry_run.events.map(({ type }: Row) => type)).toEqual(
    expect.arrayContaining(['opportunity.updated', 'opportunity.moved', 'opportunity.won']),
  )
  expect(await traces()).toEqual(before)
  expect(found(await crm.ws.get(`/opportunities/${opportunity.id}`))).toEqual(opportunity)
})

const scopes: [string, string, string][] = [
  ['GET', '/opportunities', 'opportunities:read'],
  ['GET', `/opportunities/${nobody}`, 'opportunities:read'],
  ['POST', '/opportunities', 'opportunities:write'],
  ['POST', `/opportunities/${nobody}/move`, 'opportunities:write'],
  ['POST', `/opportunities/${nobody}/move-card`, 'opportunities:write'],
  ['POST', `/opportunities/${nobody}/remove-card`, 'opportunities:write'],
  ['POST', '/opportunities/bulk-delete', 'opportunities:delete'],
  ['DELETE', `/opportunities/${nobody}`, 'opportunities:delete'],
  ['DELETE', `/opportunities/${nobody}/contacts/${nobody}`, 'opportunities:delete'],
]
test.each(scopes)('%s %s needs %s', async (method, path, needed) => {
  const others = ['read', 'write', 'delete'].map((action) => `opportunities:${action}`).filter((scope) => scope !== needed)
  const body = method === 'POST' ? {} : undefined
  const answer = await (await crm.ws.key({ scopes: others })).call(method, path, body)
  expect(answer).toMatchObject({ status: 403, body: { error: { code: 'INSUFFICIENT_SCOPE', details: { required_scopes: [needed] } } } })
  expect([200, 400, 404]).toContain((await (await crm.ws.key({ scopes: [needed] })).call(method, path, body)).status)
})
