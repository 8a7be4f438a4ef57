import type { Ctx } from '../../context.ts'
import { type ImportObject, nounOf } from '../../domain/imports/types.ts'
import { activityCreates } from '../activities/activities.ts'
import { activityUpdates } from '../activities/activity-updates.ts'
import type { BulkPlan } from '../bulk/bulk.ts'
import { companyCreates, companyUpdates } from '../companies/companies.ts'
import { contactCreates, contactUpdates } from '../contacts/contacts.ts'
import { importedOpportunities } from '../opportunities/opportunities.ts'
import { productCreates, productUpdates } from '../products/products.ts'
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
  contacts: write('contacts', contactCreates, contactUpdates),
  companies: write('companies', planned(companyCreates), companyUpdates),
  opportunities: write('opportunities', planned(importedOpportunities.creates), planned(importedOpportunities.updates)),
  products: write('products', planned(productCreates), planned(productUpdates)),
  tasks: write('tasks', importedTasks, planned(taskUpdates)),
  activities: write('activities', planned(activityCreates), planned(activityUpdates)),
  notes: write('notes', planned(activityCreates), planned(activityUpdates)),
}
