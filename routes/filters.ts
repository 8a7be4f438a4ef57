import { Hono } from 'hono'
import { describeFilters } from '../src/features/search/plans/record-search.ts'
import { scopes } from '../src/http/modes.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { Catalogue } from '../src/schemas/filters.ts'
import { CRM } from './paths.ts'

export const filtersRouter = new Hono<App>()
export const filtersApi = endpoints(filtersRouter, { path: CRM.filters, tag: 'Filters' })

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
    summary: 'Describe the filters over activities',
    access: scopes('activities:read'),
    returns: Catalogue,
  },
  () => describeFilters('activities'),
)
filtersApi.get(
  '/tasks',
  { id: 'getTaskFilters', summary: 'Describe the filters over tasks', access: scopes('tasks:read'), returns: Catalogue },
  () => describeFilters('tasks'),
)
