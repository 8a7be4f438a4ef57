import { describe, expect, test } from 'vitest'
import type { NeonRequest } from '../../dev/neon-proxy.ts'
import { approval, approveIn, held } from './approving.ts'
import { campaigning } from './campaigning.ts'
import { created, found, refused, useCrm } from './crm.ts'

/** What changes between a request, its approval and its run, and who escapes from a policy. */
const crm = useCrm({ own: true })
const decided = approveIn(() => crm.app)

/** Waits until a session of the Worker waits for a lock. */
async function untilBlocked(): Promise<void> {
  const waiting = "select from pg_stat_activity where datname = current_database() and usename <> 'postgres' and wait_event_type = 'Lock'"
  while ((await crm.app.owner.query(waiting)).rowCount === 0);
}

describe('an approved request', () => {
  test('fails as stale if its record is changed while it runs', async () => {
    const { ws, app } = crm
    const { id } = await crm.contact({ city: 'Perth' })
    const update = await held(ws, 'PATCH', `/contacts/${id}`, { city: 'Sydney', require_approval: true })
    const other = await app.owner.connect()
    await other.query('begin')
    await other.query("select set_config('app.workspace_id', $1, true)", [ws.id])
    await other.query("update contacts set city = 'Hobart' where id = $1", [id])
    const deciding = ws.post(`/approvals/${update}/approve`)
    await untilBlocked()
    await other.query('commit')
    other.release()
    expect((await deciding).status).toBe(200)
    await app.drain()
    expect(await approval(ws, update)).toMatchObject({ status: 'failed', response_body: { error: { code: 'APPROVAL_STALE' } } })
    expect(found(await ws.get(`/contacts/${id}`)).city).toBe('Hobart')
  })

  test.each([
    ['revoked', 'update api_keys set revoked_at = now() where id = $1'],
    ['expired', "update api_keys set expires_at = now() - interval '1 second' where id = $1"],
    ['limited to requests', "update api_keys set level = 'approval' where id = $1"],
  ])('fails if the key that approved it is %s before it runs', async (_, change) => {
    const { ws, app } = crm
    const agent = await ws.key({ level: 'approval' })
    const approver = await ws.key()
    const id = await held(agent, 'POST', '/contacts', { first_name: 'Ana' })
    app.proxy.onRequest = async (request: NeonRequest) => {
      const [first] = 'queries' in request ? request.queries : [request]
      if (!first?.query.includes('load_approval')) return
      app.proxy.onRequest = undefined
      await app.owner.query(change, [approver.keyId])
    }
    expect((await decided(approver, id)).status).toBe(200)
    expect(app.proxy.onRequest).toBeUndefined()
    expect(await approval(ws, id)).toMatchObject({ status: 'failed', response_body: { error: { code: 'FORBIDDEN' } } })
    expect(found(await ws.get('/contacts'))).toEqual([])
  })

  test('stores what a provider has answered, and is executed with that', async () => {
    const { ws, app } = crm
    const email = { to: 'ana@example.com', subject: 'Offer', text: 'Hello' }
    const id = await held(ws, 'POST', '/email/send', { ...email, require_approval: true })
    expect((await decided(ws, id)).status).toBe(200)
    const executed = await approval(ws, id)
    expect(executed).toMatchObject({ status: 'executed', response_status: 201, response_body: { data: { status: 'sent' } } })
    const [sent] = found(await ws.get('/email/logs'))
    expect(sent).toMatchObject({ id: executed.response_body.data.id, status: 'sent', sent_at: expect.any(String) })
    expect(found(await ws.get('/requests?status=4xx'))).toEqual([])

    // Its worker died before it stored the response: that is read again, and nothing is sent again.
    await app.owner.query("update approvals set status = 'approved', response_status = null, response_body = null where id = $1", [id])
    await app.deliver('approvals', [{ type: 'work.run', kind: 'approval.run', workspace_id: ws.id, item_id: id }])
    expect(await approval(ws, id)).toMatchObject({ status: 'executed', response_status: 201, response_body: { data: sent } })
    expect(app.email.sent.filter(({ To }) => To === email.to)).toHaveLength(1)
  })

  test('sends links with the address of the app, as a request that does not wait does', async () => {
    const { ws, app } = crm
    const { id } = await campaigning(crm).draft()
    const body = (to: string) => ({ email: to })
    found(await ws.post(`/email-campaigns/${id}/test-send`, body('now@example.com')))
    const waits = await held(ws, 'POST', `/email-campaigns/${id}/test-send`, { ...body('later@example.com'), require_approval: true })
    expect((await decided(ws, waits)).status).toBe(200)
    const links = ['now', 'later'].map((name) => {
      const [email, ...others] = app.email.sent.filter(({ To }) => To === `${name}@example.com`)
      expect(others).toEqual([])
      return /href="([^"]*)"/.exec(String(email?.HtmlBody))?.[1]
    })
    expect(links).toEqual(links.map(() => 'http://127.0.0.1:8787/#unsubscribe'))
  })

  test('publishes an agent whose tools get a key, which the key that asked for it could not use', async () => {
    const { ws } = crm
    const type = created(await ws.post('/scheduled-event-types', { name: 'Visit', duration_minutes: 30 })).id
    const agent = {
      type: 'voice',
      name: 'Desk',
      prompt: 'You answer.',
      voice_id: 'retell-Cimo',
      tools: ['find_slots'],
      event_type_id: type,
    }
    const { id } = created(await ws.post('/agents', agent))
    const keys = async () => found(await ws.get('/api-keys')).map(({ name }) => name)
    const publication = await held(await ws.key({ level: 'approval' }), 'POST', `/agents/${id}/publish`)
    expect(await keys()).not.toContain('Voice agent Desk')
    await decided(ws, publication)
    const published = found(await ws.get(`/agents/${id}`))
    expect(published).toMatchObject({ status: 'published', published_version: 1 })
    expect(await approval(ws, publication)).toMatchObject({ status: 'executed', response_body: { data: published } })
    expect(await keys()).toContain('Voice agent Desk')
  })
})

describe('a policy', () => {
  test('has a value only with events of opportunities, and a currency only with a value', async () => {
    const { ws } = crm
    const create = (fields: object) => ws.post('/approval-policies', { name: crypto.randomUUID(), ...fields })
    const value = { value_over: 1_000 }
    expect(await create({ scopes: ['opportunities:write'], ...value })).toMatchObject(refused('value_over'))
    expect(await create({ events: ['opportunity.won', 'contact.created'], ...value })).toMatchObject(refused('value_over'))
    expect(await create({ events: ['opportunity.won'], currency: 'AUD' })).toMatchObject(refused('currency'))
    const { id } = created(await create({ events: ['opportunity.won'], ...value, currency: 'AUD' }))
    const change = (fields: object) => ws.patch(`/approval-policies/${id}`, fields)
    expect(await change({ events: ['contact.created'] })).toMatchObject(refused('value_over'))
    expect(await change({ value_over: null })).toMatchObject(refused('currency'))
    expect(found(await change({ value_over: null, currency: null }))).toMatchObject({ value_over: null, currency: null })
  })

  test('about a role and a key is not evaded by giving a member with the role another one', async () => {
    const { ws } = crm
    const [editor, acting] = [await ws.key({ role: 'client_editor' }), await ws.key({ scopes: ['users:*'] })]
    const { id } = created(
      await ws.post('/approval-policies', {
        name: 'Editors',
        events: ['contact.created'],
        requester_roles: ['client_editor'],
        requester_key_ids: [acting.keyId],
      }),
    )
    const give = (by: typeof ws, role: string) => by.patch(`/company/users/${editor.userId}/workspace-user-roles`, { role })
    const escaping = await give(acting, 'client_viewer')
    expect(escaping).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN', details: { ids: [id] } } } })
    expect(found(await ws.get(`/company/users/${editor.userId}`)).role).toBe('client_editor')
    expect((await give(ws, 'client_viewer')).status).toBe(200)
    expect((await give(acting, 'client_viewer')).status).toBe(200)
  })
})
