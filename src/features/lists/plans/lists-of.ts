import { type SQL, sql } from 'drizzle-orm'
import { lists } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { compileFilter } from '../../../data/filters.ts'
import { MEMBER_COLUMN } from '../../../data/list-entries.ts'
import { sortKeys } from '../../../data/lists.ts'
import { type PageQuery, page } from '../../../data/page.ts'
import { plan } from '../../../data/plan.ts'
import { plainRows, type Query } from '../../../data/query.ts'
import { assertExists, columnsFor, selectFrom } from '../../../data/store.ts'
import type { StoredList } from '../../../domain/filters/lists.ts'
import type { Filter } from '../../../domain/filters/types.ts'
import { entityOf, type RecordPlural } from '../../../domain/records.ts'
import { AppError } from '../../../errors.ts'
import { SEARCHED, withDays } from '../../search/plans/record-search.ts'
import { MAX_EVALUATED, MAX_LIST_DEPTH } from '../rules/lists.ts'
import { List } from '../schemas/lists.ts'
import { membersOf, STORED } from './list-filters.ts'

/** The most lists that the evaluated ones may name. */
const MOST_READ = 500
const columns = columnsFor(lists, List)
type Evaluated = StoredList & { evaluated: boolean }

/** The live lists that are evaluated, the oldest ones, and those that they name. */
function liveLists(object: RecordPlural): Query<Evaluated[]> {
  const ids = sql`select id from lists where object = ${object} and kind = 'live' and not archived order by created_at, id
    limit ${MAX_EVALUATED}::int`
  const named = sql`select l.*, l.id = any(live.ids) from (select array(${ids}) as ids) live,
    lateral named_lists(live.ids, ${MAX_LIST_DEPTH + 1}::int, ${MOST_READ}::int) l`
  return plainRows(named, [...STORED, 'evaluated'])
}

/**
 * Lists the lists that a record is in: every static list, and of the live ones those evaluated for it. A live list whose filter is no
 * longer valid, or reads what the caller may not read, is left out. The live lists are read first, in a round trip of their own.
 */
export async function listsOf(ctx: Ctx, object: RecordPlural, id: string, query: PageQuery) {
  const known = await ctx.read(liveLists(object))
  const conditions = await Promise.all(known.filter(({ evaluated }) => evaluated).map((list) => matchOf(ctx, list, known, id)))
  const live = conditions.filter((condition) => condition !== undefined)
  const member = sql`select m.list_id from list_members m where m.${sql.identifier(MEMBER_COLUMN[object] as string)} = ${id}`
  const where = sql`${lists.id} = any(array(${sql.join([member, ...live], sql` union all `)}))`
  const result = page<List>({
    select: (keys) => selectFrom(lists, { ...columns, ...keys }),
    id: lists.id,
    where: [where],
    sorts: sortKeys(lists, ['created_at']),
    archived: lists.archived,
    name: `lists of ${id}`,
    query,
  })
  return plan([assertExists(SEARCHED[object].table, id, entityOf(object))], result)
}

/** Selects the id of the list if the record is in it. */
async function matchOf(ctx: Ctx, list: Evaluated, known: StoredList[], record: string): Promise<SQL | undefined> {
  const { object } = list
  const filter = await filterOf(ctx, list, known)
  if (!filter) return undefined
  const { where, reads } = compileFilter(object, filter)
  const { table } = SEARCHED[object]
  const mayRead = sql`(select has_scopes(${`{${reads.map((read) => `${read}:read`).join(',')}}`}::text[]))`
  return sql`select ${list.id}::uuid where ${mayRead} and exists (select from ${table} where ${table.id} = ${record} and ${where})`
}

async function filterOf(ctx: Ctx, list: StoredList, known: StoredList[]): Promise<Filter | undefined> {
  try {
    return await withDays(ctx, list.object, membersOf(list, known))
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}
