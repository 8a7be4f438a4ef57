import { sql } from 'drizzle-orm'
import { boolean, customType, halfvec, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { COPY_STATUSES, ENTRY_SOURCES, ENTRY_STATUSES } from '../src/features/knowledge/rules/entries.ts'
import type { LastSyncs } from '../src/features/knowledge/rules/syncs.ts'
import { dueIndexes, identity, instant, reference, timestamps, work } from './columns.ts'
import { voiceAgentConfigs } from './phone.ts'

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
    /** What the latest synchronisation of each source has done. */
    last_syncs: jsonb().$type<LastSyncs>().notNull().default({}),
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
    /** The digest of the source as it was read last, by which a change of it is known; an edited text keeps it. */
    source_sha256: text(),
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

/** Which agents answer from which bases. */
export const knowledgeAgents = pgTable(
  'knowledge_agents',
  {
    ...identity,
    knowledge_base_id: uuid().notNull(),
    agent_id: uuid().notNull(),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('knowledge_agents_key').on(t.workspace_id, t.knowledge_base_id, t.agent_id),
    index('knowledge_agents_by_base').on(t.workspace_id, t.knowledge_base_id, t.created_at, t.id),
    index('knowledge_agents_by_agent').on(t.workspace_id, t.agent_id, t.knowledge_base_id),
    reference(t.knowledge_base_id, knowledgeBases, 'cascade'),
    reference(t.agent_id, voiceAgentConfigs, 'cascade'),
  ],
)

/**
 * The copy of a base at the voice provider. What it should contain follows from the base; when it is due, the background compares the two.
 * A copy whose base was deleted, or that no voice agent needs any more, is deleted there, and then its row.
 */
export const knowledgeCopies = pgTable(
  'knowledge_copies',
  {
    ...identity,
    knowledge_base_id: uuid(),
    /** Null until the provider has made it. */
    provider_kb_id: text(),
    /** It stays without a voice agent: it was there before, or was made by itself. */
    is_kept: boolean().notNull().default(false),
    /** The pages that the provider had when it was adopted, which are entries since. */
    imported_urls: text().array().notNull().default([]),
    /** What the entries are called that the provider has (knowledge_copy_key). */
    provider_keys: text().array().notNull().default([]),
    status: text({ enum: COPY_STATUSES }).notNull().default('pending'),
    error: text(),
    ...work,
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('knowledge_copies_base_key').on(t.workspace_id, t.knowledge_base_id),
    uniqueIndex('knowledge_copies_provider_key').on(t.provider_kb_id),
    index('knowledge_copies_by_created').on(t.workspace_id, t.created_at, t.id),
    ...dueIndexes('knowledge_copies', t, t.id),
    reference(t.knowledge_base_id, knowledgeBases, 'set null'),
  ],
)
