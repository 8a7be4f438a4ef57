import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Case, casesFor } from '../../bench/cases.ts'
import { allBlocks, blocksOf, explain, explainAgain, planningOf, scansOf } from '../../bench/plans.ts'
import { samplesOf } from '../../bench/samples.ts'
import type { NeonQuery } from '../../dev/neon-proxy.ts'
import { allEndpoints } from '../../routes/index.ts'
import { isList } from '../../src/http/endpoint.ts'
import { type Harness, start } from '../harness.ts'
import { proving } from '../proof.ts'
import type { Identity } from '../workspace.ts'
import { FILLED_SIZES, filledDatabase } from './flat-data.ts'
import { fillAgency } from './seed-agency.ts'

/** The cost of a page of each list, for each filter and sort, in a workspace where most tables have thousands of rows. */

const ROWS = proving ? 20_000 : 10_000
const LIMIT = 50
/** Of how many cases the usual run reads a next page of one. */
const ONE_OF = proving ? 1 : 3
/** In the order of an index, each row costs at most one block, plus the levels of one or two indexes. */
const SMALL = 16
/** With a filter, the planner may read all matches if there are few more than a page. */
const FILTERED = 3 * LIMIT
/** For lists that look up a row of another table for each row, which costs a few levels of an index. */
const LOOKED_UP = 8 * LIMIT
/** For each row whose references are counted. */
const COUNTED = 60
/** A scan for duplicates reads about a thousand index entries and compares up to 250 pairs of records, each with a look-up in an index. */
const WALKED = 5000
/** A search reads the next thousand records of the list, then those that the index of words finds. */
const SEARCH = 700

/** A count of ten thousand records reads an index, and the records that changed since the last vacuum. */
const TOTALLED = 1400

/** For each row with up to six kinds of related records, each found by an index. */
const RELATED = 60

/** For each record of twice a page, whose latest activity or next task is found by indexes. */
const TIMED = 2 * LIMIT * 30

/** For each website with its latest syncs, which an index finds. */
const SYNCED = 8

/** The maximum number of blocks that a page may read. */
function mostOf({ kind, query, endpoint }: Case, rows: number): number {
  if (endpoint.path === '/agency/websites') return rows * SYNCED + SMALL
  const { sort: _, archived, ...filters } = query
  if (kind === 'search') return SEARCH
  if (kind === 'walked') return WALKED
  if (kind === 'timed') return TIMED
  if (kind === 'totalled') return TOTALLED
  if (kind === 'related') return rows * RELATED + SMALL
  if (kind === 'counted') return rows * COUNTED + SMALL
  if (kind === 'linked') return LOOKED_UP
  return Object.keys(filters).length > 0 || archived === 'all' ? FILTERED : rows + SMALL
}

let app: Harness
let session: pg.PoolClient
let stop: () => Promise<void>
let key: string
const cases = new Map<string, Case[]>()

beforeAll(async () => {
  const filled = await filledDatabase(FILLED_SIZES)
  stop = filled.stop
  app = await start({ database: filled.database })
  session = await app.owner.connect()
  const measured = filled.workspaces[FILLED_SIZES.indexOf(ROWS)] as Identity
  await fillAgency(session, measured.id, 400)
  await session.query('vacuum analyze')
  await session.query(`select set_config('app.workspace_id', $1, false)`, [measured.id])
  key = measured.apiKey
  for (const one of casesFor(await samplesOf(session)).cases.filter(({ middle }) => !middle)) {
    const { path } = one.endpoint
    cases.set(path, [...(cases.get(path) ?? []), one])
  }
  await session.query('set role app')
  await session.query('select assert_agency()')
  // The first call in a session also reads the catalogue.
  await session.query('select iso(synced_until())')
}, 600_000)
afterAll(async () => {
  const dearest = planned.toSorted((a, b) => b.times - a.times).slice(0, 20)
  if (proving) console.log(dearest.map(({ label, times }) => `${label}: ${times.toFixed(1)}`).join('\n'))
  session.release(true)
  await app.close()
  await stop()
})

/** Reads a page and returns the statements that it took. */
async function pageOf({ endpoint, params, query }: Case, after?: string) {
  let sent: NeonQuery[] = []
  app.proxy.onRequest = (request) => {
    const queries = 'queries' in request ? request.queries : [request]
    // The queue writes the request log at the same time.
    if (queries[0]?.query.includes('begin_request')) sent = queries
  }
  const path = endpoint.path.replace(/:(\w+)/g, (_, name) => params[name]!)
  const pageQuery = new URLSearchParams({ ...query, limit: String(LIMIT), ...(after && { after }) })
  const response = await app.fetch(`/v1${path}?${pageQuery}`, { headers: { authorization: `Bearer ${key}` } })
  app.proxy.onRequest = undefined
  const body = (await response.json()) as { data: unknown[]; page: { next: string | null } }
  expect(response.status, JSON.stringify(body)).toBe(200)
  return { sent, rows: body.data.length, next: body.page.next }
}

/** Returns the faults of the plans of a page. A search or a count may scan a small table. */
async function faultsOf(one: Case, sent: NeonQuery[], rows: number): Promise<string[]> {
  const plans = await explainAgain(session, sent, mostOf(one, rows))
  const blocks = allBlocks(plans)
  // A filter of the request log without an index reads the newest 10,000 requests, which may be all requests.
  const isWhole =
    one.kind === 'search' ||
    // Archived records are few, and read whole.
    one.kind === 'timed' ||
    // The stages and pipelines of a workspace are in a few blocks.
    one.kind === 'related' ||
    one.kind === 'totalled' ||
    one.kind === 'counted' ||
    (one.kind === 'walked' && one.endpoint.path === '/requests')
  // A workspace has at most 50 statuses of work orders, which a page reads at once.
  const isFew = (table: string) => (one.kind === 'linked' && table === 'stages') || table === 'work_order_statuses'
  const scans = isWhole ? [] : plans.flatMap(scansOf).filter((table) => !isFew(table))
  return [
    ...scans.map((table) => `${one.label}: reads all of ${table}`),
    ...(blocks > mostOf(one, rows) ? [`${one.label}: ${blocks} blocks for ${rows} rows`] : []),
  ]
}

/** How many times the planning of a page may take that of the reference, which is planned in the same moment. */
const PLANNED = 5
/** A page of an ordinary table, as the app role plans it. */
const REFERENCE = `select c.id, c.first_name, c.last_name, c.email, c.updated_at from contacts c
  left join companies k on k.workspace_id = c.workspace_id
  and k.id = c.customer_id where c.city = 'Newcastle' and not c.archived and c.created_at < now()
  order by c.created_at desc, c.id desc limit 51`
/** Pages that may take more, and why. */
const MANY_WAYS = 'a search or a count tries several ways to find its page, each of which is planned'
const JOINED = 'it joins tables, whose best order depends on the filter'
const PLANNED_LONGER: Record<string, { most: number; why: string }> = {
  '/activities': { most: 30, why: MANY_WAYS },
  '/companies': { most: 40, why: 'its sorts by related records are planned with the records that they look up' },
  '/companies/:company_id/contacts': { most: 15, why: MANY_WAYS },
  '/companies/:company_id/opportunities': { most: 90, why: MANY_WAYS },
  '/companies/:company_id/tasks': { most: 40, why: MANY_WAYS },
  '/contacts': { most: 40, why: MANY_WAYS },
  '/contacts/:contact_id/activities': { most: 50, why: MANY_WAYS },
  '/contacts/:contact_id/deals': { most: 80, why: MANY_WAYS },
  '/contacts/:contact_id/lists': { most: 15, why: MANY_WAYS },
  '/contacts/:contact_id/tasks': { most: 40, why: MANY_WAYS },
  '/conversations': { most: 70, why: JOINED },
  '/email/configs': { most: 25, why: JOINED },
  '/email/logs': { most: 60, why: JOINED },
  '/email/threads': { most: 150, why: JOINED },
  '/events': { most: 30, why: 'each partition of the events is planned' },
  '/files': { most: 80, why: 'it lists the files of several tables' },
  '/lists/:list_id/members': { most: 40, why: MANY_WAYS },
  '/messages': { most: 70, why: JOINED },
  '/notepads': { most: 30, why: MANY_WAYS },
  '/opportunities': { most: 60, why: MANY_WAYS },
  '/opportunities/:opportunity_id/history': { most: 25, why: 'each partition of the changes is planned' },
  '/opportunities/:opportunity_id/tasks': { most: 20, why: MANY_WAYS },
  '/pipelines/:pipeline_id/stages/:stage_id/history': { most: 20, why: 'each partition of the changes is planned' },
  '/roles/:role_id/history': { most: 20, why: 'each partition of the changes is planned' },
  '/service-requests': { most: 25, why: MANY_WAYS },
  '/tasks': { most: 30, why: MANY_WAYS },
}
/** What planning has cost, for the figures of bench/README. */
const planned: { label: string; times: number }[] = []

/** Planning is noisy beside other work, so only `npm run prove` compares it. */
async function planningFaults(one: Case, sent: NeonQuery[]): Promise<string[]> {
  if (!proving) return []
  const [first = { query: 'select 1' }] = sent
  const reference = await planningOf(session, [first, { query: REFERENCE, params: [] }])
  const times = (await planningOf(session, sent)) / reference
  planned.push({ label: one.label, times })
  const most = PLANNED_LONGER[one.endpoint.path]?.most ?? PLANNED
  return times > most ? [`${one.label}: planning takes ${times.toFixed(1)} times that of the reference`] : []
}

const lists = (await allEndpoints())
  .filter((endpoint) => isList(endpoint) && endpoint.method === 'GET' && !endpoint.successor)
  .map(({ path }) => path)

test.each(lists)(
  '%s: by each filter and sort, a page and the next one read little',
  async (path) => {
    const faults: string[] = []
    for (const [at, one] of (cases.get(path) ?? []).entries()) {
      const first = await pageOf(one)
      faults.push(...(await faultsOf(one, first.sent, first.rows)), ...(await planningFaults(one, first.sent)))
      if (!first.next || one.query.archived || at % ONE_OF > 0) continue
      const second = await pageOf(one, first.next)
      faults.push(...(await faultsOf({ ...one, label: `${one.label} (next)` }, second.sent, second.rows)))
    }
    expect(faults).toEqual([])
  },
  120_000,
)

test.each(['claim_events(null, 100)', 'expire_rows()', "record_requests('[]')"])(
  '%s reads next to nothing when there is nothing to do',
  async (call) => {
    await session.query('set role jobs')
    const statements = [{ query: 'select 1' }, { query: `select * from ${call}`, params: [] }]
    // The first run in a role also reads the catalogue, which is not part of the cost.
    await explain(session, statements)
    const [plan] = await explain(session, statements)
    await session.query('set role app')
    expect(blocksOf(plan!)).toBeLessThan(150)
  },
)

/** All histories use one statement. The other lists use an index on their parent, and the workspace has no parent here. */
const WITHOUT = [
  '/calendar-connections/:connection_id/calendars',
  '/training-canvases/:training_canvas_id/progress',
  '/exports/templates/:export_template_id/views',
  '/imports/:import_id/rows',
  '/automations/:automation_id/versions',
  '/automation-runs/:run_id/steps',
  '/auto-queues/:auto_queue_id/steps',
  '/auto-queues/:auto_queue_id/enrolments',
  '/auto-queues/:auto_queue_id/enrolments/:enrolment_id/steps',
  '/auto-queues/:auto_queue_id/list-enrolments',
  '/auto-schedules/:auto_schedule_id/runs',
  '/document-templates/:document_template_id/sections',
  '/order-forms/:order_form_id/logs',
  '/email-campaigns/:email_campaign_id/links',
  '/email-campaigns/:email_campaign_id/links/:link_id/recipients',
  '/email-campaigns/:email_campaign_id/recipients',
  '/auto-schedules/:auto_schedule_id/runs/:schedule_run_id/results',
  '/webhooks/:webhook_id/deliveries',
  '/incoming-webhooks/:incoming_webhook_id/requests',
  // At most 20 rows of one board, found by the board.
  '/whiteboards/:whiteboard_id/versions',
]

test('no other list is without a case: bench/cases.ts has a value for each parameter', () => {
  const unknown = lists.filter((path) => !cases.has(path) && !path.endsWith('/history'))
  expect(unknown.toSorted()).toEqual(WITHOUT.toSorted())
})
