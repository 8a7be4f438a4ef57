import { Hono } from 'hono'
import * as v from 'valibot'
import { companies, opportunities } from '../schema/index.ts'
import { companyFiles } from '../src/features/attachments/plans/attachments.ts'
import {
  createCompanies,
  createCompany,
  deleteCompanies,
  listCompanyContacts,
  listSubsidiaries,
  updateCompanies,
  updateCompany,
} from '../src/features/companies/plans/companies.ts'
import { Company, CompanyPatch, CompanyPatchWithId, NewCompany } from '../src/features/companies/schemas/companies.ts'
import { Contact } from '../src/features/contacts/schemas/contacts.ts'
import { CompanyAttachment } from '../src/features/files/schemas/attachments.ts'
import { companyFollowers } from '../src/features/followers/plans/followers.ts'
import { CompanyFollower, followerFilter } from '../src/features/followers/schemas/followers.ts'
import { RELATIONS } from '../src/features/lists/plans/relations.ts'
import { mergeableCompanies } from '../src/features/merges/plans/mergeable.ts'
import { opportunitiesOfCompany } from '../src/features/opportunities/plans/opportunity-lists.ts'
import { Opportunity } from '../src/features/opportunities/schemas/opportunities.ts'
import { listByTime } from '../src/features/search/plans/list-by-time.ts'
import { tagFilter } from '../src/features/tags/schemas/tags.ts'
import { bulk } from '../src/http/bulk.ts'
import { listBelow } from '../src/http/children.ts'
import { listQuery } from '../src/http/lists.ts'
import { scopes } from '../src/http/modes.ts'
import { resource } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { Archived, describe, Email, Id, pageQuery, SingleLine } from '../src/schemas/fields.ts'
import { Domain } from '../src/schemas/parsers.ts'
import { SORTS } from '../src/schemas/search.ts'
import { registerAttachments } from './files/attachments.ts'
import { registerFollowers } from './followers.ts'
import { COMPANY } from './parents.ts'
import { CRM } from './paths.ts'
import { registerRecords } from './records.ts'
import { registerTimeline } from './timeline.ts'

export const companiesRouter = new Hono<App>()
export const customersRouter = new Hono<App>()
export const companiesApi = endpoints(companiesRouter, {
  path: CRM.companies,
  tag: 'Companies',
  legacy: { router: customersRouter, path: CRM.customers, tag: 'Customers (legacy)' },
})

const within = v.strictObject({ ...pageQuery, archived: Archived })

const filters = {
  industry: v.optional(SingleLine(120)),
  account_type: v.optional(SingleLine(80)),
  assigned_to: v.optional(Id),
  ...tagFilter,
  ...followerFilter,
  parent_company_id: v.optional(Id),
  email: v.optional(Email),
  domain: v.optional(describe(Domain, 'A domain of the company: that of its website, or another one.', 'example.com')),
  external_id: v.optional(SingleLine()),
}

registerRecords(companiesApi, {
  entity: 'company',
  plural: 'companies',
  table: companies,
  filters,
  looks: 'Companies are compared by email, phone and name. The same business number or domain makes a match stronger.',
  mergeable: mergeableCompanies,
  item: Company,
  record: Company,
  refusal: 'A company that opportunities or other companies refer to cannot be deleted. Its contacts are kept and lose the link.',
})
resource(companiesApi, {
  name: 'company',
  plural: 'companies',
  table: companies,
  returns: Company,
  list: {
    filters,
    relations: RELATIONS.companies,
    sorts: [...SORTS.companies],
    byTime: (query) => listByTime('companies', filters, query),
  },
  get: {},
  create: { description: 'Only name is required.', body: NewCompany, plan: (_ctx, input) => createCompany(input) },
  update: { body: CompanyPatch, plan: updateCompany },
  restore: {},
  history: true,
})
bulk(companiesApi, {
  plural: 'companies',
  returns: Company,
  create: { body: NewCompany, plan: (_ctx, records) => createCompanies(records) },
  update: { body: CompanyPatchWithId, plan: updateCompanies },
  remove: {
    description: 'A company that an opportunity, or a company outside the call, refers to is reported and not deleted.',
    plan: deleteCompanies,
  },
})

listBelow(companiesApi, {
  parent: COMPANY,
  path: '/contacts',
  name: 'contact',
  description: 'Returns all contacts that are linked to the company, whether or not it is their main company.',
  access: scopes('companies:read', 'contacts:read'),
  query: within,
  returns: Contact,
  relations: RELATIONS.contacts,
  list: listCompanyContacts,
})
listBelow(companiesApi, {
  parent: COMPANY,
  path: '/opportunities',
  name: 'opportunity',
  plural: 'opportunities',
  summary: "List a company's opportunities",
  access: scopes('companies:read', 'opportunities:read'),
  query: listQuery(opportunities, {}, ['created_at', 'updated_at', 'name', 'value']),
  returns: Opportunity,
  relations: RELATIONS.opportunities,
  list: opportunitiesOfCompany,
})
listBelow(companiesApi, {
  parent: COMPANY,
  path: '/subsidiaries',
  name: 'subsidiary',
  plural: 'subsidiaries',
  summary: "List a company's direct subsidiaries",
  query: within,
  returns: Company,
  relations: RELATIONS.companies,
  list: listSubsidiaries,
})
registerAttachments(companiesApi, COMPANY, CompanyAttachment, companyFiles)
registerFollowers(companiesApi, COMPANY, CompanyFollower, companyFollowers)
registerTimeline(companiesApi, COMPANY, 'company')
