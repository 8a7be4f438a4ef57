import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import {
  ACTIONS,
  CATEGORIES,
  CONTEXT_MODULES,
  IDENTITY_KINDS,
  MODES,
  OUTCOMES,
  RESPONDER_CHANNELS,
  type TriageActions,
} from '../src/features/auto-responders/rules/auto-responders.ts'
import { dueIndexes, identity, instant, reference, timestamps, work } from './columns.ts'
import { conversations } from './conversations.ts'
import { emailConfigs } from './email.ts'
import { knowledgeBases } from './knowledge.ts'
import { phoneNumbers } from './sms.ts'

/** What is done about messages to a phone number or an email config. */
export const autoResponders = pgTable(
  'auto_responders',
  {
    ...identity,
    identity_kind: text({ enum: IDENTITY_KINDS }).notNull(),
    phone_number_id: uuid(),
    email_config_id: uuid(),
    identity_ref: uuid().notNull().generatedAlwaysAs(sql`coalesce(phone_number_id, email_config_id)`),
    channel: text({ enum: RESPONDER_CHANNELS })
      .notNull()
      .generatedAlwaysAs(sql`case identity_kind when 'phone' then 'sms' else 'email' end`),
    enabled: boolean().notNull().default(false),
    mode: text({ enum: MODES }).notNull().default('draft'),
    instructions: text(),
    tone: text(),
    knowledge_base_id: uuid(),
    context_modules: text({ enum: CONTEXT_MODULES }).array().notNull().default([]),
    /** The operations that the model may call, by operationId. All of them read. */
    tools: text().array().notNull().default([]),
    tool_scopes: text().array().notNull().default([]),
    triage_actions: jsonb().$type<TriageActions>().notNull().default({}),
    /** The key with whose rights it acts: the one that has written it last. */
    key_id: uuid(),
    /** Why it cannot act. */
    error: text(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('auto_responders_by_created').on(t.workspace_id, t.created_at, t.id),
    index('auto_responders_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('auto_responders_by_channel').on(t.workspace_id, t.channel, t.created_at, t.id),
    index('auto_responders_by_enabled').on(t.workspace_id, t.enabled, t.created_at, t.id),
    uniqueIndex('auto_responders_identity_key').on(t.workspace_id, t.identity_ref),
    index('auto_responders_by_phone_number').on(t.workspace_id, t.phone_number_id),
    index('auto_responders_by_email_config').on(t.workspace_id, t.email_config_id),
    index('auto_responders_by_base').on(t.workspace_id, t.knowledge_base_id),
    check('auto_responders_one_identity', sql`num_nonnulls(phone_number_id, email_config_id) = 1`),
    check('auto_responders_kind', sql`(identity_kind = 'phone') = (phone_number_id is not null)`),
    reference(t.phone_number_id, phoneNumbers, 'cascade'),
    reference(t.email_config_id, emailConfigs, 'cascade'),
    reference(t.knowledge_base_id, knowledgeBases, 'set null'),
  ],
)

/** The log of what was done about the messages of a conversation, for 90 days. Without an outcome it waits, or is under way. */
export const autoReplies = pgTable(
  'auto_replies',
  {
    ...identity,
    auto_responder_id: uuid().notNull(),
    /** Its email thread or SMS conversation. */
    conversation_id: uuid().notNull(),
    /** The latest message: of the conversation when it was received, and the one that was read when there is an outcome. */
    incoming_id: uuid().notNull(),
    /** The run that reserves its credits. */
    run_id: uuid(),
    category: text({ enum: CATEGORIES }),
    action: text({ enum: ACTIONS }),
    outcome: text({ enum: OUTCOMES }),
    reason: text(),
    approval_id: uuid(),
    credits: integer().notNull().default(0),
    created_at: instant().notNull().default(sql`now()`),
    ended_at: instant(),
    ...work,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('auto_replies_open').on(t.workspace_id, t.conversation_id).where(sql`outcome is null`),
    index('auto_replies_by_conversation').on(t.workspace_id, t.conversation_id, t.created_at),
    index('auto_replies_by_responder').on(t.workspace_id, t.auto_responder_id),
    index('auto_replies_by_age').using('brin', t.id).with({ pages_per_range: 16, autosummarize: true }),
    ...dueIndexes('auto_replies', t, t.id),
    reference(t.auto_responder_id, autoResponders, 'cascade'),
    reference(t.conversation_id, conversations, 'cascade'),
  ],
)
