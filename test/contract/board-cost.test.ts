import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createWorkspaces, fill } from '../../bench/fill.ts'
import { allBlocks, explain } from '../../bench/plans.ts'
import type { NeonQuery } from '../../dev/neon-proxy.ts'
import { type Harness, start } from '../harness.ts'
import { proving } from '../proof.ts'

/** Boards and summaries cost the same in a small and a large workspace, beside another large one. */

const [SMALL, LARGE] = proving ? [2_000, 50_000] : [1_000, 3_000]
/** The allowed difference: a fifth, or the levels of one or two indexes. */
const SLACK = 12

type Measured = { id: string; key: string; pipeline: string; owner: string }
let app: Harness
let session: pg.PoolClient
const workspaces: Measured[] = []

beforeAll(async () => {
  app = await start({ own: true })
  session = await app.owner.connect()
  const [small, large, beside] = await createWorkspaces(session, ['Small', 'Large', 'Beside'])
  for (const [workspace, size] of [
    [small, SMALL],
    [large, LARGE],
    [beside, LARGE],
  ] as const) {
    const { workspace_id: id, key } = workspace!
    await fill(session, id, 0, size, size, ['companies', 'opportunities'])
    // An owner with enough cards in each column, in both workspaces.
    const { rows } = await session.query('select pipeline_id, assigned_to from opportunities where workspace_id = $1 limit 1', [id])
    const { pipeline_id: pipeline, assigned_to: owner } = rows[0]
    await session.query('set session_replication_role = replica')
    await session.query(
      `update opportunities set assigned_to = $2
        where workspace_id = $1 and id in (select id from opportunities where workspace_id = $1 order by created_at desc limit 1000)`,
      [id, owner],
    )
    await session.query('reset session_replication_role')
    await session.query('select recount_opportunities($1)', [id])
    if (workspace !== beside) workspaces.push({ id, key, pipeline, owner })
  }
  await session.query('vacuum analyze')
  // Changes of the neighbour since the statistics were collected.
  await session.query(
    `insert into opportunity_deltas (workspace_id, pipeline_id, stage_id, currency, assigned_to, archived, created_on, count,
     without_company, value, weighted_value, won_ms)
     select workspace_id, pipeline_id, stage_id, currency, assigned_to, archived, created_at::date, 0, 0, 1, 0, 0 from opportunities
       where workspace_id = $1`,
    [beside!.workspace_id],
  )
  await session.query('set role app')
}, 600_000)
afterAll(async () => {
  session.release(true)
  await app.close()
})

async function blocks({ key, pipeline, owner }: Measured, report: string, query: Record<string, string>): Promise<number> {
  let sent: NeonQuery[] = []
  app.proxy.onRequest = (request) => {
    if ('queries' in request && request.queries[0]?.query.includes('begin_request')) sent = request.queries
  }
  const search = new URLSearchParams({ ...query, ...(query.assigned_to && { assigned_to: owner }) })
  const response = await app.fetch(`/v1/pipelines/${pipeline}/${report}?${search}`, { headers: { authorization: `Bearer ${key}` } })
  app.proxy.onRequest = undefined
  expect(response.status, await response.text()).toBe(200)
  expect(sent).not.toEqual([])
  // The first run in a session also reads the catalogue, which is not part of the cost.
  await explain(session, sent)
  return allBlocks(await explain(session, sent))
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
const DATES = { from: daysAgo(400), to: daysAgo(20) }
const OWNED = { assigned_to: 'owner' }
const FIELDS = ['created_at', 'opened_at', 'closed_at']
type Query = Record<string, string>
const cases: [report: string, query: Query][] = [
  ...([{}, OWNED, { cards: '50' }, { ...OWNED, cards: '50' }, { cards: '0' }] as Query[]).map((query): [string, Query] => ['board', query]),
  ...([{}, OWNED, { from: DATES.from }, { to: DATES.to }] as Query[]).map((query): [string, Query] => ['summary', query]),
  ...FIELDS.flatMap((date_field) =>
    ([{}, OWNED] as Query[]).map((query): [string, Query] => ['summary', { ...query, ...DATES, date_field }]),
  ),
]

test.each(cases)('%s %j', async (report, query) => {
  const [small, large] = [await blocks(workspaces[0]!, report, query), await blocks(workspaces[1]!, report, query)]
  expect(large, `${small} blocks among ${SMALL}`).toBeLessThanOrEqual(Math.max(small * 1.2, small + SLACK))
  expect(small, `${large} blocks among ${LARGE}`).toBeLessThanOrEqual(Math.max(large * 1.2, large + SLACK))
})
