import { companies, contacts, opportunities } from '../../../../schema/index.ts'
import { refersTo } from '../../../data/bulk.ts'
import { companyWarnings, contactWarnings, opportunityWarnings } from '../../../domain/warnings.ts'
import { columnsOf as companyColumns, fields as companyFields } from '../../companies/plans/companies.ts'
import type { CompanyPatch } from '../../companies/schemas/companies.ts'
import {
  REFERENCES as CONTACT_REFERENCES,
  patchColumns as contactColumns,
  recordFields as contactFields,
} from '../../contacts/plans/contacts.ts'
import type { ContactPatch } from '../../contacts/schemas/contacts.ts'
import { ownerOf } from '../../members/plans/members.ts'
import { REFERENCES as OPPORTUNITY_REFERENCES, recordFields as opportunityFields } from '../../opportunities/plans/opportunities.ts'
import type { Mergeable } from './merges.ts'

export const mergeableContacts: Mergeable = {
  entity: 'contact',
  table: contacts,
  fields: contactFields,
  references: CONTACT_REFERENCES,
  columns: (ctx, winner, overrides) => contactColumns(ctx, overrides as ContactPatch, winner.country as string | null),
  warnings: contactWarnings,
}

export const mergeableCompanies: Mergeable = {
  entity: 'company',
  table: companies,
  fields: companyFields,
  references: [ownerOf('companies'), refersTo('parent_company_id', companies)],
  columns: (_ctx, winner, overrides) => companyColumns(overrides as CompanyPatch, winner.country as string | null),
  warnings: companyWarnings,
}

export const mergeableOpportunities: Mergeable = {
  entity: 'opportunity',
  table: opportunities,
  fields: opportunityFields,
  references: OPPORTUNITY_REFERENCES,
  columns: (_ctx, _winner, overrides) => overrides,
  warnings: opportunityWarnings,
}
