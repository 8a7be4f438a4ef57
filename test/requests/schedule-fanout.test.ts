import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'
import { proving } from '../proof.ts'
import { found } from '../routes/crm.ts'
import { automationIn, scheduling } from '../routes/scheduling.ts'
import { limit } from '../speed.ts'
import type { TestWorkspace } from '../workspace.ts'

const CONTACTS = proving ? 100_000 : 15_000
const PART = 5000
/** The runs are due later, so that only their start is looked at. */
const SPREAD = { is_active: false, spread_minutes: 1440 }

let app: Harness
let ws: TestWorkspace
let it: ReturnType<typeof scheduling>
beforeAll(async () => {
  app = await start({ ownServer: true })
  ws = await app.workspace()
  it = scheduling(app, ws, await automationIn(app, ws))
  await app.owner.query(`begin; set local session_replication_role = replica;
    insert into contacts (workspace_id, first_name, local_zone) select '${ws.id}', 'C' || n, 'UTC' from generate_series(1, ${CONTACTS}) n;
      commit`)
  await app.owner.query('analyze contacts')
}, 300_000)
afterAll(() => app.close())

/** The statements of the Worker's requests that contain a text. */
function watch(text: string) {
  const seen: number[] = []
  app.proxy.onRequest = (request) => {
    const queries = 'queries' in request ? request.queries : [request]
    if (queries.some(({ query }) => query.includes(text))) seen.push(queries.length)
  }
  return seen
}
const sizeOf = async (run: string): Promise<number> =>
  (await app.owner.query('select audience_size from schedule_runs where id = $1', [run])).rows[0].audience_size
const counts = async (run: string) => {
  const { rows } = await app.owner.query(
    'select count(*)::int, count(distinct record_id)::int as people from automation_runs where source_id = $1',
    [run],
  )
  return rows[0]
}

test(`${CONTACTS} contacts take one statement for each 5,000`, { timeout: limit(600_000) }, async () => {
  const { id } = await it.schedule({ ...SPREAD, audience_type: 'contacts' })
  const parts = watch('save_schedule_part')
  const run = found(await ws.post(`/auto-schedules/${id}/fire-now`)).id
  // Each message continues with another, for longer than a drain waits.
  for (let n = 0; n < 20 && (await it.fires(id))[0]?.status === null; n++) await app.drain().catch(() => {})
  app.proxy.onRequest = undefined
  expect((await it.fires(id))[0]).toMatchObject({ status: 'completed', audience_size: CONTACTS, runs_triggered: CONTACTS, runs_failed: 0 })
  // Beside it, each transaction has a statement that locks the fire.
  expect(parts).toEqual(Array.from({ length: CONTACTS / PART }, () => 2))
  expect(await counts(run)).toEqual({ count: CONTACTS, people: CONTACTS })
})

test('a crash before or after any part leaves nobody out and takes nobody twice', { timeout: limit(600_000) }, async () => {
  const size = 2 * PART + 10
  const { id } = await it.schedule({ ...SPREAD, audience_type: 'contacts', audience_filter: { limit: size } })
  let run = ''
  let done = 0
  for (const moment of ['before', 'after', 'before', 'after']) {
    const reached = new Promise<void>((resolve) => {
      app.proxy.onRequest = (request) => {
        if (!('queries' in request && request.queries.some(({ query }) => query.includes('save_schedule_part')))) return
        app.proxy.onRequest = undefined
        resolve()
        if (moment === 'before') return Promise.reject(new Error('the connection broke'))
        app.proxy.outage = 'lose_answer'
      }
    })
    if (run === '') run = found(await ws.post(`/auto-schedules/${id}/fire-now`)).id
    else {
      await app.owner.query("update schedule_runs set touched_at = now() - interval '3 minutes' where ended_at is null")
      void app.cron('* * * * *').catch(() => {})
    }
    await reached
    if (moment === 'after') done += PART
    while ((await sizeOf(run)) !== done);
    await app.restart()
    app.proxy.outage = 'none'
    expect((await it.fires(id))[0]).toMatchObject({ status: null, audience_size: done })
  }
  // Two messages at once, after the crashes.
  await app.owner.query("update schedule_runs set touched_at = now() - interval '3 minutes' where ended_at is null")
  const message = { type: 'work.run', kind: 'schedule.run', workspace_id: ws.id, item_id: run }
  await Promise.all([app.cron('* * * * *'), app.deliver('imports', [message]), app.deliver('imports', [message])])
  await app.drain()
  expect((await it.fires(id))[0]).toMatchObject({ status: 'completed', audience_size: size, runs_triggered: size })
  expect(await counts(run)).toEqual({ count: size, people: size })
})
