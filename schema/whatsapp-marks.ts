import { sql } from 'drizzle-orm'
import { index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { REACTION_STATUSES } from '../src/domain/whatsapp/reactions.ts'
import { identity, instant, reference } from './columns.ts'
import { whatsappConversations, whatsappMessages } from './whatsapp.ts'

/** What the background does with a row: when it does so next, null when there is nothing to do, how often it has tried, and who is at it until due_at. */
const work = {
  due_at: instant().default(sql`now()`),
  attempts: integer().notNull().default(0),
  claim_id: uuid(),
  /** Rises with each change, so that an attempt that a change has overtaken is known. */
  turn: integer().notNull().default(0),
  error: text(),
}

/** The reaction from here to a message: the emoji that WhatsApp is to show, or none (whatsapp-marks.sql). Those that people make at their phones are messages of the type `reaction`. */
export const whatsappReactions = pgTable(
  'whatsapp_reactions',
  {
    ...identity,
    whatsapp_message_id: uuid().notNull(),
    emoji: text().notNull(),
    status: text({ enum: REACTION_STATUSES }).notNull().default('queued'),
    reacted_at: instant().notNull().default(sql`now()`),
    ...work,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('whatsapp_reactions_key').on(t.workspace_id, t.whatsapp_message_id),
    index('whatsapp_reactions_due').on(t.due_at, t.workspace_id).where(sql`due_at is not null`),
    index('whatsapp_reactions_due_of').on(t.workspace_id, t.due_at, t.id).where(sql`due_at is not null`),
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
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('whatsapp_reads_key').on(t.workspace_id, t.conversation_id),
    index('whatsapp_reads_due').on(t.due_at, t.workspace_id).where(sql`due_at is not null`),
    index('whatsapp_reads_due_of').on(t.workspace_id, t.due_at, t.id).where(sql`due_at is not null`),
    reference(t.conversation_id, whatsappConversations, 'cascade'),
  ],
)
