import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AnyKind } from '../../queues/work/kind.ts'
import { sqlOf } from '../../queues/work/kind.ts'
import { KINDS } from '../../queues/work/registry.ts'
import { type Harness, start } from '../harness.ts'
import { proving } from '../proof.ts'
import type { TestWorkspace } from '../workspace.ts'
import { randomFrom } from './chaos-broker.ts'
import { addRows, ITEM_VALUES } from './work-items.ts'

/** Random schedules of workers, crashes and changes over an item of every kind: it has one worker at most, and no change is lost. */
const STEPS = proving ? 1_000 : 60
const SEED = Number(process.env.WORK_SEED ?? 3)

let app: Harness
let ws: TestWorkspace
let agent: string
beforeAll(async () => {
  app = await start()
  ws = await app.workspace()
  agent = (await ws.post('/agents', { type: 'text', name: 'Writer', prompt: 'You write.' })).body.data.id
})
afterAll(() => app.close())

/** What a settler needs. */
const REPORTED: Record<string, object> = {
  'agents.publish': { error: 'It is down' },
  'phone.bundles': { status: 'draft' },
  'whatsapp.react': { results: { status: 'queued' } },
}
/** What makes an item of a kind that ends for good an item again. */
const AGAIN: Record<string, string> = { 'agents.publish': "status = 'publishing'" }

/** Adds an item that is due by so many seconds. */
async function addItem({ name, table, key = 'id', prefix = '' }: AnyKind, seconds = -1): Promise<string> {
  const id = randomUUID()
  await addRows(app.owner, table, [
    {
      workspace_id: ws.id,
      [key]: id,
      [`${prefix}due_at`]: new Date(Date.now() + seconds * 1000),
      ...ITEM_VALUES[name],
      ...(name === 'bookings.copy' && { host_id: ws.userId }),
      ...(name === 'agents.publish' && { agent_id: agent, number: seconds > 0 ? 2 : 1 }),
    },
  ])
  return id
}

type State = { turn: number; claim: string | null; is_leased: boolean; is_due: boolean; is_over: boolean; in_seconds: number | null }

function itemOf(kind: AnyKind, id: string) {
  const { table, key, due, turn, claim, until } = sqlOf(kind) as Record<string, string>
  const only = `where workspace_id = $1 and ${key} = $2`
  const set = (values: string) => app.owner.query(`update ${table} t set ${values} ${only}`, [ws.id, id])
  const call = async (text: string, more: unknown[]) => (await app.owner.query(text, [kind.name, ws.id, ...more])).rows[0].result
  return {
    set,
    async state(): Promise<State> {
      const { rows } = await app.owner.query(
        `select ${turn} as turn, ${claim} as claim, coalesce(${until} > now(), false) as is_leased,
          coalesce(${due} <= now(), false) as is_due,
          ${due} is null as is_over, extract(epoch from ${due} - now())::float as in_seconds from ${table} t ${only}`,
        [ws.id, id],
      )
      return rows[0]
    },
    /** The lease is over, as after a crash. */
    lapse: () =>
      set(`${due} = case when ${due} = ${until} then now() - interval '1 second' else ${due} end, ${until} = now() - interval '1 second'`),
    wake: () => set(`${due} = now()`),
    change: () => set(`${turn} = ${turn} + 1`),
    claim: (as: string) => call('select claim_work($1, $2, $3, 5, 100, 1) as result', [as]),
    extend: (as: string) => call("select extend_work($1, $2, $3, $4, 100, '{}') as result", [id, as]),
    end: (as: string, at: number, outcome: object) => call('select end_work($1, $2, $3, $4, $5, $6) as result', [id, as, at, outcome]),
  }
}

test.each(KINDS.map((kind) => [kind.name, kind] as const))(
  '%s: an item has one worker at most, and no change of it is lost',
  async (name, kind) => {
    await addItem(kind, 3600)
    const id = await addItem(kind)
    const item = itemOf(kind, id)
    const random = randomFrom(SEED)
    /** Workers that believe that they have the item, with its turn and whether it was changed since. */
    let workers: { as: string; turn: number; isChanged: boolean }[] = []
    const one = <Of>(list: Of[]) => list[Math.floor(random() * list.length)] as Of
    const changed = () => {
      workers = workers.map((worker) => ({ ...worker, isChanged: true }))
    }
    const claims = async () => {
      const before = await item.state()
      const rivals: string[] = [randomUUID(), randomUUID()]
      const claimed = await Promise.all(rivals.map((as) => item.claim(as)))
      const after = await item.state()
      const isFree = before.is_due && !before.is_leased
      // Some readers return nothing of an item that refers to nothing; none returns the other item.
      const read = claimed.flatMap(({ items }) => items.map((one: { id: string }) => one.id))
      expect([[], ...(isFree ? [[id]] : [])]).toContainEqual(read)
      expect(rivals.includes(after.claim ?? '')).toBe(isFree)
      if (isFree) workers.push({ as: after.claim as string, turn: after.turn, isChanged: false })
    }
    const ends = async () => {
      const worker = one(workers)
      if (!worker) return
      const before = await item.state()
      const wait = one([undefined, 0, 300])
      const seconds = await item.end(worker.as, worker.turn, { wait, failed: random() < 0.3, ...REPORTED[name] })
      const after = await item.state()
      workers = workers.filter(({ as }) => as !== worker.as)
      if (before.claim !== worker.as) {
        expect([seconds, after]).toEqual([-1, { ...before, in_seconds: after.in_seconds }])
        return
      }
      expect(after).toMatchObject({ claim: null, is_leased: false })
      if (worker.isChanged) expect(after.is_due).toBe(true)
      else if (wait === undefined) expect(after.is_over).toBe(true)
      // A time is stored to the millisecond.
      else expect(after.in_seconds).toSatisfy((left: number) => left <= wait + 0.001 && left > wait - 60)
    }
    const extends_ = async () => {
      const worker = one(workers)
      if (worker) expect(await item.extend(worker.as)).toBe((await item.state()).claim === worker.as)
    }
    for (let step = 0; step < STEPS; step++) {
      const doing = random()
      if (doing < 0.35) await claims()
      else if (doing < 0.6) await ends()
      else if (doing < 0.7) await extends_()
      else if (doing < 0.8) await item.lapse()
      else {
        await one([item.wake, item.change])()
        changed()
      }
      // Nothing that was left to do is forgotten.
      const { is_over } = await item.state()
      if (is_over) await item.wake()
      if (AGAIN[name]) await item.set(AGAIN[name])
    }
  },
)
