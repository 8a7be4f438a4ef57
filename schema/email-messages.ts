import { sql } from 'drizzle-orm'
import { boolean, index, integer, pgTable, primaryKey, text, unique, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { EMAIL_DIRECTIONS, INBOUND_STATES } from '../src/features/email/rules/emails.ts'
import { identity, instant, reference, visibleIndexes } from './columns.ts'
import { contacts } from './contacts.ts'
import { emailThreads } from './email.ts'
import { messages } from './messages.ts'
import { attachments } from './opportunity-parts.ts'

/** The messages of threads. The subject and the text of an outbound one are in the send ledger (message_id). */
export const emailMessages = pgTable(
  'email_messages',
  {
    ...identity,
    thread_id: uuid().notNull(),
    direction: text({ enum: EMAIL_DIRECTIONS }).notNull(),
    /** The row of the send ledger, of an outbound message. */
    message_id: uuid(),
    /** The contact who has sent it, of an inbound message. */
    contact_id: uuid(),
    /** The Message-ID without its angle brackets (RFC 5322, 3.6.4). */
    internet_id: text().notNull(),
    in_reply_to: text(),
    reference_ids: text().array().notNull().default([]),
    from_email: text().notNull(),
    from_name: text(),
    /** Where the sender wants replies to go. */
    reply_to: text(),
    to_emails: text().array().notNull().default([]),
    cc_emails: text().array().notNull().default([]),
    subject: text(),
    body_text: text(),
    body_html: text(),
    /** Whether it was sent by no person, such as an out-of-office reply (RFC 3834). */
    is_automatic: boolean().notNull().default(false),
    /** The member whose mailbox it is in, and who alone sees it; null: the team does. */
    private_to: uuid(),
    occurred_at: instant().notNull().default(sql`now()`),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('email_messages_by_thread').on(t.workspace_id, t.thread_id, t.occurred_at, t.id),
    index('email_messages_by_message').on(t.workspace_id, t.message_id),
    index('email_messages_by_contact').on(t.workspace_id, t.contact_id),
    // The same email may be in the mailboxes of several members, and in the inbox of the workspace.
    unique('email_messages_internet_key').on(t.workspace_id, t.internet_id, t.private_to).nullsNotDistinct(),
    reference(t.thread_id, emailThreads, 'cascade'),
    reference(t.message_id, messages, 'cascade'),
    reference(t.contact_id, contacts, 'cascade'),
  ],
)

/** The attachments of messages. The files of an inbound one are in R2 under the id; an outbound one has files of records. */
export const emailAttachments = pgTable(
  'email_attachments',
  {
    ...identity,
    email_message_id: uuid().notNull(),
    name: text().notNull(),
    content_type: text().notNull(),
    size: integer().notNull(),
    rank: integer().notNull(),
    /** The Content-ID by which the HTML of the message shows it (`cid:`). */
    content_id: text(),
    /** The attachment of a record that an outbound message has; null once that is deleted. */
    source_id: uuid(),
    /** The member whose mailbox it is in, and who alone sees it; null: the team does. */
    private_to: uuid(),
    /** Whether it has an object of its own: it came with the email. Decided by a trigger when the row is added. */
    is_stored: boolean(),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('email_attachments_stored').on(t.workspace_id, t.created_at, t.id).where(sql`is_stored`),
    ...visibleIndexes('email_attachments_stored_%', t, [t.created_at, t.id], sql`is_stored`),
    index('email_attachments_by_message').on(t.workspace_id, t.email_message_id, t.rank, t.id),
    index('email_attachments_by_source').on(t.workspace_id, t.source_id).where(sql`source_id is not null`),
    reference(t.email_message_id, emailMessages, 'cascade'),
    reference(t.source_id, attachments, 'set null'),
  ],
)

/** What the mail provider has posted: the body is in R2 under the id until it is processed. */
export const inboundEmails = pgTable(
  'inbound_emails',
  {
    ...identity,
    /** The provider's id of the email: one that is posted again is stored once. */
    provider_message_id: text().notNull(),
    state: text({ enum: INBOUND_STATES }).notNull().default('received'),
    error: text(),
    created_at: instant().notNull().default(sql`now()`),
    ended_at: instant(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('inbound_emails_waiting').on(t.created_at).where(sql`state = 'received'`),
    index('inbound_emails_by_age').using('brin', t.id).with({ pages_per_range: 16, autosummarize: true }),
    uniqueIndex('inbound_emails_key').on(t.workspace_id, t.provider_message_id),
  ],
)
