import type { SQL } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { activities, tasks } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { compileFilter } from '../../../data/filters.ts'
import { sortKeys } from '../../../data/lists.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import { plan } from '../../../data/plan.ts'
import type { Select } from '../../../data/query.ts'
import type { Filter } from '../../../domain/filters/types.ts'
import { type SearchedWork, WORK_SORTS, type WorkSearchBody } from '../../../schemas/search.ts'
import { selectActivities } from '../../activities/plans/activities.ts'
import type { Activity } from '../../activities/schemas/activities.ts'
import { TASK_SORT_KEYS } from '../../tasks/plans/task-lists.ts'
import { selectTasks } from '../../tasks/plans/tasks.ts'
import type { Task } from '../../tasks/schemas/tasks.ts'
import { needsScopes, readyFilter } from './record-search.ts'

type Records = { activities: typeof Activity; tasks: typeof Task }
type Target = {
  id: PgColumn
  select: (keys: Keys) => Select<unknown>
  sorts: Parameters<typeof page>[0]['sorts']
  archived?: PgColumn
}

const WORK: Record<SearchedWork, Target> = {
  activities: { id: activities.id, select: selectActivities, sorts: sortKeys(activities, [...WORK_SORTS.activities]) },
  tasks: { id: tasks.id, select: selectTasks, sorts: TASK_SORT_KEYS, archived: tasks.archived },
}

/** Searches activities or tasks with a filter, a page at a time. */
export async function searchWork<Object extends SearchedWork>(ctx: Ctx, object: Object, { limit, after, ...body }: WorkSearchBody) {
  const select = WORK[object].select as (keys: Keys) => Select<Records[Object]['~types'] extends { output: infer Row } ? Row : never>
  const { statements, pageOf } = await workIn(ctx, object, body, select, false)
  return plan(statements, pageOf(limit, after as string | undefined))
}

/**
 * The pages of a search, with the statements that must come first. `walk` finds them along the list's index rather than by a pass over all
 * records, which suits a caller who reads every page.
 */
export async function workIn<Row>(
  ctx: Ctx,
  object: SearchedWork,
  { filter, ...query }: Omit<WorkSearchBody, 'limit' | 'after'>,
  select: (keys: Keys) => Select<Row>,
  walk = true,
  needs = needsScopes,
) {
  const { id, sorts, archived } = WORK[object]
  const ready = await readyFilter(ctx, object, filter as Filter | undefined)
  const compiled = ready && compileFilter(object, ready)
  const where: SQL[] = compiled?.sorted(query.sort as string) ?? []
  const pageOf = (limit: number, after?: string) =>
    page({
      select,
      id,
      where,
      filter: compiled && { ...compiled, scan: walk ? undefined : compiled.scan },
      sorts,
      archived,
      whole: walk,
      name: `search ${object}`,
      query: { ...query, filter, limit, after } as PageQuery,
    })
  return { statements: compiled ? [...needs(compiled.reads), ...compiled.guards] : [], pageOf }
}
