import { type SQL, sql } from 'drizzle-orm'
import { batch } from '../../src/data/batch.ts'
import { type Env, jobsDatabaseOf } from '../../src/env.ts'
import { KINDS } from './registry.ts'
import { SOON } from './run.ts'
import { MOST_FURTHER, SETS, type WorkSet } from './sets.ts'

/** Where a page of due items has ended: the time and the workspace of the last one. */
type Place = [due: string, workspace: string]
type Due = [workspace: string, seconds: number, item: string | null]
/** By the name of a kind or a set, what is due, in so many seconds, and where the page has ended, if there is another. */
export type DuePages = Record<string, { due: Due[]; next: Place | null }>

/** Items of a kind that one page looks at, and messages that go to a queue together. */
const AMONG = 1_000
const TOGETHER = 100

type Source = {
  queue: WorkSet['queue']
  bodyOf(workspace_id: string, item: string | null): object
  /** Messages about further items of a workspace. */
  further: number
}

const SOURCES = new Map<string, Source>([
  ...KINDS.map(({ name, queue }): [string, Source] => [
    name,
    { queue, bodyOf: (workspace_id) => ({ type: 'work.run', kind: name, workspace_id }), further: 0 },
  ]),
  ...SETS.map(({ name, type = name, queue, item }): [string, Source] => [
    name,
    {
      queue,
      bodyOf: (workspace_id, id) => ({ type, workspace_id, ...(item && { [item.name]: id }) }),
      further: item ? MOST_FURTHER : 0,
    },
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
 * kind, those that have waited longest first; what is due within a minute gets a delayed one. Of a set whose messages name items, a bounded
 * number of further ones follow when every workspace has had its first.
 */
export async function enqueueDue(env: Env, isLate: () => boolean, first: DuePages): Promise<void> {
  const seen = new Set<string>()
  const further = new Map<Source, Due[]>()
  let pages = first
  for (;;) {
    const after: Record<string, Place> = {}
    for (const [name, { due, next }] of Object.entries(pages)) {
      const source = SOURCES.get(name)
      if (!source) continue
      const firsts: Due[] = []
      const others = further.get(source) ?? []
      further.set(source, others)
      // A page has those of each workspace in turn.
      for (const one of due) {
        const key = `${name} ${one[0]}`
        if (!seen.has(key)) firsts.push(one)
        else if (others.length < source.further) others.push(one)
        seen.add(key)
      }
      await enqueue(env, source, firsts)
      if (next) after[name] = next
    }
    if (Object.keys(after).length === 0 || isLate()) break
    pages = (await batch(jobsDatabaseOf(env), [pageOf(Object.keys(after), after)]))[0] as DuePages
  }
  for (const [source, due] of further) await enqueue(env, source, due)
}

async function enqueue(env: Env, { queue, bodyOf }: Source, due: Due[]): Promise<void> {
  const messages = due.map(([workspace, seconds, item]) => ({
    body: bodyOf(workspace, item),
    ...(seconds > 0 && { delaySeconds: seconds }),
  }))
  for (let from = 0; from < messages.length; from += TOGETHER) await env[queue].sendBatch(messages.slice(from, from + TOGETHER))
}
