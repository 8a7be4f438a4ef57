import * as v from 'valibot'
import { PRIORITIES, TASK_STATUSES } from '../domain/tasks.ts'
import { archivedOut, named, timestamps } from './common.ts'
import { Bool, describe, Enum, Id, Instant, InstantOut, Metadata, Multiline, Name, optional, SingleLine } from './fields.ts'

export const taskFields = {
  title: describe(Name(200), 'What has to be done.', 'Call Ana about the quote'),
  description: optional(Multiline()),
  status: v.optional(Enum(TASK_STATUSES, 'The status. `completed` sets completed_at; any other status clears it.')),
  priority: v.optional(Enum(PRIORITIES, 'The priority. Defaults to normal.')),
  due_at: optional(describe(Instant, 'When the task is due; with all_day, the beginning of that day.')),
  all_day: v.optional(describe(Bool, 'Whether the task is due on a day and not at a time: it is overdue 24 hours after due_at.', false)),
  assigned_to: optional(describe(Id, 'The member to whom the task is assigned.')),
  contact_id: optional(describe(Id, 'The related contact.')),
  customer_id: optional(describe(Id, 'The related company.')),
  opportunity_id: optional(describe(Id, 'The related opportunity.')),
  external_id: optional(describe(SingleLine(255), 'The record’s id in another system; unique in the workspace.', 'asana-1042')),
  metadata: v.optional(describe(Metadata, 'Custom field values by key. An update merges them; null removes a key.')),
}

export const NewTask = v.strictObject(taskFields)
export const TaskPatch = v.strictObject({ ...v.partial(NewTask).entries, archived: v.optional(archivedOut) })
export const TaskPatchWithId = v.strictObject({ id: Id, ...TaskPatch.entries })
export type NewTask = v.InferOutput<typeof NewTask>
export type TaskPatch = v.InferOutput<typeof TaskPatch>

export const Task = named(
  'Task',
  v.object({
    id: Id,
    title: v.string(),
    description: v.nullable(v.string()),
    status: v.picklist(TASK_STATUSES),
    priority: v.picklist(PRIORITIES),
    due_at: v.nullable(InstantOut),
    all_day: v.boolean(),
    completed_at: v.nullable(InstantOut),
    assigned_to: v.nullable(Id),
    created_by: v.pipe(v.nullable(Id), v.description('The user whose key created it.')),
    contact_id: v.nullable(Id),
    customer_id: v.nullable(Id),
    opportunity_id: v.nullable(Id),
    external_id: v.nullable(v.string()),
    metadata: v.record(v.string(), v.unknown()),
    archived: archivedOut,
    ...timestamps,
  }),
)
