import { sql } from 'drizzle-orm'
import { index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { MEDIA_STATUSES } from '../src/features/message-media/rules/message-media.ts'
import { dueIndexes, identity, instant, reference, work } from './columns.ts'
import { attachments } from './opportunity-parts.ts'
import { smsMessages } from './sms.ts'
import { whatsappMessages } from './whatsapp.ts'

/**
 * The files of messages. One that was received is in R2 under the id as soon as it is stored; a message that was sent has files of records
 * (source_id).
 */
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
    ...work,
    due_at: instant().default(sql`now()`),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('message_media_by_sms').on(t.workspace_id, t.sms_message_id, t.rank, t.id).where(sql`sms_message_id is not null`),
    index('message_media_by_whatsapp').on(t.workspace_id, t.whatsapp_message_id, t.rank, t.id).where(sql`whatsapp_message_id is not null`),
    index('message_media_stored_of_sms')
      .on(t.workspace_id, t.created_at, t.id)
      .where(sql`status = 'stored' and sms_message_id is not null`),
    index('message_media_stored_of_whatsapp')
      .on(t.workspace_id, t.created_at, t.id)
      .where(sql`status = 'stored' and whatsapp_message_id is not null`),
    ...dueIndexes('message_media', t, t.id),
    index('message_media_by_source').on(t.workspace_id, t.source_id).where(sql`source_id is not null`),
    reference(t.source_id, attachments, 'set null'),
    reference(t.sms_message_id, smsMessages, 'cascade'),
    reference(t.whatsapp_message_id, whatsappMessages, 'cascade'),
  ],
)
