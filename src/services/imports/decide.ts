import type { ImportObject } from '../../domain/imports/types.ts'
import { withoutNulls } from '../../lib/objects.ts'
import type { Job } from './job.ts'
import type { Fault, Line, Reference } from './lines.ts'
import { nameOf, type Resolved } from './resolve.ts'

/** A line whose outcome is known without the database. */
export type Settled = { line: number; status: 'failed' | 'skipped'; record_id: string | null; errors: Fault[]; values: string[] }
/** A line to write, with the input for the API's bulk call. */
export type Tried = { line: Line; input: Record<string, unknown> }
/** A line with errors. Validating the remaining fields may add more. */
export type Faulty = Tried & { faults: Fault[]; record_id: string | null }
export type Decision = { settled: Settled[]; faulty: Faulty[]; creates: Tried[]; updates: Tried[] }

const SINGULAR: Record<ImportObject, string> = { contacts: 'contact', companies: 'company', opportunities: 'opportunity' }

/** Decides what to do with each line, once the records that it refers to are known. */
export function decide(job: Job, lines: Line[], resolved: Resolved): Decision {
  const decision: Decision = { settled: [], faulty: [], creates: [], updates: [] }
  lines.forEach((line, i) => {
    const { input, initial, faults } = referred(line, resolved)
    const own = resolved.matches.get(i) ?? []
    const all = [...line.faults, ...faults, ...(own.length > 1 ? [ambiguous(job)] : [])]
    const [id] = own
    const fresh = () => newOf(job, { ...line.initial, ...initial }, input)
    if (all.length > 0) decision.faulty.push({ line, faults: all, record_id: id ?? null, input: fresh() })
    else if (id !== undefined && job.mode === 'create')
      decision.settled.push(
        settledAs('skipped', line, id, [{ field: job.match_by, message: `A ${SINGULAR[job.object]} with this value already exists` }]),
      )
    else if (id !== undefined) decision.updates.push({ line, input: patchOf(id, input) })
    else if (job.mode === 'update') decision.settled.push(settledAs('skipped', line, null, [missingRecord(job, line)]))
    else decision.creates.push({ line, input: fresh() })
  })
  return decision
}

export const settledAs = (status: Settled['status'], { line, values }: Line, record_id: string | null, errors: Fault[]): Settled => ({
  line,
  status,
  record_id,
  errors,
  values,
})

const missingRecord = ({ match_by, object }: Job, { key }: Line): Fault => ({
  field: match_by,
  message: key === null ? `The line has no ${match_by} to match by` : `No ${SINGULAR[object]} has this ${match_by}`,
})

const ambiguous = ({ match_by, object }: Job): Fault => ({
  field: match_by,
  message: `Several ${object} have this ${match_by}: match by id or external_id, or merge them`,
})

type Values = Record<string, unknown>

function referred(line: Line, { references }: Resolved): { input: Values; initial: Values; faults: Fault[] } {
  const input = { ...line.input }
  const initial: Values = {}
  const faults: Fault[] = []
  for (const reference of line.references) {
    const ids = references.get(nameOf(reference)) ?? []
    if (ids.length === 1) (reference.initial ? initial : input)[reference.becomes] = ids[0]
    else faults.push({ field: reference.field, message: ids.length === 0 ? missing(reference) : several(reference) })
  }
  return { input, initial, faults }
}

const NOUNS = { company: 'company', member: 'member', lead_source: 'lead source', pipeline: 'pipeline', stage: 'stage' } as const
const REMEDIES = {
  company: 'by its name, external_id or id: import it first, or correct the name',
  member: 'by their email address, name or id: invite them first, or correct it',
  lead_source: 'by its name or id: create it first, or correct the name',
  pipeline: 'by its name or id: create it first, or correct the name',
  stage: 'on this pipeline by its name: create it first, or correct the name',
} as const

const missing = ({ to }: Reference) => `No ${NOUNS[to]} found ${REMEDIES[to]}`
const several = ({ to }: Reference) =>
  to === 'stage'
    ? 'Several pipelines have a stage with this name: also map a column to pipeline'
    : `Several ${NOUNS[to]} records have this name: use an id or an external_id`

/** The input for a new record: the defaults and the line's values without nulls, because there is nothing to clear. */
function newOf({ object, country }: Job, initial: Values, { id: _, ...input }: Values): Values {
  const sent = withoutNulls(input)
  const metadata = { ...(initial.metadata as object), ...withoutNulls((sent.metadata ?? {}) as Record<string, unknown>) }
  const values = {
    ...(object === 'contacts' && { source: 'import' }),
    ...(object !== 'opportunities' && country && { country }),
    ...initial,
    ...sent,
  }
  return { ...values, ...(Object.keys(metadata).length > 0 && { metadata }) }
}

/** The input for an update. The stage determines the pipeline, so pipeline_id alone has no effect. */
const patchOf = (id: string, { pipeline_id: _, ...input }: Record<string, unknown>): Record<string, unknown> => ({ ...input, id })
