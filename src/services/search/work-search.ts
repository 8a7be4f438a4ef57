import type { SQL } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { activities, tasks } from '../../../schema/index.ts'
import type { Ctx } from '../../context.ts'
import { compileFilter } from '../../data/filters.ts'
import { sortKeys } from '../../data/lists.ts'
import { type Keys, type PageQuery, page } from '../../data/page.ts'
import { plan } from '../../data/plan.ts'
import type { Select } from '../../data/query.ts'
import type { Filter } from '../../domain/filters/types.ts'
import type { Activity } from '../../schemas/activities.ts'
import { type SearchedWork, WORK_SORTS, type WorkSearchBody } from '../../schemas/search.ts'
import type { Task } from '../../schemas/tasks.ts'
import { selectActivities } from '../activities/activities.ts'
import { TASK_SORT_KEYS } from '../tasks/task-lists.ts'
import { selectTasks } from '../tasks/tasks.ts'
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
export async function searchWork<Object extends SearchedWork>(ctx: Ctx, object: Object, body: WorkSearchBody) {
  const { filter, ...query } = body
  const { id, select, sorts, archived } = WORK[object]
  const ready = await readyFilter(ctx, object, filter as Filter | undefined)
  const compiled = ready && compileFilter(object, ready)
  const where: SQL[] = compiled?.sorted(query.sort) ?? []
  const result = page({
    select: select as (keys: Keys) => Select<Records[Object]['~types'] extends { output: infer Row } ? Row : never>,
    id,
    where,
    filter: compiled,
    sorts,
    archived,
    name: `search ${object}`,
    query: { ...query, filter } as PageQuery,
  })
  return plan(compiled ? [...needsScopes(compiled.reads), ...compiled.guards] : [], result)
}
