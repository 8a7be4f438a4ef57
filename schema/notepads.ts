import { sql } from 'drizzle-orm'
import { check, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { MAX_CONTENT_BYTES, type NotepadAccess, VISIBILITIES } from '../src/features/notepads/rules/notepads.ts'
import { byWords, identity, instant, normalised, reference, timestamps } from './columns.ts'
import { companies, contacts } from './contacts.ts'
import { opportunities } from './opportunities.ts'
import { memberships } from './workspaces.ts'

/**
 * Notes in markdown. `readers` and `writers` name whoever may see and change one (notepad_parties); a policy compares them with the caller
 * (sees_notepad). `private_to` keeps what happens to the others out of what is read for the whole team.
 */
export const notepads = pgTable(
  'notepads',
  {
    ...identity,
    title: text().notNull(),
    title_norm: normalised().notNull().generatedAlwaysAs(sql`norm(title)`),
    search_text: normalised().notNull().generatedAlwaysAs(sql`notepad_search_text(title, content)`),
    content: text().notNull().default(''),
    content_length: integer().notNull().generatedAlwaysAs(sql`char_length(content)`),
    content_sha256: text().notNull().generatedAlwaysAs(sql`text_sha256(content)`),
    visibility: text({ enum: VISIBILITIES }).notNull().default('workspace'),
    access: jsonb().$type<NotepadAccess[]>().notNull().default([]),
    owner_id: uuid().default(sql`current_user_id()`),
    readers: text().array().notNull().generatedAlwaysAs(sql`notepad_parties(visibility, owner_id, access, '{read,write}')`),
    writers: text().array().notNull().generatedAlwaysAs(sql`notepad_parties(visibility, owner_id, access, '{write}')`),
    private_to: uuid().generatedAlwaysAs(sql`case when visibility <> 'workspace' then owner_id end`),
    contact_id: uuid(),
    customer_id: uuid(),
    opportunity_id: uuid(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('notepads_by_created').on(t.workspace_id, t.visibility, t.created_at, t.id),
    index('notepads_by_updated').on(t.workspace_id, t.visibility, t.updated_at, t.id),
    index('notepads_by_title').on(t.workspace_id, t.visibility, t.title_norm, t.id),
    index('notepads_own_by_created').on(t.workspace_id, t.owner_id, t.visibility, t.created_at, t.id),
    index('notepads_own_by_updated').on(t.workspace_id, t.owner_id, t.visibility, t.updated_at, t.id),
    index('notepads_own_by_title').on(t.workspace_id, t.owner_id, t.visibility, t.title_norm, t.id),
    index('notepads_by_contact').on(t.workspace_id, t.contact_id, t.created_at, t.id),
    index('notepads_by_customer').on(t.workspace_id, t.customer_id, t.created_at, t.id),
    index('notepads_by_opportunity').on(t.workspace_id, t.opportunity_id, t.created_at, t.id),
    byWords('notepads'),
    check('notepads_content', sql`octet_length(content) <= ${sql.raw(String(MAX_CONTENT_BYTES))}`),
    check('notepads_access', sql`(visibility = 'restricted') = (access <> '[]')`),
    check('notepads_owner', sql`visibility = 'workspace' or owner_id is not null`),
    reference(t.owner_id, memberships),
    reference(t.contact_id, contacts, 'set null'),
    reference(t.customer_id, companies, 'set null'),
    reference(t.opportunity_id, opportunities, 'set null'),
  ],
)

/** What a notepad contained before: the latest of these (keep_notepad_version). */
export const notepadVersions = pgTable(
  'notepad_versions',
  {
    ...identity,
    notepad_id: uuid().notNull(),
    /** The version of the notepad that had this content. */
    notepad_version: integer().notNull(),
    content: text().notNull(),
    content_length: integer().notNull().generatedAlwaysAs(sql`char_length(content)`),
    content_sha256: text().notNull().generatedAlwaysAs(sql`text_sha256(content)`),
    /** Who has replaced it. */
    replaced_by: uuid().default(sql`current_user_id()`),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('notepad_versions_by_created').on(t.workspace_id, t.notepad_id, t.created_at, t.id),
    reference(t.notepad_id, notepads, 'cascade'),
  ],
)
