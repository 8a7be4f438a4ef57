import type { Ctx } from '../../context.ts'
import type { ImportObject } from '../../domain/imports/types.ts'
import type { BulkPlan } from '../bulk/bulk.ts'
import { companyCreates, companyUpdates } from '../companies/companies.ts'
import { contactCreates, contactUpdates } from '../contacts/contacts.ts'
import { importedOpportunities } from '../opportunities/opportunities.ts'

type Write = {
  creates: (ctx: Ctx, records: unknown[]) => BulkPlan | Promise<BulkPlan>
  updates: (ctx: Ctx, records: unknown[]) => BulkPlan | Promise<BulkPlan>
  what: string
}

/** The same plans as the API's bulk calls. */
export const WRITES: Record<ImportObject, Write> = {
  contacts: { creates: contactCreates, updates: contactUpdates, what: 'contact' },
  companies: { creates: (_, records) => companyCreates(records), updates: companyUpdates, what: 'company' },
  opportunities: {
    creates: (_, records) => importedOpportunities.creates(records),
    updates: (_, records) => importedOpportunities.updates(records),
    what: 'opportunity',
  },
}
