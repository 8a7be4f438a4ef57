import { sql } from 'drizzle-orm'
import { index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { CONSENT_BASES } from '../src/features/lead-gen/rules/consent.ts'
import { LEAD_MATCHES, LEAD_STATUSES } from '../src/features/lead-gen/rules/statuses.ts'
import { byWords, identity, instant, normalised, reference, timestamps } from './columns.ts'
import { companies, contacts } from './contacts.ts'
import { opportunities } from './opportunities.ts'

/** People and businesses that were found, and may become customers. A trigger looks for those that are known (lead-results.sql). */
export const leadResults = pgTable(
  'lead_results',
  {
    ...identity,
    name: text().notNull(),
    company_name: text(),
    email: text(),
    phone: text(),
    website: text(),
    website_domain: normalised().generatedAlwaysAs(sql`website_domain(website)`),
    city: text(),
    country: text(),
    /** Name and place, in which results without anything surer are compared. */
    place_key: normalised().generatedAlwaysAs(sql`case when city is not null then norm(name) || '|' || norm(city) end`),
    search_text: normalised()
      .notNull()
      .generatedAlwaysAs(
        sql`search_form(name || coalesce(' ' || company_name, '') || coalesce(' ' || email, '') || coalesce(' ' || city, ''))`,
      ),
    source: text(),
    source_id: text(),
    consent_basis: text({ enum: CONSENT_BASES }).notNull().default('none'),
    status: text({ enum: LEAD_STATUSES }).notNull().default('new'),
    duplicate_of_id: uuid(),
    matched_by: text({ enum: LEAD_MATCHES }),
    contact_id: uuid(),
    customer_id: uuid(),
    opportunity_id: uuid(),
    converted_at: instant(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('lead_results_by_created').on(t.workspace_id, t.created_at, t.id),
    index('lead_results_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('lead_results_by_status').on(t.workspace_id, t.status, t.created_at, t.id),
    index('lead_results_by_source').on(t.workspace_id, t.source, t.created_at, t.id),
    index('lead_results_by_consent').on(t.workspace_id, t.consent_basis, t.created_at, t.id),
    index('lead_results_by_contact').on(t.workspace_id, t.contact_id, t.created_at, t.id),
    index('lead_results_by_customer').on(t.workspace_id, t.customer_id),
    index('lead_results_by_opportunity').on(t.workspace_id, t.opportunity_id),
    index('lead_results_by_duplicate').on(t.workspace_id, t.duplicate_of_id),
    index('lead_results_by_email').on(t.workspace_id, t.email, t.created_at, t.id),
    index('lead_results_by_phone').on(t.workspace_id, t.phone, t.created_at, t.id),
    index('lead_results_by_domain').on(t.workspace_id, t.website_domain, t.created_at, t.id),
    index('lead_results_by_place').on(t.workspace_id, t.place_key, t.created_at, t.id),
    byWords('lead_results'),
    reference(t.duplicate_of_id, t.id.table, 'set null'),
    reference(t.contact_id, contacts, 'set null'),
    reference(t.customer_id, companies, 'set null'),
    reference(t.opportunity_id, opportunities, 'set null'),
  ],
)
