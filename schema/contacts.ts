import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgTable, primaryKey, smallint, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { DEFAULT_COUNTRY } from '../src/domain/default-country.ts'
import type { ZoneBasis } from '../src/features/contacts/rules/local-zone.ts'
import { CONTACT_SOURCES } from '../src/features/contacts/rules/types.ts'
import { addressParts, byWords, day, identity, instant, money, normalised, type Tag, tenant, timestamps } from './columns.ts'

export const contacts = pgTable(
  'contacts',
  {
    ...identity,
    first_name: text().notNull(),
    /** Whether an import took something else for the first name, because the file had none. A real first name replaces it. */
    first_name_derived: boolean().notNull().default(false),
    last_name: text(),
    name_norm: normalised().notNull().generatedAlwaysAs(sql`norm(first_name || coalesce(' ' || last_name, ''))`),
    search_text: normalised()
      .notNull()
      .generatedAlwaysAs(
        sql`search_form(first_name || coalesce(' ' || last_name, '') || coalesce(' ' || email, '') || coalesce(' ' || phone, '') \
|| coalesce(' ' || joined(alternate_emails), '') || coalesce(' ' || joined(alternate_phones), ''))`,
      ),
    email: text(),
    alternate_emails: text().array().notNull().default([]),
    phone: text(),
    alternate_phones: text().array().notNull().default([]),
    landline: text(),
    job_title: text(),
    contact_type: text(),
    date_of_birth: day(),
    /** Month and day of date_of_birth, `MMDD`. */
    birthday: smallint().generatedAlwaysAs(sql`(extract(month from date_of_birth) * 100 + extract(day from date_of_birth))::smallint`),
    notes: text(),
    source: text({ enum: CONTACT_SOURCES }).notNull().default('manual'),
    source_id: uuid(),
    ...addressParts,
    country: text().default(DEFAULT_COUNTRY.name),
    timezone: text(),
    /** The IANA zone of its local time, which src/features/contacts/rules/local-zone.ts decides; null while it is unknown. */
    local_zone: text(),
    /** What local_zone was decided by: it stands as long as these facts do (zones.sql). */
    zone_basis: jsonb().$type<ZoneBasis>(),
    is_primary: boolean().notNull().default(false),
    metadata: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    relationship_started_at: instant().default(sql`now()`),
    email_unsubscribed: boolean().notNull().default(false),
    sms_unsubscribed: boolean().notNull().default(false),
    voice_unsubscribed: boolean().notNull().default(false),
    whatsapp_unsubscribed: boolean().notNull().default(false),
    is_referrer: boolean().notNull().default(false),
    referrer_category: text(),
    referrer_opportunity_id: uuid(),
    customer_id: uuid(),
    assigned_to: uuid(),
    tags: jsonb().$type<Tag[]>().notNull().default([]),
    external_id: text(),
    archived: boolean().notNull().default(false),
    ...timestamps,
  },
  (t) => [
    /*
      What asks each index. An entry costs every create some hundred bytes of WAL, so rows without a value, which nobody asks these indexes
      for, have none.
        by_created, by_updated, by_name   the sorts of the list, and search= in it, for which they include search_text (0019); by_name
                                          also names that begin with a word (universal search) and duplicates
        by_words                          search= in the list, for words that few records have
        by_lexeme (0012)                  universal search by words
        by_email, by_phone                filters, upserts, universal search, duplicates
        by_alternate_email (0019), by_alternate_phone (0041)  filters, upserts, universal search, duplicates
        with_other_emails (0009), with_other_phones (0041)   duplicates
        by_landline (0007)                universal search, duplicates
        by_customer                       filter, the contacts of a company; a company that is deleted or merged
        by_primary                        the primary contact of a company, when another takes its place
        by_type, by_source, by_lead_source, by_referrer  filters; by_type and by_lead_source also usage, rename and deletion of the word
        by_owner                          filter
        in_order_of_owner (0044)          sort
        by_tag (0032)                     filters, usage, rename and deletion of a tag
        by_anchor                         an opportunity that is deleted or merged
        external_id_key                   filter, upserts, uniqueness
        by_birthday                       birthday messages and their preview
        by_unresolved                     contacts whose zone the background must decide
    */
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('contacts_by_created').on(t.workspace_id, t.archived, t.created_at, t.id),
    index('contacts_by_updated').on(t.workspace_id, t.archived, t.updated_at, t.id),
    index('contacts_by_name').on(t.workspace_id, t.archived, t.name_norm, t.id),
    byWords('contacts'),
    index('contacts_by_email').on(t.workspace_id, t.email, t.archived, t.created_at, t.id).where(sql`email is not null`),
    index('contacts_by_phone').on(t.workspace_id, t.phone, t.archived, t.created_at, t.id).where(sql`phone is not null`),
    index('contacts_by_customer').on(t.workspace_id, t.customer_id, t.archived, t.created_at, t.id).where(sql`customer_id is not null`),
    index('contacts_by_primary').on(t.workspace_id, t.customer_id).where(sql`is_primary`),
    index('contacts_by_type').on(t.workspace_id, t.contact_type, t.archived, t.created_at, t.id).where(sql`contact_type is not null`),
    index('contacts_by_source').on(t.workspace_id, t.source, t.archived, t.created_at, t.id),
    index('contacts_by_lead_source').on(t.workspace_id, t.source_id, t.archived, t.created_at, t.id).where(sql`source_id is not null`),
    index('contacts_by_referrer').on(t.workspace_id, t.is_referrer, t.archived, t.created_at, t.id),
    index('contacts_in_order_of_owner').on(
      t.workspace_id,
      t.archived,
      sql`(case when assigned_to is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid else assigned_to end)`,
      t.id,
    ),
    index('contacts_by_owner').on(t.workspace_id, t.assigned_to, t.archived, t.created_at, t.id).where(sql`assigned_to is not null`),
    index('contacts_by_anchor').on(t.workspace_id, t.referrer_opportunity_id).where(sql`referrer_opportunity_id is not null`),
    index('contacts_by_birthday').on(t.workspace_id, t.birthday, t.id, t.local_zone).where(sql`birthday is not null`),
    index('contacts_by_unresolved').on(t.workspace_id, t.id).where(sql`local_zone is null`),
    uniqueIndex('contacts_external_id_key').on(t.workspace_id, t.external_id),
  ],
)

/** Workspaces with contacts whose local_zone must be decided (see zones.sql). */
export const zoneWork = pgTable(
  'zone_work',
  {
    ...tenant,
    /** The last contact that was visited because the workspace's zone has changed; null if it has not. */
    walk_from: uuid(),
    /** When that walk may begin. */
    walk_at: instant(),
    /** When the next message is due. */
    due_at: instant().notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspace_id] })],
)

/** The companies that a contact works for; contacts.customer_id is the main one. */
export const employers = pgTable(
  'employers',
  {
    ...identity,
    contact_id: uuid().notNull(),
    customer_id: uuid().notNull(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('employers_pair_key').on(t.workspace_id, t.contact_id, t.customer_id),
    index('employers_by_customer').on(t.workspace_id, t.customer_id, t.id, t.contact_id),
  ],
)

export const companies = pgTable(
  'companies',
  {
    ...identity,
    name: text().notNull(),
    name_norm: normalised().notNull().generatedAlwaysAs(sql`norm(name)`),
    search_text: normalised()
      .notNull()
      .generatedAlwaysAs(
        sql`search_form(name || coalesce(' ' || email, '') || coalesce(' ' || website_url, '') || coalesce(' ' || phone, ''))`,
      ),
    abn_key: normalised().generatedAlwaysAs(sql`abn_key(abn)`),
    website_domain: normalised().generatedAlwaysAs(sql`website_domain(website_url)`),
    description: text(),
    email: text(),
    phone: text(),
    website_url: text(),
    /** Further domains; website_domain is implied. */
    domains: text().array().notNull().default([]),
    industry: text(),
    account_type: text(),
    abn: text(),
    ...addressParts,
    country: text(),
    timezone: text(),
    founded_year: integer(),
    annual_revenue: money(),
    employee_count: integer(),
    parent_company_id: uuid(),
    assigned_to: uuid(),
    tags: jsonb().$type<Tag[]>().notNull().default([]),
    notes: text(),
    metadata: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    external_id: text(),
    archived: boolean().notNull().default(false),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    // These three include search_text (0021), for search= in their order.
    index('companies_by_created').on(t.workspace_id, t.archived, t.created_at, t.id),
    index('companies_by_updated').on(t.workspace_id, t.archived, t.updated_at, t.id),
    index('companies_by_name').on(t.workspace_id, t.archived, t.name_norm, t.id),
    byWords('companies'),
    index('companies_by_industry').on(t.workspace_id, t.industry, t.archived, t.created_at, t.id),
    index('companies_by_account_type').on(t.workspace_id, t.account_type, t.archived, t.created_at, t.id),
    index('companies_in_order_of_owner').on(
      t.workspace_id,
      t.archived,
      sql`(case when assigned_to is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid else assigned_to end)`,
      t.id,
    ),
    index('companies_by_owner').on(t.workspace_id, t.assigned_to, t.archived, t.created_at, t.id),
    index('companies_by_parent').on(t.workspace_id, t.parent_company_id, t.archived, t.created_at, t.id),
    index('companies_by_email').on(t.workspace_id, t.email, t.archived, t.created_at, t.id),
    // Upserts and duplicates; by_domain also a filter and the companies of new contacts. by_other_domain and with_other_domains (0041) do
    // the same for `domains`.
    index('companies_by_abn').on(t.workspace_id, t.abn_key, t.archived, t.created_at, t.id).where(sql`abn_key is not null`),
    index('companies_by_domain')
      .on(t.workspace_id, t.website_domain, t.archived, t.created_at, t.id)
      .where(sql`website_domain is not null`),
    uniqueIndex('companies_external_id_key').on(t.workspace_id, t.external_id),
  ],
)
