import { sql } from 'drizzle-orm'
import { index, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { ROOTS } from '../src/domain/filters/types.ts'
import { EXPORT_FORMATS, type ExportColumn } from '../src/features/exports/rules/templates.ts'
import { identity, normalised, reference, timestamps } from './columns.ts'
import { memberships } from './workspaces.ts'

/** What an export contains: its columns, its filter and its sort, as they were sent. */
export const exportTemplates = pgTable(
  'export_templates',
  {
    ...identity,
    name: text().notNull(),
    name_norm: normalised().notNull().generatedAlwaysAs(sql`norm(name)`),
    root_entity: text({ enum: ROOTS }).notNull(),
    columns: jsonb().$type<ExportColumn[]>().notNull(),
    filters: jsonb().$type<Record<string, unknown>>(),
    sort: text(),
    format: text({ enum: EXPORT_FORMATS }).notNull().default('xlsx'),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('export_templates_by_created').on(t.workspace_id, t.created_at, t.id),
    index('export_templates_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('export_templates_by_name').on(t.workspace_id, t.name_norm, t.id),
    index('export_templates_by_root').on(t.workspace_id, t.root_entity, t.created_at, t.id),
  ],
)

/** What a member exports with a template instead of its own columns, filter or sort. A policy shows views to their owner only. */
export const exportViews = pgTable(
  'export_views',
  {
    ...identity,
    template_id: uuid().notNull(),
    /** The member whose view it is, and who alone sees it. */
    private_to: uuid().notNull().default(sql`current_user_id()`),
    name: text().notNull(),
    columns: jsonb().$type<ExportColumn[]>(),
    filters: jsonb().$type<Record<string, unknown>>(),
    sort: text(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('export_views_by_template').on(t.workspace_id, t.template_id, t.private_to, t.created_at, t.id),
    index('export_views_by_owner').on(t.workspace_id, t.private_to, t.id),
    reference(t.template_id, exportTemplates, 'cascade'),
    reference(t.private_to, memberships, 'cascade'),
  ],
)
