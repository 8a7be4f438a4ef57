import { sql } from 'drizzle-orm'
import { integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { REACTION_STATUSES } from '../src/features/whatsapp/rules/reactions.ts'
import { dueIndexes, identity, instant, reference, work } from './columns.ts'
import { whatsappConversations, whatsappMessages } from './whatsapp.ts'

/**
 * The reaction from here to a message: the emoji that WhatsApp is to show, or none (whatsapp-marks.sql). Those that people make at their
 * phones are messages of the type `reaction`.
 */
export const whatsappReactions = pgTable(
  'whatsapp_reactions',
  {
    ...identity,
    whatsapp_message_id: uuid().notNull(),
    emoji: text().notNull(),
    status: text({ enum: REACTION_STATUSES }).notNull().default('queued'),
    reacted_at: instant().notNull().default(sql`now()`),
    ...work,
    due_at: instant().default(sql`now()`),
    error: text(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('whatsapp_reactions_key').on(t.workspace_id, t.whatsapp_message_id),
    ...dueIndexes('whatsapp_reactions', t, t.id),
    reference(t.whatsapp_message_id, whatsappMessages, 'cascade'),
  ],
)

/** The read receipts that the other person of a conversation is still to get: for the latest messages received up to a time. */
export const whatsappReads = pgTable(
  'whatsapp_reads',
  {
    ...identity,
    conversation_id: uuid().notNull(),
    /** How many messages are left. */
    unread: integer().notNull(),
    /** They are the latest ones up to this time, and at it before this id. */
    until_at: instant().notNull(),
    until_id: uuid(),
    ...work,
    due_at: instant().default(sql`now()`),
    error: text(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('whatsapp_reads_key').on(t.workspace_id, t.conversation_id),
    ...dueIndexes('whatsapp_reads', t, t.id),
    reference(t.conversation_id, whatsappConversations, 'cascade'),
  ],
)
