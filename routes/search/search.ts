import { Hono } from 'hono'
import { searchAll } from '../../src/features/search/plans/search.ts'
import { scopes } from '../../src/http/modes.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { SearchQuery, SearchResult } from '../../src/schemas/search.ts'
import { CRM } from '../paths.ts'

export const searchRouter = new Hono<App>()
export const searchApi = endpoints(searchRouter, { path: CRM.search, tag: 'Universal Search' })

searchApi.get(
  '',
  {
    id: 'searchAll',
    summary: 'Search contacts, companies and opportunities',
    description:
      'Exact matches of an id, email address, phone number (in any format) or external id come first, followed by names that begin ' +
      'with the words, and names that differ in up to two letters per word. Archived records are left out. ' +
      'Each section needs its scope, such as `contacts:read`; sections that the key may not read are left out and named in `_warnings`.',
    access: scopes(),
    query: SearchQuery,
    returns: SearchResult,
  },
  ({ query }) => searchAll(query),
)
