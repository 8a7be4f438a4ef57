import { Hono } from 'hono'
import * as v from 'valibot'
import { tasks } from '../schema/index.ts'
import { RELATIONS } from '../src/features/lists/plans/relations.ts'
import { listTasks, listTasksOf, TASK_ORDER, TASK_SORTS, taskFilters, taskLinks } from '../src/features/tasks/plans/task-lists.ts'
import {
  completeTasks,
  createTask,
  createTasks,
  deleteTasks,
  skipTask,
  transition,
  updateTask,
  updateTasks,
} from '../src/features/tasks/plans/tasks.ts'
import { NewTask, Task, TaskPatchWithId, TaskUpdate } from '../src/features/tasks/schemas/tasks.ts'
import { bulk } from '../src/http/bulk.ts'
import { forEachId } from '../src/http/bulk-ids.ts'
import { listBelow } from '../src/http/children.ts'
import { listQuery } from '../src/http/lists.ts'
import { scopes } from '../src/http/modes.ts'
import { resource } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { BulkIds } from '../src/schemas/bulk.ts'
import { bulkResult } from '../src/schemas/common.ts'
import { Id } from '../src/schemas/fields.ts'
import { companiesApi } from './companies.ts'
import { contactsApi } from './contacts.ts'
import { registerListExports } from './exports.ts'
import { opportunitiesApi } from './opportunities/index.ts'
import { COMPANY, CONTACT, OPPORTUNITY } from './parents.ts'
import { CRM } from './paths.ts'
import { registerWorkSearch } from './search/work-search.ts'

export const tasksRouter = new Hono<App>()
export const tasksApi = endpoints(tasksRouter, { path: CRM.tasks, tag: 'Tasks' })

registerWorkSearch(tasksApi, 'tasks', Task)
registerListExports(tasksApi, 'tasks', listQuery(tasks, { ...taskFilters, ...taskLinks }, TASK_SORTS, TASK_ORDER))

const params = v.object({ task_id: Id })

resource(tasksApi, {
  name: 'task',
  plural: 'tasks',
  table: tasks,
  returns: Task,
  list: {
    description: 'When sorted by due_at, tasks without a due date come last, by -due_at first.',
    relations: RELATIONS.tasks,
    filters: { ...taskFilters, ...taskLinks },
    sorts: TASK_SORTS,
    order: TASK_ORDER,
    plan: listTasks,
  },
  get: {},
  create: {
    description: 'Only title is required. A task with a recurrence also needs due_at.',
    body: NewTask,
    plan: (_ctx, input) => createTask(input),
  },
  update: { body: TaskUpdate, plan: updateTask },
  remove: {},
  history: true,
})
tasksApi.post(
  '/:task_id/complete',
  {
    id: 'completeTask',
    summary: 'Complete a task',
    description:
      'A task that recurs gets the next task of its series, once: see `recurrence`. The tasks of a series are listed by `series_id`.',
    access: scopes('tasks:write'),
    params,
    returns: Task,
    errors: ['NOT_FOUND', 'INVALID_STATE', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => transition(ctx, params.task_id, 'complete'),
)
tasksApi.post(
  '/:task_id/skip',
  {
    id: 'skipTask',
    summary: 'Skip a task of a series',
    description:
      'Moves a task that recurs to the next day of its series that has not passed, with its reminder, ' +
      'and counts as one task of the series.',
    access: scopes('tasks:write'),
    params,
    returns: Task,
    errors: ['NOT_FOUND', 'INVALID_STATE', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => skipTask(ctx, params.task_id),
)
tasksApi.post(
  '/:task_id/reopen',
  {
    id: 'reopenTask',
    summary: 'Reopen a completed task',
    access: scopes('tasks:write'),
    params,
    returns: Task,
    errors: ['NOT_FOUND', 'INVALID_STATE', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => transition(ctx, params.task_id, 'reopen'),
)

bulk(tasksApi, {
  plural: 'tasks',
  returns: Task,
  create: { body: NewTask, plan: (_ctx, records) => createTasks(records) },
  update: { body: TaskPatchWithId, plan: updateTasks },
  remove: { plan: deleteTasks },
})
tasksApi.post(
  '/bulk-complete',
  {
    id: 'bulkCompleteTasks',
    summary: 'Complete up to 100 tasks',
    description: 'Tasks that are already completed are skipped, so the call can be repeated safely.',
    access: scopes('tasks:write'),
    body: v.strictObject({ ids: BulkIds(100) }),
    returns: bulkResult(Task),
  },
  ({ ctx, body }) => forEachId(body.ids, (ids) => completeTasks(ctx, ids)),
)
const ofRecord = {
  path: '/tasks',
  relations: RELATIONS.tasks,
  name: 'task',
  query: listQuery(tasks, taskFilters, TASK_SORTS, TASK_ORDER),
  returns: Task,
} as const
listBelow(contactsApi, {
  ...ofRecord,
  parent: CONTACT,
  access: scopes('contacts:read', 'tasks:read'),
  list: (id, query) => listTasksOf('contact', id, query),
})
listBelow(companiesApi, {
  ...ofRecord,
  parent: COMPANY,
  access: scopes('companies:read', 'tasks:read'),
  list: (id, query) => listTasksOf('company', id, query),
})
listBelow(opportunitiesApi, {
  ...ofRecord,
  parent: OPPORTUNITY,
  access: scopes('opportunities:read', 'tasks:read'),
  list: (id, query) => listTasksOf('opportunity', id, query),
})
