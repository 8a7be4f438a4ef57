import { beforeEach, expect, test } from 'vitest'
import { failed, found, nobody, type Row, refused, stagesByName, useCrm, uuid } from './crm.ts'

const crm = useCrm()

let pipeline: string
let stages: Record<string, string>
beforeEach(async () => {
  const first = await crm.firstPipeline()
  pipeline = first.pipeline
  stages = first.stages
})

const move = async (id: string, stage_id: string | undefined, more: Row = {}) =>
  found(await crm.ws.post(`/opportunities/${id}/move`, { stage_id, ...more }))
const moved = async (id: string) => (await crm.events(id)).filter(({ type }) => type === 'opportunity.moved')

test('a move puts the card on the stage, and its probability and time follow', async () => {
  const opportunity = await crm.opportunity({ value: 200 })
  const after = await move(opportunity.id, stages.Proposal)
  expect(after).toEqual({
    ...opportunity,
    stage_id: stages.Proposal,
    probability: 60,
    weighted_value: 120,
    stage_entered_at: after.updated_at,
    updated_at: after.updated_at,
    version: 2,
    placements: [
      {
        pipeline_id: pipeline,
        pipeline_name: 'Sales pipeline',
        stage_id: stages.Proposal,
        stage_name: 'Proposal',
        stage_kind: 'open',
        entered_at: after.updated_at,
      },
    ],
  })
  expect(after.updated_at > opportunity.updated_at).toBe(true)
  expect(found(await crm.ws.get(`/opportunities/${opportunity.id}`))).toEqual(after)
})

test.each([
  ['Won', 'won', 100],
  ['Lost', 'lost', 0],
])('entering the stage %s marks the opportunity %s, and leaving it opens it again', async (stage, status, probability) => {
  const { id } = await crm.opportunity()
  const closed = await move(id, stages[stage])
  expect(closed).toMatchObject({ status, probability, closed_at: closed.stage_entered_at })
  expect(await move(id, stages.New)).toMatchObject({ status: 'open', probability: 10, closed_at: null })
})

test('from won to lost the closing time is that of the last move', async () => {
  const { id } = await crm.opportunity({ stage_id: stages.Won, closed_at: '2026-01-31' })
  const lost = await move(id, stages.Lost)
  expect(lost).toMatchObject({ status: 'lost', closed_at: lost.stage_entered_at })
})

test('from one won stage to another the opportunity stays closed as it was', async () => {
  const { id } = await crm.opportunity({ stage_id: stages.Won, closed_at: '2026-01-31' })
  const { Won } = stagesByName(await crm.pipeline())
  expect(await move(id, Won)).toMatchObject({ stage_id: Won, status: 'won', closed_at: '2026-01-31T00:00:00.000Z' })
  expect(
    (await crm.events(id)).filter(({ type }) => type === 'opportunity.won'),
    'it was won once',
  ).toHaveLength(1)
})

test('a move may cross pipelines, with the pipeline named or not', async () => {
  const renewals = await crm.pipeline()
  const there = stagesByName(renewals)
  const { id } = await crm.opportunity()
  expect(await move(id, there.Won)).toMatchObject({
    pipeline_id: renewals.id,
    stage_id: there.Won,
    status: 'won',
    placements: [{ pipeline_name: 'Renewals' }],
  })
  expect(await move(id, stages.Qualified, { pipeline_id: pipeline })).toMatchObject({ pipeline_id: pipeline, status: 'open' })
  expect((await moved(id)).map(({ payload }) => payload)).toMatchObject([
    { from_pipeline_id: pipeline, from_stage_id: stages.New, to_pipeline_id: renewals.id, to_stage_id: there.Won },
    { from_pipeline_id: renewals.id, from_stage_id: there.Won, to_pipeline_id: pipeline, to_stage_id: stages.Qualified },
  ])
})

const wrong: [string, () => Promise<Row> | Row, string][] = [
  ['no stage', () => ({}), 'stage_id'],
  ['an unknown stage', () => ({ stage_id: nobody }), 'stage_id'],
  [
    "another workspace's stage",
    async () => ({ stage_id: (await (await crm.app.workspace()).get('/pipelines')).body.data[0].stages[0].id }),
    'stage_id',
  ],
  ['a stage of another pipeline', async () => ({ stage_id: stages.Won, pipeline_id: (await crm.pipeline()).id }), 'pipeline_id'],
  ['an unknown pipeline', () => ({ stage_id: stages.Won, pipeline_id: nobody }), 'pipeline_id'],
  ['a flag that is none', () => ({ stage_id: stages.Won, skip_automations: 'yes' }), 'skip_automations'],
  ['actions that are no list', () => ({ stage_id: stages.Won, skip_action_ids: nobody }), 'skip_action_ids'],
  ['an action that is no UUID', () => ({ stage_id: stages.Won, skip_action_ids: ['email'] }), 'skip_action_ids.0'],
  ['reasons that are no list', () => ({ stage_id: stages.Lost, lost_reasons: 'Price' }), 'lost_reasons'],
  ['an unknown field', () => ({ stage_id: stages.Won, value: 5 }), 'value'],
]
test.each(wrong)('a move with %s is refused, and the card stays', async (_, body, path) => {
  const opportunity = await crm.opportunity()
  expect(await crm.ws.post(`/opportunities/${opportunity.id}/move`, await body())).toMatchObject(refused(path))
  expect(found(await crm.ws.get(`/opportunities/${opportunity.id}`))).toEqual(opportunity)
  expect(await moved(opportunity.id)).toEqual([])
})

test('move-card wants the pipeline too', async () => {
  const { id } = await crm.opportunity()
  expect(await crm.ws.post(`/opportunities/${id}/move-card`, { stage_id: stages.Won })).toMatchObject(refused('pipeline_id'))
  expect(await crm.ws.post(`/opportunities/${id}/move-card`, { pipeline_id: pipeline })).toMatchObject(refused('stage_id'))
  const skipped = { skip_action_ids: [nobody], skip_automations: true }
  const answer = await crm.ws.post(`/opportunities/${id}/move-card`, { pipeline_id: pipeline, stage_id: stages.Won, ...skipped })
  expect(found(answer)).toMatchObject({ status: 'won', stage_id: stages.Won })
  expect(await moved(id)).toMatchObject([{ skip_automations: true, payload: { skip_action_ids: [nobody] } }])
})

test('the event of a move has its origin, its target and the actions to skip', async () => {
  const { id } = await crm.opportunity({ value: 12.5 })
  const answer = await crm.ws.post(`/opportunities/${id}/move`, { stage_id: stages.Won, skip_action_ids: [nobody] })
  const of = { request_id: answer.headers.get('x-request-id'), user_id: crm.ws.userId, key_id: crm.ws.keyId, skip_automations: false }
  const [first, ...others] = await crm.events(id)
  expect(first).toMatchObject({ type: 'opportunity.created' })
  expect(others).toMatchObject([
    { ...of, type: 'opportunity.updated' },
    {
      ...of,
      type: 'opportunity.moved',
      payload: {
        from_pipeline_id: pipeline,
        from_stage_id: stages.New,
        to_pipeline_id: pipeline,
        to_stage_id: stages.Won,
        skip_action_ids: [nobody],
      },
    },
    { ...of, type: 'opportunity.won', payload: { stage_id: stages.Won, value: 12.5 } },
  ])
  await move(id, stages.Lost, { skip_automations: true })
  expect((await crm.events(id)).slice(4)).toMatchObject([
    { type: 'opportunity.updated', skip_automations: true },
    { type: 'opportunity.moved', skip_automations: true, payload: { skip_action_ids: [] } },
    { type: 'opportunity.lost', skip_automations: true },
  ])
})

test('a move to the stage where the card is changes nothing and announces nothing', async () => {
  const opportunity = await crm.opportunity()
  expect(await move(opportunity.id, stages.New)).toEqual(opportunity)
  expect(await crm.events(opportunity.id)).toHaveLength(1)
  expect(found(await crm.ws.get(`/opportunities/${opportunity.id}/stage-history`))).toHaveLength(1)
})

test('remove-card takes the card off its pipeline and leaves the opportunity', async () => {
  const { id } = await crm.opportunity({ stage_id: stages.Won })
  const path = `/opportunities/${id}/remove-card`
  const other = await crm.pipeline()
  expect(await crm.ws.post(path, {})).toMatchObject(refused('pipeline_id'))
  expect(await crm.ws.post(path, { pipeline_id: nobody })).toMatchObject(refused('pipeline_id'))
  expect(await crm.ws.post(path, { pipeline_id: other.id })).toMatchObject(failed(409, 'INVALID_STATE'))
  expect(found(await crm.ws.post(path, { pipeline_id: pipeline }))).toMatchObject({
    pipeline_id: null,
    stage_id: null,
    stage_entered_at: null,
    placements: [],
    status: 'won',
    version: 2,
  })
  expect(await crm.ws.post(path, { pipeline_id: pipeline })).toMatchObject(failed(409, 'INVALID_STATE'))
  expect(await moved(id)).toMatchObject([{ payload: { from_stage_id: stages.Won, to_stage_id: null } }])
  expect(await move(id, stages.New)).toMatchObject({ pipeline_id: pipeline, status: 'open' })
})

test('the stage history shows the stages, the time in each, and who moved the card', async () => {
  const { id } = await crm.opportunity()
  await crm.rewrite('opportunities', id, { stage_entered_at: new Date(Date.now() - 90_500) })
  const colleague = await crm.ws.key()
  found(await colleague.post(`/opportunities/${id}/move`, { stage_id: stages.Proposal }))
  found(await crm.ws.post(`/opportunities/${id}/remove-card`, { pipeline_id: pipeline }))
  const back = await move(id, stages.Qualified)
  const history = found(await crm.ws.get(`/opportunities/${id}/stage-history`))
  const stage = (direction: string, name: string | null) => ({
    [`${direction}_pipeline_id`]: name && pipeline,
    [`${direction}_stage_id`]: name && stages[name],
    [`${direction}_stage_name`]: name,
  })
  expect(history).toMatchObject([
    {
      ...stage('from', null),
      ...stage('to', 'Qualified'),
      seconds_in_stage: null,
      moved_by: crm.ws.userId,
      moved_at: back.stage_entered_at,
    },
    { ...stage('from', 'Proposal'), ...stage('to', null), moved_by: crm.ws.userId },
    { ...stage('from', 'New'), ...stage('to', 'Proposal'), moved_by: colleague.userId },
    { ...stage('from', null), ...stage('to', 'New'), seconds_in_stage: null, moved_by: crm.ws.userId },
  ])
  for (const { id: move, opportunity_id } of history) expect([move, opportunity_id]).toEqual([uuid, id])
  const seconds = history.map(({ seconds_in_stage }: Row) => seconds_in_stage)
  expect(seconds[1]).toBeLessThan(30)
  expect(seconds[2]).toBeGreaterThanOrEqual(90)
  expect(seconds[2]).toBeLessThan(120)
})

test('the stage history is paginated, newest first, and keeps the names of deleted stages', async () => {
  const { id } = await crm.opportunity()
  for (const stage of ['Qualified', 'Proposal', 'Qualified', 'Won']) await move(id, stages[stage])
  found(await crm.ws.delete(`/pipelines/${pipeline}/stages/${stages.Proposal}`))
  const walked = await crm.walk(`/opportunities/${id}/stage-history?limit=2`)
  expect(walked.map(({ to_stage_name }) => to_stage_name)).toEqual(['Won', 'Qualified', 'Proposal', 'Qualified', 'New'])
})

test('of two moves at the same time each finds the card where the other left it', async () => {
  const { id } = await crm.opportunity()
  await Promise.all(['Qualified', 'Proposal', 'Won', 'Lost'].map((stage) => move(id, stages[stage])))
  const history = found(await crm.ws.get(`/opportunities/${id}/stage-history`))
  for (const [i, { from_stage_id }] of history.entries()) expect(from_stage_id).toBe(history[i + 1]?.to_stage_id ?? null)
  expect(found(await crm.ws.get(`/opportunities/${id}`)).stage_id).toBe(history[0]!.to_stage_id)
})
