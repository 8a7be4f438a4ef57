import { sql } from 'drizzle-orm'
import type { Ctx } from '../../../context.ts'
import { plainRows, type Query } from '../../../data/query.ts'
import { inlineLists, listsIn, type StoredList } from '../../../domain/filters/lists.ts'
import type { Filter, RootName } from '../../../domain/filters/types.ts'
import { invalid } from '../../../errors.ts'
import { MAX_LIST_DEPTH, MAX_NAMED_LISTS } from '../rules/lists.ts'

/** What is read of lists, in the order of named_lists. */
export const STORED = ['id', 'name', 'object', 'kind', 'filter', 'search']

/** The lists with these ids that the caller may see, and those that they name to the depth that filters allow. */
const namedLists = (ids: string[], depth = MAX_LIST_DEPTH): Query<StoredList[]> =>
  plainRows(sql`select * from named_lists(${`{${ids.join(',')}}`}::uuid[], ${depth}::int, ${MAX_NAMED_LISTS + 1}::int)`, STORED)

/**
 * The members of a list as a filter, with the lists that it names, of which `known` has been read. @throws VALIDATION_ERROR for one that it
 * cannot use.
 */
export const membersOf = ({ id, object }: StoredList, known: StoredList[]): Filter =>
  unlessRefused(inlineLists(object, membership(id), known, { depth: MAX_LIST_DEPTH + 1 }))

/** Membership of a list, as a condition. */
export const membership = (list: string): Filter => ({ type: 'list', list, at: '', not: false })

function unlessRefused({ filter, issues }: ReturnType<typeof inlineLists>): Filter {
  if (issues.length > 0) throw invalid(issues.map(({ path, message }) => ({ path: `filter${path}`, message })))
  return filter
}

/**
 * The filter that was sent, with its lists in their places; they are read in a round trip of their own. @throws VALIDATION_ERROR as above.
 */
export async function withLists(ctx: Ctx, object: RootName, filter: Filter, own?: StoredList): Promise<Filter> {
  const ids = listsIn(object, filter)
  return ids.length > 0 ? unlessRefused(inlineLists(object, filter, await readLists(ctx, ids), { own })) : filter
}

/** Reads lists before the plan exists. @throws VALIDATION_ERROR for more than a filter may lead to. */
export async function readLists(ctx: Ctx, ids: string[], depth?: number): Promise<StoredList[]> {
  const known = await ctx.read(namedLists(ids, depth))
  if (known.length <= MAX_NAMED_LISTS) return known
  throw invalid([{ path: 'filter', message: `must lead to at most ${MAX_NAMED_LISTS} lists, directly or through other lists` }])
}
