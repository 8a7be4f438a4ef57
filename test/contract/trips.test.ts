import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { NeonQuery } from '../../dev/neon-proxy.ts'
import { isWrite, uploadOf } from '../../src/http/endpoint.ts'
import type { JsonSchema } from '../../src/http/openapi/schemas.ts'
import { type Harness, start } from '../harness.ts'
import { limit } from '../speed.ts'
import type { ApiResponse, TestWorkspace } from '../workspace.ts'
import { bodyOf, type Ids, idsFor, inTurn, type Operation, ownParameter, pathOf, probed } from './samples.ts'
import { seed } from './seed.ts'
import { sendSample } from './send.ts'
import {
  callsOutside,
  isDecidedFromRecords,
  isFoundFirst,
  isReadAtOnce,
  isReadBefore,
  isReadInTwo,
  isRehearsed,
} from './trip-exceptions.ts'

/**
 * The number of statements of a bulk call of any size, including begin_request, the confirmation of the workspace's zone and end_request.
 */
const MOST_STATEMENTS = 6
const FULL = 100

/** Updates that depend on the country of the record: one round trip for the default country, two for others. */
const BY_COUNTRY: {
  what: string
  record: 'contacts' | 'companies'
  call: (ws: TestWorkspace, id: string) => Promise<ApiResponse>
}[] = [
  {
    what: 'a contact update with a national phone number',
    record: 'contacts',
    call: (ws, id) => ws.patch(`/contacts/${id}`, { phone: '0412 345 678' }),
  },
  {
    what: 'a contact update with a state for its time zone',
    record: 'contacts',
    call: (ws, id) => ws.patch(`/contacts/${id}`, { timezone: 'WA' }),
  },
  {
    what: 'a bulk update with a national phone number',
    record: 'contacts',
    call: (ws, id) => ws.post('/contacts/bulk-update', { records: [{ id, phone: '0412 345 678' }] }),
  },
  {
    what: 'a company update with a national phone number',
    record: 'companies',
    call: (ws, id) => ws.patch(`/companies/${id}`, { phone: '02 9374 4000' }),
  },
]

const outsideTrips = ({ name }: Operation) => (callsOutside(name) ? 1 : 0)

let app: Harness
let ws: TestWorkspace
let careful: TestWorkspace
let ids: Ids
/** The number of statements of each round trip, by request. Other round trips, such as those of queues, are under 'none'. */
const trips = new Map<string, number[]>()

beforeAll(async () => {
  app = await start()
  ws = await app.workspace()
  ids = await seed(app, ws)
  careful = await ws.key({ level: 'approval', member: ws.userId })
  // The time zone is remembered for a caller, after the first request that needs it.
  await careful.get('/work-orders?overdue=true')
  await app.drain()
  app.proxy.onRequest = (request) => {
    const queries = 'queries' in request ? request.queries : [request]
    const id = requestOf(queries[0]!)
    trips.set(id, [...(trips.get(id) ?? []), queries.length])
  }
})
afterAll(() => app.close())

const requestOf = ({ query, params }: NeonQuery): string =>
  /begin_request/.test(query) ? JSON.parse(String(params?.[0])).request_id : 'none'
const tripsOf = ({ headers }: ApiResponse) => trips.get(headers.get('x-request-id')!) ?? []
const summaryOf = ({ status, body }: ApiResponse) => `${status} ${JSON.stringify(body).slice(0, 300)}`

const withKey = probed.filter(({ endpoint }) => !endpoint.access.public)
const reads = withKey.filter(({ endpoint }) => !isWrite(endpoint))
const writes = inTurn(probed, 0).filter((operation) => withKey.includes(operation) && isWrite(operation.endpoint))

test.each(reads)('$name takes one trip, or two where a list is read first', async (operation) => {
  const answer = await sendSample(app, ws, operation, ids)
  const expected = isReadAtOnce(operation.name) ? 3 : isReadInTwo(operation.name) ? 2 : 1
  expect([answer.status, tripsOf(answer).length], summaryOf(answer)).toEqual([200, expected])
})

describe.each(writes.filter(({ endpoint }) => !endpoint.access.direct))('$name', (operation) => {
  test('takes no more round trips for a dry run, and one more for an approval, which stores the request', async () => {
    const dry = await sendSample(app, ws, operation, ids, { query: { dry_run: 'true' } })
    // That of a run reads what the run begins with, and tries each step by itself.
    const path: unknown[] | undefined = dry.body?.data?.path
    const further = path ? 1 + path.length : 0
    expect([dry.status, tripsOf(dry).length], summaryOf(dry)).toEqual([200, tripsFor(operation) + further])
    const held = await sendSample(app, careful, operation, ids)
    const status = operation.endpoint.returns.as === 'text' ? 200 : 202
    expect([held.status, tripsOf(held).length], summaryOf(held)).toEqual([status, tripsFor(operation) + 1])
  })
})

/** The caller and the record are checked before a file is read, also for a repeated request. */
const repeatedTrips = ({ name, endpoint }: Operation) => (isRehearsed(name) ? 3 : uploadOf(endpoint) || isReadBefore(name) ? 2 : 1)
const tripsFor = (operation: Operation) =>
  isRehearsed(operation.name) || isFoundFirst(operation.name) ? 3 : isDecidedFromRecords(operation.name) ? 2 : repeatedTrips(operation)

// These calls change the sample records, so deletions come last.
const deletes = ({ endpoint }: Operation) => Number(endpoint.method === 'DELETE' || endpoint.path.includes('delete'))
const inOrder = writes.toSorted((a, b) => deletes(a) - deletes(b))

test.each(inOrder)(
  '$name takes one trip (two with a file, or decided from records, three if another request is tried), and its repetition no more',
  async (operation) => {
    const body = bodyOf(operation, idsFor(operation, ids))
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const first = await sendSample(app, ws, operation, ids, { body, headers })
    expect(tripsOf(first), summaryOf(first)).toHaveLength(tripsFor(operation) + outsideTrips(operation))
    const again = await sendSample(app, ws, operation, ids, { body, headers })
    // Only successful responses are stored.
    expect(tripsOf(again), summaryOf(again)).toHaveLength(
      (first.status < 300 ? repeatedTrips(operation) : tripsFor(operation)) + outsideTrips(operation),
    )
    if (first.status < 300) expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([first.status, 'true'])
  },
)

test.each(probed.filter(({ endpoint }) => endpoint.access.public))('$name takes one trip', async (operation) => {
  await app.drain()
  trips.delete('none')
  const answer = await sendSample(app, ws, operation, ids)
  // Those of a principal have its request id; others begin no request.
  const taken = operation.endpoint.access.principal ? [] : (trips.get('none') ?? [])
  expect([...taken, ...tripsOf(answer)], summaryOf(answer)).toHaveLength(1)
})

describe('input that depends on the country', () => {
  let fresh: TestWorkspace
  let its: Ids
  beforeAll(async () => {
    fresh = await app.workspace()
    its = await seed(app, fresh)
  })

  test.each(BY_COUNTRY)('$what: one round trip for the default country, two for others', async ({ record, call }) => {
    const id = its[record === 'contacts' ? 'contact_id' : 'company_id']!
    for (const [country, count] of [
      ['Australia', 1],
      ['New Zealand', 2],
    ] as const) {
      expect((await fresh.patch(`/${record}/${id}`, { country })).status).toBe(200)
      const answer = await call(fresh, id)
      expect([answer.status, tripsOf(answer).length], summaryOf(answer)).toEqual([200, count])
    }
  })
})

/** The field of a body that takes up to 100 records or ids. */
function listOf({ body }: Operation): string | undefined {
  const lists = Object.entries((body?.properties ?? {}) as Record<string, JsonSchema>).filter(([name]) => body?.required?.includes(name))
  return lists.find(([, schema]) => schema.maxItems === FULL)?.[0]
}

const itemOf = (operation: Operation, field: string, ids: Ids): unknown => (bodyOf(operation, ids)![field] as unknown[])[0]

/** No call creates a hundred of its records. */
const NOT_MADE = ['POST /conversations/bulk-update', 'POST /dead-letters/bulk-replay', 'POST /work-orders/bulk-reschedule']
const bulk = withKey.filter(
  (operation) => /\/bulk-[a-z-]+$/.test(operation.endpoint.path) && listOf(operation) && !NOT_MADE.includes(operation.name),
)

describe.runIf(bulk.length > 0)(`bulk calls of ${FULL} records`, () => {
  let fresh: TestWorkspace
  let its: Ids
  beforeAll(async () => {
    fresh = await app.workspace()
    its = await seed(app, fresh)
  })

  test.each(bulk)(`$name takes one trip and at most ${MOST_STATEMENTS} statements`, async (operation) => {
    const { endpoint } = operation
    // Each contact is enrolled once.
    const enrols = endpoint.path.endsWith('/enrolments/bulk-create')
    const made = await makeMany(fresh, its, enrols ? '/contacts/bulk-create' : endpoint.path.replace(/bulk-[a-z-]+$/, 'bulk-create'))
    const field = listOf(operation)!
    const own = enrols ? 'contact_id' : ownParameter(endpoint)
    const items = Array.from({ length: FULL }, (_, index) => itemOf(operation, field, { ...its, [own]: made[index] ?? its[own]! }))
    const began = performance.now()
    const answer = await fresh.call(endpoint.method, pathOf(endpoint, its), { ...bodyOf(operation, its), [field]: items })
    // What is evaluated for each pair of records instead of each record takes longer.
    expect(performance.now() - began).toBeLessThan(limit(800))
    expect([answer.status, answer.body.data?.results.length], summaryOf(answer)).toEqual([200, FULL])
    expect(tripsOf(answer)).toHaveLength(1)
    expect(tripsOf(answer)[0]).toBeLessThanOrEqual(MOST_STATEMENTS)
  })

  /** The ids of new records for a bulk call. */
  async function makeMany(ws: TestWorkspace, its: Ids, path: string): Promise<string[]> {
    if (path.startsWith('/approvals/')) return makeApprovals(ws)
    const create = bulk.find(({ endpoint }) => endpoint.path === path)
    if (!create) return []
    const records = Array.from({ length: FULL }, () => itemOf(create, 'records', its))
    const { body } = await ws.post(pathOf(create.endpoint, its), { records })
    return body.data.results.map(({ id }: { id: string }) => id)
  }

  /** Pending approvals: one, and copies of it. */
  async function makeApprovals(ws: TestWorkspace): Promise<string[]> {
    const { approval_id } = (await ws.post('/contacts', { first_name: 'Held', require_approval: true })).body
    const { rows } = await app.owner.query(
      `insert into approvals select (jsonb_populate_record(a, jsonb_build_object('id', uuidv7()))).*
        from approvals a, generate_series(1, ${FULL})
        where a.id = $1 returning id`,
      [approval_id],
    )
    return rows.map(({ id }) => id)
  }
})
