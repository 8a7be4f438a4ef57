import { expect, test } from 'vitest'
import { created, failed, found, type Row, refused, useCrm } from './crm.ts'
import { addFile, asPreview, everythingOf, merge, undo } from './merging.ts'

const crm = useCrm()

const post = async (path: string, body: Row) => created(await crm.ws.post(path, body))
const company = async (name: string, fields: Row = {}) => (await post('/companies', { name, ...fields })).id as string
const parentOf = async (id: string) => found(await crm.ws.get(`/companies/${id}`)).parent_company_id
const into = (winner: string, losers: string[], how: Row = {}) => merge(crm, 'companies', winner, losers, how)

type Shared = { contact: string; deal: string }

/** A company with something of every kind that can refer to one. */
async function fullCompany(name: string, shared: Shared, fields: Row = {}): Promise<string> {
  const id = await company(name, fields)
  await crm.contact({ first_name: `${name} primary`, customer_id: id, is_primary: true })
  await crm.contact({ first_name: `${name} other`, customer_id: id })
  found(await crm.ws.post(`/contacts/${shared.contact}/employers/${id}`))
  await crm.opportunity({ name, customer_id: id })
  found(await crm.ws.post(`/opportunities/${shared.deal}/billing-parties`, { customer_id: id, share_percent: 20 }))
  await post('/invoices', { invoice_number: name, customer_id: id, status: 'sent', total: 5 })
  await post('/tasks', { title: name, customer_id: id })
  await post('/activities', { activity_type: 'note', customer_id: id, body: name })
  await addFile(crm, 'customer_id', id)
  await company(`${name} below`, { parent_company_id: id })
  return id
}

test('everything of the losers comes to the winner, and an undo brings back every row as it was', async () => {
  const shared = { contact: (await crm.contact()).id, deal: (await crm.opportunity()).id }
  const winner = await fullCompany('Winner', shared, { city: 'Perth' })
  const address = { address_line1: '1 Bridge St', city: 'Sydney', country: 'Australia' }
  const first = await fullCompany('First', shared, { industry: 'Mining', ...address, metadata: { tier: 'gold' } })
  const second = await fullCompany('Second', shared, { industry: 'Farming', employee_count: 4, external_id: 'ext' })
  const before = await everythingOf(crm)
  const preview = await into(winner, [first, second], { preview: true })
  expect(await everythingOf(crm)).toEqual(before)
  const done = await into(winner, [first, second])
  expect(asPreview(done)).toEqual(asPreview(preview))
  expect(done.moved).toEqual({
    documents: 0,
    memories: 0,
    notepads: 0,
    supplier_catalog: 0,
    followers: 0,
    lists: 0,
    activities: 2,
    attachments: 2,
    automation_runs: 0,
    billing_parties: 0,
    contacts: 4,
    email_threads: 0,
    whatsapp_groups: 0,
    invoices: 2,
    lead_results: 0,
    email_drafts: 0,
    messages: 0,
    opportunities: 2,
    subsidiaries: 2,
    tasks: 2,
  })
  expect(done.dropped).toEqual({ billing_parties: 2, contacts: 2 })
  expect(done.winner).toMatchObject({
    city: 'Perth',
    address_line1: null,
    industry: 'Mining',
    employee_count: 4,
    external_id: 'ext',
    metadata: { tier: 'gold' },
  })
  const people = found(await crm.ws.get(`/companies/${winner}/contacts`))
  expect(people.filter(({ is_primary }) => is_primary)).toEqual([expect.objectContaining({ first_name: 'Winner primary' })])
  expect(people).toHaveLength(7)
  expect(found(await crm.ws.get(`/companies/${winner}/subsidiaries`))).toHaveLength(3)
  expect(await crm.ws.get(`/customers/${first}`)).toMatchObject({
    ...failed(404, 'NOT_FOUND'),
    body: { error: { details: { merged_into: winner } } },
  })
  expect(await undo(crm, 'companies', done.merge_id)).toMatchObject({ undone: true, changed_since: [] })
  expect(await everythingOf(crm)).toEqual(before)
})

test('a contact of both companies has one link to the winner and its main company there', async () => {
  const [winner, loser] = [await company('Winner'), await company('Loser')]
  const person = await crm.contact({ customer_id: loser, is_primary: true })
  found(await crm.ws.post(`/contacts/${person.id}/employers/${winner}`))
  const before = await everythingOf(crm)
  const done = await into(winner, [loser])
  expect(found(await crm.ws.get(`/contacts/${person.id}`))).toMatchObject({ customer_id: winner, is_primary: true })
  expect(found(await crm.ws.get(`/contacts/${person.id}/employers`))).toEqual([
    expect.objectContaining({ customer_id: winner, is_main: true }),
  ])
  await undo(crm, 'companies', done.merge_id)
  expect(await everythingOf(crm)).toEqual(before)
})

test('merging never makes a circle of companies', async () => {
  const top = await company('Top')
  const grandparent = await company('Grandparent', { parent_company_id: top })
  const parent = await company('Parent', { parent_company_id: grandparent })
  const winner = await company('Winner', { parent_company_id: parent })
  const below = await company('Below', { parent_company_id: winner })
  const leaf = await company('Leaf', { parent_company_id: below })
  const before = await everythingOf(crm)
  // The winner takes the place of the topmost loser; what is between stands below it.
  const done = await into(winner, [grandparent, leaf])
  expect(done.field_changes).toEqual({ parent_company_id: { before: parent, after: top, from: [grandparent] } })
  expect(await parentOf(parent)).toBe(winner)
  expect(await parentOf(below)).toBe(winner)
  await undo(crm, 'companies', done.merge_id)
  expect(await everythingOf(crm)).toEqual(before)
  // A loser below the winner lends no parent that is below it as well.
  const lent = await into(top, [leaf])
  expect(lent.winner.parent_company_id).toBeNull()
  for (const parent_company_id of [top, below])
    expect(
      await crm.ws.post('/companies/merge', { winner_id: top, loser_ids: [winner], field_overrides: { parent_company_id } }),
    ).toMatchObject(refused('field_overrides.parent_company_id'))
})

test('companies that are each other’s parents are merged, and stand where the topmost of them stood', async () => {
  const top = await company('Top')
  const loser = await company('Loser', { parent_company_id: top, external_id: 'ext' })
  const winner = await company('Winner', { parent_company_id: loser })
  const below = await company('Below', { parent_company_id: winner })
  const lowest = await company('Lowest', { parent_company_id: below })
  const before = await everythingOf(crm)
  const done = await into(winner, [loser, below, lowest])
  expect([done.moved.subsidiaries, done.dropped]).toEqual([0, {}])
  expect(found(await crm.ws.get(`/companies/${winner}`))).toMatchObject({ parent_company_id: top, external_id: 'ext' })
  expect(await undo(crm, 'companies', done.merge_id)).toMatchObject({ undone: true, changed_since: [] })
  expect(await everythingOf(crm)).toEqual(before)
})

test('an undo gives back a former parent of the winner, whatever became of the winner since', async () => {
  const changes: [(winner: string) => Promise<unknown>, field: string | null, reason: string][] = [
    [(winner) => crm.ws.patch(`/companies/${winner}`, { parent_company_id: null }), 'parent_company_id', 'changed'],
    [(winner) => crm.ws.delete(`/companies/${winner}`), null, 'deleted'],
  ]
  for (const [change, field, reason] of changes) {
    const [top, winner] = [await company('Top'), await company('Winner')]
    const loser = await company('Loser', { parent_company_id: top })
    found(await crm.ws.patch(`/companies/${winner}`, { parent_company_id: loser }))
    const { merge_id } = await into(winner, [loser])
    await change(winner)
    const undone = await undo(crm, 'companies', merge_id)
    expect(undone.changed_since).toEqual([expect.objectContaining({ id: winner, field, reason })])
    expect(await parentOf(loser)).toBe(top)
  }
})

test('a parent that the winner lacks is that of the first loser with one', async () => {
  const [winner, first, second, holding] = [await company('W'), await company('A'), await company('B'), await company('H')]
  found(await crm.ws.patch(`/companies/${second}`, { parent_company_id: holding }))
  expect((await into(winner, [first, second], { fill_empty_fields: false, preview: true })).field_changes).toEqual({})
  expect((await into(winner, [first, second])).field_changes).toEqual({
    parent_company_id: { before: null, after: holding, from: [second] },
  })
})
