import { beforeEach, expect, test } from 'vitest'
import { created, failed, found, held, nobody, type Row, refused, useCrm } from './crm.ts'

const crm = useCrm()

let opportunity: string
let path: string
beforeEach(async () => {
  opportunity = (await crm.opportunity()).id
  path = `/opportunities/${opportunity}`
})

const link = async (contact: Row, fields: Row = {}) => found(await crm.ws.post(`${path}/contacts`, { contact_id: contact.id, ...fields }))
/** Who is on the opportunity, as the list, the record and the primary flags have it. */
const people = async () =>
  found(await crm.ws.get(`${path}/contacts`)).map(({ first_name, role, is_primary }: Row) => [first_name, role, is_primary])
const named = (...names: string[]) => Promise.all(names.map((first_name) => crm.contact({ first_name })))

test('a contact is linked with a role, and shown with the record', async () => {
  const ana = await crm.contact({ last_name: 'Lee', email: 'ana@x.co', phone: '0412 345 678' })
  const linked = await link(ana, { role: ' Buyer ', is_primary: true })
  expect(linked).toEqual({
    contact_id: ana.id,
    first_name: 'Ana',
    last_name: 'Lee',
    email: 'ana@x.co',
    phone: '+61412345678',
    role: 'Buyer',
    is_primary: true,
  })
  expect(found(await crm.ws.get(`${path}/contacts`))).toEqual([linked])
  expect(found(await crm.ws.get(path)).contacts).toEqual([linked])
  expect(found(await crm.ws.get(`/contacts/${ana.id}/deals`))).toMatchObject([{ id: opportunity }])
})

test('linking again changes what was sent and nothing else', async () => {
  const [ana] = await named('Ana')
  await link(ana!, { role: 'Buyer', is_primary: true })
  expect(await link(ana!)).toMatchObject({ role: 'Buyer', is_primary: true })
  expect(await link(ana!, { role: 'Payer' })).toMatchObject({ role: 'Payer', is_primary: true })
  expect(await link(ana!, { role: '' })).toMatchObject({ role: null, is_primary: true })
  expect(await people()).toEqual([['Ana', null, true]])
})

test('one contact is the primary one, and hands that over', async () => {
  const [ana, bo, cy] = await named('Ana', 'Bo', 'Cy')
  await link(ana!, { is_primary: true, role: 'Buyer' })
  await link(bo!)
  expect(await people()).toEqual([
    ['Ana', 'Buyer', true],
    ['Bo', null, false],
  ])
  await link(cy!, { is_primary: true })
  expect(await people()).toEqual([
    ['Ana', 'Buyer', false],
    ['Bo', null, false],
    ['Cy', null, true],
  ])
  expect(found(await crm.ws.patch(`${path}/contacts/${bo!.id}`, { is_primary: true }))).toMatchObject({ is_primary: true })
  expect(await people()).toEqual([
    ['Ana', 'Buyer', false],
    ['Bo', null, true],
    ['Cy', null, false],
  ])
  found(await crm.ws.patch(`${path}/contacts/${bo!.id}`, { is_primary: false }))
  expect((await people()).filter(([, , primary]) => primary)).toEqual([])
})

test('another opportunity has its own primary contact', async () => {
  const [ana] = await named('Ana')
  const other = await crm.opportunity({ contacts: [{ contact_id: ana!.id, is_primary: true }] })
  await link(ana!, { is_primary: true })
  expect(found(await crm.ws.get(`/opportunities/${other.id}`)).contacts).toMatchObject([{ is_primary: true }])
})

test('of several that become primary at the same time one is', async () => {
  const contacts = await named('A', 'B', 'C', 'D')
  await Promise.all(contacts.map((contact) => link(contact, { is_primary: true })))
  expect((await people()).filter(([, , primary]) => primary)).toHaveLength(1)
  expect(await people()).toHaveLength(4)
})

test('a role is changed where the link is there', async () => {
  const [ana, bo] = await named('Ana', 'Bo')
  await link(ana!, { role: 'Buyer' })
  expect(found(await crm.ws.patch(`${path}/contacts/${ana!.id}`, { role: 'Payer' }))).toMatchObject({ role: 'Payer' })
  expect(found(await crm.ws.patch(`${path}/contacts/${ana!.id}`, {}))).toMatchObject({ role: 'Payer' })
  expect(await crm.ws.patch(`${path}/contacts/${bo!.id}`, { role: 'Payer' })).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await crm.ws.patch(`${path}/contacts/${ana!.id}`, { contact_id: bo!.id })).toMatchObject(refused('contact_id'))
})

test('a contact is unlinked, and stays a contact', async () => {
  const [ana] = await named('Ana')
  await link(ana!)
  const at = `${path}/contacts/${ana!.id}`
  expect(await crm.ws.delete(`${at}?require_approval=true`)).toMatchObject(held)
  expect((await crm.ws.delete(`${at}?dry_run=true`)).body.dry_run.changes).toMatchObject([
    { entity: 'opportunity_contact', action: 'deleted' },
  ])
  expect(await people()).toHaveLength(1)
  expect(await crm.ws.delete(at)).toMatchObject({
    status: 200,
    body: { data: { opportunity_id: opportunity, contact_id: ana!.id, deleted: true } },
  })
  expect(await people()).toEqual([])
  expect(await crm.ws.delete(at)).toMatchObject(failed(404, 'NOT_FOUND'))
  found(await crm.ws.get(`/contacts/${ana!.id}`))
})

test('only contacts of the workspace can be linked', async () => {
  const theirs = created(await (await crm.app.workspace()).post('/contacts', { first_name: 'Theirs' }))
  for (const contact_id of [nobody, theirs.id, 'ana', undefined])
    expect(await crm.ws.post(`${path}/contacts`, { contact_id })).toMatchObject(refused('contact_id'))
  const [ana] = await named('Ana')
  for (const fields of [{ is_primary: 'yes' }, { role: 5 }, { colour: 'red' }]) {
    expect(await crm.ws.post(`${path}/contacts`, { contact_id: ana!.id, ...fields })).toMatchObject(
      refused(Object.keys(fields)[0] as string),
    )
  }
  expect(await people()).toEqual([])
})

test('contacts and users come in pages', async () => {
  const contacts = await named('A', 'B', 'C')
  for (const contact of contacts) await link(contact)
  expect((await crm.walk(`${path}/contacts?limit=2`)).map(({ first_name }) => first_name)).toEqual(['A', 'B', 'C'])
  const keys = [await crm.ws.key(), await crm.ws.key(), await crm.ws.key()]
  for (const { userId } of keys) found(await crm.ws.post(`${path}/users`, { user_id: userId }))
  expect((await crm.walk(`${path}/users?limit=2`)).map(({ user_id }) => user_id)).toEqual(keys.map(({ userId }) => userId))
  const { next } = (await crm.ws.get(`${path}/users?limit=2`)).body.page
  expect(await crm.ws.get(`${path}/contacts?after=${next}`)).toMatchObject(refused('after'))
})

test('a user is linked with a role, changed and unlinked', async () => {
  const { userId } = await crm.ws.key()
  const linked = found(await crm.ws.post(`${path}/users`, { user_id: userId, role: 'Engineer' }))
  expect(linked).toEqual({
    user_id: userId,
    full_name: expect.stringMatching(/^Member /),
    email: expect.stringMatching(/^member-/),
    role: 'Engineer',
  })
  expect(found(await crm.ws.get(`${path}/users`))).toEqual([linked])
  expect(found(await crm.ws.get(path)).users).toEqual([linked])
  expect(found(await crm.ws.post(`${path}/users`, { user_id: userId })).role).toBe('Engineer')
  expect(found(await crm.ws.post(`${path}/users`, { user_id: userId, role: null })).role).toBeNull()
  expect(found(await crm.ws.patch(`${path}/users/${userId}`, { role: 'Closer' })).role).toBe('Closer')
  expect(await crm.count('opportunity_users')).toBe(1)
  expect(await crm.ws.delete(`${path}/users/${userId}`)).toMatchObject({
    status: 200,
    body: { data: { opportunity_id: opportunity, user_id: userId, deleted: true } },
  })
  expect(found(await crm.ws.get(`${path}/users`))).toEqual([])
  expect(await crm.ws.delete(`${path}/users/${userId}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await crm.ws.patch(`${path}/users/${userId}`, { role: 'Closer' })).toMatchObject(failed(404, 'NOT_FOUND'))
})

test('only members can be linked, and no former ones', async () => {
  const stranger = (await crm.app.workspace()).userId
  for (const user_id of [nobody, stranger, await crm.formerMember(), 'me', undefined]) {
    expect(await crm.ws.post(`${path}/users`, { user_id })).toMatchObject(refused('user_id'))
  }
  expect(found(await crm.ws.get(`${path}/users`))).toEqual([])
})

test('links need their scopes', async () => {
  const [ana] = await named('Ana')
  const writer = await crm.ws.key({ scopes: ['opportunities:read', 'opportunities:write'] })
  found(await writer.post(`${path}/contacts`, { contact_id: ana!.id }))
  expect(await writer.delete(`${path}/contacts/${ana!.id}`)).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
  found(await (await crm.ws.key({ scopes: ['opportunities:delete'] })).delete(`${path}/contacts/${ana!.id}`))
})
