import * as v from 'valibot'
import { archivedOut, named, timestamps } from '../../../schemas/common.ts'
import {
  Bool,
  describe,
  Enum,
  Id,
  Instant,
  InstantOut,
  Integer,
  IsoDate,
  Metadata,
  Multiline,
  Name,
  optional,
  SingleLine,
} from '../../../schemas/fields.ts'
import { FREQUENCIES, MAX_INTERVAL, MAX_OCCURRENCES, recurrenceFaults, WEEKDAYS } from '../rules/recurrence.ts'
import { OWN_FIELDS, PRIORITIES, SERIES_PARTS, TASK_STATUSES, TASK_TYPES } from '../rules/tasks.ts'

const UNTIL = 'The last day of the series, in the workspace’s time zone.'
const COUNT = 'How many tasks the series has in all.'
const whole = (min: number, max: number, description: string, example: number) =>
  v.optional(v.nullable(describe(Integer(min, max), description, example)), null)

const RecurrenceInput = v.pipe(
  v.strictObject({
    frequency: Enum(FREQUENCIES),
    interval: v.optional(describe(Integer(1, MAX_INTERVAL), 'How many days, weeks, months or years lie between two tasks.', 1), 1),
    weekdays: v.optional(
      v.pipe(
        v.array(Enum(WEEKDAYS), 'must be a list of weekdays'),
        v.maxLength(WEEKDAYS.length, 'must have at most 7 weekdays'),
        v.check((days) => new Set(days).size === days.length, 'must not name a day twice'),
        v.description('The days of the week, for a weekly recurrence. Weeks begin on Monday.'),
        v.examples([['monday', 'thursday']]),
      ),
      [],
    ),
    month: whole(1, 12, 'The month, for a yearly recurrence.', 6),
    day_of_month: whole(1, 31, 'The day, for a monthly or yearly recurrence. In a shorter month it is the last day.', 31),
    until: v.optional(v.nullable(describe(IsoDate, UNTIL, '2099-12-31')), null),
    count: whole(1, MAX_OCCURRENCES, COUNT, 10),
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    const { value: input } = dataset
    for (const { path, message } of recurrenceFaults(input))
      addIssue({ message, path: [{ type: 'object', origin: 'value', input, key: path, value: input[path] }] })
  }),
  v.description(
    'How the task recurs. Completing it creates the next task of the series: a copy that is due on the next day of the series that has ' +
      'not passed, at the same time of day in the workspace’s time zone. Changes of the task also apply to those that follow ' +
      'it; null ends the series.',
  ),
  v.examples([{ frequency: 'weekly', interval: 1, weekdays: ['monday'], month: null, day_of_month: null, until: null, count: null }]),
)

const wholeOut = (description: string) => v.pipe(v.nullable(v.pipe(v.number(), v.integer())), v.description(description))

export const RecurrenceOut = named(
  'Recurrence',
  v.object({
    frequency: v.pipe(v.picklist(FREQUENCIES), v.description('The unit of the interval.')),
    interval: v.pipe(v.number(), v.integer(), v.description('How many of these units lie between two tasks.')),
    weekdays: v.pipe(v.array(v.picklist(WEEKDAYS)), v.description('The days of the week of a weekly recurrence.')),
    month: wholeOut('The month of a yearly recurrence.'),
    day_of_month: wholeOut('The day of a monthly or yearly recurrence.'),
    until: v.pipe(v.nullable(v.pipe(v.string(), v.metadata({ format: 'date' }))), v.description(UNTIL)),
    count: wholeOut(COUNT),
  }),
)

export const taskFields = {
  title: describe(Name(200), 'What has to be done.', 'Call Ana about the quote'),
  description: optional(Multiline()),
  task_type: v.optional(Enum(TASK_TYPES, 'What kind of task it is. Defaults to to_do.')),
  status: v.optional(Enum(TASK_STATUSES, 'The status. `completed` sets completed_at; any other status clears it.')),
  priority: v.optional(Enum(PRIORITIES, 'The priority. Defaults to normal.')),
  due_at: optional(describe(Instant, 'When the task is due; with all_day, the beginning of that day.')),
  all_day: v.optional(describe(Bool, 'Whether the task is due on a day and not at a time: it is overdue 24 hours after due_at.', false)),
  reminder_at: optional(describe(Instant, 'When the event task.reminder is written, unless the task is completed or archived by then.')),
  recurrence: v.optional(v.nullable(RecurrenceInput)),
  assigned_to: optional(describe(Id, 'The member to whom the task is assigned.')),
  contact_id: optional(describe(Id, 'The related contact.')),
  customer_id: optional(describe(Id, 'The related company.')),
  opportunity_id: optional(describe(Id, 'The related opportunity.')),
  external_id: optional(describe(SingleLine(255), 'The record’s id in another system; unique in the workspace.', 'asana-1042')),
  metadata: v.optional(describe(Metadata, 'Custom field values by key. An update merges them; null removes a key.')),
}

export const NewTask = v.strictObject(taskFields)
/** A record of a file, which may have been archived in the system that it comes from. */
export const ImportedTask = v.strictObject({ ...NewTask.entries, archived: v.optional(archivedOut) })
export const TaskPatch = v.strictObject({ ...v.partial(NewTask).entries, archived: v.optional(archivedOut) })
/** The update of one task, which says what of its series it is about. */
export const TaskUpdate = v.strictObject({
  ...TaskPatch.entries,
  apply_to: v.optional(
    Enum(
      SERIES_PARTS,
      'For a task that recurs: `this` changes it alone, and the next task of its series has the former values again; `following`, ' +
        `the default, also changes those that follow it. Alone can be changed: ${OWN_FIELDS.join(', ')}.`,
    ),
  ),
})
export type TaskUpdate = v.InferOutput<typeof TaskUpdate>
export const TaskPatchWithId = v.strictObject({ id: Id, ...TaskPatch.entries })
export type NewTask = v.InferOutput<typeof NewTask>
export type TaskPatch = v.InferOutput<typeof TaskPatch>

export const Task = named(
  'Task',
  v.object({
    id: Id,
    title: v.string(),
    description: v.nullable(v.string()),
    task_type: v.pipe(v.picklist(TASK_TYPES), v.description('What kind of task it is.')),
    status: v.picklist(TASK_STATUSES),
    priority: v.picklist(PRIORITIES),
    due_at: v.nullable(InstantOut),
    all_day: v.boolean(),
    reminder_at: v.pipe(v.nullable(InstantOut), v.description('When the event task.reminder is written.')),
    recurrence: v.pipe(v.nullable(RecurrenceOut), v.description('How the task recurs.')),
    series_id: v.pipe(v.nullable(Id), v.description('The series of a task that recurs or did: the same for all of its tasks.')),
    occurrence: v.pipe(v.nullable(v.pipe(v.number(), v.integer())), v.description('The number of the task in its series, from 1.')),
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
