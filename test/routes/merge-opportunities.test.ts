import { expect, test } from 'vitest'
import { type Crm, created, failed, found, ids, type Row, useCrm, uuid } from './crm.ts'
import { asPreview, everythingOf, merge, undo } from './merging.ts'
import { PDF, useFiles } from './uploads.ts'

const crm = useCrm()
const { upload } = useFiles(crm)

/** An opportunity with something of every kind that can belong to one; what two of them share is given. */
async function fullOpportunity(crm: Crm, name: string, shared: { person: string; company: string }, fields: Row = {}): Promise<string> {
  const other = await crm.contact({ first_name: `${name}’s own` })
  const { id, products } = await crm.opportunity({
    name,
    products: [{ name: `${name} desk`, unit_price: 10 }, { name: `${name} chair` }],
    contacts: [{ contact_id: other.id, is_primary: true }, { contact_id: shared.person }],
    users: [{ user_id: crm.ws.userId, role: name }],
    ...fields,
  })
  const at = `/opportunities/${id}`
  const post = async (path: string, body: Row) => created(await crm.ws.post(path, body))
  const common = await post(`${at}/buckets`, { name: 'Hardware' })
  const own = await post(`${at}/buckets`, { name: `${name} extras` })
  found(await crm.ws.patch(`${at}/products/${products[0].id}`, { bucket_id: common.id }))
  found(await crm.ws.patch(`${at}/products/${products[1].id}`, { bucket_id: own.id }))
  await post(`${at}/product-costs`, { line_item_id: products[0].id, unit_cost: 3 })
  found(await crm.ws.post(`${at}/billing-parties`, { customer_id: shared.company, share_percent: 30 }))
  found(await crm.ws.post(`${at}/billing-parties`, { customer_id: await crm.company(`${name} Ltd`), share_percent: 40 }))
  await post('/invoices', { invoice_number: `INV ${name}`, opportunity_id: id, total: 5 })
  await post('/tasks', { title: `Call ${name}`, opportunity_id: id })
  await post('/activities', { activity_type: 'note', deal_id: id, body: name })
  await post('/activities', { activity_type: 'note', deal_id: id, contact_id: shared.person, body: name })
  await post('/deal-stakeholders', { deal_id: id, contact_id: shared.person })
  await post('/contacts', { first_name: `${name}’s referrer`, referrer_opportunity_id: id })
  created(await upload(id, `${name}.pdf`, PDF))
  return id
}

async function two(loser: Row = {}): Promise<{ winner: string; losers: string[] }> {
  const shared = { person: (await crm.contact({ first_name: 'Shared' })).id, company: await crm.company('Shared') }
  const winner = await fullOpportunity(crm, 'Winner', shared)
  return { winner, losers: [await fullOpportunity(crm, 'First', shared, loser), await fullOpportunity(crm, 'Second', shared)] }
}

test('all related rows move to the winner, and an undo restores every row', async () => {
  const { winner, losers } = await two({ description: 'Told', external_id: 'ext-1', metadata: { tier: 'gold' }, value: 12 })
  const before = await everythingOf(crm)
  const done = await merge(crm, 'opportunities', winner, losers)
  expect(done.moved).toEqual({
    component_instances: 0,
    whiteboards: 0,
    documents: 0,
    memories: 0,
    notepads: 0,
    orders: 0,
    portals: 0,
    work_orders: 0,
    followers: 0,
    lists: 0,
    automation_runs: 0,
    bookings: 0,
    email_threads: 0,
    whatsapp_groups: 0,
    email_drafts: 0,
    messages: 0,
    products: 4,
    contacts: 2,
    users: 0,
    activities: 4,
    tasks: 2,
    attachments: 2,
    buckets: 2,
    product_costs: 2,
    billing_parties: 2,
    invoices: 2,
    stakeholders: 0,
    stage_history: 2,
    referrers: 2,
    lead_results: 0,
    transcripts: 0,
  })
  expect(done.dropped).toEqual({ contacts: 2, users: 2, buckets: 2, billing_parties: 2, stakeholders: 2 })
  expect(done.field_changes).toEqual({
    description: { before: null, after: 'Told', from: [losers[0]] },
    external_id: { before: null, after: 'ext-1', from: [losers[0]] },
    value: { before: 0, after: 12, from: [losers[0]] },
    'metadata.tier': { before: null, after: 'gold', from: [losers[0]] },
  })
  expect(done.winner).toMatchObject({ id: winner, description: 'Told', value: 12, metadata: { tier: 'gold' }, external_id: 'ext-1' })
  expect(done.winner.products.map(({ name, position }: Row) => [name, position])).toEqual([
    ['Winner desk', 0],
    ['Winner chair', 1],
    ['First desk', 2],
    ['First chair', 3],
    ['Second desk', 4],
    ['Second chair', 5],
  ])
  expect(done.winner.contacts.filter(({ is_primary }: Row) => is_primary)).toEqual([
    expect.objectContaining({ first_name: 'Winner’s own' }),
  ])
  const buckets = found(await crm.ws.get(`/opportunities/${winner}/buckets`))
  expect(buckets.map(({ name, line_items }) => [name, line_items.count])).toEqual([
    ['Hardware', 3],
    ['Winner extras', 1],
    ['First extras', 1],
    ['Second extras', 1],
  ])
  const parties = found(await crm.ws.get(`/opportunities/${winner}/billing-parties`))
  expect(parties.map(({ name, share_percent }) => [name, share_percent])).toEqual([
    ['Shared', 30],
    ['Winner Ltd', 40],
    ['First Ltd', null],
    ['Second Ltd', null],
  ])
  for (const loser of losers)
    expect(await crm.ws.get(`/opportunities/${loser}`)).toMatchObject({
      ...failed(404, 'NOT_FOUND'),
      body: { error: { details: { merged_into: winner } } },
    })

  const undone = await undo(crm, 'opportunities', done.merge_id)
  expect(undone).toMatchObject({ undone: true, undone_by: crm.ws.userId, changed_since: [] })
  expect(await everythingOf(crm)).toEqual(before)
})

test('a preview returns what the merge then does, and writes nothing', async () => {
  const { winner, losers } = await two({ description: 'Told', notes: 'One', tags: [{ name: 'VIP' }] })
  const how = { append_notes: true, union_tags: true, transfer: { tasks: false, products: false }, field_overrides: { name: 'Kept' } }
  const before = await everythingOf(crm)
  const preview = await merge(crm, 'opportunities', winner, losers, { ...how, preview: true })
  expect(preview.merge_id).toBeNull()
  expect(await everythingOf(crm)).toEqual(before)
  expect(found(await crm.ws.get('/opportunities/merges'))).toEqual([])
  const dry = await crm.ws.post('/opportunities/merge?dry_run=true', { winner_id: winner, loser_ids: losers, ...how })
  expect(asPreview(dry.body.data)).toEqual(asPreview(preview))
  expect(dry.body.dry_run.changes.length).toBeGreaterThan(20)
  const done = await merge(crm, 'opportunities', winner, losers, how)
  expect(done.merge_id).toEqual(uuid)
  expect(asPreview(done)).toEqual(asPreview(preview))
  expect(ids(found(await crm.ws.get('/opportunities/merges')))).toEqual([done.merge_id])
})
