import { isId } from '../../../lib/ids.ts'
import { withoutNulls } from '../../../lib/objects.ts'
import { looseForm } from '../../../lib/text.ts'
import { looksLikeId } from '../rules/names.ts'
import { BEST, type ImportObject, type MatchField, nounOf, type UnknownAction } from '../rules/types.ts'
import { withFirstName } from './derived-name.ts'
import { quoted } from './fit.ts'
import type { Job } from './job.ts'
import type { Fault, Line, Reference } from './lines.ts'
import { isCreatable, type MissingRecords } from './missing-records.ts'
import { type Found, matchName, nameOf, type Resolved } from './resolve.ts'

/** A line whose outcome is known without the database. */
export type Settled = { line: number; status: 'failed' | 'skipped'; record_id: string | null; errors: Fault[]; values: string[] }
/** A line to write, with the input for the API's bulk call. */
export type Tried = { line: Line; input: Record<string, unknown>; warnings: Fault[] }
/** A line with errors. Validating the remaining fields may add more. */
export type Faulty = Omit<Tried, 'warnings'> & { faults: Fault[]; record_id: string | null }
export type Decision = { settled: Settled[]; faulty: Faulty[]; creates: Tried[]; updates: Tried[] }

/** Decides what to do with each line, once the records that it refers to are known. */
export function decide(job: Job, lines: Line[], resolved: Resolved, records: MissingRecords): Decision {
  const decision: Decision = { settled: [], faulty: [], creates: [], updates: [] }
  for (const [i, line] of lines.entries()) {
    if (line.footer) {
      decision.settled.push(settledAs('skipped', line, null, [FOOTER]))
      continue
    }
    const { by, found } = matched(line, i, resolved)
    const [record] = found
    const { input, initial, faults, create, all: several, ...referring } = referred(job, line, resolved, record)
    const issues = [...line.faults, ...faults, ...(found.length > 1 ? [ambiguous(job, by)] : []), ...strayPipeline(record, input)]
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
  return decision
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
type Referring = { input: Values; initial: Values }
/** A reference to a record that is to be created, with its name as names are compared. */
type Creating = Reference & { norm: string }

/** Fills in the ids of the records that the line refers to: `all` has those of a field that refers to several. `create` are references to records that are to be created. */
function referred(
  job: Job,
  line: Line,
  { references }: Resolved,
  record: Found | undefined,
): Referring & { all: Record<string, string[]>; faults: Fault[]; warnings: Fault[]; create: Creating[] } {
  const input = { ...line.input }
  const initial: Values = {}
  const faults: Fault[] = []
  const warnings: Fault[] = []
  const create: Creating[] = []
  const all: Record<string, string[]> = {}
  const products = new Map<unknown, string>()
  let isClosed = false
  for (const reference of line.references) {
    const { ids, detail } = references.get(nameOf(reference)) ?? { ids: [], detail: null }
    if (reference.to === 'stage' && detail !== null) isClosed = detail !== 'open'
    if (reference.to === 'stage' && saysNothingNew(reference, ids, record)) continue
    const action = ids.length === 0 || isReported(job, reference) ? actionOf(job, reference) : 'fail'
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
    } else if (action === 'create' || action === 'placeholder') create.push({ ...reference, norm: detail ?? '' })
    else if (action === 'report')
      warnings.push({
        field: reference.field,
        message: `${ids.length === 0 ? missing(reference) : several(reference)}. Imported without it`,
      })
    else faults.push({ field: reference.field, message: ids.length === 0 ? missing(reference) : several(reference) })
  }
  const complete = (values: Values) => withProducts(withCloseDate(values, isClosed), (product) => products.get(product))
  return { input: complete(input), initial: complete(initial), faults, warnings, create, all: ofSeveral(all) }
}

/** Whether a stage without a pipeline is that of the record, in its own pipeline; or a status is that of the record, or of any new one. */
function saysNothingNew({ text, within, status: isStatus }: Reference, ids: string[], record: Found | undefined): boolean {
  const status = text.toLowerCase()
  if (record && !within && looseForm(String(record.stage)) === looseForm(text)) return true
  if (!isStatus) return false
  return record ? record.status === status : status === 'open' && ids.length === 0
}

/** A pipeline moves no record without a stage of it. */
const strayPipeline = (record: Found | undefined, { pipeline_id, stage_id }: Values): Fault[] =>
  record && pipeline_id !== undefined && stage_id === undefined && record.pipeline_id !== pipeline_id
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

/** Whether a text is the id of a company in another system, and not its name. */
const isForeignId = ({ external_id_prefix: prefix }: Job, text: string): boolean =>
  looksLikeId(text) || (prefix !== null && text.startsWith(prefix))

/** Whether a product is that of a line item, which has its own name and price. */
const isLineItem = ({ becomes }: Reference) => becomes === 'products'

/** Whether a name that several records share is reported, and not an error, as one that none has. */
const isReported = (job: Job, reference: Reference) =>
  isLineItem(reference) || (reference.to === 'contact' && job.unknown_contacts === 'report')

/** What the import does with a line that refers to an unknown record. Nothing is created from an id of this system. */
function actionOf(job: Job, { to, text, field, becomes }: Reference): UnknownAction {
  // A price of a company that a misspelt name made would be offered beside those of the right one.
  if (becomes === 'supplier_id') return 'fail'
  if (to === 'company') {
    const action = job.unknown_companies
    // The parent of a company may be a later line.
    if (field !== 'company' && action === 'create') return 'fail'
    const isUnnamed = action === 'create' ? isForeignId(job, text) : action === 'placeholder' && isId(text)
    return isUnnamed ? 'report' : action
  }
  if (to === 'contact') return job.unknown_contacts
  if (to === 'product') return becomes === 'products' ? 'report' : 'fail'
  if (to === 'opportunity') return job.unknown_opportunities
  if (to === 'lead_source') return job.unknown_lead_sources
  return to === 'member' ? job.unknown_owners : 'fail'
}

/** Refers to a record that this batch creates. A check creates none. */
function createReferred(job: Job, reference: Creating, { input, initial }: Referring, records: MissingRecords): Fault[] {
  const { to, text, norm, field, becomes } = reference
  if (!isCreatable(to)) return []
  const external = to === 'company' && isForeignId(job, text) ? { external_id: text } : {}
  const created = records.idOf(to, { name: text, ...external }, norm)
  if ('message' in created) return [{ field, message: created.message }]
  if (job.phase !== 'check') (reference.initial ? initial : input)[becomes] = created.id
  return []
}

const NOUNS = {
  company: 'company',
  contact: 'contact',
  opportunity: 'opportunity',
  product: 'product',
  member: 'member',
  lead_source: 'lead source',
  pipeline: 'pipeline',
  stage: 'stage',
} as const
const REMEDIES = {
  company: 'by its name, external_id or id: import it first, correct the name, or set unknown_companies',
  contact: 'by their email address, external_id, id or name: import them first, or set unknown_contacts',
  opportunity: 'by its name, external_id or id: import it first, or set unknown_opportunities',
  member: 'by their email address, name or id: invite them first, or map the value with replacements',
  lead_source: 'by its name or id: set unknown_lead_sources to create it, or map or ignore the value with replacements',
  product: 'by its external_id, SKU or name: import it first',
  pipeline: 'by its name or id: create it first, or map the value to another pipeline with replacements',
  stage: 'on this pipeline by its name: create it first, or map the value to another stage with replacements',
} as const

const SUPPLIER_REMEDY = 'by its name, external_id or id: import the suppliers as companies first, or correct the name'
const missing = ({ to, text, becomes }: Reference) =>
  `No ${NOUNS[to]} ${quoted(text)} found ${becomes === 'supplier_id' ? SUPPLIER_REMEDY : REMEDIES[to]}`
const several = ({ to }: Reference) =>
  to === 'stage'
    ? 'Several pipelines have a stage with this name: also map a column to pipeline'
    : `Several ${NOUNS[to]} records have this name: use an id or an external_id`

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
