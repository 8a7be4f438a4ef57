import { sql } from 'drizzle-orm'
import { bigint, boolean, date, integer, numeric, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core'
import { tenant } from './columns.ts'

/** The columns that distinguish the counts in all three tables. */
const key = {
  ...tenant,
  pipeline_id: uuid().notNull(),
  stage_id: uuid().notNull(),
  currency: text().notNull(),
}

/** Sums are exact: numerics, and whole milliseconds from the opening to the close of won opportunities. */
const sums = {
  value: numeric({ precision: 30, scale: 2 }).notNull(),
  weighted_value: numeric({ precision: 30, scale: 2 }).notNull(),
  won_ms: bigint({ mode: 'number' }).notNull(),
}
const totals = { count: bigint({ mode: 'number' }).notNull(), without_company: bigint({ mode: 'number' }).notNull(), ...sums }

/**
 * The change of the counts by each statement, written by a trigger and only ever inserted, so that concurrent writers never wait for each
 * other. `fold_opportunities` adds them to the totals; until then readers add them.
 */
export const opportunityDeltas = pgTable(
  'opportunity_deltas',
  {
    ...key,
    id: uuid().notNull().default(sql`uuidv7()`),
    assigned_to: uuid(),
    archived: boolean().notNull(),
    created_on: date().notNull(),
    opened_on: date(),
    closed_on: date(),
    count: integer().notNull(),
    without_company: integer().notNull(),
    ...sums,
  },
  (t) => [primaryKey({ columns: [t.workspace_id, t.pipeline_id, t.id] })],
)

/** Counts by stage for each owner and, where assigned_to is null, for everyone. */
export const opportunityTotals = pgTable(
  'opportunity_totals',
  { ...key, assigned_to: uuid(), archived: boolean().notNull(), ...totals },
  (t) => [
    unique('opportunity_totals_key')
      .on(t.workspace_id, t.pipeline_id, t.assigned_to, t.archived, t.stage_id, t.currency)
      .nullsNotDistinct(),
  ],
)

/** The same by day and by month (UTC) of each date field, so that a range of dates reads few rows. */
export const opportunityPeriods = pgTable(
  'opportunity_periods',
  {
    ...key,
    assigned_to: uuid(),
    date_field: text({ enum: ['created_at', 'opened_at', 'closed_at'] }).notNull(),
    period: text({ enum: ['day', 'month'] }).notNull(),
    starts_on: date().notNull(),
    ...totals,
  },
  (t) => [
    unique('opportunity_periods_key')
      .on(t.workspace_id, t.pipeline_id, t.assigned_to, t.date_field, t.period, t.starts_on, t.stage_id, t.currency)
      .nullsNotDistinct(),
  ],
)
