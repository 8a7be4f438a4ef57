import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isWrite, uploadOf } from '../../src/http/endpoint.ts'
import { bodyOf, type Ids, idsFor, type Operation, operations, ownParameter, pathOf, probed } from '../contract/samples.ts'
import { seed } from '../contract/seed.ts'
import { sendSample } from '../contract/send.ts'
import { type Harness, start } from '../harness.ts'
import { proving } from '../proof.ts'
import type { ApiResponse, TestWorkspace } from '../workspace.ts'

/** As many as a busy integration sends at once. */
const AT_ONCE = 32

let app: Harness
let ws: TestWorkspace
let ids: Ids
beforeAll(async () => {
  app = await start()
  ws = await app.workspace()
  ids = await seed(app, ws)
  await app.drain()
})
afterAll(() => app.close())

const parametersOf = ({ endpoint }: Operation) => [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name]) => name as string)
const MERGE = /^POST \/(contacts|companies|opportunities)\/merge/
/** The call that creates the record of a path with one parameter. */
const createOf = ({ endpoint }: Operation) =>
  operations.find(
    ({ endpoint: other }) =>
      other.method === 'POST' && !other.successor && other.path === endpoint.path.replace(/\/:.*/, '') && other.returns.as === 'created',
  )

/**
 * Records of which a workspace has too few for every kind of call: at most 20 tracked lists, 100 webhooks and so on, or one of each pair.
 */
const LIMITED = /^\/(lists|imports|approval-policies|webhooks|calendar-connections|deal-stakeholders)\//

/** Calls without a record, and those about one that the API creates. Each gets a record of its own. */
const kinds = probed.filter((operation) => {
  const { endpoint } = operation
  if (!isWrite(endpoint) || endpoint.access.public || uploadOf(endpoint) || endpoint.successor || LIMITED.test(endpoint.path)) return false
  const [parameter, ...others] = parametersOf(operation)
  return parameter === undefined
    ? endpoint.returns.as === 'created' || MERGE.test(operation.name)
    : others.length === 0 && createOf(operation)
})
const sampled = kinds.filter(
  ({ name }, index) => proving || index % 40 === 0 || MERGE.test(name) || name === 'POST /companies/:company_id/restore',
)

const many = <Out>(make: (index: number) => Promise<Out>) => Promise.all(Array.from({ length: AT_ONCE }, (_, index) => make(index)))
const summaryOf = ({ status, body }: ApiResponse) => `${status} ${JSON.stringify(body).slice(0, 200)}`

async function recordsFor(operation: Operation, n = AT_ONCE): Promise<string[]> {
  const made: string[] = []
  // A few at a time: what is measured comes after.
  while (made.length < n) {
    const answers = await Promise.all(Array.from({ length: 8 }, () => sendSample(app, ws, operation, ids)))
    const refused = answers.find(({ status }) => status > 201)
    if (refused) throw new Error(`${operation.name}: ${summaryOf(refused)}`)
    made.push(...answers.map(({ body }) => body.data.id))
  }
  return made.slice(0, n)
}

/** The change of each call: a record of its own, and for a merge two. */
async function ownRecords(operation: Operation): Promise<(index: number) => { path?: string; body?: unknown }> {
  const own = idsFor(operation, ids)
  if (MERGE.test(operation.name)) {
    const create = operations.find(({ name }) => name === operation.name.replace('/merge', '')) as Operation
    const pairs = await recordsFor(create, 2 * AT_ONCE)
    return (index) => ({ body: { winner_id: pairs[2 * index], loser_ids: [pairs[2 * index + 1]] } })
  }
  const [parameter] = parametersOf(operation)
  if (!parameter) return () => ({ body: bodyOf(operation, own) })
  const create = createOf(operation) as Operation
  const records = await recordsFor(create)
  if (operation.endpoint.path.endsWith('/restore')) await many((index) => ws.delete(`${create.endpoint.path}/${records[index]}`))
  return (index) => {
    const its = { ...own, [parameter]: records[index] as string }
    return {
      path: pathOf(operation.endpoint, its),
      body: bodyOf(operation, { ...its, [ownParameter(operation.endpoint)]: records[index] as string }),
    }
  }
}

describe(`${AT_ONCE} unrelated requests at once`, () => {
  const succeeded: string[] = []
  test.each(sampled)('$name: none is refused because of another one', { timeout: 120_000 }, async (operation) => {
    const change = await ownRecords(operation)
    const answers = await many((index) => sendSample(app, ws, operation, ids, change(index)))
    expect(answers.filter(({ status }) => status >= 500).map(summaryOf)).toEqual([])
    if (answers.every(({ status }) => status < 300)) succeeded.push(operation.name)
  })

  test.each(['contacts', 'companies', 'opportunities'])('undoing merges of %s', { timeout: 120_000 }, async (path) => {
    const create = operations.find(({ name }) => name === `POST /${path}`) as Operation
    const pairs = await recordsFor(create, 2 * AT_ONCE)
    const merged = await many((index) => ws.post(`/${path}/merge`, { winner_id: pairs[2 * index], loser_ids: [pairs[2 * index + 1]] }))
    expect(merged.filter(({ status }) => status !== 200).map(summaryOf)).toEqual([])
    const undone = await many((index) => ws.post(`/${path}/merges/${merged[index]?.body.data.merge_id}/undo`))
    expect(undone.filter(({ status }) => status !== 200).map(summaryOf)).toEqual([])
  })

  test('most kinds succeed, so that locks were taken', () => {
    expect(succeeded.length).toBeGreaterThan(sampled.length * 0.7)
  })
})
