import { sql } from 'drizzle-orm'
import { boolean, check, index, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { LIST_KINDS, LIST_VISIBILITIES } from '../src/domain/lists.ts'
import { RECORD_PLURALS } from '../src/domain/records.ts'
import { identity, instant, normalised, reference, timestamps } from './columns.ts'
import { companies, contacts } from './contacts.ts'
import { opportunities } from './opportunities.ts'
import { memberships } from './workspaces.ts'

/** Lists of records: static ones have members, live ones a filter. Policies show a private list only to those who may see it (lists.sql). */
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
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('lists_by_created').on(t.workspace_id, t.archived, t.created_at, t.id),
    index('lists_by_updated').on(t.workspace_id, t.archived, t.updated_at, t.id),
    index('lists_by_name').on(t.workspace_id, t.archived, t.name_norm, t.id),
    index('lists_live').on(t.workspace_id, t.object, t.created_at, t.id).where(sql`kind = 'live' and not archived`),
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
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
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
