import type { Test } from '../../../domain/automations/types.ts'
import { OBJECT_OF } from '../definition.ts'
import type { MatchBody } from '../matching.ts'

/** The records that a run is about: by kind, the id. */
export type About = { [kind in keyof typeof OBJECT_OF]: string | null }

/** A search of a loop. */
export type Search = { object: string; filter: Record<string, unknown>; limit: number }
/** How runs read records: with the rights of the automation's publisher, or of whoever asks for a preview. */
export type Reader = {
  /** The ids of those records that match a filter. */
  match(body: MatchBody): Promise<string[]>
  /** The first records that a search finds, as its endpoint returns them. */
  search(search: Search): Promise<unknown[]>
}

/** For each of these runs, whether the conditions over their records hold. A run without a record of the kind does not meet them. */
export async function holdsFor({ match }: Reader, tests: Test[], runs: About[]): Promise<boolean[]> {
  const holds = runs.map(() => true)
  for (const { on, filter } of tests) {
    if (on === 'trigger') continue
    const ids = [...new Set(runs.flatMap((run, index) => (holds[index] && run[on] ? [run[on]] : [])))]
    const found = new Set(ids.length > 0 ? await match({ object: OBJECT_OF[on], filter, ids }) : [])
    for (const [index, run] of runs.entries()) holds[index] &&= found.has(run[on] ?? '')
  }
  return holds
}
