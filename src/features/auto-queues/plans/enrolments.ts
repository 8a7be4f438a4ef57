import { and, eq, sql } from 'drizzle-orm'
import { Temporal } from 'temporal-polyfill'
import { automationRuns, autoQueueListEnrolments, autoQueueSteps, autoQueues } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { type Keys, page } from '../../../data/page.ts'
import { Page } from '../../../data/paged.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { assertField, mapResult, oneOrThrow, plainRows } from '../../../data/query.ts'
import { assertExists, assertStays, columnsFor } from '../../../data/store.ts'
import { assertState } from '../../../data/transitions.ts'
import { invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { type Bulk, failure, validateEach } from '../../../schemas/bulk.ts'
import { listSteps } from '../../automations/plans/runs.ts'
import { type Enrolled, Enrolment, ListEnrolment, NewEnrolment } from '../schemas/auto-queues.ts'

const runs = automationRuns
const fields = {
  ...columnsFor(runs, Enrolment, {
    auto_queue_id: sql<string>`${runs.automation_id}`.as('auto_queue_id'),
    state: sql<Enrolment['state']>`${runs.enrolment_state}`.as('state'),
    next_step_id: sql<string | null>`${runs.queue_step_id}`.as('next_step_id'),
    next_due_at: sql<string | null>`iso(coalesce(${runs.due_at}, (${runs.place} ->> 'resumes_at')::timestamptz))`.as('next_due_at'),
    next_due_local: sql<string | null>`null::text`.as('next_due_local'),
    time_zone: sql<string>`coalesce((select c.local_zone from contacts c where c.id = ${runs.contact_id}),
        (select w.timezone from workspaces w))`.as('time_zone'),
    exit: sql<Enrolment['exit']>`${runs.place} -> 'exit'`.as('exit'),
  }),
}
const enrolmentsWith = (keys: Keys) => db.select({ ...fields, ...keys }).from(runs)

const local = (row: Enrolment): Enrolment => ({
  ...row,
  next_due_local:
    row.next_due_at &&
    Temporal.Instant.from(row.next_due_at).toZonedDateTimeISO(row.time_zone).toString({ timeZoneName: 'never', smallestUnit: 'second' }),
})
const enrolmentOf = (queue: string, id: string) =>
  mapResult(
    oneOrThrow(
      db
        .select(fields)
        .from(runs)
        .where(and(eq(runs.automation_id, queue), eq(runs.id, id))),
      'enrolment',
    ),
    (row) => local(row as Enrolment),
  )

type EnrolmentQuery = {
  limit: number
  after?: string | undefined
  contact_id?: string | undefined
  opportunity_id?: string | undefined
  state?: string | undefined
}
/** The enrolments in a queue, newest first. */
export function listEnrolments(queue: string, query: EnrolmentQuery): Plan<Page<Enrolment>> {
  const { contact_id, opportunity_id, state } = query
  const where = [
    eq(runs.automation_id, queue),
    contact_id === undefined ? undefined : eq(runs.contact_id, contact_id),
    opportunity_id === undefined ? undefined : eq(runs.opportunity_id, opportunity_id),
    state === undefined ? undefined : sql`${runs.enrolment_state} = ${state}`,
  ]
  const found = page({
    select: enrolmentsWith,
    id: runs.id,
    where,
    sorts: { created_at: runs.created_at },
    name: `enrolments ${queue}`,
    query,
  })
  return plan(
    [assertExists(autoQueues, queue, 'queue')],
    mapResult(found, ({ items, limit, next, about }) => new Page((items as Enrolment[]).map(local), limit, next, about)),
  )
}

export const getEnrolment = (queue: string, id: string): Plan<Enrolment> => plan([], enrolmentOf(queue, id))

/** The steps that an enrolment has taken, in order. */
export function listEnrolmentSteps(queue: string, id: string, query: { limit: number; after?: string | undefined }) {
  const { statements, result } = listSteps(id, query)
  const known = sql`exists (select from ${runs} where ${runs.automation_id} = ${queue} and ${runs.id} = ${id})`
  return plan([call('assert_exists', known, 'enrolment', id), ...statements], result)
}

const takesEnrolments = (queue: string) => [
  assertStays(autoQueues, queue, 'queue'),
  assertState(autoQueues, 'state', queue, { active: 'active' }, 'The queue'),
]

const rowOf = (ctx: Ctx, { contact_id, opportunity_id }: NewEnrolment) => {
  const record_id = contact_id ?? opportunity_id
  const trigger_data = { type: 'request', record: contact_id ? 'contact' : 'opportunity' }
  return { contact_id, opportunity_id, record_id, dedupe_key: `${ctx.requestId}:${record_id}`, trigger_data }
}
const rowsOf = (ctx: Ctx, records: NewEnrolment[]) =>
  sql`(select coalesce(jsonb_agg(r || current_run_depth() order by n), '[]')
    from jsonb_array_elements(${JSON.stringify(records.map((record) => rowOf(ctx, record)))}::jsonb) with ordinality e(r, n))`

/** Enrols a contact or an opportunity. A record that is enrolled, or that may not be enrolled again, is a CONFLICT. */
export function enrol(ctx: Ctx, queue: string, record: NewEnrolment): Plan<Enrolment> {
  const enrolled = call('enrol_one', queue, ctx.requestId, rowsOf(ctx, [record]))
  const found = db
    .select(fields)
    .from(runs)
    .where(and(eq(runs.source_id, ctx.requestId), eq(runs.automation_id, queue)))
  return plan(
    [...takesEnrolments(queue), enrolled],
    mapResult(oneOrThrow(found, 'enrolment'), (row) => local(row as Enrolment)),
  )
}

type Outcome = { id: string | null; contact_id: string | null; reason: string | null }
const REASONS: Record<string, string> = {
  already_enrolled: 'Already enrolled',
  enrolled_before: 'Enrolled before: the rule of the queue does not allow it again yet',
  duplicate: 'Duplicate record in request',
  too_deep: 'Too many automated steps have led to this enrolment',
}

/** Enrols up to 100 contacts and opportunities. Each is enrolled, skipped with a reason, or reported as an error. */
export function enrolMany(ctx: Ctx, queue: string, sent: unknown[]): Plan<Bulk<Enrolled>> {
  const { valid, errors } = validateEach(NewEnrolment, sent, (record) => record)
  const records = valid.map(({ value }) => value)
  const enrolled = sql`select enrol_in_queue(${queue}::uuid, ${ctx.requestId}::uuid, ${rowsOf(ctx, records)}) -> 'runs'`
  return plan(
    takesEnrolments(queue),
    mapResult(plainRows<{ runs: Outcome[] }>(enrolled, ['runs']), ([found]) => {
      const bulk: Bulk<Enrolled> = { results: [], skipped: [], errors: [...errors] }
      for (const [at, { id, contact_id, reason }] of (found?.runs ?? []).entries()) {
        const { index, value } = valid[at] as (typeof valid)[number]
        const record = value.contact_id ?? value.opportunity_id ?? null
        const path = value.contact_id ? 'contact_id' : 'opportunity_id'
        if (id) bulk.results.push({ id, contact_id, opportunity_id: value.opportunity_id ?? null })
        else if (reason === 'not_found') bulk.errors.push(failure(index, invalid([{ path, message: 'does not exist in this workspace' }])))
        else bulk.skipped.push({ index, id: record, reason: REASONS[reason ?? ''] ?? String(reason) })
      }
      return { ...bulk, errors: bulk.errors.toSorted((a, b) => a.index - b.index) }
    }),
  )
}

/** Changes an enrolment with a function of auto-queues.sql. */
export const changeEnrolment = (
  queue: string,
  id: string,
  change: 'pause_enrolment' | 'resume_enrolment' | 'remove_enrolment' | 'retry_enrolment',
): Plan<Enrolment> => plan([sql`select ${sql.raw(change)}(${queue}::uuid, ${id}::uuid)`], enrolmentOf(queue, id))

/** Leaves out the step that is next, which is this one if it is given. */
export function skipStep(queue: string, id: string, step: string | undefined): Plan<Enrolment> {
  const isStep = sql`exists (select from ${autoQueueSteps}
    where ${autoQueueSteps.auto_queue_id} = ${queue} and ${autoQueueSteps.id} = ${step})`
  return plan(
    [
      assertStays(autoQueues, queue, 'queue'),
      step !== undefined && assertField(isStep, 'step_id', 'does not exist on this queue'),
      call('skip_enrolment_step', queue, id, step ?? null),
    ],
    enrolmentOf(queue, id),
  )
}

const listFields = columnsFor(autoQueueListEnrolments, ListEnrolment)
const listEnrolmentsWith = (keys: Keys) => db.select({ ...listFields, ...keys }).from(autoQueueListEnrolments)
const listEnrolmentOf = (queue: string, id: string) =>
  oneOrThrow(
    db
      .select(listFields)
      .from(autoQueueListEnrolments)
      .where(and(eq(autoQueueListEnrolments.auto_queue_id, queue), eq(autoQueueListEnrolments.id, id))),
    'enrolment of a list',
  )

/** Enrols the members of a list, in the background. */
export function enrolList(queue: string, list_id: string) {
  const id = newId()
  const isList = sql`exists (select from lists where lists.id = ${list_id} and lists.object in ('contacts', 'opportunities'))`
  const started = JSON.stringify({ list_enrolment_id: id, list_id })
  return plan(
    [
      ...takesEnrolments(queue),
      assertField(isList, 'list_id', 'must be a list of contacts or opportunities'),
      db.insert(autoQueueListEnrolments).values({ id, auto_queue_id: queue, list_id }),
      call('emit', 'auto_queue.list_enrolment_started', 'auto_queue', queue, started),
    ],
    listEnrolmentOf(queue, id),
  )
}

export const getListEnrolment = (queue: string, id: string) => plan([], listEnrolmentOf(queue, id))

export function listListEnrolments(queue: string, query: { limit: number; after?: string | undefined }) {
  const { auto_queue_id, created_at, id } = autoQueueListEnrolments
  const found = page({
    select: listEnrolmentsWith,
    id,
    where: [eq(auto_queue_id, queue)],
    sorts: { created_at },
    name: `list enrolments ${queue}`,
    query,
  })
  return plan([assertExists(autoQueues, queue, 'queue')], found)
}
