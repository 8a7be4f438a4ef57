import { type SQL, sql } from 'drizzle-orm'
import { batch } from '../../src/data/batch.ts'
import { type Env, jobsDatabaseOf } from '../../src/env.ts'
import { KINDS } from './registry.ts'
import { SOON } from './run.ts'
import { MOST_OF_SET, SETS } from './sets.ts'

/** Where a page of due items has ended: the time and the workspace of the last one. */
type Place = [due: string, workspace: string]
type Due = [workspace: string, seconds: number, item: string | null]
/** By the name of a kind or a set, what is due, in so many seconds, and where the page has ended, if there is another. */
export type DuePages = Record<string, { due: Due[]; next: Place | null }>

/** Items of a kind that one page looks at, and messages that go to a queue together. */
const AMONG = 1_000
const TOGETHER = 100
/** How long a tick looks for more; the next one begins a minute later. */
const MOST_MS = 40_000

type Source = {
  queue: 'CAMPAIGNS' | 'IMPORTS' | 'MESSAGES' | 'WEBHOOKS'
  bodyOf(workspace_id: string, item: string | null): object
  most?: number
}

const SOURCES = new Map<string, Source>([
  ...KINDS.map(({ name, queue }): [string, Source] => [
    name,
    { queue, bodyOf: (workspace_id) => ({ type: 'work.run', kind: name, workspace_id }) },
  ]),
  ...SETS.map(({ name, queue, item }): [string, Source] => [
    name,
    { queue, bodyOf: (workspace_id, id) => ({ type: name, workspace_id, ...(item && { [item.name]: id }) }), most: MOST_OF_SET },
  ]),
])

/** The first page of what is due: of each set, and of each kind that the settings turn on, what has waited longest. */
export const dueWork = (env: Env): SQL => {
  const off = new Set(KINDS.filter(({ isOn }) => isOn?.(env) === false).map(({ name }) => name))
  return pageOf([...SOURCES.keys()].filter((name) => !off.has(name)))
}
const pageOf = (names: string[], after: Record<string, Place> = {}): SQL =>
  sql`select due_work(array(select jsonb_array_elements_text(${JSON.stringify(names)}::jsonb)), ${JSON.stringify(after)}::jsonb,
    now() + make_interval(secs => ${SOON}::int), ${AMONG}::int)`

/**
 * Enqueues what is due, from the first page on, until nothing is left or the time is spent. Each workspace gets one message of a
 * kind, those that have waited longest first; what is due within a minute gets a delayed one. Messages of a set are about rows, so a
 * tick sends a bounded number of them.
 */
export async function enqueueDue(env: Env, first: DuePages): Promise<void> {
  const began = Date.now()
  const seen = new Set<string>()
  let pages = first
  for (;;) {
    const after: Record<string, Place> = {}
    for (const [name, { due, next }] of Object.entries(pages)) {
      const source = SOURCES.get(name)
      if (!source) continue
      const fresh = due.filter(([workspace]) => source.most || !seen.has(`${name} ${workspace}`)).slice(0, source.most)
      for (const [workspace] of fresh) seen.add(`${name} ${workspace}`)
      await enqueue(env, source, fresh)
      if (next && !source.most) after[name] = next
    }
    if (Object.keys(after).length === 0 || Date.now() - began > MOST_MS) return
    pages = (await batch(jobsDatabaseOf(env), [pageOf(Object.keys(after), after)]))[0] as DuePages
  }
}

async function enqueue(env: Env, { queue, bodyOf }: Source, due: Due[]): Promise<void> {
  const messages = due.map(([workspace, seconds, item]) => ({
    body: bodyOf(workspace, item),
    ...(seconds > 0 && { delaySeconds: seconds }),
  }))
  for (let from = 0; from < messages.length; from += TOGETHER) await env[queue].sendBatch(messages.slice(from, from + TOGETHER))
}
