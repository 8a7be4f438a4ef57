import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blocksOf, type Plan } from '../../bench/plans.ts'
import { root } from '../../dev/settings.ts'
import { NEWEST } from '../../src/features/events/plans/newest.ts'
import { isWrite } from '../../src/http/endpoint.ts'
import { type Harness, start } from '../harness.ts'
import { proving } from '../proof.ts'
import { type TestWorkspace, through } from '../workspace.ts'
import { type Cost, collectRefuted, costNow, openSession, startCounting } from './blocks.ts'
import { type Call, ROUNDS, unprepared } from './flat-calls.ts'
import { FILLED_SIZES, filledDatabase } from './flat-data.ts'
import { EXCEPTIONS } from './flat-exceptions.ts'
import { LISTED } from './flat-lists.ts'
import { grow } from './growth.ts'
import { type Ids, inTurn, probed } from './samples.ts'
import { seed } from './seed.ts'
import { sendSample } from './send.ts'
import { SKILLS_IN_BACKGROUND } from './skill-values.ts'
import { WAITING_BACKGROUND } from './waiting-values.ts'
import { WORK_IN_BACKGROUND } from './work-samples.ts'

/**
 * Every endpoint costs the same in a small and a large workspace. Each call is made first in another workspace, so that the session has
 * compiled it, and then once in each. It concerns the same number of records everywhere; only the number of other records differs.
 */

const FILLED = proving ? [200, 1_000, 100_000, 1_000_000, 1_000_000] : FILLED_SIZES
/** The allowed growth from the smallest to a larger workspace: a factor, or a number of blocks. */
const GROWTH = 1.2
const SMALL = 12
/** A call must not scan a whole table, because a table has the rows of all workspaces. */
const MOST = 1_000

let app: Harness
/** A session of the Worker's role. */
let session: pg.PoolClient
let stop: () => Promise<void>
let workspaces: TestWorkspace[] = []
let ids: Ids[]
const results: string[] = []

beforeAll(async () => {
  const filled = await filledDatabase(FILLED)
  stop = filled.stop
  // Each call waits until its log entry is written.
  app = await start({ sessions: 1, database: filled.database, vars: { REQUEST_LOG_MILLISECONDS: '1' } })
  await startCounting(app)
  session = await openSession(app)
  workspaces = filled.workspaces.slice(0, -1).map((identity) => through(identity, app.owner, app.client))
}, 7_200_000)
afterAll(async () => {
  if (proving) console.log(['', ...results, ''].join('\n'))
  session.release(true)
  await app.close()
  await stop()
})

/**
 * The work of cron and queues for all workspaces, with little or nothing due, which indexes show. It is measured before the calls leave
 * work.
 */
const NONE = '00000000-0000-0000-0000-000000000000'
const BACKGROUND: Record<string, (large: TestWorkspace) => string> = {
  expire_approvals: () => 'expire_approvals()',
  mark_stale_approvals: () => 'mark_stale_approvals(10)',
  expire_holds: () => 'expire_holds(1000)',
  check_record_times: () => 'check_record_times(1000)',
  end_snoozes: () => 'end_snoozes(200)',
  send_reminders: () => 'send_reminders(200)',
  due_schedules: () => 'due_schedules(now(), 200)',
  claim_zone_work: () => 'claim_zone_work(100)',
  ...WORK_IN_BACKGROUND,
  mark_stale_calendars: () => 'mark_stale_calendars(100)',
  ...WAITING_BACKGROUND,
  ...SKILLS_IN_BACKGROUND,
  claim_booking_notices: () => 'claim_booking_notices(null, null, now(), 50, 300)',
  media_files_after: () => `media_files_after('${NONE}', '${NONE}', 100)`,
  'claim_messages of one': ({ id }) => `claim_messages('${id}', 20, 300)`,
  claim_birthdays: () => `claim_birthdays(now(), '{315,316,317}', 20)`,
  fold_workspaces: () => 'fold_workspaces(null)',
  fold_record_counts_after: () => 'fold_record_counts_after(null)',
  expire_merge_undo: () => 'expire_merge_undo(30)',
  expire_rows: () => 'expire_rows()',
  expire_schedule_runs: () => 'expire_schedule_runs(90, 5000)',
  stored_files_after: () => `stored_files_after('${NONE}', '${NONE}', 100)`,
  due_suppression_lifts: () => 'due_suppression_lifts(100, 300, 60)',
  end_suppression_lifts: ({ id }) =>
    `end_suppression_lifts('[{"workspace_id": "${id}", "address": "nobody@example.com", "refusal": null}]')`,
  unknown_suppressions: () => `unknown_suppressions('["nobody@example.com"]')`,
  unreported_recipients: () => 'unreported_recipients(500)',
  expire_portal_attempts: () => 'expire_portal_attempts(1000)',
  forget_unpaid_orders: () => 'forget_unpaid_orders(100)',
  expire_public_images: () => 'expire_public_images(7, 100)',
  unknown_public_images: () => `unknown_public_images('{0}')`,
  files_after: () => `files_after('${NONE}', '${NONE}', 100)`,
  email_files_after: () => `email_files_after('${NONE}', '${NONE}', 100)`,
  imports_after: () => `imports_after('${NONE}', '${NONE}', 100)`,
  'claim_events of all workspaces': () => 'claim_events(null, 100)',
  'claim_events of one': ({ id }) => `claim_events('${id}', 100)`,
  'the poll of a feed': ({ id }) => `set_config('app.workspace_id', '${id}', false), lateral (${NEWEST}) newest`,
  ack_events: ({ id }) => `ack_events('[{"workspace_id": "${id}", "id": "${NONE}"}]', '[]', '[]')`,
  record_requests: ({ id, keyId }) =>
    `record_requests('[{"isolate": "0123456789ab", "entries": [{"id": "${crypto.randomUUID()}", "workspace_id": "${id}", \
"key_id": "${keyId}",
      "method": "GET", "path": "/contacts", "endpoint": "/contacts", "status": 404, "outcome": "refused"}]}]')`,
}
const MOST_IN_BACKGROUND: Record<string, number> = {
  // It looks for work in many tables, some eight blocks each.
  expire_rows: 150,
  // Ten approvals are compared with the history of what they are about.
  mark_stale_approvals: 250,
}
/** The files of features from which the cron job imports. */
const CRON_WORK = /work\/(send-birthdays|fetch-email-events|sweep-[\w-]+|compare-suppressions|fire-schedules)\.ts$/
/** What cron jobs do with data of which there is none here, and the rotation of partitions, which has tests of its own. */
const WITHOUT_WORK = ['fire_due_schedules', 'rotate_partitions', 'sync_file_states']

test('every function of a cron job is measured', () => {
  const jobs = readdirSync(join(root, 'cron'), { encoding: 'utf8' }).map((file) => join('cron', file))
  const features = readdirSync(join(root, 'src/features'), { recursive: true, encoding: 'utf8' }).map((file) => join('src/features', file))
  const calls = [...jobs, ...features.filter((file) => CRON_WORK.test(file))]
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [...readFileSync(join(root, file), 'utf8').matchAll(/(?:sql`(?:select )?|call\(\s*')([a-z]+_[a-z_]+)['(`]/g)])
  const names = new Set(calls.map(([, name]) => name as string))
  expect(names.size).toBeGreaterThan(20)
  expect([...names].filter((name) => !(name in BACKGROUND || WITHOUT_WORK.includes(name)))).toEqual([])
})

test.each(Object.keys(BACKGROUND))('%s in the background reads no table from end to end', async (name) => {
  const client = await app.owner.connect()
  const call = BACKGROUND[name]!(workspaces.at(-1) as TestWorkspace)
  let plan: Plan
  try {
    await client.query('set role jobs')
    // The first run processes what is due, and compiles the functions.
    await client.query(`select from ${call}`)
    const { rows } = await client.query(`explain (analyze, buffers, format json) select from ${call}`)
    plan = rows[0]['QUERY PLAN'][0].Plan
  } finally {
    client.release(true)
  }
  const blocks = blocksOf(plan)
  results.push(`| ${name}, in the background | | | ${blocks} |`)
  expect(blocks).toBeLessThan(MOST_IN_BACKGROUND[name] ?? 100)
})

/** The rows that every table gets at least in the small workspaces, and in the larger ones. */
const GROWN = [100, 100, 1_000]

async function growAll(): Promise<void> {
  await app.drain()
  for (const [at, { id }] of workspaces.entries())
    expect(await grow(app.owner, id, GROWN[Math.min(at, GROWN.length - 1)] as number), 'tables that do not grow: see growth.ts').toEqual([])
  await app.owner.query('vacuum (analyze)')
}

// A deprecated path leads to the same endpoint as the current one.
const rounds = ROUNDS.filter(({ former }) => proving || !former)
/** It takes away the calendars that are only copies here. Another call would have each of them read. */
const CHECK = 'POST /calendar-connections/:connection_id/check'
const taken = new Set([...inTurn(probed, 2), ...probed.filter(({ name }) => name === CHECK)])
/** A call of an endpoint in its plain form is left to other matrices unless it is this one's turn. */
const isTaken = ({ name, operation }: Call) => name !== operation.name || taken.has(operation)
for (const [round, { calls, former }] of rounds.entries())
  describe(`round ${round + 1}`, () => {
    // An endpoint that also has a deprecated path has already been measured.
    const beside = former ? 1 : 0
    const seedAll = async () => {
      const made: Ids[] = []
      for (const ws of workspaces.slice(beside)) made.push(await seed(app, ws))
      ids = made
    }
    beforeAll(async () => {
      await seedAll()
      if (round === 0) await growAll()
    }, 600_000)

    // test.each would truncate long names.
    for (const call of [...(round === 0 ? LISTED : []), ...calls.filter(isTaken)])
      test(call.name, async () => {
        const measure = async () => {
          const costs: Cost[] = []
          for (const [at, ws] of workspaces.slice(beside).entries()) costs.push(await cost(call, ws, ids[at] as Ids))
          return costs.slice(1 - beside)
        }
        let measured = await measure()
        // A split page of an index, a page without room for a new version of its row, or former versions that an open transaction keeps,
        // cost some blocks. The call is repeated, and one that its records take only once is repeated with new ones.
        for (let repeats = 0; repeats < 3 && isTooMuch(call, measured); repeats++) {
          const again = await measure().catch(async () => {
            repeats = 3
            return seedAll()
              .then(measure)
              .catch(() => measured)
          })
          measured = measured.map((cost, at) => lesser(cost, again[at] as Cost))
        }
        results.push(`| \`${call.name}\` | ${measured.map(({ blocks }) => blocks.toLocaleString('en')).join(' | ')} |`)
        expect(isTooMuch(call, measured) ? measured : []).toEqual([])
      })
  })

const mostOf = ({ name, operation, most = 0 }: Call, { blocks }: Cost): number =>
  EXCEPTIONS[name]?.most ??
  (most > 0 ? EXCEPTIONS[operation.name]?.most : undefined) ??
  Math.min(MOST, Math.max(blocks * GROWTH, blocks + SMALL, most))

const isTooMuch = (call: Call, measured: Cost[]) => measured.some(({ blocks }) => blocks > mostOf(call, measured[0] as Cost))
const lesser = (a: Cost, b: Cost) => (a.blocks < b.blocks ? a : b)

async function cost({ name, operation, prepare, ...call }: Call, ws: TestWorkspace, ids: Ids): Promise<Cost> {
  const change = await prepare({ app, ws, ids })
  const work = () => sendSample(app, ws, operation, ids, change)
  const isQuiet = call.isQuiet ?? (!isWrite(operation.endpoint) && prepare === unprepared)
  if (!isQuiet) await postponeRetries()
  const refuted = collectRefuted(app)
  const withBackground = async () => {
    const answer = await work()
    await app.drain()
    return answer
  }
  const { result, ...cost } = await costNow(app.owner, isQuiet ? work : withBackground)
  cost.blocks += await refuted.blocks(session)
  expect(result.status, `${name} was refused: see flat-calls.ts\n${JSON.stringify(result.body)}`).toBeLessThan(300)
  return cost
}

/**
 * Deliveries of webhooks fail here, because no name is known; the retry of one must not become due during the call of another workspace.
 * Only those of the next hours are changed, because each change leaves blocks behind.
 */
async function postponeRetries(): Promise<void> {
  await app.drain()
  for (const table of ['webhook_deliveries', 'webhook_states'])
    await app.owner.query(`update ${table} set due_at = now() + interval '1 day' where due_at < now() + interval '2 hours'`)
}
