import type pg from 'pg'
import { program } from '../dev/program.ts'
import { kindOf } from '../queues/work/registry.ts'
import { run } from '../queues/work/run.ts'
import type { DuePages } from '../queues/work/tick.ts'
import { dueWork, enqueueDue } from '../queues/work/tick.ts'
import { batch } from '../src/data/batch.ts'
import { type Env, jobsDatabaseOf } from '../src/env.ts'
import { budgetOf } from '../src/lib/budget.ts'

const usage = `Usage: npx node bench/due-workspaces.ts [--workspaces 10000] [--lanes 20]

Measures how long it takes until an item that is due in each of many workspaces is found by the tick, \
and claimed and ended by consumers of its queue.`

const KIND = 'media.fetch'

export type Measured = { found: number; claimed: number; ticks: number; inOrder: boolean; left: number }

/** Adds an item to each of so many workspaces, due one second after the other, and has all of them done. Times are milliseconds. */
export async function measureDue(owner: pg.Pool, vars: Record<string, string>, workspaces: number, lanes: number): Promise<Measured> {
  await owner.query(`begin; set local session_replication_role = replica;
    insert into message_media (workspace_id, sms_message_id, source, due_at)
      select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, gen_random_uuid(),
        'none', now() - make_interval(secs => ${workspaces} - n) from generate_series(1, ${workspaces}) n;
    commit; analyze message_media`)
  const sent: string[] = []
  const take = (body: unknown) => sent.push((body as { workspace_id: string }).workspace_id)
  const queue = {
    send: async (body: unknown) => take(body),
    sendBatch: async (some: { body: unknown }[]) => some.map(({ body }) => take(body)),
  }
  const queues = Object.fromEntries(['APPROVALS', 'CAMPAIGNS', 'EVENTS', 'IMPORTS', 'MESSAGES', 'WEBHOOKS'].map((name) => [name, queue]))
  const env = { ...vars, ...queues } as unknown as Env
  const kind = { ...kindOf(KIND), call: async () => ({}) }
  const began = performance.now()
  let [found, ticks] = [0, 0]
  const order: string[] = []
  for (;;) {
    const [pages] = (await batch(jobsDatabaseOf(env), [dueWork(env)])) as [DuePages]
    await enqueueDue(env, budgetOf(40_000), pages)
    if (sent.length === 0) break
    ticks++
    found ||= performance.now() - began
    order.push(...sent)
    const messages = sent.splice(0)
    const lane = async (first: number) => {
      for (let n = first; n < messages.length; n += lanes) await run(env, kind, messages[n] as string)
    }
    await Promise.all(Array.from({ length: lanes }, (_, n) => lane(n)))
  }
  const claimed = performance.now() - began
  const { rows } = await owner.query('select count(*)::int as left from message_media where due_at <= now()')
  return { found, claimed, ticks, inOrder: order.every((workspace, n) => Number(workspace.slice(-12)) === n + 1), left: rows[0].left }
}

await program(
  import.meta,
  { usage, options: { workspaces: { type: 'string', default: '10000' }, lanes: { type: 'string', default: '20' } } },
  async ({ workspaces, lanes }) => {
    const { startStack } = await import('./stack.ts')
    const stack = await startStack()
    try {
      const { found, claimed, ticks, inOrder, left } = await measureDue(stack.owner, stack.vars, Number(workspaces), Number(lanes))
      const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(1)
      console.log(
        `${workspaces} workspaces: found in ${seconds(found)} s, claimed and ended in ${seconds(claimed)} s, ${ticks} ticks, ` +
          `${inOrder ? 'in order' : 'not in order'}, ${left} left`,
      )
    } finally {
      await stack.stop()
    }
  },
)
