import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { ACTIVITY_TYPES, DIRECTIONS } from '../src/features/activities/rules/activities.ts'
import type { Recurrence } from '../src/features/tasks/rules/recurrence.ts'
import { PRIORITIES, TASK_STATUSES, TASK_TYPES } from '../src/features/tasks/rules/tasks.ts'
import { byWords, identity, instant, normalised, reference, timestamps, visibleIndexes } from './columns.ts'
import { contacts } from './contacts.ts'

// An index may include a second timestamp after its sort key, so that a filter by it skips rows within the index.

/** Rows without a date sort last. `case` is used because row-level security prevents an index scan with coalesce. */
const dueAt = sql`(case when due_at is null then 'infinity'::timestamptz else due_at end)`

/** Tasks among which is the next one of a record. */
const isNext = sql`status <> 'completed' and not archived and due_at is not null`

/** Tasks. The `complete` trigger derives completed_at from status. */
export const tasks = pgTable(
  'tasks',
  {
    ...identity,
    title: text().notNull(),
    search_text: normalised().notNull().generatedAlwaysAs(sql`search_form(title || coalesce(' ' || external_id, ''))`),
    description: text(),
    task_type: text({ enum: TASK_TYPES }).notNull().default('to_do'),
    status: text({ enum: TASK_STATUSES }).notNull().default('open'),
    priority: text({ enum: PRIORITIES }).notNull().default('normal'),
    due_at: instant(),
    all_day: boolean().notNull().default(false),
    reminder_at: instant(),
    /** When the event of the reminder was written. */
    reminded_at: instant(),
    recurrence: jsonb().$type<Recurrence>(),
    /** The tasks of a series have its id, which is that of its first task, and their numbers. */
    series_id: uuid(),
    occurrence: integer(),
    /** What the next task of the series takes in place of the values of this one, which were changed for this task alone. */
    series_values: jsonb().$type<Record<string, unknown>>(),
    completed_at: instant(),
    assigned_to: uuid(),
    created_by: uuid(),
    contact_id: uuid(),
    customer_id: uuid(),
    opportunity_id: uuid(),
    external_id: text(),
    metadata: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    archived: boolean().notNull().default(false),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    // These two include search_text (0021), for search= in their order.
    index('tasks_by_created').on(t.workspace_id, t.archived, t.created_at, t.id, dueAt),
    index('tasks_by_updated').on(t.workspace_id, t.archived, t.updated_at, t.id, dueAt),
    index('tasks_by_due').on(t.workspace_id, t.archived, dueAt, t.id, t.created_at),
    index('tasks_by_rank').on(
      t.workspace_id,
      t.archived,
      sql`(case priority when 'low' then 1 when 'normal' then 2 when 'high' then 3 else 4 end)`,
      t.id,
      t.created_at,
      dueAt,
    ),
    byWords('tasks'),
    index('tasks_by_status').on(t.workspace_id, t.status, t.archived, t.created_at, t.id),
    index('tasks_by_priority').on(t.workspace_id, t.priority, t.archived, t.created_at, t.id),
    index('tasks_by_assignee').on(t.workspace_id, t.assigned_to, t.archived, t.created_at, t.id),
    index('tasks_by_creator').on(t.workspace_id, t.created_by, t.archived, t.created_at, t.id),
    index('tasks_by_contact').on(t.workspace_id, t.contact_id, t.archived, t.created_at, t.id),
    index('tasks_by_customer').on(t.workspace_id, t.customer_id, t.archived, t.created_at, t.id),
    index('tasks_by_opportunity').on(t.workspace_id, t.opportunity_id, t.created_at, t.id),
    index('tasks_unfinished').on(t.workspace_id, t.archived, dueAt, t.id, t.created_at).where(sql`status <> 'completed'`),
    // The next task of a record.
    index('tasks_next_of_contact').on(t.workspace_id, t.contact_id, t.due_at).where(sql`${isNext} and contact_id is not null`),
    index('tasks_next_of_customer').on(t.workspace_id, t.customer_id, t.due_at).where(sql`${isNext} and customer_id is not null`),
    index('tasks_next_of_opportunity').on(t.workspace_id, t.opportunity_id, t.due_at).where(sql`${isNext} and opportunity_id is not null`),
    index('tasks_by_type').on(t.workspace_id, t.task_type, t.archived, t.created_at, t.id),
    index('tasks_by_series').on(t.workspace_id, t.series_id, t.archived, t.created_at, t.id).where(sql`series_id is not null`),
    index('tasks_reminders')
      .on(t.reminder_at, t.id)
      .where(sql`reminder_at is not null and reminded_at is null and status <> 'completed' and not archived`),
    uniqueIndex('tasks_series_key').on(t.workspace_id, t.series_id, t.occurrence).where(sql`series_id is not null`),
    uniqueIndex('tasks_external_id_key').on(t.workspace_id, t.external_id),
  ],
)

/** Activities of a contact, a company or an opportunity (deal_id). An activity is deleted with its last link. */
export const activities = pgTable(
  'activities',
  {
    ...identity,
    activity_type: text({ enum: ACTIVITY_TYPES }).notNull(),
    contact_id: uuid(),
    /** The main contact and those of activity_contacts. Triggers keep it up to date. */
    contact_ids: uuid().array().notNull().default([]),
    /** Whether it has contacts besides the main one. */
    has_others: boolean().notNull().generatedAlwaysAs(sql`cardinality(contact_ids) > num_nonnulls(contact_id)`),
    customer_id: uuid(),
    deal_id: uuid(),
    subject: text(),
    body: text(),
    direction: text({ enum: DIRECTIONS }),
    duration_seconds: integer(),
    outcome: text(),
    occurred_at: instant().notNull().default(sql`now()`),
    created_by: uuid(),
    metadata: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    /** The member whose mailbox it is in, and who alone sees it; null: the team does. */
    private_to: uuid(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('activities_by_occurred').on(t.workspace_id, t.occurred_at, t.id, t.created_at),
    index('activities_by_created').on(t.workspace_id, t.created_at, t.id, t.occurred_at),
    index('activities_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('activities_by_type').on(t.workspace_id, t.activity_type, t.occurred_at, t.id),
    ...visibleIndexes('activities_%', t, [t.occurred_at, t.id]),
    // Only emails are private.
    index('activities_of_team_emails').on(t.workspace_id, t.occurred_at, t.id).where(sql`private_to is null and activity_type = 'email'`),
    index('activities_by_contact').on(t.workspace_id, t.contact_id, t.occurred_at, t.id),
    index('activities_by_customer').on(t.workspace_id, t.customer_id, t.occurred_at, t.id),
    index('activities_by_deal').on(t.workspace_id, t.deal_id, t.occurred_at, t.id),
    index('activities_by_creator').on(t.workspace_id, t.created_by, t.occurred_at, t.id),
  ],
)

/** The contacts who took part in an activity besides the main one, in the order of `rank`. */
export const activityContacts = pgTable(
  'activity_contacts',
  {
    ...identity,
    activity_id: uuid().notNull(),
    contact_id: uuid().notNull(),
    rank: integer().notNull().default(0),
    /** That of the activity; triggers copy it. */
    occurred_at: instant().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('activity_contacts_by_activity').on(t.workspace_id, t.activity_id, t.rank, t.id),
    index('activity_contacts_by_contact').on(t.workspace_id, t.contact_id, t.occurred_at, t.activity_id),
    uniqueIndex('activity_contacts_pair_key').on(t.workspace_id, t.contact_id, t.activity_id),
    reference(t.activity_id, activities, 'cascade'),
    reference(t.contact_id, contacts, 'cascade'),
  ],
)

/** Kinds of stakeholders, such as installers, and what their members can do. */
export const stakeholderTypes = pgTable(
  'stakeholder_types',
  {
    ...identity,
    name: text().notNull(),
    name_norm: normalised().notNull().generatedAlwaysAs(sql`norm(name)`),
    colour: text(),
    portal_eligible: boolean().notNull().default(false),
    commission_eligible: boolean().notNull().default(false),
    assignable_to_work_orders: boolean().notNull().default(false),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('stakeholder_types_by_created').on(t.workspace_id, t.created_at, t.id),
    uniqueIndex('stakeholder_types_name_key').on(t.workspace_id, t.name_norm),
  ],
)

export const stakeholderMembers = pgTable(
  'stakeholder_members',
  {
    ...identity,
    type_id: uuid().notNull(),
    contact_id: uuid().notNull(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('stakeholder_members_by_type').on(t.workspace_id, t.type_id, t.id),
    uniqueIndex('stakeholder_members_pair_key').on(t.workspace_id, t.contact_id, t.type_id),
  ],
)

/** A contact who is a stakeholder of an opportunity (deal_id); bucket_id is the stakeholder type. */
export const dealStakeholders = pgTable(
  'deal_stakeholders',
  {
    ...identity,
    deal_id: uuid().notNull(),
    contact_id: uuid().notNull(),
    bucket_id: uuid(),
    role: text(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('deal_stakeholders_by_deal').on(t.workspace_id, t.deal_id, t.id),
    index('deal_stakeholders_by_contact').on(t.workspace_id, t.contact_id, t.id),
    index('deal_stakeholders_by_bucket').on(t.workspace_id, t.bucket_id, t.id),
  ],
)

export const taskStakeholders = pgTable(
  'task_stakeholders',
  {
    ...identity,
    task_id: uuid().notNull(),
    contact_id: uuid().notNull(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('task_stakeholders_by_task').on(t.workspace_id, t.task_id, t.id),
    uniqueIndex('task_stakeholders_pair_key').on(t.workspace_id, t.contact_id, t.task_id),
  ],
)
