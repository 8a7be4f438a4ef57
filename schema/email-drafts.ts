import { sql } from 'drizzle-orm'
import { boolean, index, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { DRAFT_STATUSES } from '../src/features/email/rules/email-drafts.ts'
import { EMAIL_MODES } from '../src/features/email/rules/emails.ts'
import { identity, instant, reference, timestamps } from './columns.ts'
import { companies, contacts } from './contacts.ts'
import { emailConfigs, emailThreads } from './email.ts'
import { emailTemplates } from './email-templates.ts'
import { messages } from './messages.ts'
import { opportunities } from './opportunities.ts'
import { memberships } from './workspaces.ts'

/** Emails that are being written, and those that wait for a time. What they say is checked when they are sent. */
export const emailDrafts = pgTable(
  'email_drafts',
  {
    ...identity,
    status: text({ enum: DRAFT_STATUSES }).notNull().default('draft'),
    /** Of a reply. */
    thread_id: uuid(),
    to: text(),
    subject: text(),
    cc: text().array().notNull().default([]),
    bcc: text().array().notNull().default([]),
    text: text(),
    html: text(),
    template_id: uuid(),
    append_signature: boolean().notNull().default(false),
    /** Attachments of records. */
    attachment_ids: uuid().array().notNull().default([]),
    config_id: uuid(),
    mode: text({ enum: EMAIL_MODES }).notNull().default('company'),
    /** The member from whose mailbox it is sent, in personal mode. */
    sender_user_id: uuid(),
    /** The member who alone sees it, as a trigger decides; null: the team does. */
    private_to: uuid(),
    contact_id: uuid(),
    deal_id: uuid(),
    customer_id: uuid(),
    /** When it is sent, or was to be. */
    send_at: instant(),
    /** The member who has scheduled it, in whose name it is sent. */
    scheduled_by: uuid(),
    /** The latest message that it was sent as. */
    message_id: uuid(),
    /** Why it could not be sent. */
    error: jsonb().$type<{ code: string; message: string }>(),
    created_by: uuid(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('email_drafts_by_created').on(t.workspace_id, t.created_at, t.id),
    index('email_drafts_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('email_drafts_by_status').on(t.workspace_id, t.status, t.created_at, t.id),
    index('email_drafts_by_contact').on(t.workspace_id, t.contact_id, t.created_at, t.id),
    index('email_drafts_by_thread').on(t.workspace_id, t.thread_id).where(sql`thread_id is not null`),
    index('email_drafts_by_template').on(t.workspace_id, t.template_id).where(sql`template_id is not null`),
    index('email_drafts_by_config').on(t.workspace_id, t.config_id).where(sql`config_id is not null`),
    index('email_drafts_by_sender').on(t.workspace_id, t.sender_user_id).where(sql`sender_user_id is not null`),
    index('email_drafts_by_deal').on(t.workspace_id, t.deal_id).where(sql`deal_id is not null`),
    index('email_drafts_by_customer').on(t.workspace_id, t.customer_id).where(sql`customer_id is not null`),
    index('email_drafts_by_message').on(t.workspace_id, t.message_id).where(sql`message_id is not null`),
    index('email_drafts_due').on(t.send_at, t.workspace_id, t.id).where(sql`status = 'scheduled'`),
    reference(t.thread_id, emailThreads, 'cascade'),
    reference(t.template_id, emailTemplates, 'set null'),
    reference(t.sender_user_id, memberships),
    reference(t.config_id, emailConfigs, 'set null'),
    reference(t.contact_id, contacts, 'cascade'),
    reference(t.deal_id, opportunities, 'set null'),
    reference(t.customer_id, companies, 'set null'),
    reference(t.message_id, messages, 'set null'),
  ],
)
