import { Hono } from 'hono'
import * as v from 'valibot'
import { companies, opportunities } from '../schema/index.ts'
import { listQuery } from '../src/http/lists.ts'
import { created, listOf, scopes } from '../src/http/modes.ts'
import { resource } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { BulkIds, bulkOf } from '../src/schemas/bulk.ts'
import { BulkDeleted, bulkResult } from '../src/schemas/common.ts'
import { Company, CompanyPatch, CompanyPatchWithId, companyFields, NewCompany } from '../src/schemas/companies.ts'
import { Contact } from '../src/schemas/contacts.ts'
import { Archived, Email, Id, pageQuery, SingleLine } from '../src/schemas/fields.ts'
import { Opportunity } from '../src/schemas/opportunities.ts'
import { Purge, Purged } from '../src/schemas/purges.ts'
import { forEachId } from '../src/services/bulk/ids.ts'
import {
  createCompanies,
  createCompany,
  deleteCompanies,
  listCompanyContacts,
  listSubsidiaries,
  updateCompanies,
  updateCompany,
} from '../src/services/companies/companies.ts'
import { mergeableCompanies } from '../src/services/merges/mergeable.ts'
import { opportunitiesOfCompany } from '../src/services/opportunities/opportunity-lists.ts'
import { removeOrPurge } from '../src/services/purges/purges.ts'
import { registerDuplicates } from './duplicates.ts'
import { registerExports } from './exports.ts'
import { registerMerges } from './merges.ts'
import { CRM } from './paths.ts'
import { PURGING, registerPurged } from './purged.ts'

export const companiesRouter = new Hono<App>()
export const customersRouter = new Hono<App>()
export const companiesApi = endpoints(companiesRouter, {
  path: CRM.companies,
  tag: 'Companies',
  legacy: { router: customersRouter, path: CRM.customers, tag: 'Customers (legacy)' },
})

registerPurged(companiesApi, 'company', 'companies')
registerDuplicates(companiesApi, {
  entity: 'company',
  plural: 'companies',
  looks: 'Companies are alike by email, phone, and the same or a similar name; more so with the same business number or web site.',
})

const params = v.object({ company_id: Id })
const within = v.strictObject({ ...pageQuery, archived: Archived })

const filters = {
  industry: v.optional(SingleLine(120)),
  account_type: v.optional(SingleLine(80)),
  assigned_to: v.optional(Id),
  parent_company_id: v.optional(Id),
  email: v.optional(Email),
  external_id: v.optional(SingleLine()),
}

registerExports(companiesApi, 'companies', companies, filters)
registerMerges(companiesApi, mergeableCompanies, { plural: 'companies', winner: Company })

resource(companiesApi, {
  name: 'company',
  plural: 'companies',
  table: companies,
  returns: Company,
  body: companyFields,
  filters,
  sorts: ['created_at', 'updated_at', 'name'],
  only: ['list', 'get', 'history'],
})

companiesApi.post(
  '',
  {
    id: 'createCompany',
    summary: 'Create a company',
    description: 'Only name is required.',
    access: scopes('companies:write'),
    body: NewCompany,
    returns: created(Company),
    errors: ['CONFLICT'],
  },
  ({ body }) => createCompany(body),
)
companiesApi.patch(
  '/:company_id',
  {
    id: 'updateCompany',
    summary: 'Update a company',
    access: scopes('companies:write'),
    params,
    body: CompanyPatch,
    returns: Company,
    errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, body }) => updateCompany(ctx, params.company_id, body),
)
companiesApi.delete(
  '/:company_id',
  {
    id: 'deleteCompany',
    summary: 'Delete a company',
    description: `One that opportunities or other companies refer to stays. Its contacts stay too, without the link. ${PURGING}`,
    access: scopes('companies:delete'),
    params,
    query: Purge,
    returns: Purged,
    errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, query }) => removeOrPurge(ctx, 'company', params.company_id, query),
)

companiesApi.post(
  '/bulk-create',
  {
    id: 'bulkCreateCompanies',
    summary: 'Create up to 100 companies',
    access: scopes('companies:write'),
    body: v.strictObject({ records: bulkOf(NewCompany) }),
    returns: bulkResult(Company),
  },
  ({ body }) => createCompanies(body.records),
)
companiesApi.post(
  '/bulk-update',
  {
    id: 'bulkUpdateCompanies',
    summary: 'Update up to 100 companies',
    access: scopes('companies:write'),
    body: v.strictObject({ records: bulkOf(CompanyPatchWithId) }),
    returns: bulkResult(Company),
  },
  ({ ctx, body }) => updateCompanies(ctx, body.records),
)
companiesApi.post(
  '/bulk-delete',
  {
    id: 'bulkDeleteCompanies',
    summary: 'Delete up to 100 companies',
    description: 'One that opportunities or companies outside the call refer to is reported and stays.',
    access: scopes('companies:delete'),
    body: v.strictObject({ ids: BulkIds(100) }),
    returns: BulkDeleted,
  },
  ({ body }) => forEachId(body.ids, deleteCompanies),
)

companiesApi.get(
  '/:company_id/contacts',
  {
    id: 'listCompanyContacts',
    summary: "List a company's contacts",
    description: 'All who are linked to it, whether or not it is their main company.',
    access: scopes('companies:read', 'contacts:read'),
    params,
    query: within,
    returns: listOf(Contact),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listCompanyContacts(params.company_id, query),
)
companiesApi.get(
  '/:company_id/opportunities',
  {
    id: 'listCompanyOpportunities',
    summary: "List a company's opportunities",
    access: scopes('companies:read', 'opportunities:read'),
    params,
    query: listQuery(opportunities, {}, ['created_at', 'updated_at', 'name', 'value']),
    returns: listOf(Opportunity),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => opportunitiesOfCompany(params.company_id, query),
)
companiesApi.get(
  '/:company_id/subsidiaries',
  {
    id: 'listCompanySubsidiaries',
    summary: "List a company's direct subsidiaries",
    access: scopes('companies:read'),
    params,
    query: within,
    returns: listOf(Company),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listSubsidiaries(params.company_id, query),
)
