import { afterAll, beforeAll, expect, test } from 'vitest'
import { isWrite, uploadOf } from '../../src/http/endpoint.ts'
import { bodyOf, type Ids, idsFor, type Operation, probed } from '../contract/samples.ts'
import { seed } from '../contract/seed.ts'
import { sendSample } from '../contract/send.ts'
import { isDecidedFromRecords, isFoundFirst, isReadBefore, isRehearsed } from '../contract/trip-exceptions.ts'
import { type Harness, start } from '../harness.ts'
import type { ApiResponse, TestWorkspace } from '../workspace.ts'
import { CHANGES, type Change } from './changed-fact-cases.ts'
import { NOT_CHANGED } from './changed-fact-exceptions.ts'

/**
 * A request that decides from what its first round trip has read, while another one changes that before the second, ends as if the other
 * had come first. Requests are tried as dry runs, and the change is taken back.
 */
let app: Harness
let ws: TestWorkspace
let ids: Ids
beforeAll(async () => {
  app = await start()
  ws = await app.workspace()
  ids = await seed(app, ws)
  await app.drain()
}, 120_000)
afterAll(() => app.close())

/** Changes the rows, with what triggers make of it; the function that is returned takes it back. */
async function change({ table, column, value }: Change): Promise<() => Promise<void>> {
  const { rows } = await app.owner.query<{ id: string; stored: string }>(
    `select id, to_jsonb(t) -> $2 as stored from ${table} t where workspace_id = $1`,
    [ws.id, column],
  )
  const inWorkspace = `select set_config('app.workspace_id', '${ws.id}', true), set_flag('unchecked_values')`
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

/** What is new in each answer. */
const NEW = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z|[\w-]{24,}|"version":(\d+|\{[^}]*\})/g
const CASES = CHANGES.flatMap((one) => one.operations.map((operation) => ({ ...one, operation })))
/** How a request is answered: one that stores what it does is tried as a dry run. */
function trying(name: string, isCarriedOut = false) {
  const operation = probed.find((each) => each.name === name) as Operation
  const body = bodyOf(operation, idsFor(operation, ids))
  return async () => {
    const answer = await sendSample(app, ws, operation, ids, { body, ...(!isCarriedOut && { query: { dry_run: 'true' } }) })
    return { status: answer.status, error: answer.body?.error?.code, answer: JSON.stringify(answer.body).replace(NEW, '#') }
  }
}

test('each write that reads something in a round trip before has a case, or a reason to have none', () => {
  const takesTwo = ({ name, endpoint }: Operation) =>
    isDecidedFromRecords(name) || isFoundFirst(name) || isReadBefore(name) || isRehearsed(name) || uploadOf(endpoint) !== undefined
  const names = probed.filter((one) => isWrite(one.endpoint) && takesTwo(one)).map(({ name }) => name)
  const treated = new Set([...CASES.map(({ operation }) => operation), ...Object.values(NOT_CHANGED).flat()])
  expect(names.filter((name) => !treated.has(name))).toEqual([])
  expect([...treated].filter((name) => !names.includes(name))).toEqual([])
})

test.each(CASES)('$operation is answered as after a change of $column by another request', async ({ operation, ...one }) => {
  const tried = trying(operation, one.isCarriedOut)
  const before = await tried()
  expect(before.status, before.answer).toBeLessThan(300)
  let back = await change(one)
  const after = await tried().finally(back)
  expect(after).not.toEqual(before)
  let trips = 0
  app.proxy.onRequest = async (request) => {
    const [first] = 'queries' in request ? request.queries : [request]
    if (!/begin_request/.test(first?.query ?? '') || ++trips !== 2) return
    back = await change(one)
  }
  const during = await tried().finally(() => {
    app.proxy.onRequest = undefined
  })
  expect(trips).toBeGreaterThan(1)
  await back()
  if (one.refusal) expect(during.answer).toContain(one.refusal)
  else if (one.code) expect(during).toMatchObject({ status: 409, error: one.code })
  else expect(during).toEqual(after)
})

/** Changes something between the first two round trips of a request, by another request. */
async function between(call: () => Promise<ApiResponse>, other: () => Promise<ApiResponse>): Promise<ApiResponse> {
  let trips = 0
  app.proxy.onRequest = async (request) => {
    const [first] = 'queries' in request ? request.queries : [request]
    if (!/begin_request/.test(first?.query ?? '') || ++trips !== 2) return
    app.proxy.onRequest = undefined
    expect((await other()).status).toBe(200)
  }
  return call().finally(() => {
    app.proxy.onRequest = undefined
  })
}

test('the parts of an automation that two requests change at the same time are checked together', async () => {
  const automation = { name: 'Welcome', trigger: { type: 'contact_created' }, steps: [] }
  const { id } = (await ws.post('/automations', automation)).body.data
  const steps = [{ type: 'create_task', fields: { title: 'Write to {{ trigger.payload.email }}' } }]
  const trigger = { type: 'event', event_types: ['task.created'] }
  const change = () => ws.patch(`/automations/${id}`, { trigger })
  const answer = await between(() => ws.patch(`/automations/${id}`, { steps }), change)
  expect(answer).toMatchObject({ status: 400, body: { error: { code: 'VALIDATION_ERROR' } } })
  expect((await ws.get(`/automations/${id}`)).body.data).toMatchObject({ trigger, steps: [] })
  expect((await ws.patch(`/automations/${id}`, { steps, trigger: automation.trigger })).status).toBe(200)
})

test('of two changes of a commission plan at the same time, each counts', async () => {
  const plan = `/agency/team-commission/plans/${ids.user_id}`
  const answer = await between(
    () => ws.patch(plan, { one_off_percent: 11 }),
    () => ws.patch(plan, { ongoing_percent: 12 }),
  )
  expect(answer.body).toMatchObject({ data: { one_off_percent: 11, ongoing_percent: 12 } })
})
