import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { ENROLMENT_STATUSES, TASK_STATUSES } from '../src/features/lead-gen/rules/initiatives.ts'
import { automations } from './automations.ts'
import { day, dueIndexes, identity, instant, reference, tenant, timestamps, work } from './columns.ts'
import { contacts } from './contacts.ts'
import { leadResults } from './lead-results.ts'

/** Series of steps for people who were found, with a cap and a window of emails (lead-dispatch.sql). */
export const leadInitiatives = pgTable(
  'lead_initiatives',
  {
    ...identity,
    name: text().notNull(),
    description: text(),
    is_active: boolean().notNull().default(false),
    daily_send_cap: integer().notNull().default(40),
    /** Local times, HH:MM; a window whose end is before its start is over midnight. */
    send_window_start: text().notNull().default('09:00'),
    send_window_end: text().notNull().default('17:00'),
    /** 0 is Sunday. */
    send_days: integer().array().notNull().default([1, 2, 3, 4, 5]),
    timezone: text().notNull().default('Australia/Sydney'),
    min_gap_seconds: integer().notNull().default(90),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('lead_initiatives_by_created').on(t.workspace_id, t.created_at, t.id),
    index('lead_initiatives_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('lead_initiatives_by_active').on(t.workspace_id, t.is_active, t.created_at, t.id),
  ],
)

/** The steps of initiatives. One with an action_type has an automation of its own, which is deleted with it. */
export const leadInitiativeSteps = pgTable(
  'lead_initiative_steps',
  {
    ...identity,
    initiative_id: uuid().notNull(),
    sort_order: integer().notNull(),
    action_type: text(),
    action_config: jsonb().$type<Record<string, unknown>>(),
    /** Minutes after the step before. */
    delay: integer().notNull().default(0),
    automation_id: uuid().notNull(),
    is_active: boolean().notNull().default(true),
    fired_count: integer().notNull().default(0),
    reply_count: integer().notNull().default(0),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('lead_initiative_steps_by_initiative').on(t.workspace_id, t.initiative_id, t.sort_order, t.id),
    index('lead_initiative_steps_by_automation').on(t.workspace_id, t.automation_id),
    reference(t.initiative_id, leadInitiatives, 'cascade'),
    reference(t.automation_id, automations, 'cascade'),
  ],
)

/** Who is in an initiative. A person is active in one. */
export const leadEnrolments = pgTable(
  'lead_enrolments',
  {
    ...identity,
    initiative_id: uuid().notNull(),
    lead_result_id: uuid().notNull(),
    contact_id: uuid().notNull(),
    status: text({ enum: ENROLMENT_STATUSES }).notNull().default('active'),
    end_reason: text(),
    created_at: instant().notNull().default(sql`now()`),
    ended_at: instant(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('lead_enrolments_by_initiative').on(t.workspace_id, t.initiative_id, t.created_at, t.id),
    index('lead_enrolments_by_status').on(t.workspace_id, t.initiative_id, t.status, t.created_at, t.id),
    index('lead_enrolments_by_result').on(t.workspace_id, t.lead_result_id),
    index('lead_enrolments_by_contact').on(t.workspace_id, t.contact_id),
    uniqueIndex('lead_enrolments_active_key').on(t.workspace_id, t.contact_id).where(sql`ended_at is null`),
    reference(t.initiative_id, leadInitiatives, 'cascade'),
    reference(t.lead_result_id, leadResults, 'cascade'),
    reference(t.contact_id, contacts, 'cascade'),
  ],
)

/** What an enrolment does next, and what it has done: a row for each step that it comes to. */
export const leadTasks = pgTable(
  'lead_tasks',
  {
    ...identity,
    initiative_id: uuid().notNull(),
    enrolment_id: uuid().notNull(),
    /** Null when the step was deleted after it fired. */
    step_id: uuid(),
    is_email: boolean().notNull(),
    status: text({ enum: TASK_STATUSES }).notNull().default('pending'),
    scheduled_for: instant().notNull(),
    fired_at: instant(),
    /** The day of the initiative on which its window had opened. */
    day: day(),
    reason: text(),
    run_id: uuid(),
    replied_at: instant(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('lead_tasks_pending').on(t.workspace_id, t.initiative_id, t.is_email, t.scheduled_for, t.id).where(sql`status = 'pending'`),
    index('lead_tasks_by_enrolment').on(t.workspace_id, t.enrolment_id, t.scheduled_for, t.id),
    index('lead_tasks_by_step').on(t.workspace_id, t.step_id),
    index('lead_tasks_by_initiative').on(t.workspace_id, t.initiative_id),
    reference(t.initiative_id, leadInitiatives, 'cascade'),
    reference(t.enrolment_id, leadEnrolments, 'cascade'),
    reference(t.step_id, leadInitiativeSteps, 'set null'),
  ],
)

/** The counter of each initiative: how many emails on which day, when the next one may follow, and when the background looks again. */
export const leadDispatches = pgTable(
  'lead_dispatches',
  {
    ...tenant,
    initiative_id: uuid().notNull(),
    local_date: day(),
    sent: integer().notNull().default(0),
    next_at: instant(),
    ...work,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.initiative_id] }),
    ...dueIndexes('lead_dispatches', t, t.initiative_id),
    reference(t.initiative_id, leadInitiatives, 'cascade'),
  ],
)

/** When the address that sends for the initiatives of a workspace may send the next email. */
export const leadSenders = pgTable('lead_senders', { ...tenant, next_at: instant().notNull() }, (t) => [
  primaryKey({ columns: [t.workspace_id] }),
])
