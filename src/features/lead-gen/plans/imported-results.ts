import { leadResults } from '../../../../schema/index.ts'
import { insertEach } from '../../../data/bulk.ts'
import { call } from '../../../data/call.ts'
import type { Statement } from '../../../data/db.ts'
import { invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { cutText } from '../../../lib/text.ts'
import { validateEach, valuesOf } from '../../../schemas/bulk.ts'
import { type BulkPlan, bulkTable } from '../../records/plans/bulk.ts'
import { updatesOf } from '../../records/plans/updates.ts'
import { leadColumns } from '../rules/results.ts'
import { ImportedLead, ImportedLeadPatch } from '../schemas/results.ts'
import { resultColumns, WHAT } from './results.ts'

const bulk = bulkTable({ table: leadResults, entity: 'lead_result', what: WHAT, fields: resultColumns, references: [] })

/** Many results are compared one after the other: a lock for each of their keys would be too many. */
const LOCK: Statement = call('lock_leads')

/** The name of a line: as it is, of its parts, or of the business. */
function nameOf({ name, first_name, last_name, company_name }: Partial<ImportedLead>): string | undefined {
  const parts = [first_name, last_name].filter((part) => part).join(' ')
  const text = name ?? (parts || company_name)
  return text ? cutText(text, 200) : undefined
}

export function leadCreates(records: unknown[]): BulkPlan<typeof bulk.fields> {
  const validated = validateEach(ImportedLead, records, ({ first_name, last_name, ...input }) => {
    const name = nameOf({ first_name, last_name, ...input })
    if (name === undefined) throw invalid([{ path: 'name', message: 'Required: the name of a person or of a business' }])
    return { ...leadColumns(input), name, id: newId() }
  })
  return [bulk, validated, LOCK, insertEach(leadResults, valuesOf(validated), [])]
}

/** The parts of a name change it only together: a line with one of them keeps the name that is there. */
export function leadUpdates(records: unknown[]): BulkPlan<typeof bulk.fields> {
  const validated = validateEach(ImportedLeadPatch, records, ({ first_name, last_name, ...patch }) => {
    const name = patch.name ?? (first_name && last_name ? nameOf({ first_name, last_name }) : undefined)
    return { ...leadColumns(patch), ...(name !== undefined && { name }) }
  })
  return updatesOf(bulk, validated, { before: [LOCK] })
}
