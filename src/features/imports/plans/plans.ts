import type { Ctx } from '../../../context.ts'
import { activityCreates } from '../../activities/plans/activities.ts'
import { activityUpdates } from '../../activities/plans/activity-updates.ts'
import { companyCreates, companyUpdates } from '../../companies/plans/companies.ts'
import { ImportedCompany } from '../../companies/schemas/companies.ts'
import { contactCreates, contactUpdates } from '../../contacts/plans/contacts.ts'
import { ImportedContact } from '../../contacts/schemas/contacts.ts'
import { leadCreates, leadUpdates } from '../../lead-gen/plans/imported-results.ts'
import { importedOpportunities } from '../../opportunities/plans/opportunities.ts'
import { productCreates, productUpdates } from '../../products/plans/products.ts'
import { ImportedProduct } from '../../products/schemas/products.ts'
import type { BulkPlan } from '../../records/plans/bulk.ts'
import { entryCreates, entryUpdates } from '../../supplier-catalog/plans/bulk-entries.ts'
import { importedTasks, taskUpdates } from '../../tasks/plans/tasks.ts'
import { type ImportObject, nounOf } from '../rules/types.ts'

type Plans = (ctx: Ctx, records: unknown[]) => BulkPlan | Promise<BulkPlan>
type Write = { creates: Plans; updates: Plans; what: string }

const write = (object: ImportObject, creates: Plans, updates: Plans): Write => ({ creates, updates, what: nounOf(object) })
/** Plans that need no stored values. */
const planned =
  (plan: (records: unknown[]) => BulkPlan): Plans =>
  (_, records) =>
    plan(records)

/** The same plans as the API's bulk calls. */
export const WRITES: Record<ImportObject, Write> = {
  contacts: write('contacts', (ctx, records) => contactCreates(ctx, records, ImportedContact), contactUpdates),
  companies: write(
    'companies',
    planned((records) => companyCreates(records, ImportedCompany)),
    companyUpdates,
  ),
  opportunities: write('opportunities', planned(importedOpportunities.creates), planned(importedOpportunities.updates)),
  products: write(
    'products',
    planned((records) => productCreates(records, ImportedProduct)),
    planned(productUpdates),
  ),
  supplier_catalog_entries: write('supplier_catalog_entries', planned(entryCreates), planned(entryUpdates)),
  tasks: write('tasks', importedTasks, planned(taskUpdates)),
  activities: write('activities', planned(activityCreates), planned(activityUpdates)),
  notes: write('notes', planned(activityCreates), planned(activityUpdates)),
  lead_results: write('lead_results', planned(leadCreates), planned(leadUpdates)),
}
