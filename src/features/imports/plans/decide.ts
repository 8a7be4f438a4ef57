import { withoutNulls } from '../../../lib/objects.ts'
import { looseForm } from '../../../lib/text.ts'
import { kindOfName } from '../../pipelines/rules/pipeline.ts'
import { BEST, type ImportObject, type MatchField, nounOf, type UnknownValue } from '../rules/types.ts'
import { actionOf, type Creating, createReferred, isLineItem, isReported, type Referring } from './creating.ts'
import { withFirstName } from './derived-name.ts'
import type { Job } from './job.ts'
import type { Fault, Line, Reference } from './lines.ts'
import type { MissingRecords } from './missing-records.ts'
import { type Found, matchName, nameOf, pipelineOf, type Resolved } from './resolve.ts'
import { missing, several, type Unknown, unknownValues } from './unresolved.ts'

/** A line whose outcome is known without the database. */
export type Settled = { line: number; status: 'failed' | 'skipped'; record_id: string | null; errors: Fault[]; values: string[] }
/** A line to write, with the input for the API's bulk call. */
export type Tried = { line: Line; input: Record<string, unknown>; warnings: Fault[] }
/** A line with errors. Validating the remaining fields may add more. */
export type Faulty = Omit<Tried, 'warnings'> & { faults: Fault[]; record_id: string | null }
export type Decision = { settled: Settled[]; faulty: Faulty[]; creates: Tried[]; updates: Tried[]; unknown: UnknownValue[] }

/** Decides what to do with each line, once the records that it refers to are known. */
export function decide(job: Job, lines: Line[], resolved: Resolved, records: MissingRecords): Decision {
  const decision: Decision = { settled: [], faulty: [], creates: [], updates: [], unknown: [] }
  const unknown: Unknown[] = []
  for (const [i, line] of lines.entries()) {
    if (line.footer) {
      decision.settled.push(settledAs('skipped', line, null, [FOOTER]))
      continue
    }
    const { by, found } = matched(line, i, resolved)
    const [record] = found
    const { input, initial, faults, create, all: several, ...referring } = referred(job, line, resolved, record)
    unknown.push(...referring.unknown)
    const stray = strayPipeline(record, input, create)
    const issues = [...line.faults, ...faults, ...(found.length > 1 ? [ambiguous(job, by)] : []), ...stray]
    const isWritten = issues.length === 0 && (record ? job.mode !== 'create' : job.mode !== 'update')
    if (isWritten) issues.push(...create.flatMap((reference) => createReferred(job, reference, { input, initial }, records)))
    const fresh = () =>
      withFirstName(job.object, line, newOf(job, { ...line.initial, ...initial }, { ...withAdded(input, line), ...several }))
    const warnings = [...line.warnings, ...referring.warnings]
    if (issues.length > 0) decision.faulty.push({ line, faults: issues, record_id: record?.id ?? null, input: fresh().values })
    else if (record && job.mode === 'create')
      decision.settled.push(
        settledAs('skipped', line, record.id, [{ field: by, message: `A ${nounOf(job.object)} with this value already exists` }]),
      )
    else if (record)
      decision.updates.push({
        line,
        warnings: [...warnings, ...mainOnly(job, line, several), ...(input.products === undefined ? [] : [ITEMS_STAY])],
        input: patchOf(record.id, withAdded(input, line, record)),
      })
    else if (job.mode === 'update') decision.settled.push(settledAs('skipped', line, null, [missingRecord(job, line)]))
    else {
      const { values, warnings: derived } = fresh()
      decision.creates.push({ line, warnings: [...warnings, ...derived], input: values })
    }
  }
  return { ...decision, unknown: unknownValues(job, unknown) }
}

const FOOTER: Fault = { field: null, message: 'The footer of a report, and no record' }

/** The records that the best key with a match finds. A key that adopts finds one record or none. */
function matched({ keys }: Line, line: number, { matches }: Resolved): { by: MatchField | null; found: Found[] } {
  for (const [n, { by, adopts }] of keys.entries()) {
    const found = matches.get(matchName(line, n)) ?? []
    if (found.length === 1 || (found.length > 1 && !adopts)) return { by, found }
  }
  return { by: keys[0]?.by ?? null, found: [] }
}

/** The input with the further values of its cells, added to those of the stored record. */
export function withAdded(input: Values, { added }: Line, stored: Values = {}): Values {
  const lists = Object.entries(added).map(([field, values]) => {
    const known = (input[field] ?? stored[field] ?? []) as string[]
    return [field, [...new Set([...known, ...values])]] as const
  })
  return lists.length === 0 ? input : { ...input, ...Object.fromEntries(lists) }
}

export const settledAs = (status: Settled['status'], { line, values }: Line, record_id: string | null, errors: Fault[]): Settled => ({
  line,
  status,
  record_id,
  errors,
  values,
})

const missingRecord = ({ match_by, object }: Job, { keys: [key] }: Line): Fault => ({
  field: key?.by ?? match_by,
  message: key ? `No ${nounOf(object)} has this ${key.by}` : `The line has no ${match_by === BEST ? 'identifier' : match_by} to match by`,
})

const ambiguous = ({ object }: Job, by: MatchField | null): Fault => ({
  field: by,
  message: `Several ${object} have this ${by}: match by id or external_id, or merge them`,
})

type Values = Record<string, unknown>

/**
 * Fills in the ids of the records that the line refers to: `all` has those of a field that refers to several. `create` are references to
 * records that are to be created.
 */
function referred(
  job: Job,
  line: Line,
  { references }: Resolved,
  record: Found | undefined,
): Referring & { all: Record<string, string[]>; faults: Fault[]; warnings: Fault[]; create: Creating[]; unknown: Unknown[] } {
  const input = { ...line.input }
  const initial: Values = {}
  const faults: Fault[] = []
  const warnings: Fault[] = []
  const create: Creating[] = []
  const unknown: Unknown[] = []
  const all: Record<string, string[]> = {}
  const products = new Map<unknown, string>()
  let isClosed = false
  for (const reference of line.references) {
    const { ids, norm, kind } = references.get(nameOf(reference)) ?? { ids: [], norm: null }
    if (reference.to === 'stage' && kind) isClosed = kind !== 'open'
    if (reference.to === 'stage' && saysNothingNew(reference, ids, record)) continue
    const home = reference.to === 'stage' ? references.get(nameOf(pipelineOf(reference))) : undefined
    const isMove = home !== undefined && record !== undefined && !reference.within && record.pipeline_id !== home.ids[0]
    const action = !isMove && (ids.length === 0 || isReported(job, reference)) ? actionOf(job, reference, home) : 'fail'
    if (ids.length === 0) unknown.push({ reference, action })
    const [id] = ids
    const own = reference.initial ? initial : input
    if (id !== undefined && ids.length === 1) {
      if (isLineItem(reference)) products.set(reference.text, id)
      else if (reference.links)
        own[reference.becomes] = [...links(own[reference.becomes]), { contact_id: id, is_primary: !own[reference.becomes] }]
      else {
        if (reference.all) all[reference.all] = [...new Set([...(all[reference.all] ?? []), id])]
        // The first of several is the main one.
        own[reference.becomes] = reference.all ? (own[reference.becomes] ?? id) : id
      }
    } else if (action === 'create' || action === 'placeholder') {
      create.push({ ...reference, norm: norm ?? '', home })
      if (reference.to === 'stage') isClosed = kindOfName(reference.text) !== 'open'
    } else if (action === 'report')
      warnings.push({
        field: reference.field,
        message: `${ids.length === 0 ? missing(reference) : several(reference)}. Imported without it`,
      })
    else {
      const unknownHere = isMove && job.unknown_stages === 'create' ? ELSEWHERE : missing(reference)
      faults.push({ field: reference.field, message: ids.length === 0 ? unknownHere : several(reference) })
    }
  }
  const complete = (values: Values) => withProducts(withCloseDate(values, isClosed), (product) => products.get(product))
  return { input: complete(input), initial: complete(initial), faults, warnings, create, unknown, all: ofSeveral(all) }
}

/** A stage is not added to the default pipeline for an opportunity of another one. */
const ELSEWHERE =
  'The opportunity is in another pipeline, which the line does not name: also map a column to pipeline, to add a stage to it'

/** Whether a stage without a pipeline is that of the record, in its own pipeline; or a status is that of the record, or of any new one. */
function saysNothingNew({ text, within, status: isStatus }: Reference, ids: string[], record: Found | undefined): boolean {
  const status = text.toLowerCase()
  if (record && !within && looseForm(String(record.stage)) === looseForm(text)) return true
  if (!isStatus) return false
  return record ? record.status === status : status === 'open' && ids.length === 0
}

/** A pipeline moves no record without a stage of it. */
const strayPipeline = (record: Found | undefined, { pipeline_id, stage_id }: Values, create: Creating[]): Fault[] =>
  record &&
  !create.some(({ to }) => to === 'stage') &&
  (create.some(({ to }) => to === 'pipeline') ||
    (pipeline_id !== undefined && stage_id === undefined && record.pipeline_id !== pipeline_id))
    ? [{ field: 'pipeline', message: 'The opportunity is in another pipeline: also map a column to stage, to move it' }]
    : []

const links = (known: unknown): object[] => (known as object[] | undefined) ?? []
/** Line items with the ids of their products, where they are known. */
export const withProducts = ({ products, ...values }: Values, idOf: (product: unknown) => string | undefined): Values =>
  products === undefined
    ? values
    : {
        ...values,
        products: (products as Values[]).map(({ product, ...item }) => ({ ...item, ...(idOf(product) && { product_id: idOf(product) }) })),
      }

const ofSeveral = (all: Record<string, string[]>) => Object.fromEntries(Object.entries(all).filter(([, ids]) => ids.length > 1))

/** What an update leaves as it is: the further records of a link. */
const mainOnly = ({ object }: Job, { references }: Line, several: Record<string, string[]>): Fault[] =>
  Object.keys(several).map((name) => ({
    field: references.find(({ all }) => all === name)?.field ?? null,
    message: `Of an existing ${nounOf(object)} only the main one is changed: add or remove the others by themselves`,
  }))

const ITEMS_STAY: Fault = { field: 'line_items', message: 'An existing opportunity keeps its line items: change them by themselves' }

/** Stores `close_date` as the date of closing or, for an open opportunity, as the expected one. */
export function withCloseDate({ close_date, ...values }: Values, isClosed: boolean): Values {
  const field = isClosed ? 'closed_at' : 'expected_close_date'
  return close_date === undefined || values[field] !== undefined || (isClosed && close_date === null)
    ? values
    : { ...values, [field]: close_date }
}

const WITH_COUNTRY: readonly ImportObject[] = ['contacts', 'companies', 'lead_results']

/** The input for a new record: the defaults and the line's values without nulls, because there is nothing to clear. */
function newOf({ object, country }: Job, initial: Values, { id: _, ...input }: Values): Values {
  const sent = withoutNulls(input)
  const metadata = { ...(initial.metadata as object), ...withoutNulls((sent.metadata ?? {}) as Record<string, unknown>) }
  const values = {
    ...(object === 'contacts' && { source: 'import' }),
    ...(object === 'notes' && { activity_type: 'note' }),
    ...(WITH_COUNTRY.includes(object) && country && { country }),
    ...initial,
    ...sent,
  }
  return { ...values, ...(Object.keys(metadata).length > 0 && { metadata }) }
}

/** The input for an update. The stage determines the pipeline, so pipeline_id alone has no effect. */
const patchOf = (id: string, { pipeline_id: _, products: __, ...input }: Record<string, unknown>): Record<string, unknown> => ({
  ...input,
  id,
})
