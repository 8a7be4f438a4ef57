import type { Ctx } from '../../context.ts'
import { type ImportObject, nounOf } from '../../domain/imports/types.ts'
import { ImportedCompany } from '../../schemas/companies.ts'
import { ImportedContact } from '../../schemas/contacts.ts'
import { ImportedProduct } from '../../schemas/products.ts'
import { activityCreates } from '../activities/activities.ts'
import { activityUpdates } from '../activities/activity-updates.ts'
import type { BulkPlan } from '../bulk/bulk.ts'
import { companyCreates, companyUpdates } from '../companies/companies.ts'
import { contactCreates, contactUpdates } from '../contacts/contacts.ts'
import { importedOpportunities } from '../opportunities/opportunities.ts'
import { productCreates, productUpdates } from '../products/products.ts'
import { entryCreates, entryUpdates } from '../supplier-catalog/bulk-entries.ts'
import { importedTasks, taskUpdates } from '../tasks/tasks.ts'

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
}
