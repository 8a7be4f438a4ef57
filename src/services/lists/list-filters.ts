import { sql } from 'drizzle-orm'
import { lists } from '../../../schema/index.ts'
import type { Ctx } from '../../context.ts'
import { db } from '../../data/db.ts'
import { type Query, rows } from '../../data/query.ts'
import { inlineLists, listsIn, type StoredList } from '../../domain/filters/lists.ts'
import type { Filter, ObjectName } from '../../domain/filters/types.ts'
import { MAX_LIST_DEPTH, MAX_NAMED_LISTS } from '../../domain/lists.ts'
import { invalid } from '../../errors.ts'

const { id, name, object, kind, filter, search } = lists

/** The lists with these ids that the caller may see, and those that they name to the depth that filters allow. */
export const namedLists = (ids: string[], depth = MAX_LIST_DEPTH): Query<StoredList[]> =>
  rows(
    db
      .select({ id, name, object, kind, filter, search })
      .from(sql`named_lists(${`{${ids.join(',')}}`}::uuid[], ${depth}::int, ${MAX_NAMED_LISTS + 1}::int) lists`),
  )

/** The filter with its lists in place, of which `known` has been read. @throws VALIDATION_ERROR for one that it cannot use. */
export function withListsOf(object: ObjectName, filter: Filter, known: StoredList[], own?: StoredList, at = 'filter'): Filter {
  if (known.length > MAX_NAMED_LISTS)
    throw invalid([{ path: at, message: `must lead to at most ${MAX_NAMED_LISTS} lists, directly or through other lists` }])
  const inlined = inlineLists(object, filter, known, own)
  if (inlined.issues.length > 0) throw invalid(inlined.issues.map(({ path, message }) => ({ path: `${at}${path}`, message })))
  return inlined.filter
}

/** The same for a filter that has just been sent: its lists are read in a round trip of their own. */
export async function withLists(ctx: Ctx, object: ObjectName, filter: Filter, own?: StoredList): Promise<Filter> {
  const ids = listsIn(object, filter)
  return ids.length > 0 ? withListsOf(object, filter, await ctx.read(namedLists(ids)), own) : filter
}
