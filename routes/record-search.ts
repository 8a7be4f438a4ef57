import { group } from '../src/http/endpoint.ts'
import { Company } from '../src/schemas/companies.ts'
import { Contact } from '../src/schemas/contacts.ts'
import { Catalogue } from '../src/schemas/filters.ts'
import { Opportunity } from '../src/schemas/opportunities.ts'
import { searchBody } from '../src/schemas/search.ts'
import { describeFilters, searchRecords } from '../src/services/record-search.ts'
import { companiesApi } from './companies.ts'
import { contactsApi } from './contacts.ts'
import { opportunitiesApi } from './opportunities.ts'

export const filtersApi = group('/filters', 'Filters')

const description =
  'Answers like the list. It only reads: it is never held and open to read_only keys. What the filter asks of related records needs their scope too, such as `opportunities:read`.'

contactsApi.post(
  '/search',
  {
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

filtersApi.get('/contacts', { summary: 'What a filter over contacts may ask', scopes: ['contacts:read'], returns: Catalogue }, () =>
  describeFilters('contacts'),
)
filtersApi.get('/companies', { summary: 'What a filter over companies may ask', scopes: ['companies:read'], returns: Catalogue }, () =>
  describeFilters('companies'),
)
filtersApi.get(
  '/opportunities',
  { summary: 'What a filter over opportunities may ask', scopes: ['opportunities:read'], returns: Catalogue },
  () => describeFilters('opportunities'),
)
filtersApi.get(
  '/activities',
  { summary: 'What a filter over the activities of a record may ask', scopes: ['activities:read'], returns: Catalogue },
  () => describeFilters('activities'),
)
