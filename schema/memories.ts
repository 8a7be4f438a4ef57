import { sql } from 'drizzle-orm'
import { check, customType, halfvec, index, type PgTable, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { MEMORY_SOURCES } from '../src/features/memory/rules/memory.ts'
import { dueIndexes, identity, instant, normalised, reference, tenant, timestamps, work } from './columns.ts'
import { companies, contacts } from './contacts.ts'
import { opportunities } from './opportunities.ts'

const lexemes = customType<{ data: string }>({ dataType: () => 'tsvector' })

/**
 * Facts that agents and members remember, about one record or about the workspace. A fact holds from valid_from until valid_until; a later
 * one with the same subject and topic ends it (supersede_memories).
 */
export const memories = pgTable(
  'memories',
  {
    ...identity,
    contact_id: uuid(),
    customer_id: uuid(),
    opportunity_id: uuid(),
    /** The subject, whatever kind it has; of a fact about the workspace the workspace. */
    subject_id: uuid().notNull().generatedAlwaysAs(sql`coalesce(contact_id, customer_id, opportunity_id, workspace_id)`),
    topic: text(),
    topic_norm: normalised().generatedAlwaysAs(sql`norm(topic)`),
    text: text().notNull(),
    /** What texts with the same words have in common. */
    text_key: text().notNull().generatedAlwaysAs(sql`memory_text_key(text)`),
    lexemes: lexemes().notNull().generatedAlwaysAs(sql`chunk_lexemes(workspace_id, coalesce(topic || ' ', '') || text)`),
    source_type: text({ enum: MEMORY_SOURCES }).notNull(),
    /** No foreign key: a message or a run may be gone before what was learnt from it. */
    source_id: uuid().notNull(),
    valid_from: instant().notNull().default(sql`now()`),
    valid_until: instant(),
    superseded_by_id: uuid(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('memories_by_created').on(t.workspace_id, t.created_at, t.id),
    index('memories_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('memories_by_contact').on(t.workspace_id, t.contact_id, t.created_at, t.id),
    index('memories_by_customer').on(t.workspace_id, t.customer_id, t.created_at, t.id),
    index('memories_by_opportunity').on(t.workspace_id, t.opportunity_id, t.created_at, t.id),
    index('memories_by_source').on(t.workspace_id, t.source_id, t.created_at, t.id),
    index('memories_by_source_type').on(t.workspace_id, t.source_type, t.created_at, t.id),
    index('memories_by_topic').on(t.workspace_id, t.subject_id, t.topic_norm, t.valid_from),
    index('memories_by_text').on(t.workspace_id, t.subject_id, t.text_key),
    index('memories_by_successor').on(t.workspace_id, t.superseded_by_id).where(sql`superseded_by_id is not null`),
    check('memories_subject', sql`num_nonnulls(contact_id, customer_id, opportunity_id) <= 1`),
    check('memories_validity', sql`valid_until >= valid_from`),
    reference(t.contact_id, contacts, 'cascade'),
    reference(t.customer_id, companies, 'cascade'),
    reference(t.opportunity_id, opportunities, 'cascade'),
    reference(t.superseded_by_id, itself(), 'set null'),
  ],
)

/** Its type does not depend on the references within the table. */
const itself = (): PgTable => memories

/**
 * The vector of a memory, as soon as there is one: `model` is null until then. Vectors are compared exactly, workspace by workspace: an
 * index over all workspaces would miss most of a small one.
 */
export const memoryVectors = pgTable(
  'memory_vectors',
  {
    ...tenant,
    /** That of the memory. */
    id: uuid().notNull(),
    model: text(),
    embedding: halfvec({ dimensions: 1024 }),
    error: text(),
    ...work,
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('memory_vectors_by_model').on(t.workspace_id, t.model, t.id),
    check('memory_vectors_model', sql`(model is null) = (embedding is null)`),
    ...dueIndexes('memory_vectors', t, t.id),
    reference(t.id, memories, 'cascade'),
  ],
)
