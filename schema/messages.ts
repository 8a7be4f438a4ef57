import { sql } from 'drizzle-orm'
import { index, integer, pgTable, primaryKey, smallint, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { BIRTHDAY_CHANNELS, BIRTHDAY_RESULTS } from '../src/features/birthdays/rules/results.ts'
import { EMAIL_PROVIDERS } from '../src/features/email/rules/emails.ts'
import {
  CHANNELS,
  DELIVERY_STATUSES,
  MESSAGE_PURPOSES,
  MESSAGE_STATUSES,
  SUPPRESSION_REASONS,
} from '../src/features/messages/rules/messages.ts'
import { day, identity, instant, reference, tenant, timestamps, visibleIndexes } from './columns.ts'
import { companies, contacts } from './contacts.ts'
import { emailThreads } from './email.ts'
import { opportunities } from './opportunities.ts'

/** Only emails are private. */
const IS_EMAIL = sql`channel = 'email'`

/** The send ledger: a message is a row here before it is handed to a provider (messages.sql). */
export const messages = pgTable(
  'messages',
  {
    ...identity,
    channel: text({ enum: CHANNELS }).notNull(),
    purpose: text({ enum: MESSAGE_PURPOSES }).notNull(),
    contact_id: uuid(),
    /** The email address or phone number. */
    recipient: text().notNull(),
    subject: text(),
    body_text: text().notNull(),
    body_html: text(),
    /** What makes it one message, however often it is reserved. */
    dedupe_key: text().notNull(),
    status: text({ enum: MESSAGE_STATUSES }).notNull().default('queued'),
    attempts: integer().notNull().default(0),
    /**
     * When the background looks at it next: to send it, to end an attempt that nobody ended, or to ask the provider about it. Null at its
     * end.
     */
    due_at: instant().default(sql`now()`),
    /** It is not sent after this time. */
    expires_at: instant(),
    provider_message_id: text(),
    error: text(),
    sent_at: instant(),
    provider: text({ enum: EMAIL_PROVIDERS }),
    /** Null: the address of the deployment. */
    sender_email: text(),
    sender_name: text(),
    sender_user_id: uuid(),
    /** The account of the mailbox that sends it: no other one does, and no other one is asked about it. */
    outside_account_id: text(),
    reply_to: text(),
    cc: text().array().notNull().default([]),
    bcc: text().array().notNull().default([]),
    thread_id: uuid(),
    deal_id: uuid(),
    customer_id: uuid(),
    /** Of an SMS, the number of the workspace that it is sent from. */
    sender_phone: text(),
    /** The units that it costs, such as the segments of an SMS; null for a channel without a price. */
    segments: integer(),
    /** What it costs (credits.sql). */
    credits: integer().notNull().default(0),
    /** What the provider has reported since it accepted the message. */
    delivery_status: text({ enum: DELIVERY_STATUSES }),
    /** The member whose mailbox it is in, and who alone sees it; null: the team does. */
    private_to: uuid(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('messages_by_created').on(t.workspace_id, t.created_at, t.id),
    index('messages_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('messages_by_contact').on(t.workspace_id, t.contact_id, t.created_at, t.id),
    index('messages_by_channel').on(t.workspace_id, t.channel, t.created_at, t.id),
    index('messages_by_purpose').on(t.workspace_id, t.purpose, t.created_at, t.id),
    index('messages_by_status').on(t.workspace_id, t.status, t.created_at, t.id),
    ...visibleIndexes('messages_%', t, [t.created_at, t.id], IS_EMAIL),
    ...visibleIndexes('messages_%_by_status', t, [t.status, t.created_at, t.id], IS_EMAIL),
    index('messages_due').on(t.workspace_id, t.due_at, t.id).where(sql`due_at is not null`),
    index('messages_next').on(t.due_at, t.workspace_id).where(sql`due_at is not null`),
    index('messages_by_provider').on(t.workspace_id, t.provider, t.created_at, t.id).where(sql`provider is not null`),
    index('messages_by_provider_id').on(t.workspace_id, t.provider_message_id).where(sql`provider = 'gmail'`),
    index('messages_due_by_sender').on(t.workspace_id, t.sender_user_id).where(sql`provider = 'gmail' and due_at is not null`),
    index('messages_by_deal').on(t.workspace_id, t.deal_id, t.created_at, t.id).where(sql`deal_id is not null`),
    index('messages_by_customer').on(t.workspace_id, t.customer_id).where(sql`customer_id is not null`),
    index('messages_by_thread').on(t.workspace_id, t.thread_id).where(sql`thread_id is not null`),
    uniqueIndex('messages_dedupe_key').on(t.workspace_id, t.dedupe_key),
    reference(t.contact_id, contacts, 'cascade'),
    reference(t.deal_id, opportunities, 'set null'),
    reference(t.customer_id, companies, 'set null'),
    reference(t.thread_id, emailThreads, 'set null'),
  ],
)

/** Addresses to which nothing is sent. */
export const suppressions = pgTable(
  'suppressions',
  {
    ...identity,
    channel: text({ enum: CHANNELS }).notNull(),
    address: text().notNull(),
    reason: text({ enum: SUPPRESSION_REASONS }).notNull(),
    note: text(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('suppressions_by_created').on(t.workspace_id, t.created_at, t.id),
    index('suppressions_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('suppressions_by_channel').on(t.workspace_id, t.channel, t.created_at, t.id),
    index('suppressions_by_address').on(t.workspace_id, t.address, t.created_at, t.id),
    index('suppressions_by_reason').on(t.workspace_id, t.reason, t.created_at, t.id),
    uniqueIndex('suppressions_address_key').on(t.workspace_id, t.channel, t.address),
  ],
)

/** Email addresses that may be written to again, which are still to be lifted at the mail provider (suppression-lifts.sql). */
export const suppressionLifts = pgTable(
  'suppression_lifts',
  { ...tenant, address: text().notNull(), due_at: instant().notNull().default(sql`now()`), attempts: integer().notNull().default(0) },
  (t) => [primaryKey({ columns: [t.workspace_id, t.address] }), index('suppression_lifts_due').on(t.due_at)],
)

/** Workspaces with birthday messages, and when the cron job looks at each next (birthdays.sql). */
export const birthdaySchedules = pgTable('birthday_schedules', { ...tenant, next_at: instant().notNull() }, (t) => [
  primaryKey({ columns: [t.workspace_id] }),
  index('birthday_schedules_due').on(t.next_at),
])

/** The outcome of each contact's birthday messages: one row for each year and channel, written with the message. */
export const birthdayDeliveries = pgTable(
  'birthday_deliveries',
  {
    ...identity,
    contact_id: uuid().notNull(),
    year: smallint().notNull(),
    channel: text({ enum: BIRTHDAY_CHANNELS }).notNull(),
    /** The birthday in the contact's zone. */
    day: day().notNull(),
    result: text({ enum: BIRTHDAY_RESULTS }).notNull(),
    message_id: uuid(),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('birthday_deliveries_key').on(t.workspace_id, t.contact_id, t.year, t.channel),
    index('birthday_deliveries_by_created').on(t.workspace_id, t.created_at, t.id),
    index('birthday_deliveries_by_day').on(t.workspace_id, t.day, t.created_at, t.id),
    index('birthday_deliveries_by_message').on(t.workspace_id, t.message_id),
    reference(t.contact_id, contacts, 'cascade'),
    reference(t.message_id, messages, 'set null'),
  ],
)

/** How many contacts had each result on a day. */
export const birthdayCounts = pgTable(
  'birthday_counts',
  {
    ...identity,
    day: day().notNull(),
    channel: text({ enum: BIRTHDAY_CHANNELS }).notNull(),
    result: text({ enum: BIRTHDAY_RESULTS }).notNull(),
    contacts: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('birthday_counts_key').on(t.workspace_id, t.day, t.channel, t.result),
    index('birthday_counts_by_day').on(t.workspace_id, t.day, t.id),
  ],
)
