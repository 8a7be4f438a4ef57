import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { created, failed, found, type Row, refused, useCrm } from '../crm.ts'
import { texting } from '../texting.ts'

const crm = useCrm()
const { number } = texting(crm)

/** The id of a new phone number. */
async function phone(): Promise<string> {
  const { rows } = await crm.app.owner.query('select id from phone_numbers where phone_number = $1', [await number()])
  return rows[0].id
}

test('a number has one auto responder: the first call creates it, further ones change it, and deletion removes it', async () => {
  const [one, other] = [await phone(), await phone()]
  const base = created(await crm.ws.post('/knowledge-bases', { name: 'Help' }))
  const first = await crm.ws.post('/auto-responders', {
    identity_kind: 'phone',
    identity_ref: one,
    instructions: 'You answer for a workshop.',
    knowledge_base_id: base.id,
    tools: ['listProducts'],
    context_modules: ['contact'],
    triage_actions: { booking: 'escalate' },
  })
  expect(first.status).toBe(201)
  expect(first.body.data).toMatchObject({
    identity_kind: 'phone',
    identity_ref: one,
    channel: 'sms',
    enabled: false,
    mode: 'draft',
    tone: null,
    error: null,
    tools: ['listProducts'],
    context_modules: ['contact'],
    triage_actions: { booking: 'escalate' },
    knowledge_base_id: base.id,
  })
  const again = await crm.ws.post('/auto-responders', { identity_kind: 'phone', identity_ref: one, enabled: true })
  expect(again.status).toBe(200)
  expect(again.body.data).toMatchObject({ id: first.body.data.id, enabled: true, instructions: 'You answer for a workshop.', version: 2 })
  const second = created(await crm.ws.post('/auto-responders', { identity_kind: 'phone', identity_ref: other }))

  const listed = async (query: string) => (found(await crm.ws.get(`/auto-responders?${query}`)) as Row[]).map(({ id }) => id)
  expect(await listed('channel=sms&enabled=true')).toEqual([first.body.data.id])
  expect(await listed('enabled=false')).toEqual([second.id])
  expect(await listed('channel=email')).toEqual([])

  found(await crm.ws.delete(`/knowledge-bases/${base.id}`))
  expect(found(await crm.ws.get(`/auto-responders/${first.body.data.id}`)).knowledge_base_id).toBeNull()
  found(await crm.ws.delete(`/auto-responders/${first.body.data.id}`))
  expect(await listed('channel=sms')).toEqual([second.id])
  created(await crm.ws.post('/auto-responders', { identity_kind: 'phone', identity_ref: one }))
})

test('what cannot be used is refused by its name: identities, tools that write, other scopes than those of the key', async () => {
  const ref = await phone()
  const other = await crm.app.workspace()
  const post = (body: Row, ws = crm.ws) => ws.post('/auto-responders', { identity_kind: 'phone', identity_ref: ref, ...body })
  expect(await post({ identity_ref: randomUUID() })).toMatchObject(refused('identity_ref'))
  expect(await post({ identity_kind: 'email_config' })).toMatchObject(refused('identity_ref'))
  expect(await post({}, other)).toMatchObject(refused('identity_ref'))
  expect(await post({ tools: ['listProducts', 'sendSms'] })).toMatchObject(refused('tools.1'))
  expect(await post({ tools: ['listEverything'] })).toMatchObject(refused('tools.0'))
  expect(await post({ triage_actions: { rumour: 'escalate' } })).toMatchObject(refused('triage_actions.rumour'))
  expect(await post({ knowledge_base_id: randomUUID() })).toMatchObject(refused('knowledge_base_id'))

  const key = await crm.ws.key({ scopes: ['agent-ops:*', 'sms:send', 'tasks:write'] })
  const made = await key.post('/auto-responders', { identity_kind: 'phone', identity_ref: ref, enabled: true })
  expect(made.status).toBe(201)
  const { id } = made.body.data
  const lacking = await key.patch(`/auto-responders/${id}`, { context_modules: ['contact'], tools: ['listProducts'] })
  expect(lacking).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
  expect(lacking.body.error.details.missing_scopes).toEqual(['products:read', 'contacts:read'])
  const weak = await crm.ws.key({ scopes: ['agent-ops:write'] })
  expect(await weak.patch(`/auto-responders/${id}`, { tone: 'dry' })).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
  expect(found(await weak.patch(`/auto-responders/${id}`, { enabled: false })).enabled).toBe(false)
  const { rows } = await crm.app.owner.query('select key_id from auto_responders where id = $1', [id])
  expect(rows[0].key_id).toBe(key.keyId)
})
