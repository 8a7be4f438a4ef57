import { sql } from 'drizzle-orm'
import { index, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { identity, instant, reference, timestamps } from './columns.ts'
import { memberships } from './workspaces.ts'

/** Texts for emails to one contact, with merge tags. */
export const emailTemplates = pgTable(
  'email_templates',
  {
    ...identity,
    name: text().notNull(),
    subject: text().notNull(),
    body_html: text().notNull(),
    /** Null: it is made of the HTML. */
    body_text: text(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('email_templates_by_created').on(t.workspace_id, t.created_at, t.id),
    index('email_templates_by_updated').on(t.workspace_id, t.updated_at, t.id),
  ],
)

/** What a member signs emails with. */
export const emailSignatures = pgTable(
  'email_signatures',
  { ...identity, user_id: uuid().notNull(), body_html: text().notNull(), updated_at: instant().notNull().default(sql`now()`) },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('email_signatures_key').on(t.workspace_id, t.user_id),
    reference(t.user_id, memberships, 'cascade'),
  ],
)
