import { type Client, eachOf, Refused } from './client.ts'
import { type Found, type Plan, planFor, type Wanted } from './plan.ts'
import type { Progress } from './progress.ts'
import type { Done, Note } from './report.ts'

const AT_ONCE = 4
const PER_CALL = 100
/** What is brought over happened long ago: nothing is to react to it. */
export const QUIETLY = { skip_automations: true }

/** What all steps of an import have in common. */
export interface Job {
  client: Client
  progress: Progress
  notes: Note[]
}

export interface Tally {
  created: number
  moved: number
  changed: number
  refused: number
}

type Failure = { index: number; error: { code: string; message: string; details?: unknown } }
type Answer = { results: Found[]; errors: Failure[] }

export const byKey = (records: Found[], field = 'external_id') => new Map(records.map((record) => [String(record[field]), record]))

/** Creates, moves and changes what is needed, 100 records a call. `found` then holds every record as it has become. */
export async function bringInBulk(
  job: Job,
  path: string,
  all: Wanted[],
  found: Map<string, Found>,
  beforeChanges?: (plan: Plan) => Promise<void>,
): Promise<Tally> {
  const { create, ...rest } = planFor(all, found)
  job.progress.expect(create.length + rest.move.length + rest.change.length)
  const created = await createInBulk(job, path, create, found)
  const { move } = planFor(all, found)
  const moves = move.map(({ id, wanted }) => ({ wanted, record: { id, stage_id: wanted.stage_id } }))
  const moved = await callInBulk(job, `${path}/bulk-move`, moves, found, noteRefusal(job, 'kept as it is'))
  // What a record is after its move decides what is left to change: a move sets closed_at, for one.
  const last = planFor(all, found)
  await beforeChanges?.(last)
  const changes = last.change.map(({ id, patch, wanted }) => ({ wanted, record: { id, ...patch } }))
  const changed = await callInBulk(job, `${path}/bulk-update`, changes, found, noteRefusal(job, 'kept as it is'))
  const sent = new Set([...create, ...[...moves, ...changes].map(({ wanted }) => wanted)].map(({ key }) => key))
  const done = created.union(moved).union(changed)
  return {
    created: created.size,
    moved: moved.size,
    changed: changed.difference(moved).difference(created).size,
    refused: sent.difference(done).size,
  }
}

/** What another import has created in the meantime is found and then treated like everything that was there. */
async function createInBulk(job: Job, path: string, create: Wanted[], found: Map<string, Found>): Promise<Set<string>> {
  const taken: { wanted: Wanted; failure: Failure }[] = []
  const records = create.map((wanted) => ({ wanted, record: { ...wanted.fields, ...wanted.first } }))
  const refuse = noteRefusal(job, 'skipped')
  const created = await callInBulk(job, `${path}/bulk-create`, records, found, (wanted, failure) => {
    if (failure.error.code === 'CONFLICT') taken.push({ wanted, failure })
    else refuse(wanted, failure)
  })
  await eachOf(taken, AT_ONCE, async ({ wanted, failure }) => {
    const [record] = await job.client.list(path, { external_id: wanted.key, archived: 'all' })
    if (record) found.set(wanted.key, record)
    else refuse(wanted, failure)
  })
  return created
}

type Sent = { wanted: Wanted; record: Record<string, unknown> }

/** The keys of the records that the API took. */
async function callInBulk(
  { client, progress }: Job,
  path: string,
  all: Sent[],
  found: Map<string, Found>,
  refuse: (wanted: Wanted, failure: Failure) => void,
): Promise<Set<string>> {
  const done = new Set<string>()
  const calls = Array.from({ length: Math.ceil(all.length / PER_CALL) }, (_, index) => all.slice(index * PER_CALL, (index + 1) * PER_CALL))
  await eachOf(calls, AT_ONCE, async (call) => {
    const { results, errors }: Answer = await client.send('POST', path, { records: call.map(({ record }) => record), ...QUIETLY })
    for (const record of results) {
      found.set(String(record.external_id), record)
      done.add(String(record.external_id))
    }
    for (const failure of errors) refuse(call[failure.index]!.wanted, failure)
    progress.step(call.length)
  })
  return done
}

const noteRefusal =
  ({ notes }: Job, done: Done) =>
  ({ place, key }: Wanted, { error }: Failure) => {
    const { message, issues } = new Refused(error)
    for (const { path, message: why } of issues.length > 0 ? issues : [{ path: '', message }]) {
      notes.push({ file: place.file, line: place.line, field: path, done, why: `the API refused it: ${why}`, value: key })
    }
  }

export interface Calls {
  create: (wanted: Wanted) => Promise<Found>
  change: (id: string, patch: Wanted['fields']) => Promise<Partial<Found>>
}

/** The same, one record a call. */
export async function bringSingly(job: Job, all: Wanted[], found: Map<string, Found>, calls: Calls): Promise<Tally> {
  const { create, change } = planFor(all, found)
  const tally = { created: 0, moved: 0, changed: 0, refused: 0 }
  job.progress.expect(create.length + change.length)
  const attempt = async (wanted: Wanted, name: 'created' | 'changed', work: () => Promise<Found>) => {
    try {
      found.set(wanted.key, await work())
      tally[name] += 1
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      const { code, message, issues } = error
      noteRefusal(job, name === 'created' ? 'skipped' : 'kept as it is')(wanted, {
        index: 0,
        error: { code, message, details: { issues } },
      })
      tally.refused += 1
    }
    job.progress.step(1)
  }
  await eachOf(create, AT_ONCE, (wanted) => attempt(wanted, 'created', () => calls.create(wanted)))
  await eachOf(change, AT_ONCE, ({ id, patch, wanted }) =>
    attempt(wanted, 'changed', async () => ({ ...found.get(wanted.key), ...(await calls.change(id, patch)), id })),
  )
  return tally
}
