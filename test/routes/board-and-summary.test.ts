import { beforeEach, expect, test } from 'vitest'
import { failed, found, ids, nobody, type Row, refused, stagesByName, useCrm } from './crm.ts'

const crm = useCrm()

let path: string
let stages: Record<string, string>
beforeEach(async () => {
  const pipeline = await crm.pipeline()
  path = `/pipelines/${pipeline.id}`
  stages = stagesByName(pipeline)
})

const card = (stage: string, fields: Row = {}) => crm.opportunity({ stage_id: stages[stage], ...fields })
const board = async (query = '') => found(await crm.ws.get(`${path}/board${query}`))
const column = async (name: string, query = '') => (await board(query)).columns.find((column: Row) => column.name === name) as Row
const summary = async (query = '') => found(await crm.ws.get(`${path}/summary${query}`))
/** As if it had been created then. */
const backdate = (id: string, at: string) => crm.app.owner.query('update opportunities set created_at = $2 where id = $1', [id, at])
const NOTHING = { count: 0, value: 0, by_currency: [] }

test('an empty board has a column a stage, in order', async () => {
  const { columns, ...rest } = await board()
  expect(rest).toMatchObject({ pipeline_id: path.split('/')[2], name: 'Renewals' })
  expect(columns).toEqual(
    ['New', 'Qualified', 'Proposal', 'Won', 'Lost'].map((name) => ({
      stage_id: stages[name],
      name,
      kind: { Won: 'won', Lost: 'lost' }[name] ?? 'open',
      color: null,
      rotting_days: null,
      count: 0,
      value: 0,
      by_currency: [],
      cards: [],
    })),
  )
})

test('a column counts its cards and their value to the cent, and shows the newest first', async () => {
  const customer_id = await crm.company('Acme')
  const first = await card('New', {
    name: 'First',
    value: 0.1,
    customer_id,
    assigned_to: crm.ws.userId,
    expected_close_date: '2026-12-24',
    next_action_at: '2026-12-01T09:00:00Z',
  })
  const second = await card('New', { name: 'Second', value: 0.2 })
  await card('Won', { value: 999_999_999_999.99 })
  await card('Won', { value: 0.01 })
  const archived = await card('New', { value: 50 })
  found(await crm.ws.patch(`/opportunities/${archived.id}`, { archived: true }))
  await crm.opportunity({ value: 7 })
  expect(await column('New')).toMatchObject({ count: 2, value: 0.3 })
  expect((await column('New')).cards).toEqual([
    {
      id: second.id,
      name: 'Second',
      value: 0.2,
      assigned_to: null,
      customer_id: null,
      company_name: null,
      stage_entered_at: second.stage_entered_at,
      days_in_stage: 0,
      is_rotting: false,
      expected_close_date: null,
      next_action_at: null,
    },
    {
      id: first.id,
      name: 'First',
      value: 0.1,
      assigned_to: crm.ws.userId,
      customer_id,
      company_name: 'Acme',
      stage_entered_at: first.stage_entered_at,
      days_in_stage: 0,
      is_rotting: false,
      expected_close_date: '2026-12-24',
      next_action_at: '2026-12-01T09:00:00.000Z',
    },
  ])
  expect(await column('Won')).toMatchObject({ count: 2, value: 1_000_000_000_000 })
})

test('a card shows on the board that it was moved to', async () => {
  const { id } = await card('New')
  found(await crm.ws.post(`/opportunities/${id}/move`, { stage_id: stages.Proposal }))
  expect([await column('New'), await column('Proposal')]).toMatchObject([
    { count: 0, cards: [] },
    { count: 1, cards: [{ id }] },
  ])
  found(await crm.ws.post(`/opportunities/${id}/remove-card`, { pipeline_id: path.split('/')[2] }))
  expect((await column('Proposal')).count).toBe(0)
})

test('cards says how many a column shows, 10 unless said; the count stays the whole', async () => {
  const records = Array.from({ length: 12 }, (_, i) => ({ name: `Card ${i}`, value: 1, stage_id: stages.New }))
  const { results } = found(await crm.ws.post('/opportunities/bulk-create', { records }))
  const newest = ids(results).sort().reverse()
  expect(ids((await column('New')).cards)).toEqual(newest.slice(0, 10))
  expect(ids((await column('New', '?cards=3')).cards)).toEqual(newest.slice(0, 3))
  expect(await column('New', '?cards=0')).toMatchObject({ count: 12, value: 12, cards: [] })
  expect((await column('New', '?cards=50')).cards).toHaveLength(12)
  for (const cards of ['51', '-1', 'all']) expect(await crm.ws.get(`${path}/board?cards=${cards}`)).toMatchObject(refused('cards'))
})

test("an owner's board has that owner's cards only", async () => {
  const colleague = await crm.ws.key()
  const mine = await card('New', { value: 5, assigned_to: crm.ws.userId })
  await card('New', { value: 7, assigned_to: colleague.userId })
  await card('New', { value: 11 })
  expect(await column('New', `?assigned_to=${crm.ws.userId}`)).toMatchObject({ count: 1, value: 5, cards: [{ id: mine.id }] })
  expect(await column('New', `?assigned_to=${nobody}`)).toMatchObject({ count: 0, value: 0, cards: [] })
})

test.each(['board', 'summary'])('the %s of a pipeline that is not there, or not asked for rightly', async (report) => {
  const other = await (await crm.app.workspace()).get('/pipelines')
  for (const id of [nobody, other.body.data[0].id])
    expect(await crm.ws.get(`/pipelines/${id}/${report}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await crm.ws.get(`${path}/${report}?assigned_to=me`)).toMatchObject(refused('assigned_to'))
  expect(await crm.ws.get(`${path}/${report}?colour=red`)).toMatchObject(refused('colour'))
  for (const scopes of [['pipelines:read'], ['opportunities:read']]) {
    expect(await (await crm.ws.key({ scopes })).get(`${path}/${report}`)).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
  }
  found(await (await crm.ws.key({ scopes: ['pipelines:read', 'opportunities:read'] })).get(`${path}/${report}`))
})

test('the summary of an empty pipeline is all zeros, and knows no rates', async () => {
  expect(await summary()).toEqual({
    pipeline_id: path.split('/')[2],
    stages: ['New', 'Qualified', 'Proposal', 'Won', 'Lost'].map((name) => ({
      stage_id: stages[name],
      name,
      kind: { Won: 'won', Lost: 'lost' }[name] ?? 'open',
      ...NOTHING,
      weighted_value: 0,
    })),
    open: NOTHING,
    won: NOTHING,
    lost: NOTHING,
    conversion_percent: null,
    average_days_to_close: null,
    without_company: 0,
  })
})

test('the summary adds up stages, outcomes, conversion and days', async () => {
  const customer_id = await crm.company()
  await card('New', { value: 99.99, customer_id })
  await card('New', { value: 0.01 })
  await card('Proposal', { value: 33.33 })
  await card('Won', { value: 1000.1, opened_at: '2026-01-01', closed_at: '2026-01-11' })
  await card('Won', { value: 2000.2, customer_id, opened_at: '2026-01-01T00:00:00Z', closed_at: '2026-01-06T12:00:00Z' })
  const archived = await card('Lost', { value: 500, opened_at: '2026-01-01', closed_at: '2026-03-01' })
  found(await crm.ws.patch(`/opportunities/${archived.id}`, { archived: true }))
  const { stages: byStage, ...totals } = await summary()
  expect(totals).toMatchObject({
    open: { count: 3, value: 133.33 },
    won: { count: 2, value: 3000.3 },
    lost: { count: 1, value: 500 },
    conversion_percent: 66.67,
    average_days_to_close: 7.8,
    without_company: 4,
  })
  expect(byStage.map(({ name, count, value, weighted_value }: Row) => [name, count, value, weighted_value])).toEqual([
    ['New', 2, 100, 10],
    ['Qualified', 0, 0, 0],
    ['Proposal', 1, 33.33, 20],
    ['Won', 2, 3000.3, 3000.3],
    ['Lost', 1, 500, 0],
  ])
})

test('a range counts what falls on its days, first and last included', async () => {
  const dates = { created_at: '2026-05-01', opened_at: '2026-06-01', closed_at: '2026-07-01' }
  const won = await card('Won', { value: 10, opened_at: `${dates.opened_at}T00:00:00Z`, closed_at: `${dates.closed_at}T23:59:59.999Z` })
  await backdate(won.id, `${dates.created_at}T12:00:00Z`)
  const count = async (query: string) => (await summary(`?${query}`)).won.count
  for (const [field, date] of Object.entries(dates)) {
    const [before, after] = [-1, 1].map((days) => new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10))
    const by = `date_field=${field}`
    expect(await count(`${by}&from=${date}&to=${date}`), field).toBe(1)
    expect(await count(`${by}&from=${before}`), field).toBe(1)
    expect(await count(`${by}&to=${after}`), field).toBe(1)
    expect(await count(`${by}&from=${after}`), field).toBe(0)
    expect(await count(`${by}&to=${before}`), field).toBe(0)
  }
  expect(await count('from=2026-05-01&to=2026-05-01'), 'by creation unless said').toBe(1)
  for (const query of ['from=2026-02-30', 'to=May', 'date_field=updated_at']) {
    expect(await crm.ws.get(`${path}/summary?${query}`)).toMatchObject(refused(query.split('=')[0] as string))
  }
})

test("an owner's summary has that owner's opportunities only", async () => {
  const colleague = await crm.ws.key()
  await card('Won', { value: 10, assigned_to: crm.ws.userId, opened_at: '2026-01-01', closed_at: '2026-01-02' })
  await card('Lost', { value: 20, assigned_to: colleague.userId })
  await card('Won', { value: 30, assigned_to: colleague.userId, opened_at: '2026-01-01', closed_at: '2026-01-05' })
  expect(await summary(`?assigned_to=${crm.ws.userId}`)).toMatchObject({
    won: { count: 1, value: 10 },
    lost: NOTHING,
    conversion_percent: 100,
    average_days_to_close: 1,
  })
  expect(await summary(`?assigned_to=${colleague.userId}`)).toMatchObject({
    won: { count: 1, value: 30 },
    conversion_percent: 50,
    average_days_to_close: 4,
  })
  expect(await summary()).toMatchObject({ conversion_percent: 66.67, average_days_to_close: 2.5 })
})

test('what was opened nobody knows when took from its creation to its end', async () => {
  const won = await card('Won', { opened_at: null, closed_at: '2026-05-11' })
  await backdate(won.id, '2026-05-01T00:00:00Z')
  expect((await summary()).average_days_to_close).toBe(10)
})
