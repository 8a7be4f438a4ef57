import { beforeEach, expect, test } from 'vitest'
import type { ApiResponse } from '../workspace.ts'
import { created, found, type Row, refused, stagesByName, useCrm } from './crm.ts'

const crm = useCrm()

let stages: Record<string, string>
beforeEach(async () => {
  created(await crm.ws.post('/custom-fields', { object: 'opportunity', key: 'tier', label: 'Tier', type: 'text' }))
  const pipeline = await crm.pipeline({
    stages: [
      { name: 'Open' },
      { name: 'Quoted', required_fields: ['value', 'expected_close_date', 'metadata.tier'], rotting_days: 7 },
      { name: 'Lost', kind: 'lost', required_fields: ['lost_reasons'] },
    ],
  })
  stages = stagesByName(pipeline)
})

const FULL = { value: 10, expected_close_date: '2027-01-31', metadata: { tier: 'Gold' } }
const missing = (...fields: string[]) => fields.map((path) => ({ path, message: 'Required to enter the stage Quoted' }))
const issuesOf = (answer: ApiResponse) => answer.body.error.details.issues
const errorsOf = (answer: ApiResponse) =>
  answer.body.data.errors.map(({ index, error }: Row) => [index, error.details.issues.map(({ path }: Row) => path)])

test('an opportunity enters a stage only with the fields that it requires, and the error names those that are missing', async () => {
  const blocked = await crm.ws.post('/opportunities', { name: 'New', stage_id: stages.Quoted, expected_close_date: '2027-01-31' })
  expect([blocked.status, issuesOf(blocked)]).toEqual([400, missing('value', 'metadata.tier')])

  const { id } = await crm.opportunity({ stage_id: stages.Open })
  const move = () => crm.ws.post(`/opportunities/${id}/move`, { stage_id: stages.Quoted })
  expect(issuesOf(await move())).toEqual(missing('value', 'expected_close_date', 'metadata.tier'))
  found(await crm.ws.patch(`/opportunities/${id}`, FULL))
  expect(found(await move()).stage_id).toBe(stages.Quoted)

  const cleared = await crm.ws.patch(`/opportunities/${id}`, { value: 0, metadata: { tier: null } })
  expect(issuesOf(cleared).map(({ path, message }: Row) => [path, message])).toEqual([
    ['value', 'Required in the stage Quoted: it cannot be cleared'],
    ['metadata.tier', 'Required in the stage Quoted: it cannot be cleared'],
  ])
  expect(found(await crm.ws.patch(`/opportunities/${id}`, { value: 12 })).value).toBe(12)
})

test('each record of a bulk call and of an upsert is checked for itself', async () => {
  const name = 'Card'
  const cards = await crm.ws.post('/opportunities/bulk-create', {
    records: [
      { name, stage_id: stages.Quoted, ...FULL },
      { name, stage_id: stages.Quoted },
      { name, stage_id: stages.Open },
    ],
  })
  expect([cards.body.data.results.length, errorsOf(cards)]).toEqual([2, [[1, ['value', 'expected_close_date', 'metadata.tier']]]])
  const [full, open] = cards.body.data.results.map(({ id }: Row) => id)

  const moved = await crm.ws.post('/opportunities/bulk-move', {
    records: [
      { id: open, stage_id: stages.Quoted },
      { id: full, stage_id: stages.Lost },
    ],
  })
  expect(errorsOf(moved)).toEqual([
    [0, ['value', 'expected_close_date', 'metadata.tier']],
    [1, ['lost_reasons']],
  ])
  await crm.offerReasons(['Price'])
  const lost = await crm.ws.post('/opportunities/bulk-move', { records: [{ id: full, stage_id: stages.Lost, lost_reasons: ['price'] }] })
  expect(lost.body.data.results[0]).toMatchObject({ status: 'lost', lost_reasons: ['Price'] })

  const external_id = 'a1'
  const upserted = await crm.ws.post('/opportunities/bulk-upsert', {
    records: [
      { name, external_id, stage_id: stages.Open, ...FULL },
      { name, external_id, stage_id: stages.Quoted },
      { name, external_id: 'a2', stage_id: stages.Quoted, value: 5 },
    ],
  })
  expect(errorsOf(upserted)).toEqual([[2, ['expected_close_date', 'metadata.tier']]])
  expect(upserted.body.data.results[1].stage_id).toBe(stages.Quoted)
})

test('a move that waits for approval is checked at once, and a restored opportunity comes back as it was', async () => {
  const { id } = await crm.opportunity({ stage_id: stages.Open })
  expect((await crm.ws.post(`/opportunities/${id}/move`, { stage_id: stages.Quoted, require_approval: true })).status).toBe(400)

  const { pipeline_id } = found(await crm.ws.get(`/opportunities/${id}`))
  found(await crm.ws.patch(`/pipelines/${pipeline_id}/stages/${stages.Open}`, { required_fields: ['customer_id'] }))
  found(await crm.ws.delete(`/opportunities/${id}`))
  expect(found(await crm.ws.post(`/opportunities/${id}/restore`)).stage_id).toBe(stages.Open)
})

test('a stage requires only fields that exist', async () => {
  const path = `/pipelines/${(await crm.opportunity({ stage_id: stages.Open })).pipeline_id}/stages`
  for (const field of ['metadata.none', 'colour'])
    expect(await crm.ws.post(path, { name: 'More', required_fields: ['value', field] })).toMatchObject(refused('required_fields.1'))
  const more = created(await crm.ws.post(path, { name: 'More', required_fields: ['value', 'value', 'metadata.tier'] }))
  expect(more).toMatchObject({ required_fields: ['value', 'metadata.tier'], rotting_days: null })
})

test('an open opportunity that stays too long in its stage is rotting', async () => {
  const [fresh, old] = [
    await crm.opportunity({ stage_id: stages.Quoted, ...FULL }),
    await crm.opportunity({ stage_id: stages.Quoted, ...FULL }),
  ]
  expect(fresh).toMatchObject({ days_in_stage: 0, is_rotting: false })
  await crm.app.owner.query("update opportunities set stage_entered_at = now() - interval '8 days' where id = $1", [old.id])
  const read = found(await crm.ws.get(`/opportunities/${old.id}`))
  expect(read).toMatchObject({ days_in_stage: 8, is_rotting: true })

  const ids = (answer: ApiResponse) => found(answer).map(({ id }: Row) => id)
  expect(ids(await crm.ws.get('/opportunities?sort=stage_entered_at'))).toEqual([old.id, fresh.id])
  const search = (filter: Row) => crm.ws.post('/opportunities/search', { filter, sort: '-stage_entered_at' })
  expect(ids(await search({ field: 'days_in_stage', op: 'gte', value: 8 }))).toEqual([old.id])
  expect(ids(await search({ all: [{ field: 'is_rotting', op: 'eq', value: true }] }))).toEqual([old.id])
  const board = found(await crm.ws.get(`/pipelines/${read.pipeline_id}/board`))
  const { rotting_days, cards } = board.columns[1]
  expect([rotting_days, cards.map(({ id, days_in_stage, is_rotting }: Row) => [id, days_in_stage, is_rotting])]).toEqual([
    7,
    [
      [old.id, 8, true],
      [fresh.id, 0, false],
    ],
  ])
})
