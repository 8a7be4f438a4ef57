import { Hono } from 'hono'
import * as v from 'valibot'
import { tasks } from '../schema/index.ts'
import { listQuery } from '../src/http/lists.ts'
import { created, listOf, scopes } from '../src/http/modes.ts'
import { resource } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { BulkIds, bulkOf } from '../src/schemas/bulk.ts'
import { BulkDeleted, bulkResult } from '../src/schemas/common.ts'
import { Id } from '../src/schemas/fields.ts'
import { NewTask, Task, TaskPatch, TaskPatchWithId } from '../src/schemas/tasks.ts'
import { forEachId } from '../src/services/bulk/ids.ts'
import { listTasks, listTasksOf, TASK_ORDER, TASK_SORTS, taskFilters, taskLinks } from '../src/services/tasks/task-lists.ts'
import { completeTasks, createTask, createTasks, deleteTasks, transition, updateTask, updateTasks } from '../src/services/tasks/tasks.ts'
import { companiesApi } from './companies.ts'
import { contactsApi } from './contacts.ts'
import { opportunitiesApi } from './opportunities.ts'
import { CRM } from './paths.ts'

export const tasksRouter = new Hono<App>()
export const tasksApi = endpoints(tasksRouter, { path: CRM.tasks, tag: 'Tasks' })

const params = v.object({ task_id: Id })
const within = listQuery(tasks, taskFilters, TASK_SORTS, TASK_ORDER)

tasksApi.get(
  '',
  {
    id: 'listTasks',
    summary: 'List tasks',
    description: 'Sorted by due_at, those without one come last.',
    access: scopes('tasks:read'),
    query: listQuery(tasks, { ...taskFilters, ...taskLinks }, TASK_SORTS, TASK_ORDER),
    returns: listOf(Task),
  },
  ({ query }) => listTasks(query),
)
resource(tasksApi, {
  name: 'task',
  plural: 'tasks',
  table: tasks,
  returns: Task,
  body: {},
  only: ['get', 'remove', 'history'],
})
tasksApi.post(
  '',
  {
    id: 'createTask',
    summary: 'Create a task',
    description: 'Only title is required.',
    access: scopes('tasks:write'),
    body: NewTask,
    returns: created(Task),
    errors: ['CONFLICT'],
  },
  ({ body }) => createTask(body),
)
tasksApi.patch(
  '/:task_id',
  {
    id: 'updateTask',
    summary: 'Update a task',
    access: scopes('tasks:write'),
    params,
    body: TaskPatch,
    returns: Task,
    errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, body }) => updateTask(ctx, params.task_id, body),
)
tasksApi.post(
  '/:task_id/complete',
  {
    id: 'completeTask',
    summary: 'Complete a task',
    access: scopes('tasks:write'),
    params,
    returns: Task,
    errors: ['NOT_FOUND', 'INVALID_STATE', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => transition(ctx, params.task_id, 'complete'),
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

tasksApi.post(
  '/bulk-create',
  {
    id: 'bulkCreateTasks',
    summary: 'Create up to 100 tasks',
    access: scopes('tasks:write'),
    body: v.strictObject({ records: bulkOf(NewTask) }),
    returns: bulkResult(Task),
  },
  ({ body }) => createTasks(body.records),
)
tasksApi.post(
  '/bulk-update',
  {
    id: 'bulkUpdateTasks',
    summary: 'Update up to 100 tasks',
    access: scopes('tasks:write'),
    body: v.strictObject({ records: bulkOf(TaskPatchWithId) }),
    returns: bulkResult(Task),
  },
  ({ body }) => updateTasks(body.records),
)
tasksApi.post(
  '/bulk-complete',
  {
    id: 'bulkCompleteTasks',
    summary: 'Complete up to 100 tasks',
    description: 'Those already completed are skipped, so running it again is safe.',
    access: scopes('tasks:write'),
    body: v.strictObject({ ids: BulkIds(100) }),
    returns: bulkResult(Task),
  },
  ({ body }) => forEachId(body.ids, completeTasks),
)
tasksApi.post(
  '/bulk-delete',
  {
    id: 'bulkDeleteTasks',
    summary: 'Delete up to 100 tasks',
    access: scopes('tasks:delete'),
    body: v.strictObject({ ids: BulkIds(100) }),
    returns: BulkDeleted,
  },
  ({ body }) => forEachId(body.ids, deleteTasks),
)

contactsApi.get(
  '/:contact_id/tasks',
  {
    id: 'listContactTasks',
    summary: "List a contact's tasks",
    access: scopes('contacts:read', 'tasks:read'),
    params: v.object({ contact_id: Id }),
    query: within,
    returns: listOf(Task),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listTasksOf('contact', params.contact_id, query),
)
companiesApi.get(
  '/:company_id/tasks',
  {
    id: 'listCompanyTasks',
    summary: "List a company's tasks",
    access: scopes('companies:read', 'tasks:read'),
    params: v.object({ company_id: Id }),
    query: within,
    returns: listOf(Task),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listTasksOf('company', params.company_id, query),
)
opportunitiesApi.get(
  '/:opportunity_id/tasks',
  {
    id: 'listOpportunityTasks',
    summary: "List an opportunity's tasks",
    access: scopes('opportunities:read', 'tasks:read'),
    params: v.object({ opportunity_id: Id }),
    query: within,
    returns: listOf(Task),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listTasksOf('opportunity', params.opportunity_id, query),
)
