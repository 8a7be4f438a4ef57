import { parseArgs } from 'node:util'
import type pg from 'pg'
import type { NeonQuery } from '../dev/neon-proxy.ts'
import { allEndpoints } from '../routes/index.ts'
import { WithWarnings } from '../src/data/query.ts'
import { execute } from '../src/http/execute.ts'
import { newId } from '../src/lib/ids.ts'
import { createWorkspaces, fill } from './fill.ts'
import { allBlocks, explain, scansOf } from './plans.ts'
import { startStack } from './stack.ts'

/**
 * Measures the blocks that boards and summaries read in workspaces of each size, beside another as large as the largest, and the WAL of
 * creating and moving an opportunity. The statements are those of the Worker, and run as its role.
 */

const { values: flags } = parseArgs({
  options: { sizes: { type: 'string', default: '2000,50000' }, calls: { type: 'string', default: '200' }, plans: { type: 'boolean' } },
})
const SIZES = flags.sizes.split(',').map(Number)
const CALLS = Number(flags.calls)
const DAYS = { from: daysAgo(400), to: daysAgo(20) }

const endpoints = await allEndpoints()
const stack = await startStack()
const [client, app] = [await stack.owner.connect(), await stack.app.connect()]
try {
  const made = await createWorkspaces(client, [...SIZES.map((size) => `Of ${size}`), 'Beside'])
  for (const [at, size] of [...SIZES, Math.max(...SIZES)].entries())
    await fill(client, made[at]!.workspace_id, 0, size, size, ['companies', 'opportunities'])
  await client.query('vacuum analyze')
  for (const [at, size] of SIZES.entries()) await measure(client, app, made[at]!, size)
} finally {
  client.release()
  app.release()
  await stack.stop()
}

async function measure(
  client: pg.PoolClient,
  app: pg.PoolClient,
  { workspace_id, key }: { workspace_id: string; key: string },
  size: number,
) {
  const find = async (text: string) => (await client.query(text, [workspace_id])).rows
  const keyHash = (await find(`select encode(key_hash, 'hex') as hash from api_keys where workspace_id = $1`))[0].hash as string
  const [{ pipeline_id, assigned_to }] = await find('select pipeline_id, assigned_to from opportunities where workspace_id = $1 limit 1')
  const stages = (await find('select id from stages where workspace_id = $1 order by position')).map(({ id }) => id as string)

  /** Makes a call and returns the statements that it sent. */
  const call = async (method: string, path: string, params: Record<string, string>, query: Record<string, string>, body?: unknown) => {
    const endpoint = endpoints.find((one) => one.method === method && one.path === path)!
    let sent: NeonQuery[] = []
    stack.proxy.onRequest = (request) => {
      sent = 'queries' in request ? request.queries : [request]
    }
    const database = { url: stack.vars.DATABASE_URL!, proxy: stack.vars.NEON_PROXY! }
    const input = { params, query, body }
    const outcome = await execute(database, {
      endpoint,
      caller: { kind: 'key', key_hash: keyHash },
      input,
      requestId: newId(),
      now: new Date(),
      appUrl: '',
    })
    stack.proxy.onRequest = undefined
    return { sent, value: (outcome.value instanceof WithWarnings ? outcome.value.data : outcome.value) as { id: string } }
  }

  console.log(`${size} opportunities (${key.slice(0, 8)}…)`)
  const cases: [name: string, report: string, query: Record<string, string>][] = [
    ['board', 'board', {}],
    ['board of an owner', 'board', { assigned_to }],
    ['summary', 'summary', {}],
    ['summary of an owner', 'summary', { assigned_to }],
    ...(['created_at', 'opened_at', 'closed_at'] as const).flatMap((date_field): [string, string, Record<string, string>][] => [
      [`summary by ${date_field}`, 'summary', { date_field, ...DAYS }],
      [`summary by ${date_field} of an owner`, 'summary', { date_field, assigned_to, ...DAYS }],
    ]),
    ['summary from a day on', 'summary', { from: DAYS.from }],
  ]
  for (const [name, report, query] of cases) {
    const { sent } = await call('GET', `/pipelines/:pipeline_id/${report}`, { pipeline_id }, query)
    const plans = await explain(app, sent)
    const scans = plans.flatMap(scansOf)
    console.log(`  ${name.padEnd(36)} ${allBlocks(plans)} blocks${scans.length ? `, reads all of ${scans}` : ''}`)
    if (flags.plans) console.log(JSON.stringify(plans, undefined, 1))
  }

  const bytes = async (name: string, each: (n: number) => Promise<unknown>, calls = CALLS) => {
    const place = async () => (await client.query('select pg_current_wal_insert_lsn() as lsn')).rows[0].lsn
    const before = await place()
    for (let n = 0; n < calls; n++) await each(n)
    const { rows } = await client.query('select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1)::int as bytes', [before])
    console.log(`  ${name.padEnd(36)} ${Math.round(rows[0].bytes / CALLS)} bytes of WAL each`)
  }
  const ids: string[] = []
  await client.query('checkpoint')
  await bytes('create', async (n) =>
    ids.push((await call('POST', '/opportunities', {}, {}, { name: `Deal ${n}`, value: n, assigned_to })).value.id),
  )
  await bytes('move', (n) =>
    call('POST', '/opportunities/:opportunity_id/move', { opportunity_id: ids[n]! }, {}, { stage_id: stages[1 + (n % 4)] }),
  )
  await bytes('rename', (n) => call('PATCH', '/opportunities/:opportunity_id', { opportunity_id: ids[n]! }, {}, { name: `Renamed ${n}` }))
  const older = await find('select id from opportunities where workspace_id = $1 order by md5(id::text) limit 200')
  await bytes('move an older one', (n) =>
    call('POST', '/opportunities/:opportunity_id/move', { opportunity_id: older[n]!.id }, {}, { stage_id: stages[n % 5] }),
  )
  const folds = await client.query(`select from pg_proc where proname = 'fold_workspaces'`)
  if (folds.rowCount) await bytes('folding all these', () => client.query('select fold_workspaces(null)'), 1)
}

function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
}
