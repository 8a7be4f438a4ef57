import { nearest } from '../../../lib/nearest.ts'
import { unknownTags } from '../../email/rules/merge-tags.ts'

/** The merge fields of document templates: values of the records that a document is about. */
export const MERGE_FIELDS = [
  'contact.first_name',
  'contact.last_name',
  'contact.full_name',
  'contact.email',
  'contact.phone',
  'contact.job_title',
  'contact.address',
  'company.name',
  'company.email',
  'company.phone',
  'company.website_url',
  'company.abn',
  'company.address',
  'opportunity.name',
  'opportunity.description',
  'opportunity.value',
  'opportunity.currency',
  'opportunity.stage',
  'opportunity.expected_close_date',
  'workspace.name',
  'today',
] as const
export type MergeField = (typeof MERGE_FIELDS)[number]

/** What is wrong with the merge fields of a text: a message for each unknown one, with the nearest known name. */
export function mergeFaults(text: string): string[] {
  const unknown = unknownTags(text, MERGE_FIELDS)
  return unknown.map((name) => {
    const meant = nearest(name, MERGE_FIELDS) ?? MERGE_FIELDS.find((field) => field.endsWith(`.${name.replace(/^.*\./, '')}`))
    return `has the unknown merge field {{${name}}}${meant ? `: did you mean {{${meant}}}?` : `: use ${MERGE_FIELDS.join(', ')}`}`
  })
}
