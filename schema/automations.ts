import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, jsonb, pgTable, primaryKey, smallint, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { ENROLMENT_STATES } from '../src/features/auto-queues/rules/auto-queues.ts'
import { AUTOMATION_STATES, RUN_SOURCES, RUN_STATES, type RunReason, STEP_STATES } from '../src/features/automations/rules/states.ts'
import type { Definition, Frame, RunPlace } from '../src/features/automations/rules/types.ts'
import { autoQueues } from './auto-queues.ts'
import { identity, instant, normalised, reference, snapshot, tenant, timestamps } from './columns.ts'
import { companies, contacts } from './contacts.ts'
import { opportunities } from './opportunities.ts'

/** Automations as they are edited. What runs is a version. */
export const automations = pgTable(
  'automations',
  {
    ...identity,
    name: text().notNull(),
    name_norm: normalised().notNull().generatedAlwaysAs(sql`norm(name)`),
    description: text(),
    state: text({ enum: AUTOMATION_STATES }).notNull().default('draft'),
    trigger: jsonb().$type<Definition['trigger']>().notNull(),
    conditions: jsonb().$type<Definition['conditions']>().notNull(),
    steps: jsonb().$type<Definition['steps']>().notNull(),
    enrolment: jsonb().$type<Definition['enrolment']>().notNull(),
    /** The version that new runs follow; null before the first publication. */
    version_id: uuid(),
    version_number: integer(),
    /** Whether the definition differs from the published version. */
    has_changes: boolean().notNull().default(true),
    published_at: instant(),
    published_by: uuid(),
    /** Whether callers without the scopes of its steps may start runs of the next version that is published (automation-starts.sql). */
    open_to_start: boolean().notNull().default(false),
    /** Why the system has paused it; null if a person did. */
    paused_reason: text(),
    /** The auto queue that is compiled into it: it has the same id, and a policy hides the automation (auto-queues.sql). */
    queue_id: uuid(),
    ...timestamps,
  },
  (t) => [
    reference(t.queue_id, autoQueues, 'cascade'),
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('automations_by_created').on(t.workspace_id, t.created_at, t.id),
    index('automations_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('automations_by_state').on(t.workspace_id, t.state, t.created_at, t.id),
    index('automations_by_queue').on(t.workspace_id, t.queue_id),
    uniqueIndex('automations_name_key').on(t.workspace_id, t.name_norm),
  ],
)

/** Published versions. Their definition never changes, and a run keeps the version it began with. */
export const automationVersions = pgTable(
  'automation_versions',
  {
    ...identity,
    automation_id: uuid().notNull(),
    number: integer().notNull(),
    definition: jsonb().$type<Definition>().notNull(),
    /** The member and the key that published it: its runs have the rights of both. */
    published_by: uuid().notNull(),
    key_id: uuid().notNull(),
    /** The key with which a later version was published that has adopted its runs; null while they act with the rights of `key_id`. */
    adopted_key_id: uuid(),
    /**
     * Who may start runs of it by hand: callers with these scopes, who are a client_admin if a step needs one; or everybody. Null in
     * versions from before.
     */
    start_scopes: text().array(),
    start_admin: boolean(),
    open_to_start: boolean().notNull().default(false),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('automation_versions_number_key').on(t.workspace_id, t.automation_id, t.number),
    reference(t.automation_id, automations, 'cascade'),
  ],
)

/**
 * The event types that published automations react to: those that start runs, and those that runs wait for. Events that had been written
 * when the automation was published or resumed (`since`) start nothing.
 */
export const automationTriggers = pgTable(
  'automation_triggers',
  {
    ...tenant,
    event_type: text().notNull(),
    automation_id: uuid().notNull(),
    starts: boolean().notNull(),
    since: snapshot().notNull().default(sql`pg_current_snapshot()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.event_type, t.automation_id] }),
    index('automation_triggers_by_automation').on(t.workspace_id, t.automation_id),
    reference(t.automation_id, automations, 'cascade'),
  ],
)

/** The runs of automations, each about at most one record. */
export const automationRuns = pgTable(
  'automation_runs',
  {
    ...identity,
    automation_id: uuid().notNull(),
    version_id: uuid().notNull(),
    state: text({ enum: RUN_STATES }).notNull(),
    source: text({ enum: RUN_SOURCES }).notNull(),
    /** What started it: the event, the fire of a schedule, or the request. */
    source_id: uuid(),
    /** Unique within the automation, so that nothing starts the same run twice. */
    dedupe_key: text().notNull(),
    /** The record that it is about; null for a run about none. */
    record_id: uuid(),
    contact_id: uuid(),
    customer_id: uuid(),
    opportunity_id: uuid(),
    trigger_data: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    /** The automated steps that led to it. */
    depth: smallint().notNull().default(0),
    /** Where it is: the next step, and what the steps before have left. */
    place: jsonb().$type<RunPlace>().notNull(),
    /** The number of steps that it has taken; each move of a run requires the number that it has read. */
    moves: integer().notNull().default(0),
    attempts: smallint().notNull().default(0),
    /** The turn that the run has drawn for an assignment to several members, which is the step of this sequence. */
    turn: jsonb().$type<{ sequence: number; number: number }>(),
    /** When the next step is due; null for a run that has ended, or that waits for something else than the time. */
    due_at: instant(),
    /**
     * Until when a worker has it. No index contains it, so that a claim writes the row alone. Whatever changes `due_at` ends the claim
     * (automation-runs.sql).
     */
    claimed_until: instant(),
    /**
     * What it waits for: `<event types>:<id of the main record>` for an event of any of its records, `approval:<id>`, or `outgoing:<id>`.
     */
    awaits: text(),
    error: jsonb().$type<{ code: string; message: string; details?: unknown }>(),
    /** What else than a step has ended it, or keeps it from going on. A purge erases `error`, but not this. */
    reason: text().$type<RunReason>(),
    /** Written by the trigger `end_run` alone. */
    ended_at: instant(),
    /** Of an enrolment in an auto queue: the step that is next, and its state. */
    queue_step_id: uuid().generatedAlwaysAs(sql`(place ->> 'step')::uuid`),
    enrolment_state: text({ enum: ENROLMENT_STATES }).generatedAlwaysAs(
      sql`case when place ? 'step' then case state when 'paused' then 'paused' when 'completed' then 'completed' \
when 'failed' then 'failed' when 'cancelled' then 'removed' when 'stopped' then 'exited' else 'active' end end`,
    ),
    created_at: instant().notNull().default(sql`now()`),
    updated_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('automation_runs_dedupe_key').on(t.workspace_id, t.automation_id, t.dedupe_key),
    index('automation_runs_by_created').on(t.workspace_id, t.created_at, t.id),
    index('automation_runs_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('automation_runs_by_automation').on(t.workspace_id, t.automation_id, t.created_at, t.id),
    index('automation_runs_by_state').on(t.workspace_id, t.state, t.created_at, t.id),
    index('automation_runs_by_source').on(t.workspace_id, t.source_id, t.created_at, t.id),
    index('automation_runs_by_record').on(t.workspace_id, t.record_id, t.automation_id, t.created_at),
    index('automation_runs_of_contact').on(t.workspace_id, t.contact_id, t.created_at, t.id).where(sql`contact_id is not null`),
    index('automation_runs_of_customer').on(t.workspace_id, t.customer_id, t.created_at, t.id).where(sql`customer_id is not null`),
    index('automation_runs_of_opportunity').on(t.workspace_id, t.opportunity_id, t.created_at, t.id).where(sql`opportunity_id is not null`),
    index('automation_runs_queued').on(t.workspace_id, t.automation_id, t.record_id, t.id).where(sql`state = 'queued'`),
    index('automation_runs_due').on(t.workspace_id, t.due_at).where(sql`due_at is not null`),
    index('automation_runs_next').on(t.due_at, t.workspace_id).where(sql`due_at is not null`),
    index('automation_runs_open').on(t.workspace_id, t.automation_id, t.record_id, t.id).where(sql`ended_at is null`),
    index('automation_runs_ended').on(t.ended_at).where(sql`ended_at is not null`),
    index('automation_runs_awaiting').on(t.workspace_id, t.awaits).where(sql`awaits is not null`),
    index('automation_runs_waiting_contact').on(t.workspace_id, t.contact_id).where(sql`awaits is not null`),
    index('automation_runs_waiting_customer').on(t.workspace_id, t.customer_id).where(sql`awaits is not null`),
    index('automation_runs_waiting_opportunity').on(t.workspace_id, t.opportunity_id).where(sql`awaits is not null`),
    index('automation_runs_enrolled')
      .on(t.workspace_id, t.automation_id, t.enrolment_state, t.created_at, t.id)
      .where(sql`enrolment_state is not null`),
    index('automation_runs_without_rights').on(t.workspace_id, t.automation_id).where(sql`reason = 'no_rights'`),
    index('automation_runs_before_step')
      .on(t.workspace_id, t.automation_id, t.queue_step_id)
      .where(sql`ended_at is null and queue_step_id is not null`),
    check('ended', sql`(ended_at is null) or (due_at is null and awaits is null)`),
    reference(t.automation_id, automations, 'cascade'),
    reference(t.contact_id, contacts, 'set null'),
    reference(t.customer_id, companies, 'set null'),
    reference(t.opportunity_id, opportunities, 'set null'),
  ],
)

/** What the steps of runs did. The row of a step is written in the transaction of its effect. */
export const automationSteps = pgTable(
  'automation_steps',
  {
    ...identity,
    run_id: uuid().notNull(),
    automation_id: uuid().notNull(),
    /** The position among the steps that the run has taken. */
    sequence: integer().notNull(),
    step_id: uuid().notNull(),
    type: text().notNull(),
    state: text({ enum: STEP_STATES }).notNull(),
    /** Where the run was when it took the step. */
    place: jsonb().$type<Frame[]>(),
    input: jsonb(),
    output: jsonb(),
    /** The rows from which the output is built, while it is not stored. */
    answer: jsonb(),
    /** Where the run goes on, while the worker that took the step has it: the run's own row follows once it rests. */
    next_place: jsonb().$type<RunPlace>(),
    error: jsonb().$type<{ code: string; message: string; details?: unknown }>(),
    attempts: smallint().notNull().default(1),
    request_id: uuid(),
    duration_ms: integer(),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('automation_steps_sequence_key').on(t.workspace_id, t.run_id, t.sequence),
    reference(t.run_id, automationRuns, 'cascade'),
  ],
)

/** Events that a published automation waits for, but that started no run, and why. They are kept for 30 days. */
export const automationSkips = pgTable(
  'automation_skips',
  {
    ...identity,
    automation_id: uuid().notNull(),
    event_id: uuid().notNull(),
    record_id: uuid(),
    reason: text().notNull(),
    /** The path of the condition that did not hold, in the definition. */
    failed: text(),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('automation_skips_by_record').on(t.workspace_id, t.automation_id, t.record_id, t.id),
    index('automation_skips_by_created').on(t.created_at),
    reference(t.automation_id, automations, 'cascade'),
  ],
)

/**
 * How many steps ended in each state, for every version of an automation; and in the state `turn`, how many turns an assignment has drawn.
 */
export const automationCounts = pgTable(
  'automation_counts',
  { ...tenant, automation_id: uuid().notNull(), step_id: uuid().notNull(), state: text().notNull(), total: integer().notNull() },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.automation_id, t.step_id, t.state] }),
    index('automation_counts_by_automation').on(t.workspace_id, t.automation_id, t.step_id),
    reference(t.automation_id, automations, 'cascade'),
  ],
)

/** Automations that have failed, and since when: who is notified gets one email until a run has succeeded, or a day is over. */
export const automationIncidents = pgTable(
  'automation_incidents',
  {
    ...identity,
    automation_id: uuid().notNull(),
    /** The run that failed first. */
    run_id: uuid().notNull(),
    opened_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('automation_incidents_key').on(t.workspace_id, t.automation_id),
    reference(t.automation_id, automations, 'cascade'),
  ],
)
