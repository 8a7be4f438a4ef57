import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AnyKind } from '../../queues/work/kind.ts'
import { KINDS, SETS } from '../../queues/work/registry.ts'
import { type DueRows, rowsOf } from '../../queues/work/set.ts'
import { MOST_FURTHER } from '../../queues/work/tick.ts'
import { type Harness, type Message, start } from '../harness.ts'
import { proving } from '../proof.ts'
import { limit } from '../speed.ts'
import { addRows, ITEM_VALUES } from './work-items.ts'

/** With many workspaces in which something is due, each has its turn before any has a second one, whoever has waited longest first. */
const WORKSPACES = proving ? 1_000 : 100
/** The items of a set that the workspace which has waited longest has. */
const BACKLOG = 250
const nameOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const numberOf = (workspace: string) => Number(workspace.slice(-12))
const EVERYBODY = Array.from({ length: WORKSPACES + 1 }, (_, n) => n)

let app: Harness
beforeAll(async () => {
  app = await start({ ownServer: true, vars: { ENGINEERING_EMAIL: 'engineers@example.com' } })
})
afterAll(() => app.close())

type Body = { type: string; kind?: string; workspace_id: string; [item: string]: unknown }
async function tick(): Promise<Body[]> {
  await app.capture(true)
  await app.cron('* * * * *')
  return (await app.capture(false)).map(({ body }: Message) => body as Body)
}

/** Workspace 0 has so many items, and has waited longest; the others have one each, one second after the other. */
const dueIn = (backlog: number): { workspace_id: string; due: string }[] =>
  [...Array<number>(backlog).fill(0), ...EVERYBODY.slice(1)].map((n) => ({
    workspace_id: nameOf(n),
    due: new Date(Date.now() - 3_600_000 + n * 1_000).toISOString(),
  }))

const call = async (text: string, values: unknown[]) => (await app.owner.query(text, values)).rows[0].result

/** Removes rows of a workspace, as if what they ask for had been done. Returns their number. */
async function done(table: string, workspace: string, where = 'true'): Promise<number> {
  const results = await app.owner.query(
    `begin; set local session_replication_role = replica; delete from ${table} where workspace_id = '${workspace}' and ${where}; commit`,
  )
  return (results as unknown as { rowCount: number }[])[2]?.rowCount ?? 0
}

/** Claims what a message of a kind claims. Returns whether another message goes on. */
async function takeTurn(kind: AnyKind, workspace: string): Promise<boolean> {
  const { name, table, prefix = '', atOnce, claims, lease, workers = 1 } = kind
  for (let count = 0; count < claims; count++) {
    const claim = randomUUID()
    await app.owner.query('select claim_work($1, $2, $3, $4, $5, $6)', [name, workspace, claim, atOnce, lease, workers])
    if ((await done(table, workspace, `${prefix}claim_id = '${claim}'`)) === 0) return false
  }
  return true
}

const leftOf = (name: string) => call("select due_work($1, '{}', now() + interval '1 minute', 1000) as result", [[name]])
const report: string[] = []
afterAll(() => {
  if (proving) console.log(report.join('\n'))
})

test.each(KINDS.map((kind) => [kind.name, kind] as const))(
  '%s: of many workspaces each has a turn, and nothing is left',
  { timeout: limit(120_000) },
  async (name, kind) => {
    const { table, key = 'id', prefix = '', atOnce, claims } = kind
    const items = dueIn(atOnce * claims + 1).map(({ workspace_id, due }) => ({
      workspace_id,
      [key]: randomUUID(),
      [`${prefix}due_at`]: due,
      ...ITEM_VALUES[name],
    }))
    await addRows(app.owner, table, items)
    const first = (await tick()).filter((body) => body.kind === name).map(({ workspace_id }) => workspace_id)
    expect(first.map(numberOf)).toEqual(EVERYBODY)
    const turns: number[] = []
    for (const queue = [...first]; queue.length > 0; ) {
      const workspace = queue.shift() as string
      turns.push(numberOf(workspace))
      if (await takeTurn(kind, workspace)) queue.push(workspace)
    }
    const again = turns.slice(EVERYBODY.length)
    expect(turns.slice(0, EVERYBODY.length)).toEqual(EVERYBODY)
    expect(again).toEqual([0])
    expect(await leftOf(name)).toEqual({})
    report.push(`${name}: ${EVERYBODY.length} workspaces, ${items.length} items, 1 tick, ${turns.length} turns`)
  },
)

const old = new Date(Date.now() - 3_600_000).toISOString()
const KEYS: Record<string, string> = { tracked_lists: 'list_id', webhook_states: 'webhook_id' }
/** What makes a row one of a set. */
const SET_VALUES: Record<string, object> = {
  'approval.run': { status: 'approved' },
  'import.run': { state: 'running' },
  'custom-index.build': { status: 'building' },
  'events.deliver': { since: '3', until: '3' },
  'automations.run': { state: 'running' },
  'auto-queues.enrol': { auto_queue_id: nameOf(0), key_id: nameOf(0), state: 'running' },
  'email.scheduled': { status: 'scheduled' },
}
/** The rows that those of a set belong to. */
const BELONGING: Record<string, (rows: Record<string, unknown>[]) => [string, Record<string, unknown>[]]> = {
  'import.run': (rows) => ['import_files', rows.map(({ workspace_id, id }) => ({ workspace_id, import_id: id, touched_at: old }))],
  'auto-queues.enrol': () => ['auto_queues', EVERYBODY.map((n) => ({ workspace_id: nameOf(n), id: nameOf(0), state: 'active' }))],
}

const ROWS = SETS.flatMap((set) => rowsOf(set).map((rows): [string, string, DueRows] => [rows.name, set.name, rows]))
test.each(ROWS)(
  '%s: of many workspaces each gets a message first, and nothing is left',
  { timeout: limit(120_000) },
  async (name, kind, { table, due: column, item }) => {
    const key = item ?? KEYS[table] ?? 'id'
    // A workspace has one pairing.
    const backlog = name === 'whatsapp.watch' ? 1 : BACKLOG
    const rows = dueIn(backlog).map(({ workspace_id, due }) => ({
      workspace_id,
      [key]: randomUUID(),
      [column]: due,
      ...SET_VALUES[name],
      ...(name === 'webhooks.replay' && { replay_id: randomUUID() }),
    }))
    const others = BELONGING[name]?.(rows)
    if (others) await addRows(app.owner, ...others)
    await addRows(app.owner, table, rows)
    let ticks = 0
    for (let sent = EVERYBODY.length; sent > 0; ) {
      const bodies = (await tick()).filter((body) => body.kind === kind)
      sent = bodies.length
      if (sent === 0) break
      ticks++
      const workspaces = bodies.map(({ workspace_id }) => numberOf(workspace_id))
      if (ticks === 1) expect(workspaces.slice(0, EVERYBODY.length)).toEqual(EVERYBODY)
      const further = workspaces.slice(new Set(workspaces).size)
      expect(further.every((n) => n === 0) && further.length <= (item ? MOST_FURTHER : 0)).toBe(true)
      for (const { workspace_id, ...body } of bodies) await done(table, workspace_id, item && `${key} = '${body.item_id}'`)
    }
    expect(await leftOf(name)).toEqual({})
    expect(ticks).toBe(item ? Math.ceil(BACKLOG / (MOST_FURTHER + 1)) : 1)
    report.push(`${name}: ${EVERYBODY.length} workspaces, ${rows.length} rows, ${ticks} ticks`)
  },
)
