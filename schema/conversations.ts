import { sql } from 'drizzle-orm'
import { boolean, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { INBOX_CHANNELS, INBOX_STATUSES } from '../src/features/conversations/rules/conversations.ts'
import { EMAIL_DIRECTIONS } from '../src/features/email/rules/emails.ts'
import { identity, instant, reference, timestamps, visibleIndexes } from './columns.ts'
import { emailThreads } from './email.ts'
import { smsConversations } from './sms.ts'
import { whatsappConversations, whatsappGroups } from './whatsapp.ts'
import { memberships } from './workspaces.ts'

/**
 * The assignee, or the greatest id for nobody: an index does not give rows in order behind a null. `case` is used because row-level
 * security prevents an index scan with coalesce.
 */
const assignee = sql`(case when assigned_to is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid else assigned_to end)`

/** Only emails are private. */
const IS_EMAIL = sql`channel = 'email'`

/**
 * The inbox over all channels. A conversation has the id of its email thread, SMS conversation, WhatsApp conversation or WhatsApp group,
 * from which triggers copy what the messages change (schema/functions/conversations.sql); the status, the assignee and the time of a snooze
 * are its own. The columns of an index begin with the channel, because a caller may lack the scope of one.
 */
export const conversations = pgTable(
  'conversations',
  {
    ...identity,
    channel: text({ enum: INBOX_CHANNELS }).notNull(),
    // Its row in the channel, with which it is deleted.
    email_thread_id: uuid().generatedAlwaysAs(sql`(case channel when 'email' then id end)`),
    sms_conversation_id: uuid().generatedAlwaysAs(sql`(case channel when 'sms' then id end)`),
    whatsapp_conversation_id: uuid().generatedAlwaysAs(sql`(case when channel = 'whatsapp' and not is_group then id end)`),
    whatsapp_group_id: uuid().generatedAlwaysAs(sql`(case when is_group then id end)`),
    is_group: boolean().notNull().default(false),
    /** That of the row in the channel, and so are the next columns. */
    contact_id: uuid(),
    title: text().notNull(),
    direction: text({ enum: EMAIL_DIRECTIONS }).notNull(),
    snippet: text().notNull(),
    unread: boolean().notNull(),
    message_count: integer().notNull(),
    last_message_at: instant().notNull(),
    /** The member in whose mailbox it is, and who alone sees it; null: the team does. */
    private_to: uuid(),
    status: text({ enum: INBOX_STATUSES }).notNull().default('open'),
    snoozed_until: instant(),
    closed_at: instant(),
    assigned_to: uuid(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    // It includes private_to, which a policy reads, so that a count reads only the index.
    index('conversations_by_last_message').on(t.workspace_id, t.channel, t.last_message_at, t.id, t.private_to),
    index('conversations_by_updated').on(t.workspace_id, t.channel, t.updated_at, t.id),
    index('conversations_by_status').on(t.workspace_id, t.channel, t.status, t.last_message_at, t.id),
    index('conversations_by_assignee').on(t.workspace_id, t.channel, t.status, assignee, t.last_message_at, t.id),
    index('conversations_by_unread').on(t.workspace_id, t.channel, t.unread, t.last_message_at, t.id),
    index('conversations_by_group').on(t.workspace_id, t.channel, t.is_group, t.last_message_at, t.id),
    ...visibleIndexes('conversations_%', t, [t.last_message_at, t.id], IS_EMAIL),
    ...visibleIndexes('conversations_%_by_status', t, [t.status, t.last_message_at, t.id], IS_EMAIL),
    ...visibleIndexes('conversations_%_by_assignee', t, [t.status, assignee, t.last_message_at, t.id], IS_EMAIL),
    ...visibleIndexes('conversations_%_by_unread', t, [t.unread, t.last_message_at, t.id], IS_EMAIL),
    index('conversations_by_contact').on(t.workspace_id, t.contact_id, t.last_message_at, t.id),
    index('conversations_by_email_thread').on(t.workspace_id, t.email_thread_id).where(sql`email_thread_id is not null`),
    index('conversations_by_sms_conversation').on(t.workspace_id, t.sms_conversation_id).where(sql`sms_conversation_id is not null`),
    index('conversations_by_whatsapp_conversation')
      .on(t.workspace_id, t.whatsapp_conversation_id)
      .where(sql`whatsapp_conversation_id is not null`),
    index('conversations_by_whatsapp_group').on(t.workspace_id, t.whatsapp_group_id).where(sql`whatsapp_group_id is not null`),
    index('conversations_snoozed').on(t.snoozed_until, t.id).where(sql`status = 'snoozed'`),
    reference(t.email_thread_id, emailThreads, 'cascade'),
    reference(t.sms_conversation_id, smsConversations, 'cascade'),
    reference(t.whatsapp_conversation_id, whatsappConversations, 'cascade'),
    reference(t.whatsapp_group_id, whatsappGroups, 'cascade'),
    reference(t.assigned_to, memberships),
  ],
)
