import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { tasks } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { type Reference, thereIs } from '../../../data/bulk.ts'
import type { Statement } from '../../../data/db.ts'
import { assert, mapResult, plainRows, type Query } from '../../../data/query.ts'
import { withoutRequired } from '../../../data/required-fields.ts'
import { lockForUpdate } from '../../../data/store.ts'
import { startsOf } from '../../../domain/transitions.ts'
import { newId } from '../../../lib/ids.ts'
import { nextTimes, type Recurrence, type Times } from '../rules/recurrence.ts'
import { NO_DUE_DATE, TASK_TRANSITIONS } from '../rules/tasks.ts'

type Facts = {
  id: string
  recurrence: Recurrence | null
  occurrence: number | null
  due_at: string | null
  reminder_at: string | null
  former: Times | null
}
/** What a patch changes of a task before it is completed. */
type Changes = {
  due_at?: string | null | undefined
  reminder_at?: string | null | undefined
  recurrence?: Recurrence | null | undefined
}

/** The rule that a task which recurs has a due date, as it is and as a patch changes it. */
export const HAS_DUE_DATE: Reference = {
  field: 'recurrence',
  message: NO_DUE_DATE,
  condition: sql`not ${thereIs(sql`tasks t where t.id = r.id
    and case when p.patch ? 'recurrence' then r.recurrence else t.recurrence end is not null
    and case when p.patch ? 'due_at' then r.due_at else t.due_at end is null`)}`,
}

/** A task with the values of its series in place of those that were changed for it alone. */
const ofSeries = (task: string, as: string): SQL =>
  sql.raw(`lateral jsonb_populate_record(row(${task}.*)::tasks, coalesce(${task}.series_values, '{}')) ${as}`)

/** Keeps the present values of these fields for the tasks that follow, before they are changed for this one alone. */
export const keepSeriesValues = (id: string, fields: string[]): Statement =>
  sql`update tasks t set series_values = (select jsonb_object_agg(k, to_jsonb(t) -> k) from unnest(${`{${fields.join(',')}}`}::text[]) k)
      || coalesce(t.series_values, '{}') where t.id = ${id}`

/** Changes of these fields are also for the tasks that follow, whatever was kept for them. */
export const dropSeriesValues = (patches: { id: string; fields: string[] }[]): Statement =>
  sql`update tasks t set series_values = nullif(t.series_values - array(select jsonb_array_elements_text(p.fields)), '{}')
    from jsonb_to_recordset(${JSON.stringify(patches)}::jsonb) p(id uuid, fields jsonb)
    where t.id = any(${`{${patches.map(({ id }) => id).join(',')}}`}::uuid[]) and t.id = p.id and t.series_values is not null`

/** Among these tasks those of a series, and those that begin one, that are not completed, as JSON in the order of their ids. */
const openTasks = (
  ids: string[],
  beginning: string[],
  lock = sql``,
): SQL => sql`(select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'recurrence', t.recurrence,
    'occurrence', t.occurrence, 'due_at', iso(t.due_at), 'reminder_at', iso(t.reminder_at),
    'former', (select jsonb_build_object('due_at', iso(f.due_at), 'reminder_at', iso(f.reminder_at)) from tasks p, ${ofSeries('p', 'f')}
      where p.series_id = t.series_id and p.occurrence = t.occurrence - 1 and f.due_at is not null)) order by t.id), '[]')
  from (select s.* from (select * from tasks where id = any(${`{${ids.join(',')}}`}::uuid[])
    order by id ${lock}) o, ${ofSeries('o', 's')}) t
  where (t.recurrence is not null and t.due_at is not null or t.id = any(${`{${beginning.join(',')}}`}::uuid[]))
    and t.status <> 'completed')`

const factsOf = (ids: string[], beginning: string[]): Query<Facts[]> =>
  mapResult(plainRows<{ facts: Facts[] }>(sql`select ${openTasks(ids, beginning)}`, ['facts']), ([row]) => row?.facts ?? [])

/** The same, as an assumption that the transaction confirms. Usually no task recurs. */
const assumed = (ctx: Ctx, ids: string[], beginning: string[] = []): Promise<Facts[]> =>
  ctx.assume<Facts[]>(
    factsOf(ids, beginning),
    [],
    (facts) => sql`${openTasks(ids, beginning, sql`for update`)} = ${JSON.stringify(facts)}::jsonb`,
  )

/** When the task after this one is due and reminded of, as a patch changes it. A task that recurs from now on is the first of a series. */
const timesAfter = (
  task: Facts,
  { due_at = task.due_at, reminder_at = task.reminder_at, recurrence = task.recurrence }: Changes,
  place: Parameters<typeof nextTimes>[1],
) =>
  due_at && recurrence
    ? nextTimes({ ...task, recurrence, due_at, reminder_at, occurrence: (task.recurrence && task.occurrence) ?? 1 }, place)
    : null

/** What the next task of a series does not take over. */
const OWN = [
  'id',
  'series_values',
  'status',
  'due_at',
  'reminder_at',
  'reminded_at',
  'completed_at',
  'occurrence',
  'external_id',
  'assigned_to',
]
const DEFAULTS = ['created_by', 'archived', 'version', 'created_at', 'updated_at']
const COPIED = Object.values(getTableColumns(tasks))
  .filter(({ name, generated }) => !generated && !OWN.includes(name) && !DEFAULTS.includes(name))
  .map(({ name }) => ({ name: sql.identifier(name), value: copyOf(name) }))

function copyOf(name: string): SQL {
  const value = sql`t.${sql.identifier(name)}`
  return name === 'metadata' ? sql`without_unique_values('task', ${value})` : value
}

/**
 * The statements that follow the completion of these tasks: those that recur get the next task of their series, at most once, which is
 * shared with the same stakeholders. A member who has left gets no task.
 */
export async function nextTasks(ctx: Ctx, ids: string[], changes: (id: string) => Changes = () => ({})): Promise<Statement[]> {
  const beginning = ids.filter((id) => changes(id).recurrence)
  const completed = ids.length > 0 ? await assumed(ctx, ids, beginning) : []
  if (completed.length === 0) return []
  const place = { zone: await ctx.zone(), now: ctx.now }
  const next = completed.flatMap((task) => {
    const times = timesAfter(task, changes(task.id), place)
    return times ? [{ ...times, id: newId(), completed: task.id }] : []
  })
  const list = (parts: SQL[] | ReturnType<typeof sql.identifier>[]) => sql.join(parts, sql`, `)
  const [copied, from] = [list(COPIED.map(({ name }) => name)), list(COPIED.map(({ value }) => value))]
  const former = `{${completed.map(({ id }) => id).join(',')}}`
  return withoutRequired([
    sql`insert into tasks (id, due_at, reminder_at, occurrence, assigned_to, ${copied})
      select n.id, n.due_at, n.reminder_at, t.occurrence + 1,
        (select m.user_id from memberships m where m.user_id = t.assigned_to and m.status <> 'removed'), ${from}
      from jsonb_to_recordset(${JSON.stringify(next)}::jsonb) n(id uuid, completed uuid, due_at timestamptz, reminder_at timestamptz)
        join tasks o on o.id = n.completed cross join ${ofSeries('o', 't')}
      where o.id = any(${former}::uuid[]) and t.status = 'completed' and t.recurrence is not null
      order by t.id on conflict do nothing`,
    sql`insert into task_stakeholders (task_id, contact_id)
      select n.id, s.contact_id from jsonb_to_recordset(${JSON.stringify(next)}::jsonb) n(id uuid, completed uuid)
        join task_stakeholders s on s.task_id = n.completed
      where s.task_id = any(${former}::uuid[]) and exists (select from tasks t where t.id = n.id) order by s.id`,
  ])
}

/** The statements that move a task of a series to its next day. */
export async function skipStatements(ctx: Ctx, id: string) {
  const [task] = await assumed(ctx, [id])
  const times = task && timesAfter(task, {}, { zone: await ctx.zone(), now: ctx.now })
  const open = startsOf(TASK_TRANSITIONS.complete)
  const ended = { state: 'last_of_series', allowed: ['recurring'] }
  return [
    lockForUpdate(ctx, tasks, id, 'task'),
    assert(
      sql`(select status <> 'completed' and recurrence is not null from tasks where id = ${id})`,
      'INVALID_STATE',
      'Only an open task that recurs can be skipped',
      { state: 'not_recurring', allowed: open },
    ),
    assert(sql.raw(String(Boolean(times))), 'INVALID_STATE', 'The series has no later task: complete or delete this one', ended),
    assert(
      sql`not exists (select from tasks t, tasks n where t.id = ${id} and n.series_id = t.series_id and n.occurrence = t.occurrence + 1)`,
      'INVALID_STATE',
      'The next task of the series is there already: complete or delete this one',
      ended,
    ),
    times
      ? sql`update tasks set due_at = ${times.due_at}::timestamptz, reminder_at = ${times.reminder_at}::timestamptz,
          occurrence = occurrence + 1, series_values = nullif(series_values - array['due_at', 'reminder_at'], '{}') where id = ${id}`
      : undefined,
  ]
}
