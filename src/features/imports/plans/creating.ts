import { isId } from '../../../lib/ids.ts'
import { kindOfName } from '../../pipelines/rules/pipeline.ts'
import { looksLikeId } from '../rules/names.ts'
import type { UnknownAction } from '../rules/types.ts'
import type { Job } from './job.ts'
import type { Fault, Reference } from './lines.ts'
import { isCreatable, type MissingRecords } from './missing-records.ts'
import type { ResolvedReference } from './resolve.ts'

type Values = Record<string, unknown>
export type Referring = { input: Values; initial: Values }
/** A reference to a record that is to be created, with its name as names are compared; `home` is the pipeline of a stage. */
export type Creating = Reference & { norm: string; home: ResolvedReference | undefined }

/** Whether a text is the id of a company in another system, and not its name. */
const isForeignId = ({ external_id_prefix: prefix }: Job, text: string): boolean =>
  looksLikeId(text) || (prefix !== null && text.startsWith(prefix))

/** Whether a product is that of a line item, which has its own name and price. */
export const isLineItem = ({ becomes }: Reference) => becomes === 'products'

/** Whether a name that several records share is reported, and not an error, as one that none has. */
export const isReported = (job: Job, reference: Reference) =>
  isLineItem(reference) || (reference.to === 'contact' && job.unknown_contacts === 'report')

/** What the import does with a line that refers to an unknown record. Nothing is created from an id of this system. */
export function actionOf(job: Job, reference: Reference, home: ResolvedReference | undefined): UnknownAction {
  const { to, text, field, becomes } = reference
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
  if (to === 'pipeline') return isForeignId(job, text) ? 'fail' : job.unknown_pipelines
  if (to === 'stage') return isForeignId(job, text) ? 'fail' : stageAction(job, home)
  return job.unknown_owners
}

/** A pipeline that the import creates gets the stages of its lines, in whichever batch they are. */
function stageAction({ unknown_pipelines, unknown_stages }: Job, home: ResolvedReference | undefined): UnknownAction {
  const isKnown = home !== undefined && home.ids.length > 0
  if ((!isKnown || home.own) && unknown_pipelines === 'create') return 'create'
  return isKnown ? unknown_stages : 'fail'
}

/** Refers to a record that this batch creates. A check creates none. */
export function createReferred(job: Job, reference: Creating, { input, initial }: Referring, records: MissingRecords): Fault[] {
  const { field, becomes } = reference
  const created = made(job, reference, records)
  if (!created) return []
  if ('message' in created) return [{ field, message: created.message }]
  if (job.phase !== 'check') (reference.initial ? initial : input)[becomes] = created.id
  // Without the stage that a run would create, the opportunity is not closed.
  else if (reference.to === 'stage' && kindOfName(reference.text) !== 'open') for (const values of [initial, input]) delete values.closed_at
  return []
}

function made(job: Job, reference: Creating, records: MissingRecords): { id: string } | { message: string } | undefined {
  const { to, text, norm, within = '', home } = reference
  if (to === 'pipeline') return records.pipelines.pipelineNamed(text, norm)
  if (to === 'stage') {
    const [id] = home?.ids ?? []
    const pipeline = id === undefined ? records.pipelines.pipelineNamed(within, home?.norm ?? '') : { id, stages: home?.stages ?? 0 }
    return 'message' in pipeline ? pipeline : records.pipelines.stageNamed(pipeline, text, norm)
  }
  if (!isCreatable(to)) return undefined
  return records.idOf(to, { name: text, ...(to === 'company' && isForeignId(job, text) && { external_id: text }) }, norm)
}
