import { customPage } from '../../../data/custom-page.ts'
import { asFiltering, conditionOf } from '../../../data/lists.ts'
import { kindOf, type PageQuery } from '../../../data/page.ts'
import type { Page } from '../../../data/paged.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { typed } from '../../../data/query.ts'
import { isTimeSort, type Searched, TIME_SORTS } from '../../../schemas/search.ts'
import { linkedTo } from '../../opportunities/plans/opportunity-lists.ts'
import { needsScopes, SEARCHED } from './record-search.ts'

type Query = Record<string, unknown>

/**
 * Lists records in the order of a time of what is linked to them. Its filters are found as those of a search, because no index has both.
 */
export function listByTime(object: Searched, filters: Query, query: Query): Plan<Page<never>> {
  const { table, select } = SEARCHED[object]
  const sort = String(query.sort)
  const name = sort.replace('-', '')
  if (!isTimeSort(name)) throw new Error(`No sort by ${name}`)
  const linked = object === 'opportunities' ? linkedTo(query.contact_id) : undefined
  const list = customPage({
    select: (keys) => typed<never>(select(keys)),
    id: table.id,
    metadata: table.metadata,
    where: [kindOf(table.archived, query)],
    filter: asFiltering(table, filters, query, [linked]),
    counts: query.search === undefined && conditionOf(query) === undefined,
    isTable: true,
    name: `${object} by time`,
    query: query as PageQuery,
    sort: { time: `${object}.${name}`, descending: sort.startsWith('-') },
  })
  return plan(needsScopes([TIME_SORTS[name]]), list)
}
