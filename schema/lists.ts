import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { RECORD_PLURALS } from '../src/domain/records.ts'
import { LIST_KINDS, LIST_VISIBILITIES } from '../src/features/lists/rules/lists.ts'
import { identity, instant, normalised, reference, tenant, timestamps } from './columns.ts'
import { companies, contacts } from './contacts.ts'
import { opportunities } from './opportunities.ts'
import { memberships } from './workspaces.ts'

/**
 * Lists of records: static ones have members, live ones a filter. Policies show a private list only to those who may see it (lists.sql).
 */
export const lists = pgTable(
  'lists',
  {
    ...identity,
    name: text().notNull(),
    name_norm: normalised().generatedAlwaysAs(sql`norm(name)`),
    description: text(),
    object: text({ enum: RECORD_PLURALS }).notNull(),
    kind: text({ enum: LIST_KINDS }).notNull(),
    /** The filter as it was sent. */
    filter: jsonb().$type<Record<string, unknown>>(),
    search: text(),
    visibility: text({ enum: LIST_VISIBILITIES }).notNull().default('private'),
    owner_id: uuid(),
    /** Within which names are unique: the shared lists, or those of an owner. A private list without an owner stands alone. */
    name_scope: uuid()
      .notNull()
      .generatedAlwaysAs(
        sql`case visibility when 'shared' then '00000000-0000-0000-0000-000000000000'::uuid else coalesce(owner_id, id) end`,
      ),
    archived: boolean().notNull().default(false),
    /** Whether list.entered and list.left are written. */
    tracks_membership: boolean().notNull().default(false),
    /** Since when they are. */
    tracked_since: instant(),
    /** Why the background has stopped them. */
    tracking_error: text(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('lists_by_created').on(t.workspace_id, t.archived, t.created_at, t.id),
    index('lists_by_updated').on(t.workspace_id, t.archived, t.updated_at, t.id),
    index('lists_by_name').on(t.workspace_id, t.archived, t.name_norm, t.id),
    index('lists_live').on(t.workspace_id, t.object, t.created_at, t.id).where(sql`kind = 'live' and not archived`),
    index('lists_tracked').on(t.workspace_id, t.id).where(sql`tracks_membership`),
    uniqueIndex('lists_name_key').on(t.workspace_id, t.object, t.name_scope, t.name_norm),
    check('lists_kind', sql`case kind when 'static' then num_nonnulls(filter, search) = 0 else num_nonnulls(filter, search) > 0 end`),
    reference(t.owner_id, memberships, 'set null'),
  ],
)

/** The members of static lists. Each row names one record. */
export const listMembers = pgTable(
  'list_members',
  {
    ...identity,
    list_id: uuid().notNull(),
    contact_id: uuid(),
    customer_id: uuid(),
    opportunity_id: uuid(),
    /** When the record was created: a trigger copies it, so that an index has the members in that order. */
    record_created_at: instant().notNull().default(sql`now()`),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('list_members_contacts_in_order')
      .on(t.workspace_id, t.list_id, t.record_created_at, t.contact_id)
      .where(sql`contact_id is not null`),
    index('list_members_customers_in_order')
      .on(t.workspace_id, t.list_id, t.record_created_at, t.customer_id)
      .where(sql`customer_id is not null`),
    index('list_members_opportunities_in_order')
      .on(t.workspace_id, t.list_id, t.record_created_at, t.opportunity_id)
      .where(sql`opportunity_id is not null`),
    index('list_members_by_list').on(t.workspace_id, t.list_id, t.contact_id, t.customer_id, t.opportunity_id),
    uniqueIndex('list_members_contact_key').on(t.workspace_id, t.contact_id, t.list_id).where(sql`contact_id is not null`),
    uniqueIndex('list_members_customer_key').on(t.workspace_id, t.customer_id, t.list_id).where(sql`customer_id is not null`),
    uniqueIndex('list_members_opportunity_key').on(t.workspace_id, t.opportunity_id, t.list_id).where(sql`opportunity_id is not null`),
    check('one_record', sql`num_nonnulls(contact_id, customer_id, opportunity_id) = 1`),
    reference(t.list_id, lists, 'cascade'),
    reference(t.contact_id, contacts, 'cascade'),
    reference(t.customer_id, companies, 'cascade'),
    reference(t.opportunity_id, opportunities, 'cascade'),
  ],
)

/** The tracked live lists. A walk evaluates all records in the order of their ids. */
export const trackedLists = pgTable(
  'tracked_lists',
  {
    ...tenant,
    list_id: uuid().notNull(),
    /** Whether its first members are known, which are no news. */
    is_ready: boolean().notNull().default(false),
    /** The number of its rows in tracked_members. */
    members: integer().notNull().default(0),
    /** The last record that the present walk has evaluated; null without a walk. */
    walk_from: uuid(),
    /** The origin of the change that led to the walk, as JSON; null for one that the clock began. */
    walk_origin: text(),
    /** When the next walk begins; null if the filter does not depend on the time. */
    walk_at: instant(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.list_id] }),
    index('tracked_lists_walks').on(t.walk_at, t.workspace_id).where(sql`walk_at is not null`),
    reference(t.list_id, lists, 'cascade'),
  ],
)

/** The members of tracked live lists as events have announced them. */
export const trackedMembers = pgTable('tracked_members', { ...tenant, list_id: uuid().notNull(), record_id: uuid().notNull() }, (t) => [
  primaryKey({ columns: [t.workspace_id, t.list_id, t.record_id] }),
  reference(t.list_id, lists, 'cascade'),
])

/**
 * Records that entered or left a static list, which the filter of a tracked list may name. They are deleted when they have been evaluated.
 */
export const listTouches = pgTable(
  'list_touches',
  {
    ...identity,
    object: text({ enum: RECORD_PLURALS }).notNull(),
    record_id: uuid().notNull(),
    /** The origin of the change, as JSON. */
    origin: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspace_id, t.id] })],
)
