import { expect, test } from 'vitest'
import { failed, found, held, nobody, type Row, refused, useCrm } from './crm.ts'

const crm = useCrm()

const link = async (contact: string, company: string) => found(await crm.ws.post(`/contacts/${contact}/employers/${company}`))
const unlink = async (contact: string, company: string) => found(await crm.ws.delete(`/contacts/${contact}/employers/${company}`))
const employersOf = async (contact: string) => found(await crm.ws.get(`/contacts/${contact}/employers`))
/** Each employer by name, the main one with a star. */
const shown = async (contact: string) =>
  (await employersOf(contact)).map(({ company_name, is_main }) => (is_main ? `${company_name}*` : company_name))
const mainOf = async (contact: string) => found(await crm.ws.get(`/contacts/${contact}`)).company?.name ?? null

test('a contact is linked to a company as its employer', async () => {
  const { id } = await crm.contact()
  const acme = await crm.company('Acme')
  const answer = await link(id, acme)
  expect(answer).toMatchObject({ contact_id: id, customer_id: acme, company_name: 'Acme', is_main: true })
  expect(await employersOf(id)).toEqual([answer])
  expect(await crm.count('employers')).toBe(1)
})

test('linking again changes nothing', async () => {
  const { id } = await crm.contact()
  const acme = await crm.company('Acme')
  const first = await link(id, acme)
  expect(await link(id, acme)).toEqual(first)
  expect(await shown(id)).toEqual(['Acme*'])
  expect(found(await crm.ws.get(`/contacts/${id}`)).version).toBe(2)
})

test('the only link becomes the main company, and a second one leaves it', async () => {
  const { id } = await crm.contact()
  await link(id, await crm.company('Acme'))
  expect(await mainOf(id)).toBe('Acme')
  await link(id, await crm.company('Base'))
  expect(await mainOf(id)).toBe('Acme')
  expect(await shown(id)).toEqual(['Acme*', 'Base'])
})

test('another customer_id is a further employer and the main one', async () => {
  const { id } = await crm.contact({ customer_id: await crm.company('Acme') })
  found(await crm.ws.patch(`/contacts/${id}`, { customer_id: await crm.company('Base') }))
  expect(await shown(id)).toEqual(['Acme', 'Base*'])
  const cape = await crm.company('Cape')
  found(await crm.ws.post('/contacts/bulk-update', { records: [{ id, customer_id: cape }] }))
  expect(await shown(id)).toEqual(['Acme', 'Base', 'Cape*'])
})

test('when the main company is unlinked the oldest other one takes its place', async () => {
  const { id } = await crm.contact()
  const [acme, base, cape] = [await crm.company('Acme'), await crm.company('Base'), await crm.company('Cape')]
  for (const company of [base, acme, cape]) await link(id, company)
  expect(await unlink(id, base)).toEqual({ contact_id: id, customer_id: base, deleted: true })
  expect(await shown(id)).toEqual(['Acme*', 'Cape'])
  await unlink(id, cape)
  expect(await shown(id)).toEqual(['Acme*'])
  await unlink(id, acme)
  expect([await shown(id), await mainOf(id)]).toEqual([[], null])
})

test('a contact without a main company keeps its employers, and none of them takes over by itself', async () => {
  const { id } = await crm.contact()
  const [acme, base] = [await crm.company('Acme'), await crm.company('Base')]
  for (const company of [acme, base]) await link(id, company)
  expect(found(await crm.ws.patch(`/contacts/${id}`, { customer_id: null })).company).toBeNull()
  expect(await shown(id)).toEqual(['Acme', 'Base'])
})

test('an employer that is gone is no employer any more', async () => {
  const [acme, base] = [await crm.company('Acme'), await crm.company('Base')]
  const { id } = await crm.contact({ customer_id: acme, is_primary: true })
  await link(id, base)
  await crm.app.owner.query('delete from companies where id = $1', [acme])
  expect(await shown(id)).toEqual(['Base*'])
  expect(found(await crm.ws.get(`/contacts/${id}`))).toMatchObject({ customer_id: base, is_primary: false })
})

test('in a bulk-link the first company of a contact becomes its main one', async () => {
  const { id } = await crm.contact()
  const [acme, base, cape] = [await crm.company('Acme'), await crm.company('Base'), await crm.company('Cape')]
  const records = [base, acme, cape].map((customer_id) => ({ contact_id: id, customer_id }))
  found(await crm.ws.post('/contacts/bulk-link', { records }))
  expect(await mainOf(id)).toBe('Base')
  expect(await employersOf(id)).toHaveLength(3)
})

test('only what is there can be linked or unlinked', async () => {
  const { id } = await crm.contact()
  const acme = await crm.company()
  const foreign = await crm.company('Theirs', await crm.app.workspace())
  for (const [contact, company] of [
    [nobody, acme],
    [id, nobody],
    [id, foreign],
  ]) {
    expect(await crm.ws.post(`/contacts/${contact}/employers/${company}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await crm.ws.delete(`/contacts/${contact}/employers/${company}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  }
  expect(await crm.ws.delete(`/contacts/${id}/employers/${acme}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await crm.ws.post(`/contacts/${id}/employers/acme`)).toMatchObject(refused('customer_id'))
  expect(await employersOf(id)).toEqual([])
})

test('an unlink may be held, and a link tried', async () => {
  const acme = await crm.company()
  const { id } = await crm.contact({ customer_id: acme })
  expect(await crm.ws.delete(`/contacts/${id}/employers/${acme}?require_approval=true`)).toMatchObject(held)
  const dry = await crm.ws.post(`/contacts/${id}/employers/${await crm.company('Base')}?dry_run=true`)
  expect(dry.body).toMatchObject({ data: { company_name: 'Base' }, dry_run: { changes: [{ entity: 'employer', action: 'created' }] } })
  expect(await shown(id)).toEqual(['Acme*'])
})

test('the employers come in pages', async () => {
  const { id } = await crm.contact()
  const names = ['A', 'B', 'C', 'D', 'E']
  for (const name of names) await link(id, await crm.company(name))
  const walked = await crm.walk(`/contacts/${id}/employers?limit=2`)
  expect(walked.map(({ company_name }: Row) => company_name)).toEqual(names)
  const { next } = (await crm.ws.get(`/contacts/${id}/employers?limit=2`)).body.page
  const other = await crm.contact()
  expect(await crm.ws.get(`/contacts/${other.id}/employers?after=${next}`)).toMatchObject(refused('after'))
})
