import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { RECORD_ENTITIES } from '../src/domain/records.ts'
import { MERGE_ACTIONS } from '../src/features/merges/rules/merges.ts'
import { identity, instant, recorded, tenant } from './columns.ts'

/** A field of the winner that a merge changed; `from` lists the losers that its value comes from. */
export type FieldMerge = { before: unknown; after: unknown; from: string[] }
/** A row that an undo left unchanged, and why. */
export type ChangedSince = { table: string; id: string; field: string | null; reason: 'changed' | 'deleted' | 'taken' | 'gone' }
export type Loser = { id: string; name: string; email: string | null; phone: string | null; external_id: string | null }

/** Merges and their effects, written only by merge_records and unmerge_records. */
export const merges = pgTable(
  'merges',
  {
    ...identity,
    entity: text({ enum: RECORD_ENTITIES }).notNull(),
    winner_id: uuid().notNull(),
    losers: jsonb().$type<Loser[]>().notNull().default([]),
    moved: jsonb().$type<Record<string, number>>().notNull().default({}),
    dropped: jsonb().$type<Record<string, number>>().notNull().default({}),
    left_behind: jsonb().$type<Record<string, { unlinked: number; deleted: number }>>().notNull().default({}),
    forced_categories: text().array().notNull().default([]),
    field_changes: recorded<Record<string, FieldMerge>>()().notNull().default({}),
    request_id: text(),
    merged_by: uuid(),
    created_at: instant().notNull().default(sql`now()`),
    undone: boolean().notNull().default(false),
    /** The undo data of the merge is still stored. */
    undoable: boolean().notNull().default(true),
    undone_at: instant(),
    undone_by: uuid(),
    changed_since: jsonb().$type<ChangedSince[]>().notNull().default([]),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('merges_by_created').on(t.workspace_id, t.entity, t.created_at, t.id),
    index('merges_by_undone').on(t.workspace_id, t.entity, t.undone, t.created_at, t.id),
    index('merges_undoable').on(t.created_at).where(sql`undoable`),
    index('merges_by_winner').on(t.workspace_id, t.winner_id, t.created_at, t.id),
  ],
)

/**
 * The effect of a merge on each row, for undo. `before` is the whole row if it was deleted, otherwise the changed columns; `after` holds
 * their new values. `survivor` is the row that a dropped duplicate was equal to.
 */
export const mergeEntries = pgTable(
  'merge_entries',
  {
    ...tenant,
    merge_id: uuid().notNull(),
    table_name: text().notNull(),
    row_id: uuid().notNull(),
    action: text({ enum: MERGE_ACTIONS }).notNull(),
    category: text(),
    place: integer().notNull(),
    survivor: uuid(),
    before: jsonb().notNull(),
    after: jsonb().notNull(),
    /** The reason why an undo left the row unchanged. */
    outcome: text(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.merge_id, t.table_name, t.row_id] }),
    index('merge_entries_by_loser').on(t.workspace_id, t.row_id).where(sql`action = 'merged'`),
  ],
)
