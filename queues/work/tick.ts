import { type SQL, sql } from 'drizzle-orm'
import { batch } from '../../src/data/batch.ts'
import { type Env, jobsDatabaseOf } from '../../src/env.ts'
import { KIND_NAMES, kindOf } from './registry.ts'
import { SOON } from './run.ts'

/** Where a page of due items has ended: the time and the workspace of the last one. */
type Place = [due: string, workspace: string]
/** By kind, the workspaces with items that are due, in so many seconds, and where the page has ended, if there is another. */
export type DuePages = Record<string, { due: [workspace: string, seconds: number][]; next: Place | null }>

/** Items of a kind that one page looks at, and messages that go to a queue together. */
const AMONG = 1_000
const TOGETHER = 100
/** How long a tick looks for more; the next one begins a minute later. */
const MOST_MS = 40_000

/** The first page of what is due: of each kind what has waited longest. */
export const dueWork = (after: Record<string, Place> = {}, kinds = KIND_NAMES): SQL =>
  sql`select due_work(array(select jsonb_array_elements_text(${JSON.stringify(kinds)}::jsonb)), ${JSON.stringify(after)}::jsonb,
    now() + make_interval(secs => ${SOON}::int), ${AMONG}::int)`

/**
 * Enqueues what is due, from the first page on, until nothing is left or the time is spent. Each workspace gets one message of a kind, those that have waited longest first; what is due within
 * a minute gets a delayed one.
 */
export async function enqueueDue(env: Env, first: DuePages): Promise<void> {
  const began = Date.now()
  const seen = new Set<string>()
  let pages = first
  for (;;) {
    for (const [name, { due }] of Object.entries(pages)) {
      const fresh = due.filter(([workspace]) => !seen.has(`${name} ${workspace}`))
      for (const [workspace] of fresh) seen.add(`${name} ${workspace}`)
      await enqueue(env, name, fresh)
    }
    const after = Object.fromEntries(Object.entries(pages).flatMap(([name, { next }]) => (next ? [[name, next] as const] : [])))
    if (Object.keys(after).length === 0 || Date.now() - began > MOST_MS) return
    pages = (await batch(jobsDatabaseOf(env), [dueWork(after, Object.keys(after))]))[0] as DuePages
  }
}

async function enqueue(env: Env, name: string, due: [workspace: string, seconds: number][]): Promise<void> {
  const messages = due.map(([workspace_id, seconds]) => ({
    body: { type: 'work.run', kind: name, workspace_id },
    ...(seconds > 0 && { delaySeconds: seconds }),
  }))
  for (let from = 0; from < messages.length; from += TOGETHER)
    await env[kindOf(name).queue].sendBatch(messages.slice(from, from + TOGETHER))
}
