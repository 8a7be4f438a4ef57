import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { kindOfName } from '../../src/features/pipelines/rules/pipeline.ts'
import { created, failed, found, type Row, useCrm } from './crm.ts'
import { useImports } from './importing.ts'

const crm = useCrm()
const { uploaded, imported, act, rows } = useImports(crm)
const pipelines = async () => found(await crm.ws.get('/pipelines?sort=created_at')) as Row[]
const named = async (name: string) => (await pipelines()).find((one) => one.name === name) as Row
const stagesOf = ({ stages }: Row) => stages.map(({ name, kind }: Row) => `${name}: ${kind}`)
const deals = async () => found(await crm.ws.get('/opportunities?sort=created_at&limit=100')) as Row[]

/** What HubSpot exports of deals in two pipelines, neither of which a new workspace has. */
const HUBSPOT = `Record ID,Deal Name,Pipeline,Deal Stage,Close Date,Amount
1,Bluebay workstations,Enterprise,Appointment Scheduled,,15000
2,Kestrel laptops,Enterprise,Presentation Scheduled,,9000
3,Acre tractors,Enterprise,appointment scheduled,,4200
4,Bauer drills,Enterprise,Closed won,2026-04-15,7500
5,Harbour lease,Renewals,In review,,100
6,Old lease,Renewals,Contract lost,2026-02-01,50
`
const CREATING = { unknown_pipelines: 'create', unknown_stages: 'create' }

describe('an import of opportunities in unknown pipelines and stages', () => {
  test('fails, and lists each name once with the number of its lines', async () => {
    const { id, unknown_values } = await uploaded(HUBSPOT)
    expect(unknown_values).toEqual([])
    const checked = await act(id, 'check')
    expect(checked.progress).toMatchObject({ created: 0, failed: 6 })
    expect(checked.unknown_values).toEqual([
      { field: 'pipeline', value: 'Enterprise', pipeline: null, action: 'fail', lines: 4 },
      { field: 'pipeline', value: 'Renewals', pipeline: null, action: 'fail', lines: 2 },
      { field: 'stage', value: 'Appointment Scheduled', pipeline: 'Enterprise', action: 'fail', lines: 2 },
      { field: 'stage', value: 'Presentation Scheduled', pipeline: 'Enterprise', action: 'fail', lines: 1 },
      { field: 'stage', value: 'Won', pipeline: 'Enterprise', action: 'fail', lines: 1 },
      { field: 'stage', value: 'In review', pipeline: 'Renewals', action: 'fail', lines: 1 },
      { field: 'stage', value: 'Contract lost', pipeline: 'Renewals', action: 'fail', lines: 1 },
    ])
    const messages = (await rows(id))[0]?.errors.map(({ message }: Row) => message).join(' ')
    expect(messages).toContain('unknown_pipelines')
    expect(messages).toContain('unknown_stages')
    // Other settings make the list out of date.
    expect(found(await crm.ws.patch(`/imports/${id}`, CREATING)).unknown_values).toEqual([])
  })

  test('creates them if its settings say so; a check creates nothing, and an undo removes what was created', async () => {
    const before = await pipelines()
    const { id } = await uploaded(HUBSPOT, CREATING)
    const checked = await act(id, 'check')
    expect(checked.progress).toMatchObject({ created: 6, failed: 0 })
    expect(checked.unknown_values).toHaveLength(7)
    expect(new Set(checked.unknown_values.map(({ action }: Row) => action))).toEqual(new Set(['create']))
    expect(await pipelines()).toEqual(before)
    const run = await act(id, 'start')
    expect(run).toMatchObject({ progress: { created: 6, failed: 0 }, unknown_values: [] })
    expect(stagesOf(await named('Enterprise'))).toEqual([
      'Appointment Scheduled: open',
      'Presentation Scheduled: open',
      'Won: won',
      'Lost: lost',
    ])
    expect(stagesOf(await named('Renewals'))).toEqual(['In review: open', 'Won: won', 'Contract lost: lost'])
    const won = (await deals()).find(({ name }) => name === 'Bauer drills')
    expect(won).toMatchObject({ status: 'won', probability: 100, closed_at: expect.stringContaining('2026-04-1') })
    expect((await deals()).find(({ name }) => name === 'Old lease')).toMatchObject({ status: 'lost' })
    const undone = await act(id, 'undo')
    expect(undone.progress).toMatchObject({ removed: 6, kept: 0 })
    expect(await pipelines()).toEqual(before)
  })

  test('adds a stage to a pipeline that exists, and leaves what is used or changed since', async () => {
    const [first] = await pipelines()
    const file = 'name,stage\nOne,Demo given\nTwo,demo  Given\nThree,Qualified\n'
    const run = await imported(file, { unknown_stages: 'create' })
    expect(run.progress).toMatchObject({ created: 3 })
    const now = await named(first?.name)
    expect(stagesOf(now)).toEqual([...stagesOf(first as Row), 'Demo given: open'])
    const demo = now.stages.find(({ name }: Row) => name === 'Demo given')
    created(await crm.ws.post('/opportunities', { name: 'Later', stage_id: demo.id }))
    expect((await act(run.id, 'undo')).progress).toMatchObject({ removed: 3 })
    expect(stagesOf(await named(first?.name))).toContain('Demo given: open')
  })

  test('keeps a created pipeline with all its stages once something else is in it', async () => {
    const run = await imported(HUBSPOT, CREATING)
    const renewals = await named('Renewals')
    created(await crm.ws.post('/opportunities', { name: 'Mine', stage_id: renewals.stages[0].id }))
    const sales = await named('Enterprise')
    created(await crm.ws.post(`/pipelines/${sales.id}/stages`, { name: 'Own stage' }))
    await act(run.id, 'undo')
    expect(stagesOf(await named('Renewals'))).toEqual(stagesOf(renewals))
    expect(stagesOf(await named('Enterprise'))).toContain('Own stage: open')
  })

  test('maps a name to an existing one by replacements', async () => {
    const replacements = [
      { field: 'pipeline', from: 'Enterprise', to: '' },
      { field: 'stage', from: 'Appointment Scheduled', to: 'Qualified' },
      { field: 'stage', from: 'Presentation Scheduled', to: 'Proposal' },
      { field: 'stage', from: 'Closed won', to: 'Won' },
    ]
    const run = await imported(HUBSPOT, { replacements })
    expect(run.progress).toMatchObject({ created: 4, failed: 2 })
    expect(run.unknown_values.map(({ value, lines }: Row) => [value, lines])).toEqual([
      ['Renewals', 2],
      ['In review', 1],
      ['Contract lost', 1],
    ])
  })

  test('gives a pipeline that it creates the stages of all its lines, in whichever batch they are', async () => {
    const lines = Array.from({ length: 450 }, (_, n) => `Deal ${n},Fleet,Step ${Math.floor(n / 150)}`)
    const run = await imported(`name,pipeline,stage\n${lines.join('\n')}\n`, { unknown_pipelines: 'create' })
    expect(run.progress).toMatchObject({ created: 450, failed: 0 })
    expect((await named('Fleet')).stages.map(({ name }: Row) => name).sort()).toEqual(['Lost', 'Step 0', 'Step 1', 'Step 2', 'Won'])
    // The pipeline exists now: to another import its further stages are unknown.
    const next = await imported('name,pipeline,stage\nNext,Fleet,Step 9\n', { unknown_pipelines: 'create' })
    expect(next).toMatchObject({ progress: { failed: 1 }, unknown_values: [{ value: 'Step 9', pipeline: 'Fleet' }] })
  })

  test('creates no stage beyond what a pipeline can have, none from an id, and moves no deal to another pipeline for one', async () => {
    const lines = Array.from({ length: 98 }, (_, n) => `Deal ${n},Stage ${n}`)
    const full = await imported(`name,stage\n${lines.join('\n')}\n`, { unknown_stages: 'create' })
    expect(full.progress).toMatchObject({ created: 95, failed: 3 })
    expect((await rows(full.id, '&status=failed'))[0]?.errors).toMatchObject([{ field: 'stage', message: expect.stringContaining('100') }])
    const ids = await imported('name,stage\nA,984231\nB,0198c5a0-0000-7000-8000-000000000000\n', { unknown_stages: 'create' })
    expect(ids.progress).toMatchObject({ failed: 2 })
    const other = created(await crm.ws.post('/pipelines', { name: 'Other', stages: [{ name: 'Only' }] }))
    const deal = created(await crm.ws.post('/opportunities', { name: 'Stays', external_id: 'x1', stage_id: other.stages[0].id }))
    const moved = await imported('external id,name,stage\nx1,Stays,Nowhere\n', { unknown_stages: 'create' })
    expect((await rows(moved.id))[0]?.errors).toMatchObject([
      { field: 'stage', message: expect.stringContaining('also map a column to pipeline') },
    ])
    expect(found(await crm.ws.get(`/opportunities/${deal.id}`))).toMatchObject({ pipeline_id: other.id })
    expect((await imported('external id,name,pipeline,stage\nx1,Stays,Other,Next\n', { unknown_stages: 'create' })).progress).toMatchObject(
      {
        updated: 1,
      },
    )
    expect(stagesOf(await named('Other'))).toEqual(['Only: open', 'Next: open'])
  })

  test('takes the right to change pipelines', async () => {
    const { id } = await uploaded('name,stage\nOne,Demo given\n', { unknown_stages: 'create' })
    const limited = await crm.ws.key({ scopes: ['imports:*', 'opportunities:*'] })
    expect(await limited.post(`/imports/${id}/check`)).toMatchObject({ status: 200 })
    await crm.app.drain()
    expect(await limited.post(`/imports/${id}/start`)).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
    found(await limited.patch(`/imports/${id}`, { unknown_stages: 'fail' }))
    expect(await limited.post(`/imports/${id}/start`)).toMatchObject({ status: 200 })
    await crm.app.drain()
    expect(found(await limited.get(`/imports/${id}`)).unknown_values).toHaveLength(1)
    const blind = await crm.ws.key({ scopes: ['imports:read'] })
    expect(found(await blind.get(`/imports/${id}`)).unknown_values).toEqual([])
  })
})

test('the pipeline of the public data set "CRM Sales Opportunities" arrives with its own stages', async () => {
  const text = await readFile('test/import/fixture/sales_pipeline.csv', 'utf8')
  const stages = text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',')[4] as string)
  const linesOf = (name: string) => stages.filter((stage) => stage === name).length
  const mapping = [
    { column: 'opportunity_id', field: 'name' },
    { column: 'account', field: 'company' },
    { column: 'deal_stage', field: 'stage' },
  ]
  const { id } = await uploaded(text, { object: 'opportunities', mapping, match_by: null, mode: 'create', unknown_stages: 'create' })
  const checked = await act(id, 'check')
  expect(checked.unknown_values.map(({ value, lines }: Row) => [value, lines])).toEqual(
    ['Engaging', 'Prospecting', 'Thinking'].map((name) => [name, linesOf(name)]),
  )
  // The last line has no name.
  const arrived = stages.slice(0, -1)
  expect((await act(id, 'start')).progress).toMatchObject({ created: arrived.length, failed: 1 })
  const [first] = await pipelines()
  const ids = new Map(first?.stages.map((stage: Row) => [stage.id, stage.name]))
  const found = (await deals()).map(({ stage_id }) => String(ids.get(stage_id)).toLowerCase())
  expect(found.sort()).toEqual(arrived.map((stage) => stage.toLowerCase()).sort())
})

test('the default exports of other products arrive whole', async () => {
  for (const file of [
    'attio-deals',
    'salesforce-opportunities',
    'salesforce-opportunities-report',
    'zoho-deals',
    'highlevel-opportunities',
  ]) {
    const text = await readFile(`test/import/fixtures/${file}.csv`, 'utf8')
    const { progress } = await imported(text, CREATING)
    expect(progress, file).toMatchObject({ failed: 0, created: progress.total })
  }
})

test.each([
  ['Closed Won', 'won'],
  ['closedlost', 'lost'],
  ['Won 🎉', 'won'],
  ['Auftrag verloren', 'lost'],
  ['Gagné', 'won'],
  ['Won or lost', 'open'],
  ['Wonderful', 'open'],
  ['Negotiation', 'open'],
])('%s is a stage of the kind %s', (name, kind) => {
  expect(kindOfName(name)).toBe(kind)
})
