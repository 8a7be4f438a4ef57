import { Hono } from 'hono'
import { listOf, scopes } from '../src/http/modes.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { Company } from '../src/schemas/companies.ts'
import { Contact } from '../src/schemas/contacts.ts'
import { Catalogue } from '../src/schemas/filters.ts'
import { Opportunity } from '../src/schemas/opportunities.ts'
import { searchBody } from '../src/schemas/search.ts'
import { describeFilters, searchRecords } from '../src/services/search/record-search.ts'
import { companiesApi } from './companies.ts'
import { contactsApi } from './contacts.ts'
import { opportunitiesApi } from './opportunities.ts'
import { CRM } from './paths.ts'

export const filtersRouter = new Hono<App>()
export const filtersApi = endpoints(filtersRouter, { path: CRM.filters, tag: 'Filters' })

const description =
  'Answers like the list. It only reads: it is never held and open to read_only keys. What the filter asks of related records needs their scope too, such as `opportunities:read`.'

contactsApi.post(
  '/search',
  {
    id: 'searchContacts',
    summary: 'Search contacts by a filter',
    description,
    access: scopes('contacts:read'),
    effect: 'read',
    body: searchBody('contacts'),
    returns: listOf(Contact),
  },
  ({ body }) => searchRecords('contacts', body),
)
companiesApi.post(
  '/search',
  {
    id: 'searchCompanies',
    summary: 'Search companies by a filter',
    description,
    access: scopes('companies:read'),
    effect: 'read',
    body: searchBody('companies'),
    returns: listOf(Company),
  },
  ({ body }) => searchRecords('companies', body),
)
opportunitiesApi.post(
  '/search',
  {
    id: 'searchOpportunities',
    summary: 'Search opportunities by a filter',
    description,
    access: scopes('opportunities:read'),
    effect: 'read',
    body: searchBody('opportunities'),
    returns: listOf(Opportunity),
  },
  ({ body }) => searchRecords('opportunities', body),
)

filtersApi.get(
  '/contacts',
  { id: 'getContactFilters', summary: 'Describe the filters over contacts', access: scopes('contacts:read'), returns: Catalogue },
  () => describeFilters('contacts'),
)
filtersApi.get(
  '/companies',
  { id: 'getCompanyFilters', summary: 'Describe the filters over companies', access: scopes('companies:read'), returns: Catalogue },
  () => describeFilters('companies'),
)
filtersApi.get(
  '/opportunities',
  {
    id: 'getOpportunityFilters',
    summary: 'Describe the filters over opportunities',
    access: scopes('opportunities:read'),
    returns: Catalogue,
  },
  () => describeFilters('opportunities'),
)
filtersApi.get(
  '/activities',
  {
    id: 'getActivityFilters',
    summary: "Describe the filters over a record's activities",
    access: scopes('activities:read'),
    returns: Catalogue,
  },
  () => describeFilters('activities'),
)
