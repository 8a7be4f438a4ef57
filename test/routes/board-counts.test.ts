import { expect, test } from 'vitest'
import { proving } from '../proof.ts'
import { created, found, ids, nobody, type Row, useCrm } from './crm.ts'
import { type Filter, miscounts, recounted } from './recount.ts'

/** Boards and summaries read counters: whatever happens to opportunities, they say what a recount says. */

const crm = useCrm({ own: true })
const WRITERS = 16
const ACTIONS = proving ? 10_000 : 120

/** Numbers from 0 to 1 that are the same in every run. */
function randomFrom(seed: number) {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

const FIELDS = ['created_at', 'opened_at', 'closed_at'] as const
const RANGES: [from: string | undefined, to: string | undefined][] = [
  ['2025-01-01', '2025-12-31'],
  ['2025-02-27', '2025-08-03'],
  ['2025-05-05', '2025-05-21'],
  ['2025-11-30', undefined],
  [undefined, '2025-06-30'],
  [undefined, '2025-07-13'],
  ['2025-09-01', '2025-08-01'],
]

/** Compares every board and summary with a recount. */
async function expectExact(pipelines: Row[], owners: string[]) {
  expect(await miscounts(crm.app.owner, crm.ws.id)).toEqual([])
  for (const pipeline of pipelines) {
    const { rows } = await crm.app.owner.query('select * from opportunities where pipeline_id = $1', [pipeline.id])
    for (const assigned_to of [undefined, ...(proving ? owners : owners.slice(0, 1)), ...(owners.length > 0 ? [nobody] : [])]) {
      const dated = FIELDS.flatMap((date_field) => RANGES.map(([from, to]) => ({ date_field, from, to })))
      for (const dates of [{}, ...dated]) {
        const filter = Object.fromEntries(Object.entries({ assigned_to, ...dates }).filter(([, value]) => value)) as Filter
        const summary = found(await crm.ws.get(`/pipelines/${pipeline.id}/summary?${new URLSearchParams(filter)}`))
        const expected = recounted(rows, pipeline, filter)
        const label = JSON.stringify(filter)
        const { stages, without_company, conversion_percent } = expected
        expect(summary, label).toMatchObject({ stages, without_company, conversion_percent })
        if (expected.days === null) expect(summary.average_days_to_close, label).toBeNull()
        else expect(Math.abs(summary.average_days_to_close - expected.days), label).toBeLessThan(0.0501)
        if (dates !== undefined && 'date_field' in dates) continue
        const board = found(await crm.ws.get(`/pipelines/${pipeline.id}/board?cards=0&${new URLSearchParams(filter)}`))
        expect(board.columns, label).toMatchObject(expected.columns)
      }
    }
  }
}

/** Two pipelines, owners, and opportunities of the last years. */
async function setUp(count: number) {
  const pipelines = [await crm.pipeline({ name: 'New business' }), await crm.pipeline()]
  const owners = [crm.ws.userId, (await crm.ws.key()).userId, (await crm.ws.key()).userId]
  const companies = [await crm.company('Acme'), await crm.company('Umbrella')]
  const random = randomFrom(1)
  const one = <T>(list: T[]): T => list[Math.floor(random() * list.length)] as T
  const stage = () => one(one(pipelines).stages as Row[]).id as string
  const day = () => new Date(Date.UTC(2025, 0, 1) + Math.floor(random() * 500 * 86_400_000)).toISOString()
  const fields = () => ({
    name: 'Deal',
    value: Math.floor(random() * 1e6) / 100,
    currency: one(['AUD', 'USD']),
    stage_id: stage(),
    assigned_to: one([null, ...owners]),
    customer_id: one([null, ...companies]),
    opened_at: one([null, day()]),
  })
  const cards: string[] = []
  while (cards.length < count) {
    const records = Array.from({ length: 50 }, fields)
    cards.push(...ids(found(await crm.ws.post('/opportunities/bulk-create', { records })).results))
  }
  // As if they had been created on days of the past.
  await crm.app.owner.query(
    `update opportunities set created_at = timestamptz '2025-01-01Z' + interval '1 hour' * (get_byte(uuid_send(id), 15) * 47 % 12000)
      where workspace_id = $1`,
    [crm.ws.id],
  )
  return { pipelines, owners, cards, fields, stage }
}

test('many writers at once, folds among them: the counters are exact at each moment and in the end', async () => {
  const { pipelines, owners, cards, fields, stage } = await setUp(proving ? 2000 : 200)
  const merges: string[] = []
  let left = ACTIONS
  const post = async (path: string, body: unknown) => {
    const answer = await crm.ws.post(path, body)
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(500)
    return answer.body.data as Row | undefined
  }

  async function act(random: () => number): Promise<unknown> {
    const some = () => cards[Math.floor(random() * cards.length)] as string
    const many = () => [...new Set(Array.from({ length: 8 }, some))]
    const path = `/opportunities/${some()}`
    const roll = random()
    if (roll < 0.3) return post(`${path}/move`, { stage_id: stage() })
    if (roll < 0.4) return post('/opportunities/bulk-move', { records: many().map((id) => ({ id, stage_id: stage() })) })
    if (roll < 0.5) return crm.ws.patch(path, { ...fields(), stage_id: undefined, archived: random() < 0.2 })
    if (roll < 0.54) return crm.ws.patch(path, { closed_at: '2025-07-14T23:59:59.999Z' })
    if (roll < 0.58) return post('/opportunities/bulk-update', { records: many().map((id) => ({ id, value: Math.round(random() * 1e4) })) })
    if (roll < 0.68) return post('/opportunities', fields()).then((made) => made && cards.push(made.id))
    if (roll < 0.72) return post('/opportunities?dry_run=true', fields())
    if (roll < 0.75) return post(`${path}/remove-card`, { pipeline_id: pipelines[0]!.id })
    if (roll < 0.8) return crm.ws.delete(path)
    if (roll < 0.82) return crm.ws.delete(`${path}?purge=true`)
    if (roll < 0.84) return post('/opportunities/bulk-delete', { ids: many().slice(0, 2) })
    if (roll < 0.92) {
      const [winner_id, ...loser_ids] = many().slice(0, 3)
      return post('/opportunities/merge', { winner_id, loser_ids }).then((done) => done?.merge_id && merges.push(done.merge_id))
    }
    const merge = merges.splice(Math.floor(random() * merges.length), 1)[0]
    return merge === undefined ? undefined : post(`/opportunities/merges/${merge}/undo`, {})
  }

  const writers = Array.from({ length: WRITERS }, async (_, i) => {
    const random = randomFrom(i + 2)
    while (left-- > 0) await act(random)
  })
  let writing = true
  const watched: Row[] = []
  const fold = () => crm.app.owner.query('select fold_opportunities($1, 50)', [crm.ws.id])
  const watch = async () => {
    while (writing) {
      await Promise.all([fold(), fold()])
      watched.push(...(await miscounts(crm.app.owner, crm.ws.id)))
    }
  }
  const watching = watch()
  await Promise.all(writers).finally(() => {
    writing = false
  })
  await watching
  expect(watched).toEqual([])
  const { rows } = await crm.app.owner.query('select deadlocks::int from pg_stat_database where datname = current_database()')
  expect(rows[0].deadlocks).toBe(0)

  await expectExact(pipelines, owners)
  await crm.app.cron('* * * * *')
  expect(await crm.count('opportunity_deltas')).toBe(0)
  await expectExact(pipelines.slice(0, 1), [])
}, 1_200_000)

test('stages that change their kind, go, or hand over their cards keep the counters exact, and a recount changes nothing', async () => {
  const { pipelines } = await setUp(100)
  const [first, second] = pipelines as [Row, Row]
  const path = `/pipelines/${first.id}/stages`
  found(await crm.ws.patch(`${path}/${first.stages[1].id}`, { kind: 'won' }))
  await crm.app.cron('* * * * *')
  found(await crm.ws.patch(`${path}/${first.stages[3].id}`, { kind: 'lost' }))
  found(await crm.ws.delete(`${path}/${first.stages[0].id}?move_to_stage_id=${first.stages[2].id}`))
  const now = [found(await crm.ws.get(`/pipelines/${first.id}`)), second] as Row[]
  await expectExact(now, [])
  const counters = async () => {
    await crm.app.cron('* * * * *')
    const { rows } = await crm.app.owner.query(
      `select to_jsonb(t) as row from opportunity_totals t where workspace_id = $1 union all select to_jsonb(p) from opportunity_periods p
        where workspace_id = $1 order by 1`,
      [crm.ws.id],
    )
    return rows
  }
  const before = await counters()
  await crm.app.owner.query('select recount_opportunities($1)', [crm.ws.id])
  expect(await counters()).toEqual(before)
  found(await crm.ws.delete(`/pipelines/${first.id}?move_to_stage_id=${second.stages[0].id}`))
  await expectExact([second], [])
  await crm.app.owner.query('delete from opportunities where workspace_id = $1', [crm.ws.id])
  expect(await counters(), 'nothing is left of what is gone').toEqual([])
}, 120_000)

test('a recount repairs counters that were damaged', async () => {
  const { pipelines, owners } = await setUp(50)
  await crm.app.cron('* * * * *')
  await crm.app.owner.query('update opportunity_totals set value = value + 1 where workspace_id = $1', [crm.ws.id])
  await crm.app.owner.query('delete from opportunity_periods where workspace_id = $1', [crm.ws.id])
  expect(await miscounts(crm.app.owner, crm.ws.id)).not.toEqual([])
  await crm.app.owner.query('select recount_opportunities($1)', [crm.ws.id])
  await expectExact(pipelines.slice(0, 1), owners)
}, 120_000)

test('a change that no count shows leaves no delta, and a bulk call of like changes one', async () => {
  const stages = (await crm.pipeline()).stages as Row[]
  const records = Array.from({ length: 40 }, () => ({ name: 'Deal', value: 1, stage_id: stages[0]!.id, assigned_to: crm.ws.userId }))
  const made = found(await crm.ws.post('/opportunities/bulk-create', { records })).results as Row[]
  expect(await crm.count('opportunity_deltas')).toBe(1)
  found(await crm.ws.patch(`/opportunities/${made[0]!.id}`, { name: 'Another', notes: 'New', next_action_at: '2026-12-01T09:00:00Z' }))
  found(await crm.ws.post(`/opportunities/${made[0]!.id}/move`, { stage_id: stages[0]!.id }))
  expect(await crm.count('opportunity_deltas')).toBe(1)
  found(await crm.ws.post('/opportunities/bulk-move', { records: made.map(({ id }) => ({ id, stage_id: stages[1]!.id })) }))
  expect(await crm.count('opportunity_deltas')).toBe(3)
  expect((await crm.ws.post('/opportunities?dry_run=true', { name: 'Deal' })).status).toBe(200)
  expect(await crm.count('opportunity_deltas')).toBe(3)
})

test('who reads a board with more than 5000 unfolded changes folds first, in the same trip', async () => {
  const pipeline = await crm.pipeline()
  const { id } = created(await crm.ws.post('/opportunities', { name: 'Deal', value: 5, stage_id: pipeline.stages[0].id }))
  const repeat = (times: number) =>
    crm.app.owner.query(
      `insert into opportunity_deltas (workspace_id, pipeline_id, stage_id, currency, archived, created_on, count, without_company,
       value, weighted_value, won_ms)
       select workspace_id, pipeline_id, stage_id, currency, archived, created_on, 0, 0, case n % 2 when 0 then 1 else -1 end, 0, 0
         from opportunity_deltas, generate_series(1, $2) n where workspace_id = $1`,
      [crm.ws.id, times],
    )
  await repeat(4_999)
  const count = async () => found(await crm.ws.get(`/pipelines/${pipeline.id}/board`)).columns[0]
  const summed = { count: 1, cards: [{ id }] }
  expect(await count()).toMatchObject({ ...summed, value: 4 })
  expect(await crm.count('opportunity_deltas')).toBe(5_000)
  await crm.app.owner.query('update opportunity_deltas set id = uuidv7() where workspace_id = $1 and count = 1', [crm.ws.id])
  found(await crm.ws.patch(`/opportunities/${id}`, { value: 6 }))
  expect(await count()).toMatchObject({ ...summed, value: 5 })
  expect(await crm.count('opportunity_deltas')).toBe(0)
})

test('what is deleted with a workspace includes its counters', async () => {
  const ws = await crm.app.workspace()
  created(await ws.post('/opportunities', { name: 'Deal' }))
  await crm.app.cron('* * * * *')
  created(await ws.post('/opportunities', { name: 'Deal' }))
  const client = await crm.app.owner.connect()
  try {
    await client.query('begin')
    for (const statement of ['delete from api_keys where workspace_id = $1', 'delete from workspaces where id = $1'])
      await client.query(statement, [ws.id])
    for (const table of ['opportunity_deltas', 'opportunity_totals', 'opportunity_periods'])
      expect((await client.query(`select from ${table} where workspace_id = $1`, [ws.id])).rowCount, table).toBe(0)
  } finally {
    await client.query('rollback')
    client.release()
  }
})
