import { expect, test } from 'vitest'
import { created, failed, found, held, ids, nobody, type Row, refused, stagesByName, useCrm, uuid } from './crm.ts'

const crm = useCrm()

const defaults = async () =>
  (found(await crm.ws.get('/pipelines?archived=all')) as Row[]).filter(({ is_default }) => is_default).map(({ name }) => name)

test('a new workspace has one pipeline, which is the default', async () => {
  const [pipeline, ...others] = found(await crm.ws.get('/pipelines'))
  expect(others).toEqual([])
  expect(pipeline).toMatchObject({ is_default: true, archived: false })
  expect(pipeline!.stages.map(({ name, kind }: Row) => [name, kind])).toEqual([
    ['New', 'open'],
    ['Qualified', 'open'],
    ['Proposal', 'open'],
    ['Won', 'won'],
    ['Lost', 'lost'],
  ])
})

const RULES = { required_fields: [], rotting_days: null }

test('a pipeline is created with its stages in order', async () => {
  const answer = await crm.ws.post('/pipelines', {
    name: ' Hardware ',
    description: 'Boxes',
    stages: [
      { name: 'Prospecting' },
      { name: 'Engaging', probability: 40.5, color: '#FFAA00' },
      { name: 'Sold', kind: 'won' },
      { name: 'Gone', kind: 'lost' },
    ],
  })
  const pipeline = created(answer)
  expect(pipeline).toMatchObject({ id: uuid, name: 'Hardware', description: 'Boxes', is_default: false, archived: false, version: 1 })
  expect(pipeline.stages).toEqual([
    { id: uuid, name: 'Prospecting', kind: 'open', probability: 0, color: null, position: 0, ...RULES },
    { id: uuid, name: 'Engaging', kind: 'open', probability: 40.5, color: '#ffaa00', position: 1, ...RULES },
    { id: uuid, name: 'Sold', kind: 'won', probability: 100, color: null, position: 2, ...RULES },
    { id: uuid, name: 'Gone', kind: 'lost', probability: 0, color: null, position: 3, ...RULES },
  ])
  expect(answer.headers.get('location')).toBe(`/v1/pipelines/${pipeline.id}`)
  expect(answer.headers.get('etag')).toBe('"1"')
  expect(found(await crm.ws.get(`/pipelines/${pipeline.id}`))).toEqual(pipeline)
})

test('without stages a pipeline has the usual ones', async () => {
  const { stages } = await crm.pipeline()
  expect(stages.map(({ name, kind, probability }: Row) => [name, kind, probability])).toEqual([
    ['New', 'open', 10],
    ['Qualified', 'open', 30],
    ['Proposal', 'open', 60],
    ['Won', 'won', 100],
    ['Lost', 'lost', 0],
  ])
})

test('a name is unique in a workspace, regardless of case', async () => {
  await crm.pipeline({ name: 'Hardware Sales' })
  const other = await crm.pipeline({ name: 'Other' })
  expect(await crm.ws.post('/pipelines', { name: 'hardware  SALES' })).toMatchObject(failed(409, 'CONFLICT'))
  expect(await crm.ws.patch(`/pipelines/${other.id}`, { name: 'HARDWARE sales' })).toMatchObject(failed(409, 'CONFLICT'))
  created(await (await crm.app.workspace()).post('/pipelines', { name: 'Hardware Sales' }))
})

const notAccepted: [Row, string][] = [
  [{}, 'name'],
  [{ name: '' }, 'name'],
  [{ name: 'A', stages: [] }, 'stages'],
  [{ name: 'A', stages: [{}] }, 'stages.0.name'],
  [{ name: 'A', stages: [{ name: 'One' }, { name: 'Two', kind: 'maybe' }] }, 'stages.1.kind'],
  [{ name: 'A', stages: [{ name: 'One', probability: 101 }] }, 'stages.0.probability'],
  [{ name: 'A', stages: [{ name: 'One', probability: 0.125 }] }, 'stages.0.probability'],
  [{ name: 'A', stages: [{ name: 'One', color: 'reddish' }] }, 'stages.0.color'],
  [{ name: 'A', is_default: 'yes' }, 'is_default'],
  [{ name: 'A', position: 1 }, 'position'],
]
test.each(notAccepted)('the pipeline %j is refused', async (body, path) => {
  expect(await crm.ws.post('/pipelines', body)).toMatchObject(refused(path))
  expect(found(await crm.ws.get('/pipelines'))).toHaveLength(1)
})

test('two stages of one name are refused, and the pipeline is not there', async () => {
  expect((await crm.ws.post('/pipelines', { name: 'A', stages: [{ name: 'One' }, { name: 'ONE' }] })).status).toBeGreaterThanOrEqual(400)
  expect(found(await crm.ws.get('/pipelines'))).toHaveLength(1)
})

test('one pipeline is the default, and hands that over', async () => {
  await crm.pipeline({ name: 'Second', is_default: true })
  expect(await defaults()).toEqual(['Second'])
  const third = await crm.pipeline({ name: 'Third' })
  expect(await defaults()).toEqual(['Second'])
  expect(found(await crm.ws.patch(`/pipelines/${third.id}`, { is_default: true })).is_default).toBe(true)
  expect(await defaults()).toEqual(['Third'])
  expect((await crm.opportunity()).pipeline_id).toBe(third.id)
})

test('of several that become the default at the same time one is', async () => {
  const pipelines = await Promise.all(['A', 'B', 'C', 'D'].map((name) => crm.pipeline({ name })))
  const answers = await Promise.all(pipelines.map(({ id }) => crm.ws.patch(`/pipelines/${id}`, { is_default: true })))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(await defaults()).toHaveLength(1)
})

test('an update changes only the fields it sends', async () => {
  const before = await crm.pipeline({ description: 'Yearly' })
  const { updated_at, ...after } = found(await crm.ws.patch(`/pipelines/${before.id}`, { name: 'Renewed' }))
  expect({ ...after, updated_at }).toEqual({ ...before, name: 'Renewed', version: 2, updated_at })
  expect(found(await crm.ws.patch(`/pipelines/${before.id}`, { description: '' })).description).toBeNull()
  expect(await crm.ws.patch(`/pipelines/${before.id}`, { name: 'Late' }, { 'if-match': '"2"' })).toMatchObject(
    failed(412, 'PRECONDITION_FAILED'),
  )
  expect(await crm.ws.patch(`/pipelines/${before.id}`, { stages: [{ name: 'One' }] })).toMatchObject(refused('stages'))
})

test('the list leaves out archived pipelines by default', async () => {
  const { id } = await crm.pipeline()
  found(await crm.ws.patch(`/pipelines/${id}`, { archived: true }))
  expect(ids(found(await crm.ws.get('/pipelines')))).not.toContain(id)
  expect(ids(found(await crm.ws.get('/pipelines?archived=true')))).toEqual([id])
  expect(found(await crm.ws.get('/pipelines?archived=all'))).toHaveLength(2)
  found(await crm.ws.patch(`/pipelines/${id}`, { archived: false }))
  expect(found(await crm.ws.get('/pipelines'))).toHaveLength(2)
})

test('the list is paginated, by creation or last change', async () => {
  const made = [(await crm.firstPipeline()).pipeline]
  for (const name of ['A', 'B', 'C']) made.push((await crm.pipeline({ name })).id)
  found(await crm.ws.patch(`/pipelines/${made[1]}`, { name: 'AA' }))
  const walk = async (sort: string) => ids(await crm.walk(`/pipelines?limit=2&sort=${sort}`))
  expect(await walk('created_at')).toEqual(made)
  expect(await walk('-created_at')).toEqual(made.toReversed())
  expect(await walk('updated_at')).toEqual([made[0], made[2], made[3], made[1]])
})

test('a pipeline without cards can be deleted, with its stages', async () => {
  const pipeline = await crm.pipeline()
  expect(await crm.ws.delete(`/pipelines/${pipeline.id}`)).toMatchObject({
    status: 200,
    body: { data: { id: pipeline.id, deleted: true } },
  })
  for (const path of ['', '/stages', '/board', '/summary', `/stages/${pipeline.stages[0].id}`]) {
    expect(await crm.ws.get(`/pipelines/${pipeline.id}${path}`), path).toMatchObject(failed(404, 'NOT_FOUND'))
  }
  expect((await crm.events(pipeline.id)).map(({ type }) => type)).toEqual(['pipeline.created', 'pipeline.deleted'])
})

test('with cards, archived ones too, it takes a stage of another pipeline to move them to', async () => {
  const renewals = await crm.pipeline()
  const { Won, New } = stagesByName(renewals)
  const { pipeline, stages } = await crm.firstPipeline()
  const [won, open] = [await crm.opportunity({ stage_id: Won }), await crm.opportunity({ stage_id: New })]
  found(await crm.ws.patch(`/opportunities/${open.id}`, { archived: true }))
  const foreign = created(await (await crm.app.workspace()).post('/pipelines', { name: 'Theirs' }))

  expect(await crm.ws.delete(`/pipelines/${renewals.id}`)).toMatchObject(failed(409, 'CONFLICT'))
  for (const stage of [New, nobody, foreign.stages[0].id, 'new']) {
    expect(await crm.ws.delete(`/pipelines/${renewals.id}?move_to_stage_id=${stage}`)).toMatchObject(refused('move_to_stage_id'))
  }
  expect(found(await crm.ws.get(`/opportunities/${won.id}`))).toEqual(won)

  found(await crm.ws.delete(`/pipelines/${renewals.id}?move_to_stage_id=${stages.Qualified}`))
  for (const { id } of [won, open]) {
    expect(found(await crm.ws.get(`/opportunities/${id}`))).toMatchObject({
      pipeline_id: pipeline,
      stage_id: stages.Qualified,
      status: 'open',
      closed_at: null,
      probability: 30,
    })
    expect((await crm.events(id)).map(({ type }) => type)).toContain('opportunity.moved')
  }
})

test('a deletion supports approval, dry run and If-Match', async () => {
  const { id } = await crm.pipeline()
  expect(await crm.ws.delete(`/pipelines/${id}?require_approval=true`)).toMatchObject(held)
  expect(await crm.ws.post('/pipelines', { name: 'Held', require_approval: true })).toMatchObject(held)
  expect((await crm.ws.delete(`/pipelines/${id}?dry_run=true`)).body.dry_run.changes).toHaveLength(6)
  expect(await crm.ws.delete(`/pipelines/${id}`, { 'if-match': '"7"' })).toMatchObject(failed(412, 'PRECONDITION_FAILED'))
  expect(found(await crm.ws.get('/pipelines'))).toHaveLength(2)
})

test('the history of a pipeline shows who changed what', async () => {
  const { id } = await crm.pipeline()
  const patch = await crm.ws.patch(`/pipelines/${id}`, { name: 'Renewed' })
  const [updated, first] = found(await crm.ws.get(`/pipelines/${id}/history`))
  expect(first).toMatchObject({ action: 'created', entity: 'pipeline' })
  expect(updated).toMatchObject({
    action: 'updated',
    fields: { name: { before: 'Renewals', after: 'Renewed' } },
    request_id: patch.headers.get('x-request-id'),
    user_id: crm.ws.userId,
  })
})

test.each(['GET', 'PATCH', 'DELETE'])("%s of an unknown pipeline, or another workspace's, is a 404", async (method) => {
  const foreign = created(await (await crm.app.workspace()).post('/pipelines', { name: 'Theirs' }))
  const body = method === 'PATCH' ? {} : undefined
  for (const id of [nobody, foreign.id]) expect(await crm.ws.call(method, `/pipelines/${id}`, body)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await crm.ws.call(method, '/pipelines/sales', body)).toMatchObject(refused('pipeline_id'))
})

test('an archived pipeline accepts no cards, and keeps those that it has', async () => {
  const { pipeline, stages } = await crm.firstPipeline()
  const old = await crm.pipeline({ name: 'Old' })
  const [first, second] = old.stages.map(({ id }: Row) => id)
  const card = await crm.opportunity({ stage_id: first, external_id: 'o1' })
  const other = await crm.opportunity({ stage_id: stages.New, external_id: 'o2' })
  found(await crm.ws.patch(`/pipelines/${old.id}`, { archived: true }))

  expect(await crm.ws.post('/opportunities', { name: 'A', stage_id: first })).toMatchObject(refused('stage_id'))
  expect(await crm.ws.post('/opportunities', { name: 'A', pipeline_id: old.id })).toMatchObject(refused('pipeline_id'))
  for (const id of [card.id, other.id])
    expect(await crm.ws.post(`/opportunities/${id}/move`, { stage_id: second })).toMatchObject(refused('stage_id'))
  expect(await crm.ws.post('/opportunities/upsert', { external_id: 'o2', stage_id: first })).toMatchObject(refused('stage_id'))
  for (const [path, records] of [
    ['bulk-create', [{ name: 'A', stage_id: first }]],
    ['bulk-move', [{ id: other.id, stage_id: first }]],
    ['bulk-upsert', [{ external_id: 'o2', stage_id: first }]],
  ] as const)
    expect(found(await crm.ws.post(`/opportunities/${path}`, { records })).errors, path).toMatchObject([
      { index: 0, error: { code: 'VALIDATION_ERROR', details: { issues: [{ path: 'stage_id' }] } } },
    ])
  const stage = await crm.ws.delete(`/pipelines/${pipeline}/stages/${stages.New}?move_to_stage_id=${first}`)
  expect(stage).toMatchObject(refused('move_to_stage_id'))

  expect(found(await crm.ws.post('/opportunities/upsert', { external_id: 'o1', stage_id: first, value: 5 }))).toMatchObject({ value: 5 })
  expect(found(await crm.ws.post(`/opportunities/${card.id}/move`, { stage_id: stages.New })).stage_id).toBe(stages.New)
})

test('the last stage of a pipeline cannot be deleted', async () => {
  const { id, stages } = created(await crm.ws.post('/pipelines', { name: 'Repairs', stages: [{ name: 'New' }, { name: 'Done' }] }))
  found(await crm.ws.delete(`/pipelines/${id}/stages/${stages[0].id}`))
  expect(await crm.ws.delete(`/pipelines/${id}/stages/${stages[1].id}`)).toMatchObject(failed(409, 'CONFLICT'))
  expect(found(await crm.ws.get(`/pipelines/${id}`)).stages).toMatchObject([{ id: stages[1].id }])
})

test('the default pipeline cannot be archived', async () => {
  const { pipeline } = await crm.firstPipeline()
  expect(await crm.ws.patch(`/pipelines/${pipeline}`, { archived: true })).toMatchObject(refused('archived'))
  const { id } = await crm.pipeline()
  found(await crm.ws.patch(`/pipelines/${id}`, { archived: true }))
  expect(await crm.ws.patch(`/pipelines/${id}`, { is_default: true })).toMatchObject(refused('is_default'))
  found(await crm.ws.patch(`/pipelines/${id}`, { is_default: true, archived: false }))
  expect(found(await crm.ws.patch(`/pipelines/${pipeline}`, { archived: true }))).toMatchObject({ archived: true })
})
