import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWebhookReceiver } from '../../dev/webhook-receiver.ts'
import { Message } from '../../queues/messages.ts'
import { WORK_NAMES } from '../../queues/work/registry.ts'
import { type Harness, start } from '../harness.ts'
import { proving } from '../proof.ts'
import { canonicalState } from './canonical-state.ts'
import { deliverInChaos, deliverInOrder, randomFrom, TIMES } from './chaos-broker.ts'
import { GUEST, INVITATIONS } from './chaos-meetings.ts'
import { CUSTOMER, TEXTS } from './chaos-phones.ts'
import { scenarioIn } from './chaos-scenario.ts'

/** Workspaces whose messages are mixed, each of which has a random schedule of its own; and how often. */
const WORKSPACES = 4
const SCHEDULES = proving ? 2_000 : 1
/** Workers with a database each. One waits most of the time. */
const WORKERS = proving ? 5 : 1
/** What one contact gets in each workspace: a message and two campaigns. */
const EMAILS = 3
const SEED = Number(process.env.CHAOS_SEED ?? 1)

const receiver = await startWebhookReceiver()
let apps: Harness[]
let expected: Awaited<ReturnType<typeof canonicalState>>

beforeAll(async () => {
  apps = await Promise.all(
    Array.from({ length: WORKERS }, () =>
      start({ ownServer: true, vars: { LOCAL_RECEIVERS: receiver.host, ENGINEERING_EMAIL: 'team@example.com' } }),
    ),
  )
  // Each has had one ordered delivery before the random ones, so that the same emails are in all of them.
  ;[expected] = (await Promise.all(apps.map(inOrder))) as [typeof expected]
}, 600_000)
afterAll(async () => {
  await Promise.all(apps.map((app) => app.close()))
  await receiver.close()
})

async function inOrder(app: Harness): Promise<typeof expected> {
  const ws = await app.workspace()
  const act = await scenarioIn(app, ws, receiver.url)
  await app.capture(true)
  const types = await deliverInOrder(app, await act())
  const all = [...Message.options.map(({ entries }) => entries.type.literal as string).filter((type) => type !== 'work.run'), ...WORK_NAMES]
  expect([...types].toSorted()).toEqual(all.toSorted())
  await app.capture(false)
  return canonicalState(app.owner, ws.id)
}

/** Columns with such names that no job waits for, or that a job sets again each time. */
const NOT_WAITED_FOR = [
  'phone_addresses.due_at',
  'phone_addresses.claimed_until',
  'phone_bundles.due_at',
  'phone_bundles.claimed_until',
  'schedule_runs.due_at',
  'tasks.due_at',
  'tracked_lists.walk_at',
  'whatsapp_pairings.due_at',
]

test('time passes for everything that the background waits for', async () => {
  const { rows } = await apps[0]!.owner.query(
    `select relname || '.' || attname as name from pg_class join pg_attribute on attrelid = pg_class.oid
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
        and attname in ('due_at', 'walk_at', 'wake_at', 'claimed_at', 'claimed_until', 'leased_until', 'touched_at')`,
  )
  const moved = Object.entries(TIMES).flatMap(([table, columns]) => columns.map((column) => `${table}.${column}`))
  expect(rows.map(({ name }) => name).filter((name) => !moved.includes(name) && !NOT_WAITED_FOR.includes(name))).toEqual([])
})

test(`${SCHEDULES} random schedules of deliveries end as one in order`, { timeout: 10_800_000 }, () =>
  Promise.all(apps.map((app, at) => schedules(app, SCHEDULES / WORKERS, SEED + at))),
)

async function schedules(app: Harness, count: number, seed: number): Promise<void> {
  const random = randomFrom(seed)
  for (let done = 0; done < count; done += WORKSPACES) {
    const name = `schedule ${done} of seed ${seed}`
    const all = await Promise.all(Array.from({ length: WORKSPACES }, () => app.workspace()))
    const acts = await Promise.all(all.map((ws) => scenarioIn(app, ws, receiver.url)))
    await app.capture(true)
    const first = await Promise.all(acts.map((act) => act()))
    await deliverInChaos(app, first.flat(), random)
    await app.capture(false)
    const times = 1 + done + WORKSPACES
    expect(
      app.email.sent.filter(({ To }) => To === 'other@example.com'),
      name,
    ).toHaveLength(EMAILS * times)
    expect(
      app.email.sent.filter(({ To }) => To === GUEST),
      name,
    ).toHaveLength(INVITATIONS * times)
    expect(
      app.sms.sent.filter(({ to }) => to === CUSTOMER),
      name,
    ).toHaveLength(TEXTS * times)
    expect(
      app.whatsapp.world.sent.filter(({ to }) => to.startsWith(CUSTOMER.slice(1))),
      name,
    ).toHaveLength(TEXTS * times)
    for (const ws of all) {
      const { rows, linked } = await canonicalState(app.owner, ws.id)
      expect(rows, name).toEqual(expected.rows)
      expect(linked, name).toEqual(expected.linked)
    }
    if (proving && done % 100 === 0) console.log(`${done} of ${count} of seed ${seed} at ${new Date().toISOString()}`)
  }
}
