import { batch, type Database } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { AppError, STATUS_OF } from '../../../errors.ts'
import { ENROLLED_AT_ONCE } from '../../auto-queues/rules/auto-queues.ts'
import { readerFor } from './ask.ts'

/** Parts of lists per message, after which another message continues. */
const MAX_PARTS = 20

type Part = {
  id: string
  /** Null when the list has been deleted. */
  list_id: string | null
  object: 'contacts' | 'opportunities'
  live: boolean
  key_id: string
  after: string
  ids: string[]
}

/**
 * Enrols the members of lists in auto queues: some thousands in a statement, from where the last one has stopped. A repeated part enrols
 * nobody twice. Returns whether there is more to do, which includes the first steps of those that it has enrolled.
 */
export async function enrolLists(env: Env, workspaceId: string): Promise<boolean> {
  const database = jobsDatabaseOf(env)
  for (let done = 0; done < MAX_PARTS; done++) {
    const next = call('list_enrolment_part', workspaceId, ENROLLED_AT_ONCE)
    const [part] = (await batch(database, [next])) as [Part | null]
    if (!part) return done > 0
    await enrolPart(database, workspaceId, part)
  }
  return true
}

/** The enrolment of a list that was deleted, or whose filter cannot be evaluated with the rights of the key, ends with the reason. */
async function enrolPart(database: Database, workspaceId: string, part: Part): Promise<void> {
  const { id, after, ids } = part
  try {
    if (!part.list_id) throw new AppError('NOT_FOUND', 'The list was deleted')
    const members = part.live && ids.length > 0 ? await membersAmong(database, workspaceId, part) : ids
    const last = ids.length === ENROLLED_AT_ONCE ? (ids.at(-1) as string) : null
    await batch(database, [call('enrol_list_part', workspaceId, id, after, last, `{${members.join(',')}}`, 0)])
  } catch (error) {
    if (!(error instanceof AppError) || STATUS_OF[error.code] >= 500) throw error
    await batch(database, [call('fail_list_enrolment', workspaceId, id, error.message)])
  }
}

async function membersAmong(database: Database, workspace_id: string, { id, list_id, object, key_id, ids }: Part): Promise<string[]> {
  const caller = { kind: 'automation_run' as const, automation_run_id: id, workspace_id, key_id, depth: 0 }
  const filter = { field: 'list', op: 'in', value: list_id }
  const found = new Set(await readerFor(database, caller, new Date()).match({ object, filter, ids }))
  return ids.filter((one) => found.has(one))
}
