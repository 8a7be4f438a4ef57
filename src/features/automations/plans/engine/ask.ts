import { isData, type Test } from '../../rules/types.ts'
import { OBJECT_OF } from '../definition.ts'
import type { MatchBody } from '../matching.ts'

/** The records that a run is about: by kind, the id. */
export type About = { [kind in keyof typeof OBJECT_OF]: string | null } & {
  /** One of them as it was, which conditions are asked of: as stored in the event, with null for what it leaves out. */
  snapshot?: { on: keyof typeof OBJECT_OF; row: Record<string, unknown> } | undefined
}

/** A search of a loop. */
export type Search = { object: string; filter: Record<string, unknown>; limit: number }
/** How runs read records: with the rights of the automation's publisher, or of whoever asks for a preview. */
export type Reader = {
  /** The ids of those records that match a filter, or the positions of those snapshots. */
  match(body: MatchBody): Promise<string[]>
  /** The first records that a search finds, as its endpoint returns them. */
  search(search: Search): Promise<unknown[]>
}

/** For each of these runs, whether the conditions over their records hold. A run without a record of the kind does not meet them. */
export const holdsFor = async (reader: Reader, tests: Test[], runs: About[]): Promise<boolean[]> =>
  (await failingFor(reader, tests, runs)).map((failing) => failing === undefined)

/** For each of these runs, the position of the first condition over its records that does not hold. */
export async function failingFor({ match }: Reader, tests: Test[], runs: About[]): Promise<(number | undefined)[]> {
  const failing: (number | undefined)[] = runs.map(() => undefined)
  for (const [position, { on, filter }] of tests.entries()) {
    if (isData(on)) continue
    const left = [...runs.entries()].filter(([index]) => failing[index] === undefined)
    const then = left.flatMap(([index, { snapshot }]) => (snapshot?.on === on ? [{ index, row: snapshot.row }] : []))
    const present = left.filter(([, run]) => run.snapshot?.on !== on)
    const ids = [...new Set(present.flatMap(([, run]) => run[on] ?? []))]
    const object = OBJECT_OF[on]
    const found = new Set(ids.length > 0 ? await match({ object, filter, ids }) : [])
    const was = new Set(then.length > 0 ? await match({ object, filter, ids: [], snapshots: then.map(({ row }) => row) }) : [])
    for (const [index, run] of present) if (!found.has(run[on] ?? '')) failing[index] = position
    for (const [order, { index }] of then.entries()) if (!was.has(String(order))) failing[index] = position
  }
  return failing
}
