import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import type { Claimed, ClaimedRun, Version } from '../plans/engine/types.ts'
import { type ActiveRun, aboutOf, type Context, type Decided } from './active-run.ts'

type References = Pick<ClaimedRun, 'contact_id' | 'customer_id' | 'opportunity_id'> & { ended: boolean }
type Found = Pick<Claimed, 'contact' | 'company' | 'opportunity'> & { runs: Record<string, References> }

/** Steps that may end their run, or give it another record: by a deletion, a merge, or a run that replaces it. */
const ANYTHING = ['api_request', 'start_automation']
/** Steps that change the records of a run. */
const CHANGES = /^(update_|add_tags$|remove_tags$|move_stage$|assign$)/
/** A template with a value of a record. */
const OF_RECORD = /\{\{\s*(contact|company|opportunity)\b/

const showsRecords = ({ definition }: Version): boolean => OF_RECORD.test(JSON.stringify(definition.steps))

/**
 * Reads again what steps may have changed for those that follow them in the same claim. A run that its own step has ended is left as it is.
 */
export async function refresh({ database, workspaceId, claimed }: Context, decided: Decided[]): Promise<void> {
  const stale = decided.flatMap(({ work, decision }) => {
    if (decision?.kind !== 'act' || work.end || work.lost) return []
    const { type } = decision.step
    return ANYTHING.includes(type) || (CHANGES.test(type) && showsRecords(work.version)) ? [work] : []
  })
  if (stale.length === 0) return
  const ids = stale.map(({ run }) => run.id)
  const [found] = (await batch(database, [call('run_records', workspaceId, `{${ids.join(',')}}`)])) as [Found]
  for (const kind of ['contact', 'company', 'opportunity'] as const) Object.assign(claimed[kind], found[kind])
  for (const work of stale) use(work, found.runs[work.run.id])
}

/** Goes on with the records that a run has now. */
function use(work: ActiveRun, now: References | undefined): void {
  if (!now || now.ended) {
    work.lost = true
    return
  }
  const { ended: _, ...references } = now
  work.run = { ...work.run, ...references }
  work.about = aboutOf(work.run)
}
