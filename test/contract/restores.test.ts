import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'
import { proving } from '../proof.ts'
import type { TestWorkspace } from '../workspace.ts'
import { belowRecord, bodyOf, type Ids, idFor, idsFor, type Operation, operations, pathOf, restoredParameter } from './samples.ts'
import { seed } from './seed.ts'
import { sendSample } from './send.ts'

let app: Harness
let ws: TestWorkspace
let ids: Ids
/** What every read showed last, while nothing has changed since then. */
let latest: Record<string, unknown> | undefined

beforeAll(async () => {
  app = await start()
  ws = await app.workspace()
  ids = await seed(app, ws)
  await app.drain()
})
afterAll(() => app.close())

const named = (name: string) => operations.find((operation) => operation.name === name) as Operation
const restores = operations.filter(({ endpoint }) => endpoint.path.endsWith('/restore') && !endpoint.successor)

/**
 * What a deletion itself adds to (it gives back the credits of messages that were not sent), or what shows the time and the number of
 * changes. Portals end with their contact or deal, because their secrets are not kept (guides/merging.md).
 */
const VOLATILE =
  /^\/(requests|events|approvals|billing\/credits|portals|reputation\/review-requests)|history|timeline|local-time|reachability|webhooks|\/duplicates|\/export$|\/download$|\/data$|\/explain$/
const reads = operations.filter(
  ({ endpoint: { method, path, returns, successor } }) =>
    method === 'GET' && !successor && !VOLATILE.test(path) && (returns.as === 'one' || returns.as === 'list'),
)
/** When a key was last used is written every five minutes. */
const CHANGED = ['version', 'revision', 'updated_at', 'next', 'tracked_since', 'last_used_at']

function settled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(settled)
  if (typeof value !== 'object' || value === null) return value
  // A message that was waiting is not sent any more (restored-messages.test.ts).
  const changed = 'delivery_status' in value ? [...CHANGED, 'expires_at'] : CHANGED
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !changed.includes(name))
      .map(([name, part]) => [name, settled(part)]),
  )
}

/** The responses of those of the reads whose path can be filled in. */
async function responsesOf(some: Operation[], known: Ids): Promise<Record<string, unknown>> {
  const callable = some.filter(({ endpoint }) => [...endpoint.path.matchAll(/:(\w+)/g)].every(([, name]) => idFor(name as string, known)))
  const answers = await Promise.all(
    callable.map(async (operation) => {
      const { status, body } = await sendSample(app, ws, operation, known, {})
      return [operation.name, [status, settled(status === 200 ? body : body.error.code)]] as const
    }),
  )
  return Object.fromEntries(answers)
}

/** The record of the sample data, or a new one where others depend on that one, or where enrolments do not come back with it. */
async function deletable(remove: Operation, parameter: string): Promise<Ids> {
  const trial = await sendSample(app, ws, remove, ids, { query: { dry_run: 'true' } })
  if (trial.status === 200 && parameter !== 'auto_queue_id' && !('move_to_stage_id' in (remove.query.properties as object))) return ids
  const create = named(remove.name.replace('DELETE', 'POST').replace(`/:${parameter}`, ''))
  const made = await sendSample(app, ws, create, ids, { body: bodyOf(create, ids) })
  return { ...ids, [parameter]: made.body.data.id, [belowRecord(remove.endpoint, parameter)]: made.body.data.id }
}

/** A deletion ends the runs about its record for good (run-ends.test.ts): they end before the comparison. */
async function endRunsAbout(record: string | undefined): Promise<void> {
  const { body } = await ws.get('/automation-runs?limit=100')
  for (const run of body.data.filter((run: Run) => run.record_id === record && run.ended_at === null)) {
    const ended = await ws.post(`/automation-runs/${run.id}/cancel`)
    expect(ended.status, JSON.stringify(ended.body)).toBe(200)
    latest = undefined
  }
}
type Run = { id: string; record_id: string | null; ended_at: string | null }

/** A proof compares every read after each restore; other runs do after some, and after the others the reads of the record and its list. */
const EVERY = proving ? 1 : 12

describe.each(restores.map((operation, at) => ({ ...operation, at })))('$name', ({ endpoint, at }) => {
  const parameter = restoredParameter(endpoint.path)
  const one = endpoint.path.replace('/restore', '')
  const comparesAll = at % EVERY === 0
  const list = one.replace(/\/:\w+$/, '')
  const compared = comparesAll ? reads : reads.filter(({ endpoint: { path } }) => path.startsWith(list) || path.includes(`:${parameter}`))

  test('brings back what every read showed before the deletion, and the history goes on', async () => {
    const remove = named(`DELETE ${one}`)
    const known = await deletable(remove, parameter)
    const path = pathOf(remove.endpoint, idsFor(remove, known))
    await endRunsAbout(known[parameter])
    const unchanged = known === ids ? latest : undefined
    const before = unchanged ?? (await responsesOf(compared, known))
    const removed = await sendSample(app, ws, remove, known)
    expect(removed.status, JSON.stringify(removed.body)).toBe(200)
    const restored = await ws.post(`${path}/restore`)
    const lost = (restored.body._warnings ?? []).filter(({ code }: { code: string }) => code !== 'VALUE_NOT_LISTED')
    expect([restored.status, lost], JSON.stringify(restored.body)).toEqual([200, []])
    latest = undefined
    const after = await responsesOf(compared, known)
    for (const [name, response] of Object.entries(after)) expect(response, name).toEqual(before[name])
    if (known === ids) latest = comparesAll ? after : unchanged

    const history = await ws.get(`${path}/history?limit=2`)
    if (history.status === 200) {
      const [created, deleted] = history.body.data
      expect([created.action, created.cause_type, deleted.action]).toEqual(['created', 'restore', 'deleted'])
      expect(created.version).toBeGreaterThan(deleted.version)
    }
    expect((await ws.post(`${path}/restore`)).body.error).toMatchObject({ code: 'INVALID_STATE', details: { state: 'active' } })
  })

  test('is NOT_FOUND for a record that never was', async () => {
    const path = pathOf({ ...endpoint, path: one }, { ...ids, [parameter]: crypto.randomUUID() })
    expect((await ws.post(`${path}/restore`)).body.error).toMatchObject({ code: 'NOT_FOUND' })
  })
})
