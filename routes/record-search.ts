import { group } from '../src/http/endpoint.ts'
import { Company } from '../src/schemas/companies.ts'
import { Contact } from '../src/schemas/contacts.ts'
import { Catalogue } from '../src/schemas/filters.ts'
import { Opportunity } from '../src/schemas/opportunities.ts'
import { searchBody } from '../src/schemas/search.ts'
import { describeFilters, searchRecords } from '../src/services/search/record-search.ts'
import { companiesApi } from './companies.ts'
import { contactsApi } from './contacts.ts'
import { opportunitiesApi } from './opportunities.ts'

export const filtersApi = group('/filters', 'Filters')

const description =
  'Answers like the list. It only reads: it is never held and open to read_only keys. What the filter asks of related records needs their scope too, such as `opportunities:read`.'

contactsApi.post(
  '/search',
  {
    id: 'searchContacts',
    summary: 'Search contacts by a filter',
    description,
    scopes: ['contacts:read'],
    reads: true,
    body: searchBody('contacts'),
    returns: Contact,
    list: true,
  },
  ({ body }) => searchRecords('contacts', body),
)
companiesApi.post(
  '/search',
  {
    id: 'searchCompanies',
    summary: 'Search companies by a filter',
    description,
    scopes: ['companies:read'],
    reads: true,
    body: searchBody('companies'),
    returns: Company,
    list: true,
  },
  ({ body }) => searchRecords('companies', body),
)
opportunitiesApi.post(
  '/search',
  {
    id: 'searchOpportunities',
    summary: 'Search opportunities by a filter',
    description,
    scopes: ['opportunities:read'],
    reads: true,
    body: searchBody('opportunities'),
    returns: Opportunity,
    list: true,
  },
  ({ body }) => searchRecords('opportunities', body),
)

filtersApi.get(
  '/contacts',
  { id: 'getContactFilters', summary: 'Describe the filters over contacts', scopes: ['contacts:read'], returns: Catalogue },
  () => describeFilters('contacts'),
)
filtersApi.get(
  '/companies',
  { id: 'getCompanyFilters', summary: 'Describe the filters over companies', scopes: ['companies:read'], returns: Catalogue },
  () => describeFilters('companies'),
)
filtersApi.get(
  '/opportunities',
  { id: 'getOpportunityFilters', summary: 'Describe the filters over opportunities', scopes: ['opportunities:read'], returns: Catalogue },
  () => describeFilters('opportunities'),
)
filtersApi.get(
  '/activities',
  { id: 'getActivityFilters', summary: "Describe the filters over a record's activities", scopes: ['activities:read'], returns: Catalogue },
  () => describeFilters('activities'),
)
