import { beforeEach, expect, test } from 'vitest'
import { created, failed, found, held, ids, nobody, type Row, refused, stagesByName, useCrm } from './crm.ts'

const crm = useCrm()

let path: string
let pipeline: Row
let stages: Record<string, string>
beforeEach(async () => {
  pipeline = await crm.pipeline({
    name: 'Hardware',
    stages: [{ name: 'One' }, { name: 'Two', probability: 40 }, { name: 'Won', kind: 'won' }, { name: 'Lost', kind: 'lost' }],
  })
  path = `/pipelines/${pipeline.id}/stages`
  stages = stagesByName(pipeline)
})

const order = async () => found(await crm.ws.get(path)).map(({ name }: Row) => name)
const card = (stage_id: string | undefined, fields: Row = {}) => crm.opportunity({ stage_id, ...fields })
const read = async (opportunity: Row) => found(await crm.ws.get(`/opportunities/${opportunity.id}`))

test('the stages of a pipeline are listed in order, and one can be read', async () => {
  const list = found(await crm.ws.get(path))
  expect(list.map(({ name, position, pipeline_id }: Row) => [name, position, pipeline_id])).toEqual(
    ['One', 'Two', 'Won', 'Lost'].map((name, position) => [name, position, pipeline.id]),
  )
  const answer = await crm.ws.get(`${path}/${stages.Two}`)
  expect(found(answer)).toMatchObject({ ...list[1], version: 1, created_at: pipeline.created_at })
  expect(answer.headers.get('etag')).toBe('"1"')
})

const places: [number | undefined, string[], number][] = [
  [undefined, ['One', 'Two', 'Won', 'Lost', 'More'], 4],
  [0, ['More', 'One', 'Two', 'Won', 'Lost'], 0],
  [2, ['One', 'Two', 'More', 'Won', 'Lost'], 2],
  [99, ['One', 'Two', 'Won', 'Lost', 'More'], 4],
]
test.each(places)('a stage added at %s comes there, and the others make room', async (position, names, at) => {
  const answer = await crm.ws.post(path, { name: 'More', position, color: '#00FF00' })
  expect(created(answer)).toMatchObject({
    name: 'More',
    kind: 'open',
    probability: 0,
    color: '#00ff00',
    position: at,
    pipeline_id: pipeline.id,
  })
  expect(answer.headers.get('location')).toBe(`/v1${path}/${answer.body.data.id}`)
  expect(await order()).toEqual(names)
  expect(found(await crm.ws.get(`/pipelines/${pipeline.id}`)).stages.map(({ position }: Row) => position)).toEqual([0, 1, 2, 3, 4])
})

test('a place is counted among the stages that are there, also when others have gone', async () => {
  for (const name of ['One', 'Two']) found(await crm.ws.delete(`${path}/${stages[name]}`))
  created(await crm.ws.post(path, { name: 'More', position: 1 }))
  expect(await order()).toEqual(['Won', 'More', 'Lost'])
})

test('a won stage has probability 100 by default', async () => {
  expect(created(await crm.ws.post(path, { name: 'Sold', kind: 'won' })).probability).toBe(100)
  expect(created(await crm.ws.post(path, { name: 'Sold, nearly', kind: 'won', probability: 95 })).probability).toBe(95)
  expect(created(await crm.ws.post(path, { name: 'Gone', kind: 'lost' })).probability).toBe(0)
})

test('a name is there once in its pipeline, and may be in another', async () => {
  expect(await crm.ws.post(path, { name: ' two ' })).toMatchObject(failed(409, 'CONFLICT'))
  expect(await crm.ws.patch(`${path}/${stages.One}`, { name: 'TWO' })).toMatchObject(failed(409, 'CONFLICT'))
  const other = await crm.pipeline({ name: 'Other' })
  created(await crm.ws.post(`/pipelines/${other.id}/stages`, { name: 'Two' }))
})

test.each([
  {},
  { name: '' },
  { name: 'A', kind: 'closed' },
  { name: 'A', probability: -1 },
  { name: 'A', color: '#12' },
  { name: 'A', position: -1 },
  { name: 'A', pipeline_id: nobody },
])('the stage %j is refused', async (body) => {
  expect(await crm.ws.post(path, body)).toMatchObject(refused(Object.keys(body).at(-1) ?? 'name'))
  expect(await order()).toHaveLength(4)
})

test('an update changes only the fields it sends, and not the cards of the stage', async () => {
  const opportunity = await card(stages.Two)
  const patch = await crm.ws.patch(`${path}/${stages.Two}`, { name: 'Second', probability: 50, color: '#123456' }, { 'if-match': '"1"' })
  expect(found(patch)).toMatchObject({ name: 'Second', probability: 50, color: '#123456', kind: 'open', position: 1, version: 2 })
  expect(patch.headers.get('etag')).toBe('"2"')
  expect(await crm.ws.patch(`${path}/${stages.Two}`, { name: 'Late' }, { 'if-match': '"1"' })).toMatchObject(
    failed(412, 'PRECONDITION_FAILED'),
  )
  expect(await read(opportunity)).toMatchObject({
    stage_id: stages.Two,
    status: 'open',
    probability: 40,
    placements: [{ stage_name: 'Second' }],
  })
  const [updated] = found(await crm.ws.get(`${path}/${stages.Two}/history`))
  expect(updated).toMatchObject({
    action: 'updated',
    request_id: patch.headers.get('x-request-id'),
    fields: { name: { before: 'Two', after: 'Second' } },
  })
})

test('a stage that becomes won or open takes its cards along', async () => {
  const [here, elsewhere] = [await card(stages.Two), await card(stages.One)]
  found(await crm.ws.patch(`${path}/${stages.Two}`, { kind: 'won' }))
  const won = await read(here)
  expect(won.status).toBe('won')
  expect(Date.parse(won.closed_at)).toBeGreaterThan(Date.now() - 60_000)
  found(await crm.ws.patch(`${path}/${stages.Two}`, { kind: 'open' }))
  expect(await read(here)).toMatchObject({ status: 'open', closed_at: null })
  expect(await read(elsewhere)).toEqual(elsewhere)
})

test('an open card has no lost reasons, whichever way it came to be open', async () => {
  await crm.offerReasons(['Price'])
  const [one, two] = [await card(stages.Lost, { lost_reasons: ['Price'] }), await card(stages.Lost, { lost_reasons: ['Price'] })]
  found(await crm.ws.post(`/opportunities/${one.id}/move`, { stage_id: stages.One }))
  expect(await read(one)).toMatchObject({ status: 'open', lost_reasons: null })
  found(await crm.ws.patch(`${path}/${stages.Lost}`, { kind: 'open' }))
  expect(await read(two)).toMatchObject({ status: 'open', lost_reasons: null })
})

test('the order is set as a whole', async () => {
  const names = ['Lost', 'Two', 'One', 'Won']
  const answer = await crm.ws.post(`${path}/reorder`, { stage_ids: names.map((name) => stages[name]) })
  expect(found(answer)).toMatchObject({ id: pipeline.id, stages: names.map((name, position) => ({ name, position })) })
  expect(await order()).toEqual(names)
  expect((await card(undefined, { pipeline_id: pipeline.id })).stage_id, 'new cards land on the first stage').toBe(stages.Lost)
})

test('an order that lacks a stage, repeats one or names another is refused', async () => {
  const { stages: others } = await crm.firstPipeline()
  const all = [stages.One, stages.Two, stages.Won, stages.Lost]
  for (const [stage_ids, fault] of [
    [all.slice(1), 'stage_ids'],
    [[...all, all[0]], 'stage_ids.4'],
    [[...all.slice(1), all[1]], 'stage_ids.3'],
    [[...all, nobody], 'stage_ids.4'],
    [[...all.slice(1), others.New], 'stage_ids.3'],
    [[], 'stage_ids'],
  ] as const) {
    expect(await crm.ws.post(`${path}/reorder`, { stage_ids })).toMatchObject(refused(fault))
  }
  expect(await order()).toEqual(['One', 'Two', 'Won', 'Lost'])
})

test('an empty stage can be deleted', async () => {
  expect(await crm.ws.delete(`${path}/${stages.Two}`)).toMatchObject({ status: 200, body: { data: { id: stages.Two, deleted: true } } })
  expect(await order()).toEqual(['One', 'Won', 'Lost'])
  expect(await crm.ws.get(`${path}/${stages.Two}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(found(await crm.ws.get(`${path}/${stages.Two}/history`))[0]).toMatchObject({ action: 'deleted' })
})

test('a stage with cards, archived ones too, can be deleted when another takes them', async () => {
  const opportunity = await card(stages.Two)
  found(await crm.ws.patch(`/opportunities/${opportunity.id}`, { archived: true }))
  expect(await crm.ws.delete(`${path}/${stages.Two}`)).toMatchObject(failed(409, 'CONFLICT'))
  for (const target of [stages.Two, nobody, 'one']) {
    expect(await crm.ws.delete(`${path}/${stages.Two}?move_to_stage_id=${target}`)).toMatchObject(refused('move_to_stage_id'))
  }
  expect(await order()).toContain('Two')
  found(await crm.ws.delete(`${path}/${stages.Two}?move_to_stage_id=${stages.Won}`))
  expect(await read(opportunity)).toMatchObject({ stage_id: stages.Won, status: 'won', probability: 100 })
  const [move] = found(await crm.ws.get(`/opportunities/${opportunity.id}/stage-history`))
  expect(move).toMatchObject({ from_stage_id: stages.Two, from_stage_name: 'Two', to_stage_name: 'Won', moved_by: crm.ws.userId })
  expect((await crm.events(opportunity.id)).map(({ type }) => type)).toEqual(
    expect.arrayContaining(['opportunity.moved', 'opportunity.won']),
  )
})

test('the cards of a deleted stage may go to another pipeline, and leave their lost reasons behind', async () => {
  await crm.offerReasons(['Price'])
  const opportunity = await card(stages.Lost, { lost_reasons: ['Price'] })
  const first = await crm.firstPipeline()
  found(await crm.ws.delete(`${path}/${stages.Lost}?move_to_stage_id=${first.stages.New}`))
  expect(await read(opportunity)).toMatchObject({
    pipeline_id: first.pipeline,
    stage_id: first.stages.New,
    status: 'open',
    closed_at: null,
    lost_reasons: null,
  })
})

test('the last stage stays', async () => {
  for (const name of ['One', 'Two', 'Won']) found(await crm.ws.delete(`${path}/${stages[name]}`))
  expect(await crm.ws.delete(`${path}/${stages.Lost}`)).toMatchObject(failed(409, 'CONFLICT'))
  expect(await order()).toEqual(['Lost'])
})

test.each(['GET', 'PATCH', 'DELETE'])('%s: a stage is found below its own pipeline only', async (method) => {
  const first = await crm.firstPipeline()
  const body = method === 'PATCH' ? {} : undefined
  for (const [pipelineId, stage] of [
    [first.pipeline, stages.One],
    [pipeline.id, nobody],
    [nobody, stages.One],
    [pipeline.id, first.stages.New],
  ]) {
    expect(await crm.ws.call(method, `/pipelines/${pipelineId}/stages/${stage}`, body)).toMatchObject(failed(404, 'NOT_FOUND'))
  }
})

test('stages of a pipeline that is not there', async () => {
  const { body } = await (await crm.app.workspace()).get('/pipelines')
  for (const id of [nobody, ...ids(body.data)]) {
    expect(await crm.ws.get(`/pipelines/${id}/stages`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await crm.ws.post(`/pipelines/${id}/stages`, { name: 'A' })).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await crm.ws.post(`/pipelines/${id}/stages/reorder`, { stage_ids: [stages.One] })).toMatchObject(failed(404, 'NOT_FOUND'))
  }
})

test('stages added at the same time all have their place', async () => {
  await Promise.all(['A', 'B', 'C', 'D'].map(async (name) => created(await crm.ws.post(path, { name, position: 1 }))))
  expect(found(await crm.ws.get(path)).map(({ position }: Row) => position)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
})

test('a write may be held or tried', async () => {
  expect(await crm.ws.post(path, { name: 'A', require_approval: true })).toMatchObject(held)
  expect(await crm.ws.post(`${path}/reorder`, { stage_ids: Object.values(stages).reverse(), require_approval: true })).toMatchObject(held)
  expect(await crm.ws.delete(`${path}/${stages.One}?require_approval=true`)).toMatchObject(held)
  expect((await crm.ws.post(`${path}?dry_run=true`, { name: 'A', position: 3 })).body.dry_run.changes).toHaveLength(2)
  expect(await order()).toEqual(['One', 'Two', 'Won', 'Lost'])
})

test('cards of a stage or pipeline that is deleted move 2,000 at a time, and it stays until none is left', async () => {
  const { pipeline, stages } = await crm.firstPipeline()
  const doomed = await crm.pipeline({ name: 'Doomed' })
  const [first, second] = doomed.stages as { id: string }[]
  const fill = (stage: string, count: number) =>
    crm.app.owner.query(
      `insert into opportunities (workspace_id, name, pipeline_id, stage_id) select $1, 'O' || i, $2, $3
        from generate_series(1, $4::int) i`,
      [crm.ws.id, doomed.id, stage, count],
    )
  await fill(first!.id, 2_003)
  const stage = `/pipelines/${doomed.id}/stages/${first!.id}`
  const refusedKind = await crm.ws.patch(stage, { kind: 'won' })
  expect(refusedKind).toMatchObject({
    ...failed(409, 'CONFLICT'),
    body: { error: { message: expect.stringContaining('more than 2,000') } },
  })

  expect(found(await crm.ws.delete(`${stage}?move_to_stage_id=${second!.id}`))).toEqual({
    id: first!.id,
    deleted: false,
    changed: 2_000,
    more: true,
  })
  expect(found(await crm.ws.get(stage))).toMatchObject({ id: first!.id })
  expect(found(await crm.ws.delete(`${stage}?move_to_stage_id=${second!.id}`))).toMatchObject({ deleted: true, changed: 3, more: false })

  const path = `/pipelines/${doomed.id}?move_to_stage_id=${stages.New}`
  expect(found(await crm.ws.delete(path))).toMatchObject({ deleted: false, changed: 2_000, more: true })
  expect(found(await crm.ws.delete(path))).toMatchObject({ deleted: true, changed: 3, more: false })
  const { rows } = await crm.app.owner.query(
    'select count(*)::int as cards from opportunities where workspace_id = $1 and pipeline_id = $2',
    [crm.ws.id, pipeline],
  )
  expect(rows).toEqual([{ cards: 2_003 }])
}, 120_000)

test('a pipeline has at most 100 stages, however they come to be', async () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `Stage ${at}` }))
  expect(await crm.ws.post('/pipelines', { name: 'Long', stages: many(101) })).toMatchObject(refused('stages'))
  const { id, stages: all } = await crm.pipeline({ name: 'Long', stages: many(100) })
  const below = `/pipelines/${id}/stages`
  expect(await crm.ws.post(below, { name: 'One more' })).toMatchObject(refused('name'))
  found(await crm.ws.delete(`${below}/${all[0].id}`))
  const last = created(await crm.ws.post(below, { name: 'One more' }))
  expect(await crm.ws.post(`${below}/${all[0].id}/restore`)).toMatchObject({ status: 400 })
  const order = [last.id, ...all.slice(1).map((stage: Row) => stage.id)]
  const ordered = found(await crm.ws.post(`${below}/reorder`, { stage_ids: order }))
  expect(ordered.stages.map((stage: Row) => stage.id)).toEqual(order)
})
