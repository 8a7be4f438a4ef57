import { expect, test } from 'vitest'
import { created, failed, found, nobody, type Row, refused, stagesByName, useCrm, uuid } from './crm.ts'

const crm = useCrm()

test('an opportunity needs a name and nothing else; it lands on the first stage of the default pipeline', async () => {
  const { pipeline, stages } = await crm.firstPipeline()
  const answer = await crm.ws.post('/opportunities', { name: ' Workstations ' })
  const { id, created_at, updated_at, ...rest } = created(answer)
  expect(id).toEqual(uuid)
  expect(updated_at).toBe(created_at)
  expect(rest).toMatchObject({
    name: 'Workstations',
    description: null,
    value: 0,
    currency: 'AUD',
    pipeline_id: pipeline,
    stage_id: stages.New,
    stage_entered_at: created_at,
    status: 'open',
    probability: 10,
    weighted_value: 0,
    assigned_to: null,
    customer_id: null,
    company: null,
    opportunity_type: null,
    lead_source: null,
    lost_reasons: null,
    won_reasons: null,
    tags: [],
    notes: null,
    metadata: {},
    opened_at: created_at,
    expected_close_date: null,
    closed_at: null,
    next_action_type: null,
    next_action_note: null,
    next_action_at: null,
    external_id: null,
    archived: false,
    version: 1,
    placements: [
      {
        pipeline_id: pipeline,
        pipeline_name: 'Sales pipeline',
        stage_id: stages.New,
        stage_name: 'New',
        stage_kind: 'open',
        entered_at: created_at,
      },
    ],
    products: [],
    products_total: 0,
    contacts: [],
    users: [],
  })
  expect(answer.headers.get('location')).toBe(`/v1/opportunities/${id}`)
  expect(answer.headers.get('etag')).toBe('"1"')
  const read = await crm.ws.get(`/opportunities/${id}`)
  expect(read.body).toEqual(answer.body)
  expect(read.headers.get('etag')).toBe('"1"')
})

const attributes = async () => ({
  description: 'Twelve of them\n',
  value: 4821.05,
  currency: 'EUR',
  assigned_to: crm.ws.userId,
  customer_id: await crm.company('Acme'),
  opportunity_type: 'New business',
  lead_source: 'Spring newsletter',
  notes: 'Ask for the plan.',
  metadata: { tier: 'gold' },
  tags: [{ name: 'VIP', color: '#ff0000' }],
  opened_at: '2026-05-01T00:00:00.000Z',
  expected_close_date: '2026-12-24',
  next_action_type: 'call',
  next_action_note: 'Before noon',
  next_action_at: '2026-11-30T09:30:00.000Z',
  external_id: '1C1I7A6R',
})

test('every attribute is kept as it is sent', async () => {
  const sent = await attributes()
  const opportunity = await crm.opportunity(sent)
  expect(opportunity).toMatchObject({ ...sent, company: { id: sent.customer_id, name: 'Acme' } })
  expect(found(await crm.ws.get(`/opportunities/${opportunity.id}`))).toEqual(opportunity)
})

test('an update changes what was sent and nothing else', async () => {
  const before = await crm.opportunity({ ...(await attributes()), products: [{ name: 'Desk' }] })
  const after = found(await crm.ws.patch(`/opportunities/${before.id}`, { value: 10 }))
  expect(after).toEqual({ ...before, value: 10, weighted_value: 1, version: 2, updated_at: after.updated_at })
  const all = { ...(await attributes()), external_id: 'other', customer_id: await crm.company('Base') }
  expect(found(await crm.ws.patch(`/opportunities/${before.id}`, all))).toMatchObject(all)
})

test.each([
  ['an empty string', ''],
  ['null', null],
])('%s clears a field', async (_, blank) => {
  const { id } = await crm.opportunity(await attributes())
  const texts = [
    'description',
    'assigned_to',
    'customer_id',
    'opportunity_type',
    'lead_source',
    'notes',
    'expected_close_date',
    'next_action_type',
    'next_action_note',
    'external_id',
  ]
  const fields = blank === null ? [...texts, 'opened_at', 'next_action_at'] : texts
  const nothing = Object.fromEntries(fields.map((field) => [field, null]))
  const cleared = found(await crm.ws.patch(`/opportunities/${id}`, Object.fromEntries(fields.map((field) => [field, blank]))))
  expect(cleared).toMatchObject({ ...nothing, company: null })
})

const notAccepted: [string, unknown][] = [
  ['name', undefined],
  ['name', ' '],
  ['name', null],
  ['value', '12'],
  ['value', -1],
  ['value', 0.001],
  ['value', 1e12],
  ['currency', 'dollars'],
  ['assigned_to', nobody],
  ['assigned_to', 'me'],
  ['customer_id', nobody],
  ['tags', ['VIP']],
  ['tags', [{ name: 'VIP', color: 'reddish' }]],
  ['metadata', []],
  ['opened_at', 'soon'],
  ['expected_close_date', '2026-02-30'],
  ['closed_at', '2026-01-01'],
  ['next_action_at', '2026-01-01'],
  ['lost_reasons', 'Price'],
  ['status', 'won'],
  ['probability', 50],
  ['colour', 'red'],
]
test.each(notAccepted)('a %s of %j is refused by its name, on create and on update, and nothing is stored', async (field, value) => {
  const path = field === 'tags' ? expect.stringMatching(/^tags\.0/) : field
  expect(await crm.ws.post('/opportunities', { name: 'Workstations', [field]: value })).toMatchObject(refused(path))
  expect(await crm.count('opportunities')).toBe(0)
  if (value === undefined) return
  const opportunity = await crm.opportunity()
  expect(await crm.ws.patch(`/opportunities/${opportunity.id}`, { notes: 'Late', [field]: value })).toMatchObject(refused(path))
  expect(found(await crm.ws.get(`/opportunities/${opportunity.id}`))).toEqual(opportunity)
})

test('an update does not move the card', async () => {
  const { stages } = await crm.firstPipeline()
  const { id } = await crm.opportunity()
  expect(await crm.ws.patch(`/opportunities/${id}`, { stage_id: stages.Won })).toMatchObject(refused('stage_id'))
})

test('money is exact', async () => {
  for (const value of [0.1, 19.99, 999_999_999_999.99, 4821]) expect((await crm.opportunity({ value })).value).toBe(value)
  const { stages } = await crm.firstPipeline()
  expect(await crm.opportunity({ value: 99.99, stage_id: stages.Qualified })).toMatchObject({ probability: 30, weighted_value: 30 })
})

test('tags are there once, whatever their case, and the last one counts', async () => {
  const tags = [{ name: 'VIP', color: '#FF0000' }, { name: 'new' }, { name: 'vip', color: '#00ff00' }]
  const opportunity = await crm.opportunity({ tags })
  expect(opportunity.tags).toEqual([
    { name: 'vip', color: '#00ff00' },
    { name: 'new', color: null },
  ])
  expect(found(await crm.ws.patch(`/opportunities/${opportunity.id}`, { tags: [] })).tags).toEqual([])
})

test('metadata merges, and null removes a name', async () => {
  const { id, metadata } = await crm.opportunity({ metadata: { a: 1, b: { c: 2 }, d: null } })
  expect(metadata).toEqual({ a: 1, b: { c: 2 } })
  expect(found(await crm.ws.patch(`/opportunities/${id}`, { metadata: { a: null, b: 3, e: 4 } })).metadata).toEqual({ b: 3, e: 4 })
})

test('a new opportunity starts in the requested stage', async () => {
  const renewals = await crm.pipeline()
  const stages = stagesByName(renewals)
  expect(await crm.opportunity({ pipeline_id: renewals.id })).toMatchObject({ stage_id: stages.New, pipeline_id: renewals.id })
  expect(await crm.opportunity({ stage_id: stages.Proposal })).toMatchObject({ pipeline_id: renewals.id, status: 'open', probability: 60 })
  expect(await crm.opportunity({ pipeline_id: renewals.id, stage_id: stages.Won })).toMatchObject({ status: 'won', probability: 100 })
})

test('a card on a won or lost stage is closed from the start', async () => {
  const { stages } = await crm.firstPipeline()
  const won = await crm.opportunity({ stage_id: stages.Won })
  expect(won).toMatchObject({ status: 'won', closed_at: won.created_at })
  expect((await crm.events(won.id)).map(({ type }) => type)).toEqual(['opportunity.created', 'opportunity.won'])
  const lost = await crm.opportunity({ stage_id: stages.Lost, closed_at: '2026-01-31' })
  expect(lost).toMatchObject({ status: 'lost', closed_at: '2026-01-31T00:00:00.000Z' })
  expect(found(await crm.ws.patch(`/opportunities/${lost.id}`, { closed_at: '2026-01-30T12:00:00Z' })).closed_at).toBe(
    '2026-01-30T12:00:00.000Z',
  )
})

test('a stage or pipeline that is unknown, foreign or of another pipeline is refused', async () => {
  const { pipeline } = await crm.firstPipeline()
  const { New } = stagesByName(await crm.pipeline())
  const theirs = created(await (await crm.app.workspace()).post('/pipelines', { name: 'Theirs' }))
  expect(await crm.ws.post('/opportunities', { name: 'A', pipeline_id: pipeline, stage_id: New })).toMatchObject(refused('stage_id'))
  for (const stage_id of [nobody, theirs.stages[0].id])
    expect(await crm.ws.post('/opportunities', { name: 'A', stage_id })).toMatchObject(refused('stage_id'))
  for (const pipeline_id of [nobody, theirs.id])
    expect(await crm.ws.post('/opportunities', { name: 'A', pipeline_id })).toMatchObject(refused('pipeline_id'))
  expect(await crm.count('opportunities')).toBe(0)
})

test('the owner is a member of the workspace, and not a former one', async () => {
  const former = await crm.formerMember()
  expect(await crm.ws.post('/opportunities', { name: 'A', assigned_to: former })).toMatchObject(refused('assigned_to'))
  const { id } = await crm.opportunity()
  expect(await crm.ws.patch(`/opportunities/${id}`, { assigned_to: former })).toMatchObject(refused('assigned_to'))
})

test('with its parts an opportunity is created as a whole, or not at all', async () => {
  const [ana, bo] = [await crm.contact({ last_name: 'Lee', phone: '0412 345 678' }), await crm.contact({ first_name: 'Bo' })]
  const product_id = await crm.product({ price: 100, tax_percent: 10 })
  const opportunity = await crm.opportunity({
    products: [
      { product_id, quantity: 2 },
      { name: 'Delivery', unit_price: 5.5 },
    ],
    contacts: [
      { contact_id: ana.id, role: 'Buyer', is_primary: true },
      { contact_id: bo.id, is_primary: true },
    ],
    users: [{ user_id: crm.ws.userId, role: 'Owner' }],
  })
  expect(opportunity.products).toMatchObject([
    { product_id, name: 'GTX Pro', total: 220, position: 0 },
    { name: 'Delivery', total: 5.5, position: 1 },
  ])
  expect(opportunity.products_total).toBe(225.5)
  expect(opportunity.contacts).toEqual([
    { contact_id: bo.id, first_name: 'Bo', last_name: null, email: null, phone: null, role: null, is_primary: true },
    { contact_id: ana.id, first_name: 'Ana', last_name: 'Lee', email: null, phone: '+61412345678', role: 'Buyer', is_primary: false },
  ])
  expect(opportunity.users).toMatchObject([{ user_id: crm.ws.userId, role: 'Owner' }])

  const parts: Row = { products: [{ product_id: nobody }], contacts: [{ contact_id: nobody }], users: [{ user_id: nobody }] }
  for (const [field, value] of Object.entries(parts))
    expect(await crm.ws.post('/opportunities', { name: 'B', [field]: value })).toMatchObject(
      refused(`${field}.0.${Object.keys(value[0])[0]}`),
    )
  expect(await crm.ws.post('/opportunities', { name: 'B', users: [{ user_id: await crm.formerMember() }] })).toMatchObject(
    refused('users.0.user_id'),
  )
  expect(await crm.count('opportunities')).toBe(1)
})

test('an external_id is there once in a workspace', async () => {
  await crm.opportunity({ external_id: 'a-1' })
  const { id } = await crm.opportunity()
  expect(await crm.ws.post('/opportunities', { name: 'B', external_id: 'a-1' })).toMatchObject(failed(409, 'CONFLICT'))
  expect(await crm.ws.patch(`/opportunities/${id}`, { external_id: 'a-1' })).toMatchObject(failed(409, 'CONFLICT'))
})
