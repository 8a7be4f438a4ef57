import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { type AbTest, VARIANTS } from '../src/features/campaigns/rules/ab-tests.ts'
import type { SegmentFilter } from '../src/features/campaigns/rules/segment.ts'
import { CAMPAIGN_STATUSES, RECIPIENT_STATUSES, UNSUBSCRIBE_REASONS } from '../src/features/campaigns/rules/states.ts'
import { identity, instant, normalised, reference, tenant, timestamps } from './columns.ts'
import { contacts } from './contacts.ts'
import { emailConfigs } from './email.ts'

/** Email campaigns. What changes while one is sent is in campaign_sends, so that it is no change of the campaign, and no event. */
export const emailCampaigns = pgTable(
  'email_campaigns',
  {
    ...identity,
    name: text().notNull(),
    subject: text(),
    body_html: text(),
    /** The audience, as it was sent; null until it is chosen. */
    segment_filter: jsonb().$type<SegmentFilter>(),
    /** The sender; null for the first one of the workspace. */
    config_id: uuid(),
    /** The most emails per minute and per hour, and per hour to addresses of one mail domain; null for as many as the provider takes. */
    max_per_minute: integer(),
    max_per_hour: integer(),
    max_per_domain: integer(),
    /** The second subject, and how the better one is found; null for one subject. */
    ab_test: jsonb().$type<AbTest>(),
    status: text({ enum: CAMPAIGN_STATUSES }).notNull().default('draft'),
    scheduled_at: instant(),
    started_at: instant(),
    ended_at: instant(),
    /** Why it failed, or why the background has paused it. */
    error: jsonb().$type<{ code: string; message: string }>(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('email_campaigns_by_created').on(t.workspace_id, t.created_at, t.id),
    index('email_campaigns_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('email_campaigns_by_status').on(t.workspace_id, t.status, t.created_at, t.id),
    index('email_campaigns_by_config').on(t.workspace_id, t.config_id),
    reference(t.config_id, emailConfigs, 'set null'),
  ],
)

/** How far the send of a campaign has come (campaigns.sql). A trigger keeps the numbers of recipients by status. */
export const campaignSends = pgTable(
  'campaign_sends',
  {
    ...tenant,
    campaign_id: uuid().notNull(),
    /** When the background looks at it next; null when there is nothing to do. */
    due_at: instant(),
    /** The last contact that was read for the audience. */
    last_id: uuid(),
    /** Whether the whole audience has been read. */
    is_resolved: boolean().notNull().default(false),
    audience_size: integer().notNull().default(0),
    /** The number of people who were left out, by reason. */
    skipped: jsonb().$type<Record<string, number>>().notNull().default({}),
    /** The number of recipients by status, and of those who complained and unsubscribed. */
    counts: jsonb().$type<Record<string, number>>().notNull().default({}),
    /** Attempts in a row that the provider did not accept. */
    failures: integer().notNull().default(0),
    /** When it is decided which subject those outside the sample get; null until the sample was handed over. */
    decide_at: instant(),
    decided_at: instant(),
    winner: text({ enum: VARIANTS }),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.campaign_id] }),
    index('campaign_sends_by_campaign').on(t.workspace_id, t.campaign_id),
    index('campaign_sends_due').on(t.due_at, t.workspace_id, t.campaign_id).where(sql`due_at is not null`),
    reference(t.campaign_id, emailCampaigns, 'cascade'),
  ],
)

/**
 * What the limits of a campaign count (campaign-limits.sql): a `minute`, an `hour`, and hours of mail domains, of which later ones can be
 * taken already.
 */
export const campaignWindows = pgTable(
  'campaign_windows',
  {
    ...tenant,
    campaign_id: uuid().notNull(),
    /** `minute`, `hour`, or a mail domain. */
    scope: text().notNull(),
    began_at: instant().notNull(),
    taken: integer().notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.workspace_id, t.campaign_id, t.scope] }), reference(t.campaign_id, emailCampaigns, 'cascade')],
)

/** Whom a campaign is sent to: one row for each address. */
export const campaignRecipients = pgTable(
  'campaign_recipients',
  {
    ...identity,
    campaign_id: uuid().notNull(),
    contact_id: uuid().notNull(),
    email: normalised().notNull(),
    /** The subject of a test; null without one, and while the better one is not known. */
    variant: text({ enum: VARIANTS }),
    status: text({ enum: RECIPIENT_STATUSES }).notNull().default('queued'),
    attempts: integer().notNull().default(0),
    /** The call of the provider that it is part of while its outcome is open. */
    batch_id: uuid(),
    /** Whether the provider is asked about it before it is sent again. */
    reconciling: boolean().notNull().default(false),
    /** When the background looks at it next; null when it was handed over or has failed, or waits for the better subject. */
    due_at: instant().default(sql`now()`),
    provider_message_id: text(),
    error: text(),
    sent_at: instant(),
    delivered_at: instant(),
    opened_at: instant(),
    clicked_at: instant(),
    bounced_at: instant(),
    complained_at: instant(),
    unsubscribed_at: instant(),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('campaign_recipients_address_key').on(t.workspace_id, t.campaign_id, t.email),
    index('campaign_recipients_by_created').on(t.workspace_id, t.campaign_id, t.created_at, t.id),
    index('campaign_recipients_by_status').on(t.workspace_id, t.campaign_id, t.status, t.created_at, t.id),
    index('campaign_recipients_by_variant')
      .on(t.workspace_id, t.campaign_id, t.variant, t.created_at, t.id)
      .where(sql`variant is not null`),
    index('campaign_recipients_waiting')
      .on(t.workspace_id, t.campaign_id, t.id)
      .where(sql`status = 'queued' and due_at is null and variant is null`),
    index('campaign_recipients_by_contact').on(t.workspace_id, t.contact_id),
    index('campaign_recipients_due').on(t.workspace_id, t.campaign_id, t.due_at, t.id).where(sql`due_at is not null and batch_id is null`),
    index('campaign_recipients_open').on(t.workspace_id, t.campaign_id, t.due_at, t.id).where(sql`batch_id is not null`),
    reference(t.campaign_id, emailCampaigns, 'cascade'),
    reference(t.contact_id, contacts, 'cascade'),
  ],
)

/** The links of a campaign that somebody followed, with the number of recipients who did. */
export const campaignLinks = pgTable(
  'campaign_links',
  {
    ...identity,
    campaign_id: uuid().notNull(),
    url: text().notNull(),
    recipients: integer().notNull().default(0),
    first_clicked_at: instant(),
    last_clicked_at: instant(),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('campaign_links_url_key').on(t.workspace_id, t.campaign_id, sql`md5(${t.url})`),
    index('campaign_links_by_recipients').on(t.workspace_id, t.campaign_id, t.recipients, t.id),
    reference(t.campaign_id, emailCampaigns, 'cascade'),
  ],
)

/** Which recipient followed which link, and when first. */
export const campaignClicks = pgTable(
  'campaign_clicks',
  {
    ...identity,
    link_id: uuid().notNull(),
    recipient_id: uuid().notNull(),
    clicked_at: instant().notNull(),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('campaign_clicks_key').on(t.workspace_id, t.link_id, t.recipient_id),
    index('campaign_clicks_by_link').on(t.workspace_id, t.link_id, t.created_at, t.id),
    index('campaign_clicks_by_time').on(t.workspace_id, t.link_id, t.clicked_at),
    index('campaign_clicks_by_recipient').on(t.workspace_id, t.recipient_id),
    reference(t.link_id, campaignLinks, 'cascade'),
    reference(t.recipient_id, campaignRecipients, 'cascade'),
  ],
)

/** Who asked to receive no more email, or whose address bounced, and the campaign that led to it. */
export const unsubscribes = pgTable(
  'unsubscribes',
  {
    ...identity,
    email: text().notNull(),
    contact_id: uuid(),
    campaign_id: uuid(),
    reason: text({ enum: UNSUBSCRIBE_REASONS }).notNull(),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('unsubscribes_key').on(t.workspace_id, t.email, t.campaign_id, t.reason),
    index('unsubscribes_by_created').on(t.workspace_id, t.created_at, t.id),
    index('unsubscribes_by_campaign').on(t.workspace_id, t.campaign_id, t.created_at, t.id),
    index('unsubscribes_by_reason').on(t.workspace_id, t.reason, t.created_at, t.id),
    index('unsubscribes_by_contact').on(t.workspace_id, t.contact_id),
    reference(t.contact_id, contacts, 'cascade'),
    reference(t.campaign_id, emailCampaigns, 'set null'),
  ],
)
