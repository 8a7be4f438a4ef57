import { companies, contacts, opportunities } from '../../../schema/index.ts'
import { refersTo } from '../../data/bulk.ts'
import type { CompanyPatch } from '../../schemas/companies.ts'
import type { ContactPatch } from '../../schemas/contacts.ts'
import { changedColumns as companyColumns, fields as companyFields } from '../companies/companies.ts'
import { REFERENCES as CONTACT_REFERENCES, changedColumns as contactColumns, recordFields as contactFields } from '../contacts/contacts.ts'
import { isMember } from '../members/members.ts'
import { REFERENCES as OPPORTUNITY_REFERENCES, recordFields as opportunityFields } from '../opportunities/opportunities.ts'
import type { Mergeable } from './merges.ts'

export const mergeableContacts: Mergeable = {
  entity: 'contact',
  table: contacts,
  fields: contactFields,
  references: CONTACT_REFERENCES,
  columns: (ctx, id, overrides) => contactColumns(ctx, id, overrides as ContactPatch),
}

export const mergeableCompanies: Mergeable = {
  entity: 'company',
  table: companies,
  fields: companyFields,
  references: [isMember('assigned_to'), refersTo('parent_company_id', companies)],
  columns: (ctx, id, overrides) => companyColumns(ctx, id, overrides as CompanyPatch),
}

export const mergeableOpportunities: Mergeable = {
  entity: 'opportunity',
  table: opportunities,
  fields: opportunityFields,
  references: OPPORTUNITY_REFERENCES,
  columns: async (_ctx, _id, overrides) => overrides,
}
