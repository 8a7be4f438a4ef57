import { readdirSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createWorkspace } from '../dev/workspace.ts'
import { runWorker, type Stack, startStack } from './stack.ts'

/**
 * Measures runs of an export template over many opportunities, with 20 columns of which two are of the company: rows per second of the
 * Worker's CPU, PostgreSQL's CPU per row, round trips, and the most memory that the process of the Worker had. `--heap` limits its
 * JavaScript heap, in MB.
 */

const { values } = parseArgs({ options: { rows: { type: 'string', default: '250000' }, heap: { type: 'string', default: '64' } } })
const ROWS = Number(values.rows)
/** Of the Worker's heap; beyond it the runtime ends. Its young generation would otherwise take most of it. */
process.env.MINIFLARE_WORKERD_V8_FLAGS = `--max-old-space-size=${values.heap} --max-semi-space-size=1`

const OWN = ['name', 'value', 'currency', 'status', 'probability', 'opportunity_type', 'lead_source', 'description', 'notes', 'opened_at']
const MORE = ['expected_close_date', 'closed_at', 'created_at', 'updated_at', 'external_id', 'next_action_note', 'archived', 'stage']
const COLUMNS = [...OWN, ...MORE, 'company.name', 'company.industry']
const MANY = ['name', 'company.name', 'contacts.count', 'tasks.count', 'activities.count']

/**
 * Milliseconds of CPU that the server's processes of one database have used. A session ends with its connection, so they are added up while
 * they last.
 */
function serverCpu(pids: number[]): number {
  const ticks = pids.map((pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return Number(fields[11]) + Number(fields[12])
  })
  return ticks.reduce((sum, each) => sum + each, 0) * 10
}
const backends = async ({ owner }: Stack): Promise<number[]> => {
  const { rows } = await owner.query("select pid from pg_stat_activity where usename = 'app'")
  return rows.map(({ pid }) => pid as number).filter((pid) => readdirSync('/proc').includes(String(pid)))
}

async function fill({ owner }: Stack, workspaceId: string): Promise<void> {
  // History and events of these rows are not part of the measurement.
  await owner.query('alter table opportunities disable trigger user; alter table companies disable trigger user')
  await owner.query(
    `insert into companies (workspace_id, name, industry) select $1, 'Company ' || n, 'Industry ' || n % 40
      from generate_series(1, $2::int / 10) n`,
    [workspaceId, ROWS],
  )
  await owner.query(
    `insert into opportunities (workspace_id, name, value, currency, customer_id, pipeline_id, stage_id, lead_source,
        description, notes, opened_at,
        expected_close_date, external_id, stage_entered_at)
      select $1, 'Deal & more ' || g.i, g.i % 90000 + 0.5, 'AUD', c.id, s.pipeline_id, s.id, 'Trade fair',
        'Described in a few words ' || g.i, 'Met at the fair "' || g.i || '"',
        now() - g.i * interval '1 minute', current_date + g.i % 300, '00' || g.i, now()
      from generate_series(1, $2::int) g(i)
        join (select id, row_number() over () as n from companies where workspace_id = $1) c on c.n = g.i % ($2::int / 10) + 1
        cross join (select id, pipeline_id from stages where workspace_id = $1 order by position limit 1) s`,
    [workspaceId, ROWS],
  )
  await owner.query('alter table opportunities enable trigger user; alter table companies enable trigger user')
  await owner.query('vacuum analyze opportunities, companies, stages')
}

const stack = await startStack()
const worker = await runWorker('bench/bench-worker.ts', {
  ...stack,
  vars: { ...stack.vars, FILE_SECRET: 'only-a-measurement-signs-with-this-one' },
})
const peak = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${worker.pid}/status`, 'utf8'))?.[1]) / 1024

try {
  const { workspace_id: workspaceId, key } = await createWorkspace(stack.owner, {
    name: 'many',
    ownerEmail: 'many@example.com',
    ownerName: 'Owner',
  })
  await fill(stack, workspaceId)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const post = (path: string, body: object) => fetch(new URL(path, worker.url), { method: 'POST', headers, body: JSON.stringify(body) })
  const columns = COLUMNS.map((path) => ({ path }))
  const made = await post('/v1/exports/templates', { name: 'Deals', root_entity: 'opportunities', columns })
  const { data } = (await made.json()) as { data: { id: string } }
  const run = async (body: object) => {
    const response = await post(`/v1/exports/templates/${data.id}/run`, body)
    if (response.status !== 200) throw new Error(await response.text())
    let size = 0
    for await (const piece of response.body as ReadableStream<Uint8Array>) size += piece.length
    return size
  }
  for (const [name, body] of [
    ['CSV', { format: 'csv' }],
    ['XLSX', { format: 'xlsx' }],
    ['XLSX with counts of related records', { format: 'xlsx', columns: MANY.map((path) => ({ path })) }],
  ] as const) {
    await run({ ...body, limit: Math.min(ROWS, 20_000) })
    const pids = await backends(stack)
    const [begun, cpu, server, trips] = [performance.now(), worker.cpu(), serverCpu(pids), stack.proxy.trips]
    const size = await run(body)
    const [used, seconds] = [(worker.cpu() - cpu) / 1000, (performance.now() - begun) / 1000]
    const perRow = ((serverCpu(pids) - server) * 1000) / ROWS
    console.log(
      `${name}: ${ROWS} rows, ${(size / 1e6).toFixed(1)} MB, ${seconds.toFixed(1)} s, ${stack.proxy.trips - trips} trips, ` +
        `CPU of the Worker ${used.toFixed(2)} s (${Math.round(ROWS / used)} rows/s), of PostgreSQL ${perRow.toFixed(1)} µs a row, ` +
        `at most ${peak().toFixed(0)} MB resident`,
    )
  }
} finally {
  await worker.stop()
  await stack.stop()
}
