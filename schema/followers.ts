import { sql } from 'drizzle-orm'
import { check, index, pgTable, primaryKey, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { identity, instant, reference, timestamps } from './columns.ts'
import { companies, contacts } from './contacts.ts'
import { opportunities } from './opportunities.ts'
import { memberships } from './workspaces.ts'

/** The members who follow a contact, a company or an opportunity: each row names one record. */
export const followers = pgTable(
  'followers',
  {
    ...identity,
    contact_id: uuid(),
    customer_id: uuid(),
    opportunity_id: uuid(),
    user_id: uuid().notNull(),
    /** When the record was created: a trigger copies it, so that an index lists what a member follows in that order. */
    record_created_at: instant().notNull().default(sql`now()`),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('followers_contact_key').on(t.workspace_id, t.contact_id, t.user_id).where(sql`contact_id is not null`),
    uniqueIndex('followers_customer_key').on(t.workspace_id, t.customer_id, t.user_id).where(sql`customer_id is not null`),
    uniqueIndex('followers_opportunity_key').on(t.workspace_id, t.opportunity_id, t.user_id).where(sql`opportunity_id is not null`),
    index('followers_by_contact').on(t.workspace_id, t.contact_id, t.id).where(sql`contact_id is not null`),
    index('followers_by_customer').on(t.workspace_id, t.customer_id, t.id).where(sql`customer_id is not null`),
    index('followers_by_opportunity').on(t.workspace_id, t.opportunity_id, t.id).where(sql`opportunity_id is not null`),
    index('followers_contacts_in_order')
      .on(t.workspace_id, t.user_id, t.record_created_at, t.contact_id)
      .where(sql`contact_id is not null`),
    index('followers_customers_in_order')
      .on(t.workspace_id, t.user_id, t.record_created_at, t.customer_id)
      .where(sql`customer_id is not null`),
    index('followers_opportunities_in_order')
      .on(t.workspace_id, t.user_id, t.record_created_at, t.opportunity_id)
      .where(sql`opportunity_id is not null`),
    check('one_record', sql`num_nonnulls(contact_id, customer_id, opportunity_id) = 1`),
    reference(t.contact_id, contacts, 'cascade'),
    reference(t.customer_id, companies, 'cascade'),
    reference(t.opportunity_id, opportunities, 'cascade'),
    reference(t.user_id, memberships, 'cascade'),
  ],
)
