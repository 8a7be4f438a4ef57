import { eq, sql } from 'drizzle-orm'
import { autoQueues } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import type { Statement } from '../../../data/db.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { assert, mapResult, plainRows } from '../../../data/query.ts'
import { assertExists, columnsFor, insertRow, lockForUpdate, selectFrom, store, updateRows } from '../../../data/store.ts'
import { assertState } from '../../../data/transitions.ts'
import { invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { faultsInTrigger } from '../../automations/plans/names.ts'
import { assertExits } from '../../automations/plans/references.ts'
import { eventsOf } from '../../automations/rules/triggers.ts'
import type { Trigger } from '../../automations/rules/types.ts'
import { AUTO_QUEUE_TRANSITIONS, ENROLMENT_STATES, MAX_COUNTED } from '../rules/auto-queues.ts'
import { AutoQueue, type AutoQueuePatch, type NewAutoQueue, type QueueCounts } from '../schemas/auto-queues.ts'

export const { record } = store(autoQueues, 'queue', selectFrom<AutoQueue>(autoQueues, columnsFor(autoQueues, AutoQueue)))

const typesOf = (exits: Trigger[]): string[] => [...new Set(exits.flatMap(eventsOf))].toSorted()

/** Asserts that each exit can be met. @throws VALIDATION_ERROR for a name that no event has. */
function checkedExits(exits: Trigger[]): Statement[] {
  const issues = exits.flatMap((exit, index) => faultsInTrigger(exit, `exits.${index}`))
  if (issues.length > 0) throw invalid(issues)
  return assertExits(exits)
}

export function createQueue({ exits = [], re_enrolment = { mode: 'never' }, ...rest }: NewAutoQueue): Plan<AutoQueue> {
  const id = newId()
  return plan([...checkedExits(exits), insertRow(autoQueues, { ...rest, id, exits, exit_types: typesOf(exits), re_enrolment })], record(id))
}

/** Exits and rules of re-enrolment apply at once. */
export function updateQueue(ctx: Ctx, id: string, patch: AutoQueuePatch): Plan<AutoQueue> {
  const { exits, re_enrolment } = patch
  const row = { ...patch, ...(exits && { exit_types: typesOf(exits) }) }
  const update = updateRows(autoQueues, row, eq(autoQueues.id, id), { id })
  return plan(
    [lockForUpdate(ctx, autoQueues, id, 'queue'), ...checkedExits(exits ?? []), update, (exits || re_enrolment) && republish(id)],
    record(id),
  )
}

/** Makes a change the version that the enrolments of an active queue follow. Of an inactive queue, only the exits apply. */
export const republish = (id: string): Statement => call('republish_queue', id)

const lockIn = (ctx: Ctx, id: string, verb: keyof typeof AUTO_QUEUE_TRANSITIONS): Statement[] => [
  lockForUpdate(ctx, autoQueues, id, 'queue'),
  assertState(autoQueues, 'state', id, AUTO_QUEUE_TRANSITIONS[verb], 'The queue'),
]

export function activateQueue(ctx: Ctx, id: string): Plan<AutoQueue> {
  const hasSteps = assert(
    sql`exists (select from auto_queue_steps where auto_queue_id = ${id})`,
    'CONFLICT',
    'The queue has no steps: add one before you activate it',
  )
  return plan([...lockIn(ctx, id, 'activate'), hasSteps, call('publish_queue', id)], record(id))
}

export const deactivateQueue = (ctx: Ctx, id: string): Plan<AutoQueue> =>
  plan([...lockIn(ctx, id, 'deactivate'), call('deactivate_queue', id)], record(id))

/** Counts rows up to the maximum. */
export const capped = (rows: ReturnType<typeof sql>) => sql`(select count(*)::int from (select ${rows} limit ${MAX_COUNTED}::int) counted)`

/** How many enrolments are in each state and at each step, and how often each step was taken. */
export function countQueue(id: string): Plan<QueueCounts> {
  const states = ENROLMENT_STATES.map(
    (state) => sql`${state}::text, ${capped(sql`from automation_runs r where r.automation_id = ${id} and r.enrolment_state = ${state}`)}`,
  )
  const total = (state: string) =>
    sql`coalesce((select c.total from automation_counts c where c.automation_id = ${id} and c.step_id = s.id and c.state = ${state}), 0)`
  const steps = sql`select coalesce(jsonb_agg(jsonb_build_object('step_id', s.id, 'name', s.name,
      'waiting', ${capped(sql`from automation_runs r where r.automation_id = ${id} and r.queue_step_id = s.id and r.ended_at is null`)},
      'done', ${total('done')}, 'skipped', ${total('skipped')}, 'failed', ${total('failed')}) order by s.position, s.id), '[]')
    from auto_queue_steps s where s.auto_queue_id = ${id}`
  const both = sql`select jsonb_build_object(${sql.join(states, sql`, `)}), (${steps})`
  return plan(
    [assertExists(autoQueues, id, 'queue')],
    mapResult(plainRows<QueueCounts>(both, ['enrolments', 'steps']), ([found]) => found as QueueCounts),
  )
}
