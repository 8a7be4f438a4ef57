import { sql } from 'drizzle-orm'
import { boolean, index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { EMAIL_DIRECTIONS, THREAD_STATUSES } from '../src/features/email/rules/emails.ts'
import { bytes, byWords, identity, instant, normalised, reference, tenant, timestamps, visibleIndexes } from './columns.ts'
import { companies, contacts } from './contacts.ts'
import { opportunities } from './opportunities.ts'

/** Senders of the workspace. The address is unique in the whole deployment, because all workspaces send from its mail domain. */
export const emailConfigs = pgTable(
  'email_configs',
  {
    ...identity,
    from_email_handle: text().notNull(),
    /** The handle at the mail domain of the deployment. */
    from_email: text().notNull(),
    from_name: text().notNull(),
    staff_email: text().notNull(),
    mailbox_sender_alias: text(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('email_configs_by_created').on(t.workspace_id, t.created_at, t.id),
    index('email_configs_by_updated').on(t.workspace_id, t.updated_at, t.id),
    uniqueIndex('email_configs_handle_key').on(t.from_email_handle),
  ],
)

/**
 * Conversations by email. Triggers copy last_message_at to the links and participants, so that an index lists the threads of each in order.
 */
export const emailThreads = pgTable(
  'email_threads',
  {
    ...identity,
    subject: text().notNull(),
    search_text: normalised().notNull().generatedAlwaysAs(sql`search_form(subject)`),
    status: text({ enum: THREAD_STATUSES }).notNull().default('active'),
    is_read: boolean().notNull().default(true),
    /** That of the latest message. */
    direction: text({ enum: EMAIL_DIRECTIONS }).notNull(),
    /** The beginning of the latest message. */
    snippet: text().notNull().default(''),
    message_count: integer().notNull().default(0),
    last_message_at: instant().notNull().default(sql`now()`),
    /** The contact that the conversation is with: it is deleted with the contact. */
    contact_id: uuid(),
    /** The member whose mailbox it is in, and who alone sees it; null: the team does. */
    private_to: uuid(),
    /** The provider's id of the conversation, of one in a mailbox. */
    outside_thread_id: text(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('email_threads_by_last_message').on(t.workspace_id, t.last_message_at, t.id, t.created_at),
    index('email_threads_by_created').on(t.workspace_id, t.created_at, t.id, t.last_message_at),
    index('email_threads_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('email_threads_by_status').on(t.workspace_id, t.status, t.last_message_at, t.id),
    index('email_threads_by_direction').on(t.workspace_id, t.direction, t.last_message_at, t.id),
    index('email_threads_by_read').on(t.workspace_id, t.is_read, t.last_message_at, t.id),
    ...visibleIndexes('email_threads_%', t, [t.last_message_at, t.id]),
    ...visibleIndexes('email_threads_%_by_status', t, [t.status, t.last_message_at, t.id]),
    ...visibleIndexes('email_threads_%_by_direction', t, [t.direction, t.last_message_at, t.id]),
    ...visibleIndexes('email_threads_%_by_read', t, [t.is_read, t.last_message_at, t.id]),
    index('email_threads_by_contact').on(t.workspace_id, t.contact_id),
    index('email_threads_by_outside').on(t.workspace_id, t.private_to, t.outside_thread_id).where(sql`private_to is not null`),
    byWords('email_threads'),
    reference(t.contact_id, contacts, 'cascade'),
  ],
)

/** The contacts, deals and customers that a thread is linked to: each row has one of them. */
export const emailThreadLinks = pgTable(
  'email_thread_links',
  {
    ...identity,
    thread_id: uuid().notNull(),
    contact_id: uuid(),
    deal_id: uuid(),
    customer_id: uuid(),
    /** That of the thread; triggers copy it. */
    last_message_at: instant().notNull(),
    /** The member whose mailbox it is in, and who alone sees it; null: the team does. */
    private_to: uuid(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('email_thread_links_by_thread').on(t.workspace_id, t.thread_id, t.id),
    index('email_thread_links_by_contact').on(t.workspace_id, t.contact_id, t.last_message_at, t.thread_id),
    index('email_thread_links_by_deal').on(t.workspace_id, t.deal_id, t.last_message_at, t.thread_id),
    index('email_thread_links_by_customer').on(t.workspace_id, t.customer_id, t.last_message_at, t.thread_id),
    ...visibleIndexes('email_thread_links_%_by_contact', t, [t.contact_id, t.last_message_at, t.thread_id], sql`contact_id is not null`),
    ...visibleIndexes('email_thread_links_%_by_deal', t, [t.deal_id, t.last_message_at, t.thread_id], sql`deal_id is not null`),
    ...visibleIndexes('email_thread_links_%_by_customer', t, [t.customer_id, t.last_message_at, t.thread_id], sql`customer_id is not null`),
    uniqueIndex('email_thread_links_contact_key').on(t.workspace_id, t.contact_id, t.thread_id),
    uniqueIndex('email_thread_links_deal_key').on(t.workspace_id, t.deal_id, t.thread_id),
    uniqueIndex('email_thread_links_customer_key').on(t.workspace_id, t.customer_id, t.thread_id),
    reference(t.thread_id, emailThreads, 'cascade'),
    reference(t.contact_id, contacts, 'cascade'),
    reference(t.deal_id, opportunities, 'cascade'),
    reference(t.customer_id, companies, 'cascade'),
  ],
)

/** The addresses that have written or received a message of a thread. */
export const emailParticipants = pgTable(
  'email_participants',
  {
    ...identity,
    thread_id: uuid().notNull(),
    email: text().notNull(),
    /** That of the thread; triggers copy it. */
    last_message_at: instant().notNull(),
    /** The member whose mailbox it is in, and who alone sees it; null: the team does. */
    private_to: uuid(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    ...visibleIndexes('email_participants_%', t, [t.email, t.last_message_at, t.thread_id]),
    uniqueIndex('email_participants_key').on(t.workspace_id, t.thread_id, t.email),
    index('email_participants_by_email').on(t.workspace_id, t.email, t.last_message_at, t.thread_id),
    reference(t.thread_id, emailThreads, 'cascade'),
  ],
)

/** The token of the path that the mail provider posts the workspace's inbound emails to, as a hash. */
export const emailInboxes = pgTable(
  'email_inboxes',
  { ...tenant, token_hash: bytes().notNull(), created_at: instant().notNull().default(sql`now()`) },
  (t) => [primaryKey({ columns: [t.workspace_id] }), uniqueIndex('email_inboxes_token').on(t.token_hash)],
)
