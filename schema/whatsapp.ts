import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { INBOUND_STATES } from '../src/features/email/rules/emails.ts'
import { WHATSAPP_MESSAGE_TYPES } from '../src/features/whatsapp/rules/content.ts'
import type { GroupMember } from '../src/features/whatsapp/rules/conversations.ts'
import { CONVERSATION_STATUSES, WHATSAPP_DIRECTIONS, WHATSAPP_STATUSES } from '../src/features/whatsapp/rules/conversations.ts'
import type { WhatsAppEvent } from '../src/features/whatsapp/rules/events.ts'
import { PAIRING_STATES } from '../src/features/whatsapp/rules/pairing.ts'
import { bytes, identity, instant, reference, tenant, timestamps } from './columns.ts'
import { companies, contacts } from './contacts.ts'
import { messages } from './messages.ts'
import { opportunities } from './opportunities.ts'

/**
 * The pairing of the workspace with a phone, of which there is at most one. Its Durable Object changes it
 * (src/features/whatsapp/plans/watch.ts).
 */
export const whatsappPairings = pgTable(
  'whatsapp_pairings',
  {
    ...identity,
    /** The name of the connection at the provider. */
    instance_name: text().notNull(),
    /** The token of the path to which the provider reports, sealed, and its hash. Null until the connection is made. */
    sealed_token: text(),
    token_hash: bytes(),
    status: text({ enum: PAIRING_STATES }).notNull().default('connecting'),
    qr_image: text(),
    qr_number: integer().notNull().default(0),
    qr_expires_at: instant(),
    attempts: integer().notNull().default(0),
    phone_number: text(),
    display_name: text(),
    connected_at: instant(),
    error: text(),
    /** When the watch looks at the provider next. */
    due_at: instant().default(sql`now()`),
    /** Messages up to this time were compared with those of the provider. */
    compared_until: instant(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('whatsapp_pairings_key').on(t.workspace_id),
    uniqueIndex('whatsapp_pairings_token').on(t.token_hash),
    index('whatsapp_pairings_due').on(t.due_at).where(sql`due_at is not null`),
  ],
)

/** Conversations with one person each: by number, or by the id of a person whose number is hidden. */
export const whatsappConversations = pgTable(
  'whatsapp_conversations',
  {
    ...identity,
    /** E.164. */
    external_phone_number: text(),
    lid: text(),
    name: text(),
    /** The contact that it is with: it is deleted with the contact. */
    contact_id: uuid(),
    status: text({ enum: CONVERSATION_STATUSES }).notNull().default('active'),
    unread: boolean().notNull().default(false),
    unread_count: integer().notNull().default(0),
    direction: text({ enum: WHATSAPP_DIRECTIONS }),
    snippet: text().notNull().default(''),
    message_count: integer().notNull().default(0),
    last_message_at: instant().notNull().default(sql`now()`),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('whatsapp_conversations_by_last_message').on(t.workspace_id, t.last_message_at, t.id, t.created_at),
    index('whatsapp_conversations_by_created').on(t.workspace_id, t.created_at, t.id, t.last_message_at),
    index('whatsapp_conversations_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('whatsapp_conversations_by_status').on(t.workspace_id, t.status, t.last_message_at, t.id),
    index('whatsapp_conversations_by_unread').on(t.workspace_id, t.unread, t.last_message_at, t.id),
    index('whatsapp_conversations_by_contact').on(t.workspace_id, t.contact_id, t.last_message_at, t.id),
    uniqueIndex('whatsapp_conversations_number_key').on(t.workspace_id, t.external_phone_number),
    uniqueIndex('whatsapp_conversations_lid_key').on(t.workspace_id, t.lid),
    reference(t.contact_id, contacts, 'cascade'),
  ],
)

/** Groups that the paired phone belongs or belonged to, with their members as the provider has last listed them. */
export const whatsappGroups = pgTable(
  'whatsapp_groups',
  {
    ...identity,
    jid: text().notNull(),
    name: text().notNull(),
    description: text(),
    members: jsonb().$type<GroupMember[]>().notNull().default([]),
    member_count: integer().notNull().default(0),
    members_updated_at: instant(),
    /** The phone no longer belongs to it: nothing can be sent to it. */
    is_left: boolean().notNull().default(false),
    linked_deal_id: uuid(),
    linked_customer_id: uuid(),
    unlinked: boolean().notNull().generatedAlwaysAs(sql`linked_deal_id is null and linked_customer_id is null`),
    unread: boolean().notNull().default(false),
    unread_count: integer().notNull().default(0),
    direction: text({ enum: WHATSAPP_DIRECTIONS }),
    snippet: text().notNull().default(''),
    message_count: integer().notNull().default(0),
    last_message_at: instant().notNull().default(sql`now()`),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('whatsapp_groups_by_last_message').on(t.workspace_id, t.last_message_at, t.id, t.created_at),
    index('whatsapp_groups_by_created').on(t.workspace_id, t.created_at, t.id, t.last_message_at),
    index('whatsapp_groups_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('whatsapp_groups_by_deal').on(t.workspace_id, t.linked_deal_id, t.last_message_at, t.id).where(sql`linked_deal_id is not null`),
    index('whatsapp_groups_by_customer')
      .on(t.workspace_id, t.linked_customer_id, t.last_message_at, t.id)
      .where(sql`linked_customer_id is not null`),
    index('whatsapp_groups_by_unlinked').on(t.workspace_id, t.unlinked, t.last_message_at, t.id),
    uniqueIndex('whatsapp_groups_jid_key').on(t.workspace_id, t.jid),
    reference(t.linked_deal_id, opportunities, 'set null'),
    reference(t.linked_customer_id, companies, 'set null'),
  ],
)

/** The messages of conversations and groups. One that was sent from here has a row of the send ledger (message_id). */
export const whatsappMessages = pgTable(
  'whatsapp_messages',
  {
    ...identity,
    conversation_id: uuid(),
    group_id: uuid(),
    direction: text({ enum: WHATSAPP_DIRECTIONS }).notNull(),
    message_id: uuid(),
    /** The id of the message in its chat; null until it is sent. */
    key_id: text(),
    /** The contact who has written it. */
    contact_id: uuid(),
    sender_phone: text(),
    sender_name: text(),
    type: text({ enum: WHATSAPP_MESSAGE_TYPES }).notNull().default('text'),
    body_text: text().notNull(),
    media_type: text(),
    media_name: text(),
    media_size: integer(),
    quoted_key_id: text(),
    status: text({ enum: WHATSAPP_STATUSES }).notNull(),
    is_deleted: boolean().notNull().default(false),
    occurred_at: instant().notNull().default(sql`now()`),
    created_at: instant().notNull().default(sql`now()`),
    /** Who has written a message of a group, as WhatsApp names them in its key: by number, or by a hidden id. */
    sender_jid: text(),
    /** When its writer has last changed it. */
    edited_at: instant(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('whatsapp_messages_by_conversation').on(t.workspace_id, t.conversation_id, t.occurred_at, t.id),
    index('whatsapp_messages_by_group').on(t.workspace_id, t.group_id, t.occurred_at, t.id),
    index('whatsapp_messages_by_message').on(t.workspace_id, t.message_id),
    index('whatsapp_messages_by_contact').on(t.workspace_id, t.contact_id),
    index('whatsapp_messages_by_key').on(t.workspace_id, t.key_id),
    index('whatsapp_messages_reactions').on(t.workspace_id, t.quoted_key_id, t.occurred_at, t.id).where(sql`type = 'reaction'`),
    uniqueIndex('whatsapp_messages_conversation_key').on(t.workspace_id, t.conversation_id, t.key_id),
    uniqueIndex('whatsapp_messages_group_key').on(t.workspace_id, t.group_id, t.key_id),
    reference(t.conversation_id, whatsappConversations, 'cascade'),
    reference(t.group_id, whatsappGroups, 'cascade'),
    reference(t.message_id, messages, 'cascade'),
    reference(t.contact_id, contacts, 'cascade'),
  ],
)

/** Receipts that came before the message that they are about; `queued`: the message was deleted with its contact. */
export const whatsappReceipts = pgTable(
  'whatsapp_receipts',
  {
    ...tenant,
    key_id: text().notNull(),
    status: text({ enum: WHATSAPP_STATUSES }).notNull(),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [primaryKey({ columns: [t.workspace_id, t.key_id] }), index('whatsapp_receipts_by_age').on(t.created_at)],
)

/** What the provider has reported, until it is processed. */
export const whatsappEvents = pgTable(
  'whatsapp_events',
  {
    ...identity,
    event: jsonb().$type<WhatsAppEvent>(),
    state: text({ enum: INBOUND_STATES }).notNull().default('received'),
    error: text(),
    created_at: instant().notNull().default(sql`now()`),
    ended_at: instant(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('whatsapp_events_waiting').on(t.created_at).where(sql`state = 'received'`),
    index('whatsapp_events_by_age').using('brin', t.id).with({ pages_per_range: 16, autosummarize: true }),
  ],
)
