import { expect, test } from 'vitest'
import { created, found, ids, nobody, type Row, refused, useCrm, without } from './crm.ts'

const crm = useCrm()

const bulk = async (verb: string, records: unknown[], more: Row = {}) =>
  found(await crm.ws.post(`/opportunities/bulk-${verb}`, { records, ...more }))
const remove = async (list: string[]) => found(await crm.ws.post('/opportunities/bulk-delete', { ids: list }))
const error = (code: string, ...paths: string[]) =>
  paths.length > 0 ? { code, details: { issues: paths.map((path) => expect.objectContaining({ path })) } } : { code }
const PARTS = ['opportunities', 'opportunity_products', 'opportunity_contacts', 'opportunity_users', 'stage_moves']

test('bulk-create stores the valid records in order, and reports the others by index', async () => {
  const { stages } = await crm.firstPipeline()
  const { id: other } = await crm.pipeline()
  await crm.opportunity({ external_id: 'taken' })
  const former = await crm.formerMember()
  const { results, skipped, errors } = await bulk('create', [
    { name: 'Zeta', value: 19.99, stage_id: stages.Won, tags: [{ name: 'VIP' }] },
    { value: 5 },
    { name: 'Beta', customer_id: nobody, assigned_to: nobody },
    { name: 'Gamma', stage_id: nobody },
    { name: 'Delta', pipeline_id: nobody },
    { name: 'Alpha', pipeline_id: other },
    { name: 'Eta', pipeline_id: other, stage_id: stages.New },
    { name: 'Theta', external_id: 'taken' },
    { name: 'Iota', assigned_to: former },
    null,
  ])
  expect(results).toMatchObject([
    { name: 'Zeta', value: 19.99, status: 'won', probability: 100, tags: [{ name: 'VIP', color: null }], version: 1 },
    { name: 'Alpha', pipeline_id: other, status: 'open', tags: [], currency: 'AUD', value: 0 },
  ])
  expect(skipped).toEqual([])
  expect(errors).toMatchObject([
    { index: 1, error: error('VALIDATION_ERROR', 'name') },
    { index: 2, error: error('VALIDATION_ERROR', 'customer_id', 'assigned_to') },
    { index: 3, error: error('VALIDATION_ERROR', 'stage_id') },
    { index: 4, error: error('VALIDATION_ERROR', 'pipeline_id') },
    { index: 6, error: error('VALIDATION_ERROR', 'stage_id') },
    { index: 7, error: error('CONFLICT') },
    { index: 8, error: error('VALIDATION_ERROR', 'assigned_to') },
    { index: 9, error: error('VALIDATION_ERROR') },
  ])
  expect(await crm.count('opportunities')).toBe(3)
  for (const record of results) expect(found(await crm.ws.get(`/opportunities/${record.id}`))).toEqual(record)
})

test('each comes with its own parts; one with an unknown part is refused, and nothing of it stored', async () => {
  const product_id = await crm.product({ name: 'GTX Pro', price: 100, tax_percent: 10 })
  const [ana, bo] = [await crm.contact(), await crm.contact({ first_name: 'Bo' })]
  const contacts = [{ contact_id: ana.id, role: 'Buyer' }]
  const users = [{ user_id: crm.ws.userId, role: 'Closer' }]
  const { results, errors } = await bulk('create', [
    {
      name: 'One',
      products: [
        { product_id, quantity: 2 },
        { name: 'Delivery', unit_price: 5 },
      ],
      contacts,
      users,
    },
    { name: 'Unknown product', products: [{ product_id }, { product_id: nobody }], contacts, users },
    { name: 'Unknown contact', products: [{ product_id }], contacts: [...contacts, { contact_id: nobody }] },
    { name: 'Unknown user', users: [{ user_id: nobody }], products: [{ name: 'Desk' }] },
    {
      name: 'Two',
      products: [{ name: 'Desk', unit_price: 1 }],
      contacts: [{ contact_id: ana.id, is_primary: true }, { contact_id: bo.id }],
    },
    { name: 'Nameless', products: [{ quantity: 3 }] },
  ])
  expect(results).toMatchObject([
    {
      name: 'One',
      products_total: 225,
      contacts: [{ contact_id: ana.id, role: 'Buyer' }],
      users: [{ user_id: crm.ws.userId, role: 'Closer' }],
    },
    { name: 'Two', products_total: 1, contacts: [{ contact_id: ana.id, is_primary: true }, { contact_id: bo.id }], users: [] },
  ])
  expect(results[0].products.map(({ name, position }: Row) => [name, position])).toEqual([
    ['GTX Pro', 0],
    ['Delivery', 1],
  ])
  expect(errors).toMatchObject([
    { index: 1, error: error('VALIDATION_ERROR', 'products.1.product_id') },
    { index: 2, error: error('VALIDATION_ERROR', 'contacts.1.contact_id') },
    { index: 3, error: error('VALIDATION_ERROR', 'users.0.user_id') },
    { index: 5, error: error('VALIDATION_ERROR') },
  ])
  expect(await Promise.all(PARTS.map(crm.count))).toEqual([2, 3, 3, 1, 2])
})

test('each record has its own defaults', async () => {
  const { results } = await bulk('create', [
    {
      name: 'One',
      opened_at: '2020-01-01',
      value: 5,
      currency: 'EUR',
      metadata: { a: 1, b: null },
      tags: [{ name: 'VIP' }],
      lost_reasons: null,
    },
    { name: 'Two' },
  ])
  expect(results[0].metadata).toEqual({ a: 1 })
  const single = await crm.opportunity({ name: 'Two' })
  const own = ['id', 'created_at', 'updated_at', 'stage_entered_at', 'opened_at', 'placements']
  expect(without(results[1], ...own)).toEqual(without(single, ...own))
  expect(results[1].opened_at).toBe(results[1].created_at)
})

const fatal: [string, Row][] = [
  ['closed_at on an open stage', { closed_at: '2020-01-01' }],
  ['a line beyond all money', { products: [{ name: 'Moon', quantity: 9_999_999, unit_price: 999_999_999_999 }] }],
]
test.each(fatal)('%s is the fault of its own record', async (_, fields) => {
  const { results, errors } = await bulk('create', [{ name: 'Good' }, { name: 'Bad', ...fields }])
  expect(results).toMatchObject([{ name: 'Good' }])
  expect(errors).toMatchObject([{ index: 1, error: error('VALIDATION_ERROR') }])
  expect(await crm.count('opportunities')).toBe(1)
})

test('bulk-update changes only the fields sent for each record, and an invalid one does not stop the others', async () => {
  const [one, two, three] = [
    await crm.opportunity({ metadata: { a: 1 } }),
    await crm.opportunity({ notes: 'Old' }),
    await crm.opportunity(),
  ]
  const theirs = created(await (await crm.app.workspace()).post('/opportunities', { name: 'Theirs' }))
  const { results, errors } = await bulk('update', [
    { id: two.id, notes: null, value: 3 },
    { id: nobody, value: 1 },
    { id: theirs.id, value: 1 },
    { id: one.id, metadata: { b: 2 }, archived: true },
    { id: three.id, customer_id: nobody },
    { id: three.id.toUpperCase(), name: '' },
    { id: two.id, value: 4 },
    { id: three.id, closed_at: '2020-01-01' },
    { name: 'No id' },
  ])
  expect(results).toEqual([
    { ...two, notes: null, value: 3, weighted_value: 0.3, version: 2, updated_at: results[0].updated_at },
    { ...one, metadata: { a: 1, b: 2 }, archived: true, version: 2, updated_at: results[1].updated_at },
  ])
  expect(errors.map(({ index, id, error }: Row) => [index, id ?? null, error.code])).toEqual([
    [1, nobody, 'NOT_FOUND'],
    [2, theirs.id, 'NOT_FOUND'],
    [4, three.id, 'VALIDATION_ERROR'],
    [5, three.id.toUpperCase(), 'VALIDATION_ERROR'],
    [6, two.id, 'VALIDATION_ERROR'],
    [7, three.id, 'VALIDATION_ERROR'],
    [8, null, 'VALIDATION_ERROR'],
  ])
  expect(found(await crm.ws.get(`/opportunities/${three.id}`))).toEqual(three)
})

test('closed_at of an open card is the fault of its own record in a bulk-update', async () => {
  const [one, two] = [await crm.opportunity(), await crm.opportunity()]
  const { results, errors } = await bulk('update', [
    { id: one.id, closed_at: '2020-01-01' },
    { id: two.id, value: 2 },
  ])
  expect(results).toMatchObject([{ id: two.id, value: 2 }])
  expect(errors).toMatchObject([{ index: 0, id: one.id, error: error('VALIDATION_ERROR') }])
})

test("an external_id that another opportunity has is that record's own fault in a bulk-update", async () => {
  const [, two, three] = [await crm.opportunity({ external_id: 'a-1' }), await crm.opportunity(), await crm.opportunity()]
  const { results, errors } = await bulk('update', [
    { id: two.id, external_id: 'a-1' },
    { id: three.id, value: 2 },
  ])
  expect(results).toMatchObject([{ id: three.id, value: 2 }])
  expect(errors).toMatchObject([{ index: 0, id: two.id, error: error('CONFLICT') }])
})

test('bulk-move moves each card to its own stage, of whatever pipeline', async () => {
  const { stages } = await crm.firstPipeline()
  const renewals = await crm.pipeline()
  const [one, two, three] = [await crm.opportunity({ value: 5 }), await crm.opportunity(), await crm.opportunity()]
  const answer = await crm.ws.post('/opportunities/bulk-move', {
    skip_automations: true,
    records: [
      { id: two.id, stage_id: renewals.stages[1].id },
      { id: one.id, stage_id: stages.Won },
      { id: nobody, stage_id: stages.Won },
      { id: three.id, stage_id: nobody },
      { id: three.id, stage_id: stages.Won, pipeline_id: renewals.id },
      { id: three.id },
      { stage_id: stages.Won },
    ],
  })
  const { results, errors } = found(answer)
  expect(results).toMatchObject([
    { id: two.id, pipeline_id: renewals.id, stage_id: renewals.stages[1].id, status: 'open', probability: 30 },
    { id: one.id, stage_id: stages.Won, status: 'won', probability: 100, closed_at: results[1].stage_entered_at },
  ])
  expect(errors.map(({ index, error }: Row) => [index, error.code])).toEqual([
    [2, 'NOT_FOUND'],
    [3, 'VALIDATION_ERROR'],
    [4, 'VALIDATION_ERROR'],
    [5, 'VALIDATION_ERROR'],
    [6, 'VALIDATION_ERROR'],
  ])
  const later = (await crm.events(one.id)).slice(1)
  expect(later.map(({ type }) => type).sort()).toEqual(['opportunity.moved', 'opportunity.updated', 'opportunity.won'])
  for (const event of later) expect(event).toMatchObject({ skip_automations: true, request_id: answer.headers.get('x-request-id') })
  expect(found(await crm.ws.get(`/opportunities/${one.id}/stage-history`))[0]).toMatchObject({ to_stage_name: 'Won' })
  expect(found(await crm.ws.get(`/opportunities/${three.id}`))).toEqual(three)
})

test('a bulk-move that is run again changes nothing', async () => {
  const { stages } = await crm.firstPipeline()
  const { id } = await crm.opportunity()
  const records = [{ id, stage_id: stages.Won }]
  const first = await bulk('move', records)
  expect(await bulk('move', records)).toEqual(first)
  expect((await crm.events(id)).filter(({ type }) => type === 'opportunity.won')).toHaveLength(1)
})

test('bulk-delete deletes existing records with their parts, and reports the others as not found', async () => {
  const { id: contact_id } = await crm.contact()
  const [one, two] = [
    await crm.opportunity({ products: [{ name: 'Desk' }], contacts: [{ contact_id }], users: [{ user_id: crm.ws.userId }] }),
    await crm.opportunity(),
  ]
  const { results, skipped, errors } = await remove([nobody, one.id, one.id])
  expect(results).toEqual([{ id: one.id, deleted: true }])
  expect(skipped).toMatchObject([{ index: 2, id: one.id }])
  expect(errors).toMatchObject([{ index: 0, id: nobody, error: error('NOT_FOUND') }])
  expect(await Promise.all(PARTS.map(crm.count))).toEqual([1, 0, 0, 0, 1])
  expect(await remove([one.id, two.id])).toMatchObject({ results: [{ id: two.id }], errors: [{ index: 0, error: error('NOT_FOUND') }] })
})

test('an empty or an oversized call is refused as a whole', async () => {
  for (const records of [[], Array.from({ length: 101 }, () => ({ name: 'A' })), { name: 'A' }]) {
    for (const verb of ['create', 'update', 'move'])
      expect(await crm.ws.post(`/opportunities/bulk-${verb}`, { records }), verb).toMatchObject(refused('records'))
  }
  for (const list of [[], Array.from({ length: 101 }, () => nobody)])
    expect(await crm.ws.post('/opportunities/bulk-delete', { ids: list })).toMatchObject(refused('ids'))
})

test('100 records with parts at once', async () => {
  const product_id = await crm.product({ price: 10 })
  const { results } = await bulk(
    'create',
    Array.from({ length: 100 }, (_, i) => ({ name: `Deal ${i}`, products: [{ product_id, quantity: i }] })),
  )
  expect(results.map(({ name, products_total }: Row) => [name, products_total])).toEqual(
    Array.from({ length: 100 }, (_, i) => [`Deal ${i}`, i * 10]),
  )
  const { stages } = await crm.firstPipeline()
  const reversed = ids(results).reverse()
  expect(
    ids(
      (
        await bulk(
          'move',
          reversed.map((id) => ({ id, stage_id: stages.Won })),
        )
      ).results,
    ),
  ).toEqual(reversed)
})
