import { expect, test } from 'vitest'
import { created, found, type Row, useCrm } from './crm.ts'
import { useImports } from './importing.ts'
import { merge } from './merging.ts'

const crm = useCrm()
const { imported } = useImports(crm)
const named = (list: Row[]) => list.map(({ first_name }) => first_name).sort()

test('a contact has an owner, whom lists and filters find', async () => {
  const { userId } = await crm.ws.key()
  const ana = await crm.contact({ assigned_to: userId })
  await crm.contact({ first_name: 'Bo' })
  expect(ana).toMatchObject({ assigned_to: userId })
  expect(named(found(await crm.ws.get(`/contacts?assigned_to=${userId}`)))).toEqual(['Ana'])
  expect(named(found(await crm.ws.get(`/contacts?assigned_to=${userId}&search=ana`)))).toEqual(['Ana'])
  const search = async (filter: object) => named(found(await crm.ws.post('/contacts/search', { filter })))
  expect(await search({ field: 'assigned_to', op: 'eq', value: userId })).toEqual(['Ana'])
  expect(await search({ field: 'assigned_to', op: 'is_empty' })).toEqual(['Bo'])
  const [made] = found(await crm.ws.get(`/contacts/${ana.id}/history`))
  expect(made?.fields).toMatchObject({ assigned_to: { after: userId } })
})

test('an owner is a current member on every path, and a former one keeps what they have', async () => {
  const former = await crm.formerMember()
  const ana = await crm.contact()
  const refused = {
    status: 400,
    body: { error: { details: { issues: [{ path: 'assigned_to', message: 'No such member in this workspace' }] } } },
  }
  expect(await crm.ws.post('/contacts', { first_name: 'Bo', assigned_to: former })).toMatchObject(refused)
  expect(await crm.ws.patch(`/contacts/${ana.id}`, { assigned_to: former })).toMatchObject(refused)
  expect(await crm.ws.post('/contacts/upsert', { first_name: 'Bo', external_id: 'bo', assigned_to: former })).toMatchObject(refused)
  const bulk = found(await crm.ws.post('/contacts/bulk-create', { records: [{ first_name: 'Bo', assigned_to: former }] }))
  expect(bulk).toMatchObject({ results: [], errors: [{ index: 0, error: refused.body.error }] })
  await crm.app.owner.query('update contacts set assigned_to = $2 where id = $1', [ana.id, former])
  expect(found(await crm.ws.patch(`/contacts/${ana.id}`, { assigned_to: former, city: 'Perth' }))).toMatchObject({ assigned_to: former })
  expect(found(await crm.ws.patch(`/contacts/${ana.id}`, { assigned_to: null }))).toMatchObject({ assigned_to: null })
})

test('an upsert that sends a former owner again leaves the company as it is', async () => {
  const former = await crm.formerMember()
  const company = created(await crm.ws.post('/companies', { name: 'Acme', external_id: 'acme' }))
  await crm.app.owner.query('update companies set assigned_to = $2 where id = $1', [company.id, former])
  const again = await crm.ws.post('/companies/upsert', { external_id: 'acme', assigned_to: former, city: 'Perth' })
  expect(found(again)).toMatchObject({ id: company.id, assigned_to: former, city: 'Perth', created: false })
})

test('imports name the owner by email address or name, exports by email address, and merges take it over', async () => {
  const run = await imported(`First Name,Contact owner\nAna,${(await owner()).email}\nBo,Nobody\n`)
  expect(run, 'Bo, with a warning').toMatchObject({ progress: { created: 2, failed: 0, warned: 1 } })
  const [ana, unowned] = found(await crm.ws.get('/contacts?sort=name'))
  expect(ana).toMatchObject({ first_name: 'Ana', assigned_to: crm.ws.userId })
  expect(unowned).toMatchObject({ first_name: 'Bo', assigned_to: null })
  const { body } = await crm.ws.get('/contacts/export?fields=first_name,owner')
  expect(body).toContain(`Ana,${(await owner()).email}`)
  const bo = await crm.contact({ first_name: 'Bo' })
  expect(await merge(crm, 'contacts', bo.id, [ana?.id])).toMatchObject({ winner: { assigned_to: crm.ws.userId } })
})

const owner = async () => found(await crm.ws.get(`/company/users/${crm.ws.userId}`))

test.each([
  ['contacts', { first_name: 'Ana' }],
  ['companies', { name: 'Acme' }],
  ['opportunities', { name: 'Desks' }],
])('%s are sorted by owner: those of each are together, and those without one come last', async (plural, fields) => {
  const owners = [crm.ws.userId, (await crm.ws.key()).userId].toSorted()
  for (const assigned_to of [null, owners[1], owners[0], null, owners[1]])
    expect(await crm.ws.post(`/${plural}`, { ...fields, assigned_to })).toMatchObject({ status: 201 })
  const listed = async (sort: string) => (await crm.walk(`/${plural}?sort=${sort}&limit=2`)).map(({ assigned_to }) => assigned_to)
  const order = [owners[0], owners[1], owners[1], null, null]
  expect([await listed('assigned_to'), await listed('-assigned_to')]).toEqual([order, order.toReversed()])
  const search = await crm.ws.post(`/${plural}/search`, { sort: 'assigned_to' })
  expect(search.body.data.map(({ assigned_to }: { assigned_to: string }) => assigned_to)).toEqual(order)
})
