import { eachOf } from '../../src/lib/each-of.ts'
import { type ApiError, type Client, issuesOf, Refused } from './client.ts'
import { type Found, type Plan, planFor, type Wanted } from './plan.ts'
import type { Progress } from './progress.ts'
import type { Done, Note } from './report.ts'

const AT_ONCE = 4
const PER_CALL = 100
/** The imported events happened long ago, so automations must not react to them. */
export const QUIETLY = { skip_automations: true }

/** The context of all steps of an import. */
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

type Failure = { index: number; error: ApiError }
type ApiResponse = { results: Found[]; errors: Failure[] }

/** Records without a key were not created by the import. */
export const byKey = (records: Found[], field = 'external_id') =>
  new Map(records.flatMap((record) => (typeof record[field] === 'string' ? [[record[field], record] as const] : [])))

/** The records of one kind. `found` has the existing ones by key, each as the API last returned it. */
interface Load {
  job: Job
  path: string
  found: Map<string, Found>
  refused: Set<string>
}

/** Creates, moves and updates records as necessary, 100 per call. Afterwards `found` has the current state of every record. */
export async function bringInBulk(
  job: Job,
  path: string,
  all: Wanted[],
  found: Map<string, Found>,
  beforeChanges?: (plan: Plan) => Promise<void>,
): Promise<Tally> {
  const load: Load = { job, path, found, refused: new Set() }
  const { create, ...rest } = planFor(all, found)
  job.progress.expect(create.length + rest.move.length + rest.change.length)
  const created = await createInBulk(load, create)
  const moves = planFor(all, found).move.map(({ id, wanted }) => ({ wanted, record: { id, stage_id: wanted.stage_id } }))
  const moved = await callInBulk(load, 'bulk-move', moves)
  // Updates are determined after the move, because a move changes fields such as closed_at.
  const last = planFor(all, found)
  await beforeChanges?.(last)
  const changes = last.change.map(({ id, patch, wanted }) => ({ wanted, record: { id, ...patch } }))
  const changed = await callInBulk(load, 'bulk-update', changes)
  return {
    created: created.size,
    moved: moved.size,
    changed: changed.difference(moved).difference(created).size,
    refused: load.refused.size,
  }
}

/** A record that another client has created in the meantime is found and treated like any existing one. */
async function createInBulk(load: Load, create: Wanted[]): Promise<Set<string>> {
  const { job, path, found } = load
  const taken: { wanted: Wanted; failure: Failure }[] = []
  const records = create.map((wanted) => ({ wanted, record: { ...wanted.fields, ...wanted.first } }))
  const created = await callInBulk(load, 'bulk-create', records, (wanted, failure) => {
    if (failure.error.code === 'CONFLICT') taken.push({ wanted, failure })
    else refuse(load, wanted, failure, 'skipped')
  })
  await eachOf(AT_ONCE, taken, async ({ wanted, failure }) => {
    const [record] = await job.client.list(path, { external_id: wanted.key, archived: 'all' })
    if (record) found.set(wanted.key, record)
    else refuse(load, wanted, failure, 'skipped')
  })
  return created
}

type Sent = { wanted: Wanted; record: Record<string, unknown> }
type OnFailure = (wanted: Wanted, failure: Failure) => void

/** The keys of the records that the API accepted. */
async function callInBulk(
  load: Load,
  verb: string,
  all: Sent[],
  onFailure: OnFailure = (wanted, failure) => refuse(load, wanted, failure, 'kept as it is'),
): Promise<Set<string>> {
  const { job, path, found } = load
  const done = new Set<string>()
  const calls = Array.from({ length: Math.ceil(all.length / PER_CALL) }, (_, index) => all.slice(index * PER_CALL, (index + 1) * PER_CALL))
  await eachOf(AT_ONCE, calls, async (call) => {
    const { results, errors }: ApiResponse = await job.client.send('POST', `${path}/${verb}`, {
      records: call.map(({ record }) => record),
      ...QUIETLY,
    })
    for (const record of results) {
      found.set(String(record.external_id), record)
      done.add(String(record.external_id))
    }
    for (const failure of errors) onFailure(call[failure.index]!.wanted, failure)
    job.progress.step(call.length)
  })
  return done
}

function refuse({ job, refused }: Load, wanted: Wanted, { error }: Failure, done: Done): void {
  refused.add(wanted.key)
  noteRefusal(job, wanted, error, done)
}

function noteRefusal({ notes }: Job, { place, key }: Wanted, error: ApiError, done: Done): void {
  for (const { path, message } of issuesOf(error)) {
    notes.push({ file: place.file, line: place.line, field: path, done, why: `the API refused it: ${message}`, value: key })
  }
}

export interface Calls {
  create: (wanted: Wanted) => Promise<Found>
  /** The record that another client has created in the meantime. */
  find: (key: string) => Promise<Found | undefined>
  change: (id: string, patch: Wanted['fields']) => Promise<Partial<Found>>
}

/** The same, with one record per call. */
export async function bringSingly(job: Job, all: Wanted[], found: Map<string, Found>, calls: Calls): Promise<Tally> {
  const tally = { created: 0, moved: 0, changed: 0, refused: 0 }
  const attempt = async (wanted: Wanted, done: Done, work: () => Promise<void>) => {
    await work().catch((error) => {
      if (!(error instanceof Refused)) throw error
      noteRefusal(job, wanted, error.error, done)
      tally.refused += 1
    })
    job.progress.step(1)
  }
  const create = async (wanted: Wanted) => {
    const made = await calls.create(wanted).catch(async (error) => {
      const there = error instanceof Refused && error.error.code === 'CONFLICT' ? await calls.find(wanted.key) : undefined
      if (!there) throw error
      found.set(wanted.key, there)
    })
    if (!made) return
    found.set(wanted.key, made)
    tally.created += 1
  }
  const change = async (wanted: Wanted, id: string, patch: Wanted['fields']) => {
    found.set(wanted.key, { ...found.get(wanted.key), ...(await calls.change(id, patch)), id })
    tally.changed += 1
  }

  const first = planFor(all, found)
  job.progress.expect(first.create.length + first.change.length)
  await eachOf(AT_ONCE, first.create, (wanted) => attempt(wanted, 'skipped', () => create(wanted)))
  const last = planFor(all, found)
  await eachOf(AT_ONCE, last.change, ({ id, patch, wanted }) => attempt(wanted, 'kept as it is', () => change(wanted, id, patch)))
  return tally
}
