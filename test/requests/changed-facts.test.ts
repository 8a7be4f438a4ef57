import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Ids, type Operation, probed } from '../contract/samples.ts'
import { seed } from '../contract/seed.ts'
import { sendSample } from '../contract/send.ts'
import { type Harness, start } from '../harness.ts'
import type { ApiResponse, TestWorkspace } from '../workspace.ts'

/**
 * A request that decides from what its first round trip has read, while another one changes that before the second, ends as if the other
 * had come first. Requests are tried as dry runs, and the change is taken back.
 */
let app: Harness
let ws: TestWorkspace
let ids: Ids
beforeAll(async () => {
  app = await start({ seldomLogs: true })
  ws = await app.workspace()
  ids = await seed(app, ws)
  await app.drain()
}, 120_000)
afterAll(() => app.close())

const BOOKINGS = ['', '/series', '/holds'].map((part) => `POST /scheduling-bookings${part}`)
const MOVES = ['reschedule', 'reassign'].map((verb) => `POST /scheduling-bookings/:booking_id/${verb}`)
const SENDS = ['send', 'schedule'].map((verb) => `POST /email-campaigns/:email_campaign_id/${verb}`)
const DRAFTS = ['send', 'schedule'].map((verb) => `POST /email/drafts/:email_draft_id/${verb}`)
const IMPORTS = ['check', 'start'].map((verb) => `POST /imports/:import_id/${verb}`)
const AGENTS = ['publish', 'rollback'].map((verb) => `POST /agents/:agent_id/${verb}`)

/** What another request changes: a column of the rows of the workspace. `code`: of a request that is refused, and can be repeated. */
const CHANGES: { table: string; column: string; value: string; operations: string[]; code?: string }[] = [
  {
    table: 'scheduled_event_types',
    column: 'is_active',
    value: 'false',
    operations: [...BOOKINGS, MOVES[0] as string],
  },
  { table: 'seat_sessions', column: 'taken', value: '0', operations: ['POST /scheduling-waiting-list'] },
  { table: 'availabilities', column: 'weekly_hours', value: "'{}'", operations: [...BOOKINGS, ...MOVES] },
  { table: 'bookings', column: 'status', value: "'cancelled'", operations: MOVES },
  { table: 'email_campaigns', column: 'body_html', value: "'<p>{{no_such}}</p>'", operations: SENDS, code: 'CONFLICT' },
  { table: 'email_campaigns', column: 'status', value: "'sent'", operations: [...SENDS, 'PATCH /email-campaigns/:email_campaign_id'] },
  { table: 'email_drafts', column: 'status', value: "'sent'", operations: DRAFTS },
  { table: 'imports', column: 'mapping', value: "'[]'", operations: IMPORTS },
  { table: 'imports', column: 'state', value: "'finished'", operations: ['PATCH /imports/:import_id', ...IMPORTS] },
  { table: 'voice_agent_configs', column: 'status', value: "'publishing'", operations: AGENTS },
  { table: 'automations', column: 'state', value: "'archived'", operations: ['POST /automations/:automation_id/publish'] },
  { table: 'tasks', column: 'status', value: "'completed'", operations: ['POST /tasks/:task_id/skip'] },
  { table: 'notepads', column: 'content', value: "'# Other'", operations: ['PATCH /notepads/:notepad_id/section'] },
  {
    table: 'lead_results',
    column: 'status',
    value: "'rejected'",
    operations: ['POST /lead-gen/results/convert', 'POST /lead-gen/initiatives/:initiative_id/enrol'],
  },
]

/** Changes the rows, with what triggers make of it; the function that is returned takes it back. */
async function change({ table, column, value }: (typeof CHANGES)[number]): Promise<() => Promise<void>> {
  const { rows } = await app.owner.query<{ id: string; stored: string }>(
    `select id, to_jsonb(t) -> $2 as stored from ${table} t where workspace_id = $1`,
    [ws.id, column],
  )
  const inWorkspace = `select set_config('app.workspace_id', '${ws.id}', true), set_config('app.unchecked_values', 'on', true)`
  await app.owner.query(`begin; ${inWorkspace}; update ${table} set ${column} = ${value} where workspace_id = '${ws.id}'; commit`)
  return async () => {
    const client = await app.owner.connect()
    try {
      await client.query(`begin; ${inWorkspace}`)
      await client.query(
        `update ${table} t set ${column} = (jsonb_populate_record(t, jsonb_build_object($2::text, s.stored))).${column}
           from jsonb_to_recordset($1::jsonb) s(id uuid, stored jsonb) where t.id = s.id`,
        [JSON.stringify(rows), column],
      )
      await client.query('commit')
    } finally {
      client.release()
    }
  }
}

const outcomeOf = ({ status, body }: ApiResponse) => ({ status, error: body?.error?.code ?? Object.keys(body?.data ?? {}).sort() })
const tried = async (operation: Operation) => {
  const answer = await sendSample(app, ws, operation, ids, { query: { dry_run: 'true' } })
  return { ...outcomeOf(answer), reasons: JSON.stringify(answer.body).match(/"(?:reason|code|allowed)":[^,}]+/g) }
}

const CASES = CHANGES.flatMap((one) => one.operations.map((operation) => ({ ...one, operation })))

test.each(CASES)('$operation is answered as after a change of $column by another request', async ({ operation: name, ...one }) => {
  const operation = probed.find((each) => each.name === name) as Operation
  const before = await tried(operation)
  expect(before.status).toBe(200)
  let back = await change(one)
  const after = await tried(operation).finally(back)
  expect(after).not.toEqual(before)
  let trips = 0
  app.proxy.onRequest = async (request) => {
    const [first] = 'queries' in request ? request.queries : [request]
    if (!/begin_request/.test(first?.query ?? '') || ++trips !== 2) return
    back = await change(one)
  }
  const during = await tried(operation).finally(() => {
    app.proxy.onRequest = undefined
  })
  expect(trips).toBeGreaterThan(1)
  await back()
  if (one.code) expect(during).toMatchObject({ status: 409, error: one.code })
  else expect(during).toEqual(after)
})
