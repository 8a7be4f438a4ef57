import { expect, test } from 'vitest'
import { created, found, type Row, refused, useCrm } from './crm.ts'
import { openShop, order, orderForm } from './ordering.ts'

/** What a workspace asks of the records that its people write does not stop what follows from something else by itself. */
const crm = useCrm({ own: true })
const requireOf = async (object: string) =>
  created(await crm.ws.post('/custom-fields', { object, key: 'origin', label: 'Origin', type: 'text', required: true }))

test('a paid order is recorded with its contact and its opportunity', async () => {
  crm.app.stripe.clear()
  const shop = await openShop(crm.app, crm.ws)
  for (const object of ['contact', 'opportunity']) await requireOf(object)
  const { pipeline, stages } = await crm.firstPipeline()
  found(await crm.ws.patch(`/pipelines/${pipeline}/stages/${stages.New}`, { required_fields: ['metadata.origin', 'expected_close_date'] }))
  const form = await orderForm(crm)
  await shop.reported(crm.app.stripe.world.pay(await order(crm.app, form.slug, { quantity_0: '1' })))
  const [paid] = found(await crm.ws.get(`/order-forms/${form.id}/logs`))
  expect(paid).toMatchObject({ event: 'paid', order_status: 'paid' })
  expect(found(await crm.ws.get('/contacts'))).toMatchObject([{ id: paid?.contact_id, email: 'ana@example.com', metadata: {} }])
  expect(found(await crm.ws.get('/opportunities'))).toMatchObject([{ id: paid?.opportunity_id, stage_id: stages.New, metadata: {} }])
})

test('a task that recurs is completed, alone and together with others, and its next one has the values that there are', async () => {
  const { ws } = crm
  created(await ws.post('/custom-fields', { object: 'task', key: 'place', label: 'Place', type: 'text' }))
  const daily = { due_at: '2026-12-01T00:00:00Z', recurrence: { frequency: 'daily' }, metadata: { place: 'Roof' } }
  const [first, second] = [
    created(await ws.post('/tasks', { title: 'A', ...daily })),
    created(await ws.post('/tasks', { title: 'B', ...daily })),
  ]
  const single = created(await ws.post('/tasks', { title: 'C' }))
  await requireOf('task')
  const records = [first, single].map(({ id }) => ({ id, status: 'completed' }))
  expect(found(await ws.post('/tasks/bulk-update', { records }))).toMatchObject({
    results: [{ id: first.id }, { id: single.id }],
    errors: [],
  })
  found(await ws.patch(`/tasks/${second.id}`, { status: 'completed' }))
  const filter = {
    all: [
      { field: 'metadata.place', op: 'eq', value: 'Roof' },
      { field: 'status', op: 'eq', value: 'open' },
    ],
  }
  const next = found(await ws.post('/tasks/search', { filter })) as Row[]
  expect(next.map(({ title }) => title).toSorted()).toEqual(['A', 'B'])
})

test('a required field takes any value but a blank one', async () => {
  const cases: Record<string, { field: Row; blank: unknown[]; values: unknown[] }> = {
    word: { field: { type: 'text' }, blank: ['', '  ', null], values: ['0', ' a '] },
    some: { field: { type: 'multi_select', options: ['A'] }, blank: [[], null], values: [['A']] },
    size: { field: { type: 'number' }, blank: [null, ''], values: [0] },
    flag: { field: { type: 'boolean' }, blank: [null, ''], values: [false] },
  }
  for (const [key, { field, blank, values }] of Object.entries(cases)) {
    const { id } = created(await crm.ws.post('/custom-fields', { object: 'company', key, label: key, required: true, ...field }))
    const make = (metadata: Row) => crm.ws.post('/companies', { name: 'Acme', metadata })
    const kept = created(await make({ [key]: values[0] }))
    expect(await make({})).toMatchObject(refused(`metadata.${key}`))
    for (const value of blank)
      for (const answer of [await make({ [key]: value }), await crm.ws.patch(`/companies/${kept.id}`, { metadata: { [key]: value } })])
        expect(answer, JSON.stringify(value)).toMatchObject(refused(`metadata.${key}`))
    for (const value of values) created(await make({ [key]: value }))
    found(await crm.ws.delete(`/custom-fields/${id}`))
  }
})
