import { sql } from 'drizzle-orm'
import { boolean, index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { EMAIL_DIRECTIONS } from '../src/features/email/rules/emails.ts'
import { CONSENT_DECISIONS, CONSENT_SOURCES, PHONE_NUMBER_STATUSES, SMS_KEYWORDS } from '../src/features/sms/rules/sms.ts'
import { identity, instant, reference, timestamps } from './columns.ts'
import { contacts } from './contacts.ts'
import { messages } from './messages.ts'
import { phoneAddresses, phoneBundles, voiceAgentConfigs } from './phone.ts'
import { memberships } from './workspaces.ts'

/** The phone numbers of the workspace. A number is unique in the whole deployment, whose account has them all. */
export const phoneNumbers = pgTable(
  'phone_numbers',
  {
    ...identity,
    /** E.164. */
    phone_number: text().notNull(),
    friendly_name: text().notNull(),
    status: text({ enum: PHONE_NUMBER_STATUSES }).notNull(),
    /** The provider's id of it, as soon as it is bought. */
    provider_id: text(),
    sms_enabled: boolean().notNull().default(false),
    mms_enabled: boolean().notNull().default(false),
    voice_enabled: boolean().notNull().default(false),
    /** E.164: who is called when no agent answers. */
    transfer_number: text(),
    inbound_voice_agent_config_id: uuid(),
    outbound_voice_agent_config_id: uuid(),
    /** What its country requires of who has it. */
    address_id: uuid(),
    bundle_id: uuid(),
    /** When the voice provider last got the agents, and why it last did not. */
    voice_provider_last_synced_at: instant(),
    voice_provider_last_sync_error: text(),
    /** When the background hands the agents over again; null when the voice provider has them. */
    voice_sync_due_at: instant(),
    voice_sync_claim_id: uuid(),
    voice_sync_claimed_until: instant(),
    voice_sync_attempts: integer().notNull().default(0),
    /** Counts the attempts that have begun, so that the outcome of an earlier one does not stand for a later one. */
    voice_sync_turn: integer().notNull().default(0),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('phone_numbers_by_created').on(t.workspace_id, t.created_at, t.id),
    index('phone_numbers_by_updated').on(t.workspace_id, t.updated_at, t.id),
    uniqueIndex('phone_numbers_number_key').on(t.phone_number),
    index('phone_numbers_by_inbound_agent').on(t.workspace_id, t.inbound_voice_agent_config_id),
    index('phone_numbers_by_outbound_agent').on(t.workspace_id, t.outbound_voice_agent_config_id),
    index('phone_numbers_due').on(t.voice_sync_due_at, t.workspace_id).where(sql`voice_sync_due_at is not null`),
    index('phone_numbers_due_of').on(t.workspace_id, t.voice_sync_due_at, t.id).where(sql`voice_sync_due_at is not null`),
    index('phone_numbers_by_address').on(t.workspace_id, t.address_id),
    index('phone_numbers_by_bundle').on(t.workspace_id, t.bundle_id),
    reference(t.address_id, phoneAddresses),
    reference(t.bundle_id, phoneBundles),
    reference(t.inbound_voice_agent_config_id, voiceAgentConfigs),
    reference(t.outbound_voice_agent_config_id, voiceAgentConfigs),
  ],
)

/** Conversations by SMS: one for each number of the workspace and each number outside. */
export const smsConversations = pgTable(
  'sms_conversations',
  {
    ...identity,
    phone_number: text().notNull(),
    external_phone_number: text().notNull(),
    /** The contact that the conversation is with: it is deleted with the contact. */
    contact_id: uuid(),
    unread: boolean().notNull().default(false),
    /** That of the latest message. */
    direction: text({ enum: EMAIL_DIRECTIONS }).notNull(),
    /** The beginning of the latest message. */
    snippet: text().notNull(),
    message_count: integer().notNull().default(1),
    last_message_at: instant().notNull().default(sql`now()`),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('sms_conversations_key').on(t.workspace_id, t.external_phone_number, t.phone_number),
    index('sms_conversations_by_last_message').on(t.workspace_id, t.last_message_at, t.id),
    index('sms_conversations_by_external').on(t.workspace_id, t.external_phone_number, t.last_message_at, t.id),
    index('sms_conversations_by_number').on(t.workspace_id, t.phone_number, t.last_message_at, t.id),
    index('sms_conversations_by_contact').on(t.workspace_id, t.contact_id, t.last_message_at, t.id),
    index('sms_conversations_by_unread').on(t.workspace_id, t.unread, t.last_message_at, t.id),
    reference(t.contact_id, contacts, 'cascade'),
  ],
)

/** The messages of conversations. The text of an outbound one is in the send ledger (message_id). */
export const smsMessages = pgTable(
  'sms_messages',
  {
    ...identity,
    conversation_id: uuid().notNull(),
    direction: text({ enum: EMAIL_DIRECTIONS }).notNull(),
    /** The row of the send ledger, of an outbound message. */
    message_id: uuid(),
    /** The provider's id, of an inbound message. */
    provider_message_id: text(),
    body: text(),
    /** The pictures and other media of an inbound message, which are not stored. */
    media_count: integer().notNull().default(0),
    /** The keyword that an inbound message is: it changes whether the sender gets messages. */
    keyword: text({ enum: SMS_KEYWORDS }),
    occurred_at: instant().notNull().default(sql`now()`),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('sms_messages_by_conversation').on(t.workspace_id, t.conversation_id, t.occurred_at, t.id),
    index('sms_messages_by_message').on(t.workspace_id, t.message_id),
    uniqueIndex('sms_messages_provider_key').on(t.workspace_id, t.provider_message_id),
    reference(t.conversation_id, smsConversations, 'cascade'),
    reference(t.message_id, messages, 'cascade'),
  ],
)

/**
 * What people have decided about SMS to their numbers. A decision is never changed; the latest one of a number holds (sms-consents.sql).
 */
export const smsConsents = pgTable(
  'sms_consents',
  {
    ...identity,
    /** E.164. */
    phone_number: text().notNull(),
    /** The contact who had the number then. */
    contact_id: uuid(),
    decision: text({ enum: CONSENT_DECISIONS }).notNull(),
    source: text({ enum: CONSENT_SOURCES }).notNull(),
    evidence: text(),
    /** The member who has recorded it; null for a keyword. */
    recorded_by: uuid(),
    occurred_at: instant().notNull().default(sql`now()`),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('sms_consents_by_occurred').on(t.workspace_id, t.occurred_at, t.id),
    index('sms_consents_by_number').on(t.workspace_id, t.phone_number, t.occurred_at, t.id),
    index('sms_consents_by_contact').on(t.workspace_id, t.contact_id, t.occurred_at, t.id),
    index('sms_consents_by_decision').on(t.workspace_id, t.decision, t.occurred_at, t.id),
    reference(t.contact_id, contacts, 'cascade'),
    reference(t.recorded_by, memberships),
  ],
)
