import { Hono } from 'hono'
import { scopes } from '../src/http/modes.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { SearchQuery, SearchResult } from '../src/schemas/search.ts'
import { searchAll } from '../src/services/search/search.ts'
import { CRM } from './paths.ts'

export const searchRouter = new Hono<App>()
export const searchApi = endpoints(searchRouter, { path: CRM.search, tag: 'Universal Search' })

searchApi.get(
  '',
  {
    id: 'searchAll',
    summary: 'Search contacts, companies and opportunities',
    description:
      'An exact id, email address, phone number (in any format) or external id comes first, then names that begin with the words, then names that differ from them in up to two letters a word. Archived records are left out. Each section needs its scope, such as `contacts:read`; one that the key may not read is left out and named in `_warnings`.',
    access: scopes(),
    query: SearchQuery,
    returns: SearchResult,
  },
  ({ query }) => searchAll(query),
)
