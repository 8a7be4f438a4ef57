import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { RUN_STATUSES, SKILL_STATUSES, SKILL_VISIBILITIES, type TracedCall } from '../src/features/models/rules/skills.ts'
import { day, identity, instant, normalised, tenant, timestamps } from './columns.ts'

/** What a model is to do with an input: its instructions, its tools, and the form of what it takes and returns. */
export const skills = pgTable(
  'skills',
  {
    ...identity,
    name: text().notNull(),
    description: text(),
    model: text({ enum: ['standard', 'small'] })
      .notNull()
      .default('standard'),
    system_prompt: text().notNull(),
    /** The operations that the model may call, by operationId. */
    tools: text().array().notNull().default([]),
    input_schema: jsonb().$type<Record<string, unknown>>(),
    output_schema: jsonb().$type<Record<string, unknown>>(),
    max_steps: integer().notNull(),
    credits_per_run: integer().notNull(),
    name_norm: normalised().notNull().generatedAlwaysAs(sql`norm(name)`),
    visibility: text({ enum: SKILL_VISIBILITIES }).notNull().default('private'),
    status: text({ enum: SKILL_STATUSES }).notNull().default('draft'),
    credits_per_day: integer(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('skills_name_key').on(t.workspace_id, t.name_norm),
    index('skills_by_created').on(t.workspace_id, t.created_at, t.id),
    index('skills_by_updated').on(t.workspace_id, t.updated_at, t.id),
  ],
)

/** The log of runs, for 30 days. A run reserves its credits when it begins, and is settled once (skill-runs.sql). */
export const skillRuns = pgTable(
  'skill_runs',
  {
    ...identity,
    /** Of this workspace or a public one. No foreign key: the log remains. */
    skill_id: uuid().notNull(),
    key_id: uuid().notNull(),
    status: text({ enum: RUN_STATUSES }).notNull().default('running'),
    output: jsonb(),
    tool_calls: jsonb().$type<TracedCall[]>().notNull().default([]),
    error: jsonb().$type<{ code: string; message: string }>(),
    steps: integer().notNull().default(0),
    input_tokens: integer().notNull().default(0),
    output_tokens: integer().notNull().default(0),
    /** Whether the tokens are an estimate, because the provider has not reported those of each step. */
    is_estimate: boolean().notNull().default(false),
    credits_reserved: integer().notNull(),
    /** What it has cost so far. */
    credits: integer().notNull().default(0),
    created_at: instant().notNull().default(sql`now()`),
    ended_at: instant(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('skill_runs_open').on(t.created_at).where(sql`status = 'running'`),
    index('skill_runs_by_age').using('brin', t.id).with({ pages_per_range: 16, autosummarize: true }),
  ],
)

/** The credits that models have used, or reserved, on a day (UTC): of a skill, or with the id of the workspace of all. */
export const modelDays = pgTable(
  'model_days',
  { ...tenant, day: day().notNull(), subject_id: uuid().notNull(), credits: integer().notNull() },
  (t) => [primaryKey({ columns: [t.workspace_id, t.day, t.subject_id] }), index('model_days_by_age').on(t.day)],
)
