import { eq, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import * as v from 'valibot'
import { companies, contacts, opportunities, tasks } from '../../../../schema/index.ts'
import { isOverdue } from '../../../data/filter-tests.ts'
import { between, listWhere, sortKeys } from '../../../data/lists.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import { plan, read } from '../../../data/plan.ts'
import type { Select } from '../../../data/query.ts'
import { assertExists, type OwnedTable } from '../../../data/store.ts'
import { describe, Enum, Id, QueryBool, QueryInstant, SingleLine } from '../../../schemas/fields.ts'
import { PRIORITIES, TASK_STATUSES, TASK_TYPES } from '../rules/tasks.ts'
import type { Task } from '../schemas/tasks.ts'
import { selectTasks } from './tasks.ts'

/** Query filters shared by every list of tasks. */
export const taskFilters = {
  task_type: v.optional(Enum(TASK_TYPES)),
  status: v.optional(Enum(TASK_STATUSES)),
  series_id: v.optional(describe(Id, 'The series of tasks that recur.')),
  priority: v.optional(Enum(PRIORITIES)),
  assigned_to: v.optional(describe(Id, 'The member who does it.')),
  created_by: v.optional(describe(Id, 'The user whose key made it.')),
  due_after: v.optional(describe(QueryInstant, 'Due at this moment or later.')),
  due_before: v.optional(describe(QueryInstant, 'Due at this moment or earlier.')),
  overdue: v.optional(describe(QueryBool, '`true` returns tasks that are overdue (due before now and not completed), `false` all others.')),
  mine: v.optional(describe(QueryBool, '`true` returns tasks that are assigned to the owner of the key, `false` all others.')),
  external_id: v.optional(SingleLine()),
}
export const taskLinks = { contact_id: v.optional(Id), customer_id: v.optional(Id), opportunity_id: v.optional(Id) }
export const TASK_SORTS = ['created_at', 'updated_at', 'due_at', 'priority']
/** The default sort: `due_at` when the query filters by due date or overdue, otherwise `-created_at`. */
const orderOf = ({ sort, due_after, due_before, overdue }: Record<string, unknown>) =>
  (sort as string | undefined) ?? (due_after !== undefined || due_before !== undefined || overdue === true ? 'due_at' : '-created_at')
export const TASK_ORDER = 'due_at with due_after, due_before or overdue=true, -created_at otherwise'

/** The sort expressions of the indexes: tasks without a due date come last; priorities run from low to urgent. */
const dueAt = sql`(case when ${tasks.due_at} is null then 'infinity'::timestamptz else ${tasks.due_at} end)`
const rank = sql`(case ${tasks.priority} when 'low' then 1 when 'normal' then 2 when 'high' then 3 else 4 end)`
export const TASK_SORT_KEYS = {
  ...sortKeys(tasks, ['created_at', 'updated_at']),
  due_at: { key: dueAt, type: 'timestamptz' },
  priority: { key: rank, type: 'integer' },
}

const overdue = isOverdue('tasks')
const mine = sql`${tasks.assigned_to} = current_user_id()`
const holds = (condition: SQL, value: unknown): SQL | undefined =>
  value === undefined ? undefined : value ? condition : sql`${condition} is not true`

/** A page of tasks. An export selects other columns. */
export function tasksPage<Row = v.InferOutput<typeof Task>>(
  name: string,
  more: SQL[],
  params: Record<string, unknown>,
  select?: (keys: Keys) => Select<Row>,
) {
  const query: Record<string, unknown> = { ...params, sort: orderOf(params) }
  return page({
    select: (select ?? selectTasks) as (keys: Keys) => Select<Row>,
    whole: select !== undefined,
    id: tasks.id,
    where: [
      ...listWhere(tasks, { ...taskFilters, ...taskLinks }, query),
      ...between(dueAt, 'due', query),
      query.due_after === undefined || (query.after !== undefined && query.sort === '-due_at') ? undefined : sql`${dueAt} < 'infinity'`,
      query.priority === undefined
        ? undefined
        : sql`${rank} = ${(PRIORITIES as readonly string[]).indexOf(String(query.priority)) + 1}::int`,
      holds(overdue, query.overdue),
      holds(mine, query.mine),
      ...more,
    ],
    sorts: TASK_SORT_KEYS,
    archived: tasks.archived,
    isTable: more.length === 0,
    name,
    query: query as PageQuery,
  })
}

export const listTasks = (query: Record<string, unknown>) => read(tasksPage('tasks', [], query))

const PARENTS: Record<'contact' | 'company' | 'opportunity', { table: OwnedTable; link: PgColumn }> = {
  contact: { table: contacts, link: tasks.contact_id },
  company: { table: companies, link: tasks.customer_id },
  opportunity: { table: opportunities, link: tasks.opportunity_id },
}

/** Lists the tasks linked to one record. */
export function listTasksOf(what: keyof typeof PARENTS, id: string, query: Record<string, unknown>) {
  const { table, link } = PARENTS[what]
  return plan([assertExists(table, id, what)], tasksPage(`tasks of ${what} ${id}`, [eq(link, id)], query))
}
