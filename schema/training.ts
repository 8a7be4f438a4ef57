import { sql } from 'drizzle-orm'
import { index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { CARD_TYPES } from '../src/features/training/rules/training.ts'
import { identity, instant, normalised, reference, timestamps } from './columns.ts'
import { memberships } from './workspaces.ts'

/** Boards of training cards. */
export const trainingCanvases = pgTable(
  'training_canvases',
  {
    ...identity,
    name: text().notNull(),
    name_norm: normalised().notNull().generatedAlwaysAs(sql`norm(name)`),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('training_canvases_by_created').on(t.workspace_id, t.created_at, t.id),
    index('training_canvases_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('training_canvases_by_name').on(t.workspace_id, t.name_norm, t.id),
  ],
)

/** The cards of a canvas, in order. A card outlives what it shows, so that `target_id` refers to nothing. */
export const trainingCards = pgTable(
  'training_cards',
  {
    ...identity,
    canvas_id: uuid().notNull(),
    resource_type: text({ enum: CARD_TYPES }).notNull(),
    url: text().notNull(),
    target_id: uuid().generatedAlwaysAs(sql`case when resource_type in ('notepad', 'document', 'image', 'file') then url::uuid end`),
    title: text().notNull(),
    description: text(),
    sort_order: integer().notNull(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('training_cards_by_order').on(t.workspace_id, t.canvas_id, t.sort_order, t.id),
    reference(t.canvas_id, trainingCanvases, 'cascade'),
  ],
)

/** The cards that members have started. */
export const trainingProgress = pgTable(
  'training_progress',
  {
    ...identity,
    card_id: uuid().notNull(),
    user_id: uuid().notNull().default(sql`current_user_id()`),
    started_at: instant().notNull().default(sql`now()`),
    done_at: instant(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('training_progress_key').on(t.workspace_id, t.card_id, t.user_id),
    index('training_progress_by_user').on(t.workspace_id, t.user_id, t.card_id),
    reference(t.card_id, trainingCards, 'cascade'),
    reference(t.user_id, memberships, 'cascade'),
  ],
)
