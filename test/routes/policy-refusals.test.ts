import { expect, test } from 'vitest'
import { held } from './approving.ts'
import { created, failed, found, nobody, type Row, refused, useCrm } from './crm.ts'

/** What no approval policy may say, what each part of one matches, and the most that there may be of it. */
const crm = useCrm()
const send = (fields: Row) => crm.ws.post('/approval-policies', { name: crypto.randomUUID(), ...fields })
const policy = async (fields: Row) => created(await send(fields))

test.each<[fields: Row, path: string | null]>([
  [{ events: ['contact.created'], requester_roles: ['client_editor', 'nobody'] }, 'requester_roles.1'],
  [{ events: ['contact.created'], approver_roles: ['nobody'] }, 'approver_roles.0'],
  [{ events: ['contact.created'], approver_roles: ['client_admin', 'client_editor', 'nobody'] }, 'approver_roles.2'],
  [{ events: ['contact.created'], requester_key_ids: [nobody] }, 'requester_key_ids.0'],
  [{ events: ['contact.created'], value_over: 5 }, 'value_over'],
  [{ events: ['opportunity.won', 'contact.created'], value_over: 5 }, 'value_over'],
  [{ scopes: ['opportunities:write'], value_over: 5 }, 'value_over'],
  [{ events: ['opportunity.won'], currency: 'AUD' }, 'currency'],
  [{ events: ['opportunity.won'], value_over: 5 }, null],
  [{ events: ['opportunity.*'], value_over: 0, currency: 'AUD' }, null],
])('%j: the refused field is %s', async (fields, path) => {
  const answer = await send(fields)
  if (path === null) created(answer)
  else expect(answer).toMatchObject(refused(path))
})

test('roles and keys of another workspace are none', async () => {
  const other = await crm.app.workspace()
  created(await other.post('/roles', { name: 'Theirs', key: 'theirs', scopes: ['contacts:read'] }))
  const { keyId } = await other.key()
  const events = ['contact.created']
  expect(await send({ events, requester_key_ids: [(await crm.ws.key()).keyId, keyId] })).toMatchObject(refused('requester_key_ids.1'))
  expect(await send({ events, requester_roles: ['theirs'] })).toMatchObject(refused('requester_roles.0'))
})

test('a workspace has at most 100 policies, whatever others have', async () => {
  const other = await crm.app.workspace()
  const fill = ({ id }: { id: string }, count: number) =>
    crm.app.owner.query(
      `insert into approval_policies (workspace_id, name, events, is_active)
        select $1, 'P' || n, '{contact.deleted}', false from generate_series(1, $2::int) n`,
      [id, count],
    )
  await fill(crm.ws, 99)
  await fill(other, 100)
  const last = await policy({ events: ['contact.created'] })
  const events = ['contact.created']
  expect(await send({ events })).toMatchObject(failed(409, 'CONFLICT'))
  found(await crm.ws.delete(`/approval-policies/${last.id}`))
  await policy({ events })
})

test('a new key of a caller is named by the policies about the caller that are not about the key, up to 1,000 keys', async () => {
  const agent = await crm.ws.key()
  const events = ['contact.deleted']
  const named = await policy({ events, requester_key_ids: [agent.keyId] })
  const both = await policy({ events, requester_key_ids: [agent.keyId], requester_roles: ['client_admin'] })
  const another = await policy({ events, requester_key_ids: [(await crm.ws.key()).keyId] })
  const everyone = await policy({ events })
  const make = () => agent.post('/api-keys', { name: 'New', scopes: ['contacts:read'], user_id: agent.userId })
  const keysOf = async ({ id }: Row) => found(await crm.ws.get(`/approval-policies/${id}`)).requester_key_ids
  const { id } = created(await make())
  expect(await keysOf(named)).toEqual([agent.keyId, id])
  expect([await keysOf(both), await keysOf(another), await keysOf(everyone)]).toEqual([[agent.keyId], another.requester_key_ids, []])
  const fill = (policyOf: Row, count: number) =>
    crm.app.owner.query(
      `update approval_policies set requester_key_ids = requester_key_ids || array(select gen_random_uuid() from generate_series(1, $2))
        where id = $1`,
      [policyOf.id, count],
    )
  // Neither one that is not about the caller nor one that is about the key already takes another key.
  for (const full of [another, both]) await fill(full, 1000)
  await fill(named, 997)
  created(await make())
  expect(await keysOf(named)).toHaveLength(1000)
  expect(await make()).toMatchObject(failed(409, 'CONFLICT'))
})

test.each<[fields: Row, waits: string[]]>([
  [{ scopes: ['contacts:write'] }, ['contact']],
  [{ scopes: ['contacts:delete', 'companies:write'] }, ['company']],
  [{ events: ['contact.*', 'company.updated'] }, ['contact']],
  [{ events: ['contact.created'], scopes: ['companies:write'] }, []],
  [{ events: ['contact.created', 'company.created'], more_than: 1 }, ['two contacts']],
  [{ events: ['opportunity.created'], value_over: 100 }, ['opportunity', 'foreign opportunity']],
  [{ events: ['opportunity.created'], value_over: 100, currency: 'AUD' }, ['opportunity']],
  [{ events: ['opportunity.created'], value_over: 1000, currency: 'AUD' }, []],
  [{ scopes: ['*:*'], more_than: 1 }, ['two contacts']],
])('a policy of %j holds: %j', async (fields, waits) => {
  await policy(fields)
  const calls: Record<string, [path: string, body: Row]> = {
    contact: ['/contacts', { first_name: 'Ana' }],
    company: ['/companies', { name: 'Acme' }],
    opportunity: ['/opportunities', { name: 'Deal', value: 1000, currency: 'AUD' }],
    'foreign opportunity': ['/opportunities', { name: 'Deal', value: 1000, currency: 'NZD' }],
    'two contacts': ['/contacts/bulk-create', { records: [{ first_name: 'Ana' }, { first_name: 'Bo' }] }],
  }
  const expected = new Set(fields.more_than === undefined && waits.includes('contact') ? [...waits, 'two contacts'] : waits)
  for (const [name, [path, body]] of Object.entries(calls))
    if (expected.has(name)) await held(crm.ws, 'POST', path, body)
    else expect([name, (await crm.ws.post(path, body)).status < 202]).toEqual([name, true])
})
