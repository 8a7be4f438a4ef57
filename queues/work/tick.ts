import { type SQL, sql } from 'drizzle-orm'
import { batch } from '../../src/data/batch.ts'
import { type Env, jobsDatabaseOf } from '../../src/env.ts'
import { sendAll, type WorkQueue, workMessage } from '../../src/wake.ts'
import { KINDS, SETS } from './registry.ts'
import { SOON } from './run.ts'
import { rowsOf } from './set.ts'

/** Where a page of due items has ended: the time and the workspace of the last one. */
type Place = [due: string, workspace: string]
type Due = [workspace: string, seconds: number, item: string | null]
/** By the name of a kind or a set, what is due, in so many seconds, and where the page has ended, if there is another. */
export type DuePages = Record<string, { due: Due[]; next: Place | null }>

/** Items of a kind that one page looks at. */
const AMONG = 1_000
/**
 * Messages about further items of workspaces that a tick sends after the first of each. One that waits in its queue is not found again much
 * more often.
 */
export const MOST_FURTHER = 100

type Source = {
  queue: WorkQueue
  kind: string
  /** Messages about further items of a workspace. */
  further: number
}

const SOURCES = new Map<string, Source>([
  ...KINDS.map(({ name, queue }): [string, Source] => [name, { queue, kind: name, further: 0 }]),
  ...SETS.flatMap((set) =>
    rowsOf(set).map(({ name, item }): [string, Source] => [name, { queue: set.queue, kind: set.name, further: item ? MOST_FURTHER : 0 }]),
  ),
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
 * number of further ones follow when every workspace has had its first. A queue that cannot be reached holds up no other.
 * @throws Error of the first such queue
 */
export async function enqueueDue(env: Env, isLate: () => boolean, first: DuePages): Promise<void> {
  const seen = new Set<string>()
  const further = new Map<Source, Due[]>()
  const failures = new Map<WorkQueue, unknown>()
  const send = async (source: Source, due: Due[]): Promise<void> => {
    if (due.length === 0 || failures.has(source.queue)) return
    await enqueue(env, source, due).catch((error: unknown) => failures.set(source.queue, error))
  }
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
      await send(source, firsts)
      if (next && !failures.has(source.queue)) after[name] = next
    }
    if (Object.keys(after).length === 0 || isLate()) break
    pages = (await batch(jobsDatabaseOf(env), [pageOf(Object.keys(after), after)]))[0] as DuePages
  }
  for (const [source, due] of further) await send(source, due)
  for (const [queue, error] of failures) throw new Error(`The queue ${queue} cannot be reached: ${String(error)}`)
}

const enqueue = async (env: Env, { queue, kind }: Source, due: Due[]): Promise<void> =>
  sendAll(
    env[queue],
    due.map(([workspace, seconds, item]) => ({
      body: workMessage(kind, workspace, item),
      ...(seconds > 0 && { delaySeconds: seconds }),
    })),
  )
