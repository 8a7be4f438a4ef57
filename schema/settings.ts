import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { DEFAULT_QUIET_HOURS } from '../src/domain/default-quiet-hours.ts'
import { identity, normalised, tenant, timestamps } from './columns.ts'

export type BirthdayMessage = { year: number; email_subject: string | null; email_body: string | null; sms_body: string | null }
export type PaletteTag = { name: string; color: string }

/** One row per workspace with its CRM settings. */
export const crmSettings = pgTable(
  'crm_settings',
  {
    ...tenant,
    lost_reasons: text().array().notNull().default([]),
    won_reasons: text().array().notNull().default([]),
    opportunity_types: text().array().notNull().default([]),
    account_types: text().array().notNull().default([]),
    contact_types: text().array().notNull().default([]),
    transcript_settings: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    accounts_enabled: boolean().notNull().default(true),
    contacts_enabled: boolean().notNull().default(true),
    link_contacts_by_domain: boolean().notNull().default(false),
    custom_fields_strict: boolean().notNull().default(true),
    enable_work_orders: boolean().notNull().default(false),
    /** Whether winning a deal makes instances of the components of its products. */
    component_instances_on_win: boolean().notNull().default(false),
    /** Whether anyone can book on the pages below /book/<slug of the workspace>. */
    booking_page_enabled: boolean().notNull().default(false),
    /** The origins of the sites that may show these pages in a frame. */
    booking_embed_origins: text().array().notNull().default([]),
    /** Whether bots may record the meetings of bookings. */
    notetaker_enabled: boolean().notNull().default(false),
    /** The credits that models may use on a day; null for no limit. */
    model_credits_per_day: integer(),
    /** Whether the mail provider reports who opened the emails of campaigns, and who followed which link. */
    campaign_open_tracking: boolean().notNull().default(false),
    campaign_click_tracking: boolean().notNull().default(false),
    /** Whether the other person of a WhatsApp conversation sees that its messages were read. */
    whatsapp_read_receipts: boolean().notNull().default(true),
    form_completion_notify_emails: text().array().notNull().default([]),
    automation_error_notify_emails: text().array().notNull().default([]),
    automation_error_notify_phones: text().array().notNull().default([]),
    quiet_hours: jsonb().$type<{ from: string; to: string }>().default(DEFAULT_QUIET_HOURS),
    birthday_messages: jsonb().$type<BirthdayMessage[]>().notNull().default([]),
    tag_palette: jsonb().$type<PaletteTag[]>().notNull().default([]),
    ...timestamps,
  },
  (t) => [primaryKey({ columns: [t.workspace_id] })],
)

/** A workspace's lead sources. */
export const leadSources = pgTable(
  'lead_sources',
  {
    ...identity,
    name: text().notNull(),
    name_norm: normalised().generatedAlwaysAs(sql`norm(name)`),
    is_active: boolean().notNull().default(true),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('lead_sources_by_created').on(t.workspace_id, t.created_at, t.id),
    index('lead_sources_by_updated').on(t.workspace_id, t.updated_at, t.id),
    uniqueIndex('lead_sources_name_key').on(t.workspace_id, t.name_norm),
  ],
)
