import { sql } from 'drizzle-orm'
import { check, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { AUTO_QUEUE_STATES, LIST_ENROLMENT_STATES, type RE_ENROLMENT_MODES } from '../src/features/auto-queues/rules/auto-queues.ts'
import type { Step, Trigger } from '../src/features/automations/rules/types.ts'
import type { Duration, Window } from '../src/features/automations/rules/waits.ts'
import { identity, instant, normalised, reference, timestamps } from './columns.ts'
import { lists } from './lists.ts'

/**
 * Sequences of steps that contacts and opportunities are enrolled in. An active queue is compiled into a hidden automation of the same id.
 */
export const autoQueues = pgTable(
  'auto_queues',
  {
    ...identity,
    name: text().notNull(),
    name_norm: normalised().notNull().generatedAlwaysAs(sql`norm(name)`),
    description: text(),
    state: text({ enum: AUTO_QUEUE_STATES }).notNull().default('draft'),
    /** Why the system has deactivated it; null if a person did. */
    inactive_reason: text(),
    /** Each is a trigger: what it would start on, ends the enrolments of the record. */
    exits: jsonb().$type<Trigger[]>().notNull(),
    /** The event types of the exits. */
    exit_types: text().array().notNull(),
    re_enrolment: jsonb().$type<{ mode: (typeof RE_ENROLMENT_MODES)[number]; days?: number }>().notNull(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('auto_queues_by_created').on(t.workspace_id, t.created_at, t.id),
    index('auto_queues_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('auto_queues_by_state').on(t.workspace_id, t.state, t.created_at, t.id),
    uniqueIndex('auto_queues_name_key').on(t.workspace_id, t.name_norm),
  ],
)

/** The steps of queues, in order. Each waits, and then acts or starts an automation. */
export const autoQueueSteps = pgTable(
  'auto_queue_steps',
  {
    ...identity,
    auto_queue_id: uuid().notNull(),
    position: integer().notNull(),
    name: text(),
    delay: jsonb().$type<Duration>().notNull(),
    send_window: jsonb().$type<Window>(),
    action: jsonb().$type<Omit<Step, 'id'>>(),
    automation_id: uuid(),
    /** The id of its wait in the compiled automation; the step itself has the id of the row. */
    wait_id: uuid().notNull().default(sql`uuidv7()`),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('auto_queue_steps_by_queue').on(t.workspace_id, t.auto_queue_id, t.position, t.id),
    check('one_target', sql`num_nonnulls(action, automation_id) = 1`),
    reference(t.auto_queue_id, autoQueues, 'cascade'),
  ],
)

/** Enrolments of the members of lists, in the background. */
export const autoQueueListEnrolments = pgTable(
  'auto_queue_list_enrolments',
  {
    ...identity,
    auto_queue_id: uuid().notNull(),
    /** Null when the list has been deleted; a restore of the list sets it again. */
    list_id: uuid(),
    state: text({ enum: LIST_ENROLMENT_STATES }).notNull().default('running'),
    /** The key that asked for it, whose rights decide which records the filter of a live list finds. */
    key_id: uuid().notNull().default(sql`current_key_id()`),
    /** The last record that was read. */
    after_id: uuid().notNull().default(sql`'00000000-0000-0000-0000-000000000000'`),
    enrolled: integer().notNull().default(0),
    /** How many were not enrolled, by reason. */
    skipped: jsonb().$type<Record<string, number>>().notNull().default({}),
    error: text(),
    created_at: instant().notNull().default(sql`now()`),
    ended_at: instant(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('auto_queue_list_enrolments_by_queue').on(t.workspace_id, t.auto_queue_id, t.created_at, t.id),
    index('auto_queue_list_enrolments_by_list').on(t.workspace_id, t.list_id),
    index('auto_queue_list_enrolments_running').on(t.workspace_id, t.id).where(sql`state = 'running'`),
    index('auto_queue_list_enrolments_next').on(t.created_at, t.workspace_id).where(sql`state = 'running'`),
    reference(t.auto_queue_id, autoQueues, 'cascade'),
    reference(t.list_id, lists, 'set null'),
  ],
)
