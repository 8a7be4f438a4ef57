import type { Referred } from '../rules/kinds.ts'
import type { UnknownAction, UnknownValue } from '../rules/types.ts'
import { quoted } from './fit.ts'
import type { Job } from './job.ts'
import type { Reference } from './lines.ts'
import { nameOf } from './resolve.ts'

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
  pipeline: 'by its name or id: set unknown_pipelines to create it, or map the value to another pipeline with replacements',
  stage: 'on this pipeline by its name: set unknown_stages to create it, or map the value to another stage with replacements',
} as const

const SUPPLIER_REMEDY = 'by its name, external_id or id: import the suppliers as companies first, or correct the name'
export const missing = ({ to, text, becomes }: Reference) =>
  `No ${NOUNS[to]} ${quoted(text)} found ${becomes === 'supplier_id' ? SUPPLIER_REMEDY : REMEDIES[to]}`
export const several = ({ to }: Reference) =>
  to === 'stage'
    ? 'Several pipelines have a stage with this name: also map a column to pipeline'
    : `Several ${NOUNS[to]} records have this name: use an id or an external_id`

export type Unknown = { reference: Reference; action: UnknownAction }

/** The pipelines and then the stages that the lines name and that there are not, once each. A run leaves out those that it creates. */
export function unknownValues({ phase }: Job, unknown: Unknown[]): UnknownValue[] {
  const listed = unknown.filter(({ action }) => phase === 'check' || action !== 'create')
  return (['pipeline', 'stage'] as const).flatMap((to) =>
    [...Map.groupBy(ofKind(listed, to), ({ reference }) => nameOf(reference)).values()].map((same) => {
      const [{ reference, action }] = same as [Unknown, ...Unknown[]]
      const { field, text, within = '' } = reference
      return { field, value: cut(text), pipeline: within === '' ? null : cut(within), action, lines: same.length }
    }),
  )
}

const ofKind = (unknown: Unknown[], to: Referred) => unknown.filter(({ reference }) => reference.to === to)
const cut = (text: string) => text.slice(0, 200).toWellFormed()
