import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWebhookReceiver } from '../../dev/webhook-receiver.ts'
import { Message } from '../../queues/messages.ts'
import { type Harness, start } from '../harness.ts'
import { proving } from '../proof.ts'
import { canonicalState } from './canonical-state.ts'
import { deliverInChaos, deliverInOrder, randomFrom, TIMES } from './chaos-broker.ts'
import { GUEST, INVITATIONS } from './chaos-meetings.ts'
import { CUSTOMER, TEXTS } from './chaos-phones.ts'
import { scenarioIn } from './chaos-scenario.ts'

/** Workspaces whose messages are mixed, each of which has a random schedule of its own; and how often. */
const WORKSPACES = 4
const SCHEDULES = proving ? 2_000 : 4
/** What one contact gets in each workspace: a message and two campaigns. */
const EMAILS = 3
const SEED = Number(process.env.CHAOS_SEED ?? 1)

const receiver = await startWebhookReceiver()
let app: Harness
let expected: Awaited<ReturnType<typeof canonicalState>>

beforeAll(async () => {
  app = await start({ ownServer: true, vars: { LOCAL_RECEIVERS: receiver.host } })
  const ws = await app.workspace()
  const act = await scenarioIn(app, ws, receiver.url)
  await app.capture(true)
  const types = await deliverInOrder(app, await act())
  const all = Message.options.map(({ entries }) => entries.type.literal as string)
  expect([...types].toSorted()).toEqual(all.toSorted())
  await app.capture(false)
  expected = await canonicalState(app.owner, ws.id)
}, 120_000)
afterAll(async () => {
  await app.close()
  await receiver.close()
})

/** Columns with such names that no job waits for, or that a job sets again each time. */
const NOT_WAITED_FOR = [
  'phone_addresses.due_at',
  'phone_bundles.due_at',
  'schedule_runs.due_at',
  'tasks.due_at',
  'tracked_lists.walk_at',
  'whatsapp_pairings.due_at',
]

test('time passes for everything that the background waits for', async () => {
  const { rows } = await app.owner.query(
    `select relname || '.' || attname as name from pg_class join pg_attribute on attrelid = pg_class.oid
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
        and attname in ('due_at', 'walk_at', 'wake_at', 'claimed_at', 'claimed_until', 'leased_until', 'touched_at')`,
  )
  const moved = Object.entries(TIMES).flatMap(([table, columns]) => columns.map((column) => `${table}.${column}`))
  expect(rows.map(({ name }) => name).filter((name) => !moved.includes(name) && !NOT_WAITED_FOR.includes(name))).toEqual([])
})

test(`${SCHEDULES} random schedules of deliveries end as one in order`, { timeout: 7_200_000 }, async () => {
  const random = randomFrom(SEED)
  for (let done = 0; done < SCHEDULES; done += WORKSPACES) {
    const all = await Promise.all(Array.from({ length: WORKSPACES }, () => app.workspace()))
    const acts = []
    for (const ws of all) acts.push(await scenarioIn(app, ws, receiver.url))
    await app.capture(true)
    const first = []
    for (const act of acts) first.push(...(await act()))
    await deliverInChaos(app, first, random)
    await app.capture(false)
    expect(app.email.sent.filter(({ To }) => To === 'other@example.com')).toHaveLength(EMAILS * (1 + done + WORKSPACES))
    expect(app.email.sent.filter(({ To }) => To === GUEST)).toHaveLength(INVITATIONS * (1 + done + WORKSPACES))
    expect(app.sms.sent.filter(({ to }) => to === CUSTOMER)).toHaveLength(TEXTS * (1 + done + WORKSPACES))
    expect(app.whatsapp.world.sent.filter(({ to }) => to.startsWith(CUSTOMER.slice(1)))).toHaveLength(TEXTS * (1 + done + WORKSPACES))
    for (const ws of all) {
      const { rows, linked } = await canonicalState(app.owner, ws.id)
      expect(rows, `schedule ${done} of seed ${SEED}`).toEqual(expected.rows)
      expect(linked, `schedule ${done} of seed ${SEED}`).toEqual(expected.linked)
    }
  }
})
