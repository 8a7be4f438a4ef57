import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'
import { approval, approveIn, held } from './approving.ts'

let app: Harness
beforeAll(async () => {
  app = await start()
})
afterAll(() => app.close())

const decided = approveIn(() => app)

describe('a pending request that is edited', () => {
  test('is executed as edited; both versions and persons are kept', async () => {
    const ws = await app.workspace()
    const agent = await ws.key({ level: 'approval' })
    const editor = await ws.key()
    const id = await held(agent, 'POST', '/contacts', { first_name: 'Ana', city: 'Perth' })
    const edited = await editor.patch(`/approvals/${id}`, { body: { first_name: 'Ana', city: 'Sydney' } })
    expect([edited.status, edited.body.data], JSON.stringify(edited.body)).toMatchObject([
      200,
      {
        status: 'pending',
        requested_by: agent.userId,
        edited_by: editor.userId,
        edited_key_id: editor.keyId,
        request: { body: { city: 'Sydney' } },
        changes: [{ entity: 'contact', action: 'created', fields: { city: { after: 'Sydney' } } }],
        original: { request: { body: { first_name: 'Ana', city: 'Perth' } }, changes: [{ fields: { city: { after: 'Perth' } } }] },
      },
    ])
    expect((await editor.patch(`/approvals/${id}`, { body: { first_name: 'Bo' } })).body.data.original.request.body.city).toBe('Perth')
    expect((await ws.get('/contacts')).body.data).toEqual([])
    await decided(ws, id)
    expect((await ws.get('/contacts')).body.data).toMatchObject([{ first_name: 'Bo', city: null }])
    expect(await approval(ws, id)).toMatchObject({ status: 'executed', edited_by: editor.userId, decided_by: ws.userId })
    expect((await ws.get(`/approvals/${id}/history`)).body.data.map(({ user_id }: { user_id: string }) => user_id)).toContain(editor.userId)
  })

  test('stays with the policies that have held it, also when they hold the edited one no longer', async () => {
    const ws = await app.workspace()
    const { id: policy } = (await ws.post('/approval-policies', { name: 'New people', events: ['contact.created'] })).body.data
    const id = (await ws.post('/contacts', { first_name: 'Ana' })).body.approval_id
    expect((await approval(ws, id)).policy_ids).toEqual([policy])
    await ws.patch(`/approval-policies/${policy}`, { is_active: false })
    expect((await ws.patch(`/approvals/${id}`, { body: { first_name: 'Bo' } })).body.data.policy_ids).toEqual([policy])
  })

  test('is checked as its endpoint checks it', async () => {
    const ws = await app.workspace()
    const id = await held(ws, 'POST', '/contacts', { first_name: 'Ana', require_approval: true })
    const edit = (body: unknown) => ws.patch(`/approvals/${id}`, body)
    expect(await edit({ body: { first_name: 'Ana', shoe: 42 } })).toMatchObject({
      status: 400,
      body: { error: { details: { issues: [{ path: 'shoe' }] } } },
    })
    expect(await edit({ body: { first_name: 'Ana', customer_id: ws.id } })).toMatchObject({
      status: 400,
      body: { error: { details: { issues: [{ path: 'customer_id' }] } } },
    })
    expect((await edit({})).status).toBe(400)
    expect((await edit({ query: { shoe: '42' } })).status).toBe(400)
    expect((await ws.patch(`/approvals/${ws.id}`, { body: { first_name: 'Ana' } })).status).toBe(404)
    expect(await approval(ws, id)).toMatchObject({ original: null, edited_by: null, request: { body: { first_name: 'Ana' } } })
  })

  test('may be about another record, which is what it then waits for', async () => {
    const ws = await app.workspace()
    const [one, two] = [
      (await ws.post('/contacts', { first_name: 'A' })).body.data.id,
      (await ws.post('/contacts', { first_name: 'B' })).body.data.id,
    ]
    const id = await held(ws, 'PATCH', `/contacts/${one}`, { city: 'Perth', require_approval: true })
    const edited = await ws.patch(`/approvals/${id}`, { params: { contact_id: two } })
    expect(edited.body.data.changes).toMatchObject([{ entity_id: two, fields: { city: { before: null, after: 'Perth' } } }])
    await decided(ws, id)
    expect((await ws.get(`/contacts/${two}`)).body.data.city).toBe('Perth')
    expect((await ws.get(`/contacts/${one}`)).body.data.city).toBeNull()
  })

  test('takes an editor with its rights, who may write at once, and loses what the editor loses', async () => {
    const ws = await app.workspace()
    const agent = await ws.key({ level: 'approval' })
    const id = await held(agent, 'POST', '/contacts', { first_name: 'Ana' })
    const body = { body: { first_name: 'Bo' } }
    expect((await agent.patch(`/approvals/${id}`, body)).status).toBe(403)
    const narrow = await ws.key({ scopes: ['approvals:*'] })
    expect(await narrow.patch(`/approvals/${id}`, body)).toMatchObject({ status: 403, body: { error: { code: 'INSUFFICIENT_SCOPE' } } })
    const editor = await ws.key()
    expect((await editor.patch(`/approvals/${id}`, body)).status).toBe(200)
    await app.owner.query("update api_keys set scopes = '{approvals:*}' where id = $1", [editor.keyId])
    await decided(ws, id)
    expect(await approval(ws, id)).toMatchObject({ status: 'failed', response_status: 403 })
  })

  test('is edited once at a time, and only while it waits', async () => {
    const ws = await app.workspace()
    const id = await held(ws, 'POST', '/contacts', { first_name: 'Ana', require_approval: true })
    const edit = (first_name: string, headers = {}) => ws.patch(`/approvals/${id}`, { body: { first_name } }, headers)
    const { version } = await approval(ws, id)
    expect((await edit('Bo', { 'if-match': `"${version}"` })).status).toBe(200)
    expect((await edit('Cy', { 'if-match': `"${version}"` })).status).toBe(412)
    const key = { 'idempotency-key': crypto.randomUUID() }
    const first = await edit('Di', key)
    await decided(ws, id)
    expect(await edit('Di', key)).toMatchObject({ status: 200, body: first.body })
    expect(await edit('Ed')).toMatchObject({ status: 409, body: { error: { code: 'INVALID_STATE', details: { state: 'executed' } } } })
  })

  test('leaves no trace of a purged person in its first version', async () => {
    const ws = await app.workspace()
    const { id: contact } = (await ws.post('/contacts', { first_name: 'Ana', email: 'ana.first@example.com' })).body.data
    const id = await held(ws, 'POST', '/tasks', { title: 'Ask ana.first@example.com', require_approval: true })
    expect((await ws.patch(`/approvals/${id}`, { body: { title: 'Ask somebody' } })).status).toBe(200)
    expect((await ws.delete(`/contacts/${contact}?purge=true`)).status).toBe(200)
    const { rows } = await app.owner.query("select id from approvals a where a::text ~ 'ana.first'")
    expect(rows).toEqual([])
  })
})

test('a change of another field does not make an approval stale; of anything, that of a deletion', async () => {
  const ws = await app.workspace()
  const { id } = (await ws.post('/contacts', { first_name: 'Ana', city: 'Perth' })).body.data
  const update = await held(ws, 'PATCH', `/contacts/${id}`, { city: 'Sydney', require_approval: true })
  const removal = await held(ws, 'DELETE', `/contacts/${id}?require_approval=true`)
  await ws.patch(`/contacts/${id}`, { job_title: 'Owner' })
  expect(await decided(ws, removal)).toMatchObject({ status: 409, body: { error: { code: 'APPROVAL_STALE' } } })
  expect((await decided(ws, update)).status).toBe(200)
  expect((await ws.get(`/contacts/${id}`)).body.data).toMatchObject({ city: 'Sydney', job_title: 'Owner' })
  const late = await held(ws, 'PATCH', `/contacts/${id}`, { city: 'Hobart', require_approval: true })
  await ws.patch(`/contacts/${id}`, { city: 'Darwin' })
  expect(await decided(ws, late)).toMatchObject({ status: 409, body: { error: { code: 'APPROVAL_STALE' } } })
  // The sweep says so, until somebody edits the request as the record is now.
  const sweep = () => app.owner.query('select mark_stale_approvals(1000)')
  const staleAt = async () => (await ws.get(`/approvals/${late}`)).body.data.stale_at
  await sweep()
  expect(await staleAt()).toEqual(expect.any(String))
  expect((await ws.patch(`/approvals/${late}`, { body: { city: 'Hobart' } })).status).toBe(200)
  await sweep()
  expect(await staleAt()).toBeNull()
})
