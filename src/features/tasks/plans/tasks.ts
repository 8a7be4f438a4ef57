import { eq, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { companies, contacts, opportunities, tasks } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { assertReferences, insertEach, type Reference, refersTo, updateEach } from '../../../data/bulk.ts'
import { db, type Statement } from '../../../data/db.ts'
import { clearable, mergedMetadata, merging } from '../../../data/metadata.ts'
import type { Keys } from '../../../data/page.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { assertField, compiledSelect, mapResult, oneOrThrow, rows, typed } from '../../../data/query.ts'
import { assertSent, columnsFor, insertRow, lockForUpdate } from '../../../data/store.ts'
import { assertState, stateAfter } from '../../../data/transitions.ts'
import { startsOf } from '../../../domain/transitions.ts'
import { AppError, invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { type Bulk, failure, type Validated, validateEach, valuesOf } from '../../../schemas/bulk.ts'
import { ownerOf } from '../../members/plans/members.ts'
import { type BulkPlan, bulkDelete, bulkTable, bulkWrite } from '../../records/plans/bulk.ts'
import { updatesOf } from '../../records/plans/updates.ts'
import { OWN_FIELDS, TASK_TRANSITIONS, type TaskTransition, taskFaults } from '../rules/tasks.ts'
import { ImportedTask, NewTask, Task, type TaskPatch, TaskPatchWithId, type TaskUpdate } from '../schemas/tasks.ts'
import { dropSeriesValues, HAS_DUE_DATE, keepSeriesValues, nextTasks, skipStatements } from './series.ts'

export const fields = columnsFor(tasks, Task)
/** The select of a page. */
export const selectTasks = (keys: Keys) => db.select({ ...fields, ...keys }).from(tasks)
const all = compiledSelect(db.select(fields).from(tasks))
const record = (id: string) => oneOrThrow(all.where(eq(tasks.id, id)), 'task')

const REFERENCES: Reference[] = [
  ownerOf('tasks'),
  refersTo('contact_id', contacts),
  refersTo('customer_id', companies),
  refersTo('opportunity_id', opportunities),
]
const bulk = bulkTable({ table: tasks, entity: 'task', what: 'task', fields, references: REFERENCES })

/** Reports all references of the task to missing records at once. */
const assertTaskReferences = (row: TaskPatch & { id: string }) => assertSent(tasks, row, REFERENCES)

type Row = NewTask & { id: string; reminded_at?: string }

const newTask = (input: NewTask): Row => {
  const faults = taskFaults(input)
  if (faults.length > 0) throw invalid(faults)
  return { ...input, id: newId() }
}

export function createTask(input: NewTask) {
  const row = newTask(input)
  return plan([assertTaskReferences(row), insertRow(tasks, row)], record(row.id))
}

/** Whether the patch may leave a task that recurs without a due date. */
const needsDueDate = ({ recurrence, due_at }: TaskPatch) => recurrence != null || due_at === null

/**
 * What an update means for the tasks that follow in the series. @throws VALIDATION_ERROR for a field that is not changed for one task
 * alone.
 */
function seriesStatements(id: string, patch: TaskPatch, isAlone: boolean): Statement[] {
  const fields = Object.keys(patch).filter((name) => name !== 'status' && name !== 'archived' && name !== 'external_id')
  if (!isAlone) return fields.length > 0 ? [dropSeriesValues([{ id, fields }])] : []
  const others = fields.filter((name) => !(OWN_FIELDS as readonly string[]).includes(name))
  if (others.length > 0)
    throw invalid(others.map((path) => ({ path, message: 'cannot be changed for this task alone: leave out apply_to' })))
  const recurs = assertField(sql`(select recurrence is not null from tasks where id = ${id})`, 'apply_to', NOT_RECURRING)
  return fields.length > 0 ? [recurs, keepSeriesValues(id, fields)] : [recurs]
}
const NOT_RECURRING = 'The task does not recur: leave it out'

export async function updateTask(ctx: Ctx, id: string, { apply_to, ...patch }: TaskUpdate) {
  const row = { ...patch, id }
  const isAlone = apply_to === 'this'
  const next = patch.status === 'completed' ? await nextTasks(ctx, [id], () => (isAlone ? {} : patch)) : []
  return plan(
    [
      lockForUpdate(ctx, tasks, id, 'task'),
      assertTaskReferences(row),
      needsDueDate(patch) && assertReferences(tasks, row, [HAS_DUE_DATE]),
      clearable('task', patch),
      ...seriesStatements(id, patch, isAlone),
      updateEach(tasks, [row], [], merging(tasks, patch)),
      ...next,
    ],
    record(id),
  )
}

/** Changes the task's state. Any other current state is refused, so only one of two concurrent calls succeeds. */
export async function transition(ctx: Ctx, id: string, step: TaskTransition) {
  const change = TASK_TRANSITIONS[step]
  const next = step === 'complete' ? await nextTasks(ctx, [id]) : []
  return plan(
    [
      lockForUpdate(ctx, tasks, id, 'task'),
      assertState(tasks, 'status', id, change, 'The task'),
      sql`update tasks set status = ${stateAfter(sql`status`, change)} where id = ${id}`,
      ...next,
    ],
    record(id),
  )
}

/** Moves a task to the next day of its series. */
export const skipTask = async (ctx: Ctx, id: string) => plan(await skipStatements(ctx, id), record(id))

export function taskCreates(
  records: unknown[],
  newRow: (input: NewTask) => Row = newTask,
  schema: v.GenericSchema<unknown, NewTask> = NewTask,
): BulkPlan<typeof bulk.fields> {
  const validated = validateEach(schema, records, newRow)
  return [bulk, validated, insertEach(tasks, valuesOf(validated), REFERENCES)]
}

/** Tasks of another system. Nobody is reminded of what was due there. */
export const importedTasks = ({ now }: Ctx, records: unknown[]) =>
  taskCreates(
    records,
    (input) => {
      const isPast = input.reminder_at && new Date(input.reminder_at) <= now
      return { ...newTask(input), ...(isPast && { reminded_at: now.toISOString() }) }
    },
    ImportedTask,
  )

/** The plan of a bulk update that continues no series. */
const updatesOfTasks = (validated: Validated<TaskPatch & { id: string }>): BulkPlan<typeof bulk.fields> =>
  updatesOf(bulk, validated, { rules: [HAS_DUE_DATE], merging: { metadata: mergedMetadata(tasks) } })

export const taskUpdates = (records: unknown[]) => updatesOfTasks(validateEach(TaskPatchWithId, records, (patch) => patch))

export const createTasks = (records: unknown[]) => bulkWrite(...taskCreates(records))

export async function updateTasks(ctx: Ctx, records: unknown[]) {
  const validated = validateEach(TaskPatchWithId, records, (patch) => patch)
  const completed = new Map(valuesOf(validated).flatMap((patch) => (patch.status === 'completed' ? [[patch.id, patch]] : [])))
  const next = await nextTasks(ctx, [...completed.keys()], (id) => completed.get(id) ?? {})
  const changed = valuesOf(validated).map(({ id, ...patch }) => ({ id, fields: Object.keys(patch) }))
  return bulkWrite(...updatesOfTasks(validated), dropSeriesValues(changed), ...next)
}

export const deleteTasks = (ids: string[]) => bulkDelete(bulk, ids)

type TaskRow = v.InferOutput<typeof Task> & { requested_id: string; done: boolean }

/** Completes open tasks. Others are skipped, so the call can be repeated safely. */
export async function completeTasks(ctx: Ctx, ids: string[]): Promise<Plan<Bulk<v.InferOutput<typeof Task>>>> {
  const requested = sql`unnest(${`{${ids.join(',')}}`}::uuid[])`
  const locked = sql`(select id from tasks where id = any(array(select ${requested})) order by id for update)`
  const open = `{${startsOf(TASK_TRANSITIONS.complete).join(',')}}`
  const complete = sql`update tasks set status = 'completed' where id in ${locked} and status = any(${open}::text[])`
  const done = sql<boolean>`changed_in_request('task', requested.id, 'updated', 'status')`
  const select = db
    .select({ ...fields, requested_id: sql<string>`requested.id`.as('requested_id'), done: done.as('done') })
    .from(sql`${requested} with ordinality as requested(id, index)`)
    .leftJoin(tasks, sql`tasks.id = requested.id`)
    .orderBy(sql`requested.index`)
  const result = mapResult(rows(typed<TaskRow>(select)), (decoded) => {
    const bulk: Bulk<v.InferOutput<typeof Task>> = { results: [], skipped: [], errors: [] }
    decoded.forEach(({ requested_id, done, ...task }, index) => {
      if (ids.indexOf(requested_id) < index) bulk.skipped.push({ index, id: requested_id, reason: 'Duplicate id in request' })
      else if (!task.id) bulk.errors.push(failure(index, new AppError('NOT_FOUND', 'No such task in this workspace'), requested_id))
      else if (done) bulk.results.push(task)
      else bulk.skipped.push({ index, id: requested_id, reason: 'Already completed' })
    })
    return bulk
  })
  return plan([complete, ...(await nextTasks(ctx, ids))], result)
}
