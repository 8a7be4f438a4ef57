import { sql } from 'drizzle-orm'
import { index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { MEDIA_STATUSES } from '../src/domain/message-media.ts'
import { identity, instant, reference } from './columns.ts'
import { attachments } from './opportunity-parts.ts'
import { smsMessages } from './sms.ts'
import { whatsappMessages } from './whatsapp.ts'

/** The files of messages. One that was received is in R2 under the id as soon as it is stored; a message that was sent has files of records (source_id). */
export const messageMedia = pgTable(
  'message_media',
  {
    ...identity,
    /** The message: an SMS or a message of WhatsApp. */
    sms_message_id: uuid(),
    whatsapp_message_id: uuid(),
    rank: integer().notNull().default(0),
    status: text({ enum: MEDIA_STATUSES }).notNull().default('waiting'),
    /** What the provider knows it by, of a received one. */
    source: text().notNull().default(''),
    /** The attachment of a record that was sent; null once that is deleted. */
    source_id: uuid(),
    name: text(),
    content_type: text(),
    size: integer(),
    error: text(),
    /** When the background tries to fetch it next; null when it has ended. */
    due_at: instant().default(sql`now()`),
    attempts: integer().notNull().default(0),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('message_media_by_sms').on(t.workspace_id, t.sms_message_id, t.rank, t.id).where(sql`sms_message_id is not null`),
    index('message_media_by_whatsapp').on(t.workspace_id, t.whatsapp_message_id, t.rank, t.id).where(sql`whatsapp_message_id is not null`),
    index('message_media_due').on(t.due_at, t.workspace_id).where(sql`due_at is not null`),
    index('message_media_due_of').on(t.workspace_id, t.due_at, t.id).where(sql`due_at is not null`),
    index('message_media_by_source').on(t.workspace_id, t.source_id).where(sql`source_id is not null`),
    reference(t.source_id, attachments, 'set null'),
    reference(t.sms_message_id, smsMessages, 'cascade'),
    reference(t.whatsapp_message_id, whatsappMessages, 'cascade'),
  ],
)
