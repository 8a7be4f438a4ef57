import { sql } from 'drizzle-orm'
import { boolean, customType, halfvec, index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { ENTRY_SOURCES, ENTRY_STATUSES } from '../src/features/knowledge/rules/entries.ts'
import { dueIndexes, identity, instant, reference, timestamps, work } from './columns.ts'

const lexemes = customType<{ data: string }>({ dataType: () => 'tsvector' })

/** Texts that answer questions, by subject. */
export const knowledgeBases = pgTable(
  'knowledge_bases',
  {
    ...identity,
    name: text().notNull(),
    description: text(),
    auto_resync_enabled: boolean().notNull().default(false),
    auto_resync_hours: integer().notNull().default(24),
    help_center_url: text(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('knowledge_bases_by_created').on(t.workspace_id, t.created_at, t.id),
    index('knowledge_bases_by_updated').on(t.workspace_id, t.updated_at, t.id),
  ],
)

/** A text of a knowledge base, or one whose base was deleted. When it is due, the background stores its chunks anew. */
export const knowledgeEntries = pgTable(
  'knowledge_entries',
  {
    ...identity,
    knowledge_base_id: uuid(),
    source: text({ enum: ENTRY_SOURCES }).notNull(),
    /** What a source knows it by: the address of a page, the id of an article or of a product. */
    source_key: text(),
    title: text().notNull(),
    url: text(),
    text: text().notNull().default(''),
    text_length: integer().notNull().generatedAlwaysAs(sql`char_length(text)`),
    text_sha256: text().notNull().generatedAlwaysAs(sql`text_sha256(text)`),
    status: text({ enum: ENTRY_STATUSES }).notNull().default('pending'),
    error: text(),
    chunk_count: integer().notNull().default(0),
    /** Of the page as it was read last. */
    etag: text(),
    synced_at: instant(),
    ...work,
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('knowledge_entries_by_created').on(t.workspace_id, t.created_at, t.id),
    index('knowledge_entries_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('knowledge_entries_by_base').on(t.workspace_id, t.knowledge_base_id, t.created_at, t.id),
    uniqueIndex('knowledge_entries_source_key').on(t.workspace_id, t.knowledge_base_id, t.source, t.source_key),
    ...dueIndexes('knowledge_entries', t, t.id),
    reference(t.knowledge_base_id, knowledgeBases, 'set null'),
  ],
)

/**
 * Part of a text, with its vector. Vectors are compared exactly, workspace by workspace: an index over all workspaces would miss most of a
 * small one.
 */
export const knowledgeChunks = pgTable(
  'knowledge_chunks',
  {
    ...identity,
    entry_id: uuid().notNull(),
    rank: integer().notNull(),
    heading_path: text().array().notNull(),
    text: text().notNull(),
    sha256: text().notNull(),
    lexemes: lexemes().notNull(),
    word_count: integer().notNull(),
    /** The model of the vector. */
    model: text().notNull(),
    embedding: halfvec({ dimensions: 1024 }).notNull(),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('knowledge_chunks_by_entry').on(t.workspace_id, t.entry_id, t.rank),
    index('knowledge_chunks_by_words').using('gin', t.lexemes).with({ fastupdate: false }),
    reference(t.entry_id, knowledgeEntries, 'cascade'),
  ],
)
