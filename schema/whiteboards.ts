import { sql } from 'drizzle-orm'
import { bigint, index, integer, json, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { byWords, identity, instant, normalised, reference, tenant, timestamps } from './columns.ts'
import { opportunities } from './opportunities.ts'

/**
 * Drawing boards. Their contents are rows of whiteboard_elements and whiteboard_scenes, which have no foreign key to the board, so that a
 * deletion costs the same for every board; schema/functions/whiteboards.sql removes them when the board can no longer be restored.
 */
export const whiteboards = pgTable(
  'whiteboards',
  {
    ...identity,
    name: text().notNull(),
    name_norm: normalised().notNull().generatedAlwaysAs(sql`norm(name)`),
    search_text: normalised().notNull().generatedAlwaysAs(sql`search_form(name)`),
    description: text(),
    opportunity_id: uuid(),
    /** What history has of the content. */
    element_count: integer().notNull().default(0),
    content_length: integer().notNull().default(0),
    content_sha256: text(),
    /** Counts how often the content was replaced. */
    generation: integer().notNull().default(0),
    /** The number of the fractional index after those of all elements. */
    next_index: bigint({ mode: 'number' }).notNull().default(0),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('whiteboards_by_created').on(t.workspace_id, t.created_at, t.id),
    index('whiteboards_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('whiteboards_by_name').on(t.workspace_id, t.name_norm, t.id),
    index('whiteboards_by_opportunity').on(t.workspace_id, t.opportunity_id, t.created_at, t.id),
    byWords('whiteboards'),
    reference(t.opportunity_id, opportunities, 'set null'),
  ],
)

/** What a board has besides elements, and for a generation that was replaced, what its elements were. */
export const whiteboardScenes = pgTable(
  'whiteboard_scenes',
  {
    ...identity,
    whiteboard_id: uuid().notNull(),
    generation: integer().notNull(),
    app_state: json().$type<Record<string, unknown>>().notNull(),
    files: json().$type<Record<string, unknown>>().notNull(),
    element_count: integer().notNull().default(0),
    content_length: integer().notNull().default(0),
    content_sha256: text(),
    created_at: instant().notNull().default(sql`now()`),
    replaced_at: instant(),
    /** The member in whose name it was replaced. */
    replaced_by: uuid(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('whiteboard_scenes_generation_key').on(t.workspace_id, t.whiteboard_id, t.generation),
  ],
)

/**
 * An element of a board from the generation in which it was `added` until the one in which it was `removed`, so that earlier versions cost
 * only what has changed. `index_key` is the fractional index, by which elements are in order.
 */
export const whiteboardElements = pgTable(
  'whiteboard_elements',
  {
    ...tenant,
    whiteboard_id: uuid().notNull(),
    element_id: text().notNull(),
    added: integer().notNull(),
    removed: integer(),
    index_key: normalised().notNull(),
    data: json().$type<Record<string, unknown>>().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.whiteboard_id, t.element_id, t.added] }),
    uniqueIndex('whiteboard_elements_current_key').on(t.workspace_id, t.whiteboard_id, t.element_id).where(sql`removed is null`),
  ],
)
