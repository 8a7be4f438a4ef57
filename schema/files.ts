import { sql } from 'drizzle-orm'
import { bigint, check, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { FILE_STATES } from '../src/domain/file-names.ts'
import { FILE_KINDS, STORAGE_BYTES } from '../src/domain/files.ts'
import { SECTION_TYPES } from '../src/features/documents/rules/section-types.ts'
import { byWords, identity, instant, normalised, reference, tenant, timestamps } from './columns.ts'
import { companies, contacts } from './contacts.ts'
import { opportunities } from './opportunities.ts'

/** Files of the workspace that belong to no record of their own. A row is written after its object, as for attachments. */
export const files = pgTable(
  'files',
  {
    ...identity,
    type: text({ enum: FILE_KINDS }).notNull(),
    name: text().notNull(),
    content_type: text().notNull(),
    size: bigint({ mode: 'number' }).notNull(),
    sha256: text().notNull(),
    /** Of images only. */
    width: integer(),
    height: integer(),
    state: text({ enum: FILE_STATES }).notNull().default('stored'),
    uploaded_by: uuid().default(sql`current_user_id()`),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('files_by_created').on(t.workspace_id, t.created_at, t.id),
    index('files_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('files_by_type').on(t.workspace_id, t.type, t.created_at, t.id),
  ],
)

/** The bytes of all files and attachments of a workspace, counted by triggers. No row: none. */
export const storageUsage = pgTable(
  'storage_usage',
  {
    ...tenant,
    stored_bytes: bigint({ mode: 'number' }).notNull().default(0),
    quota_bytes: bigint({ mode: 'number' }).notNull().default(STORAGE_BYTES),
  },
  (t) => [primaryKey({ columns: [t.workspace_id] }), check('storage_usage_bytes', sql`stored_bytes >= 0`)],
)

/** The bytes of uploads that have not ended. They count until expires_at. */
export const storageReservations = pgTable(
  'storage_reservations',
  { ...identity, bytes: bigint({ mode: 'number' }).notNull(), expires_at: instant().notNull() },
  (t) => [primaryKey({ columns: [t.workspace_id, t.id] })],
)

/** Documents of the workspace, in folders, each with a file and links to the records that it is about. */
export const documents = pgTable(
  'documents',
  {
    ...identity,
    name: text().notNull(),
    name_norm: normalised().notNull().generatedAlwaysAs(sql`norm(name)`),
    search_text: normalised().notNull().generatedAlwaysAs(sql`search_form(name || coalesce(' ' || folder, ''))`),
    folder: normalised(),
    document_type: text(),
    file_id: uuid(),
    contact_id: uuid(),
    customer_id: uuid(),
    opportunity_id: uuid(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('documents_by_created').on(t.workspace_id, t.created_at, t.id),
    index('documents_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('documents_by_name').on(t.workspace_id, t.name_norm, t.id),
    index('documents_by_folder').on(t.workspace_id, t.folder, t.created_at, t.id),
    index('documents_by_type').on(t.workspace_id, t.document_type, t.created_at, t.id),
    index('documents_by_file').on(t.workspace_id, t.file_id, t.created_at, t.id),
    index('documents_by_contact').on(t.workspace_id, t.contact_id, t.created_at, t.id),
    index('documents_by_customer').on(t.workspace_id, t.customer_id, t.created_at, t.id),
    index('documents_by_opportunity').on(t.workspace_id, t.opportunity_id, t.created_at, t.id),
    byWords('documents'),
    index('documents_by_lexeme').using('gin', sql`lexemes_of(workspace_id, name_norm, norm(folder))`).with({ fastupdate: false }),
    reference(t.file_id, files),
    reference(t.contact_id, contacts, 'set null'),
    reference(t.customer_id, companies, 'set null'),
    reference(t.opportunity_id, opportunities, 'set null'),
  ],
)

/** What documents are made from. `revision` counts the changes of the template and of its sections. */
export const documentTemplates = pgTable(
  'document_templates',
  {
    ...identity,
    name: text().notNull(),
    name_norm: normalised().notNull().generatedAlwaysAs(sql`norm(name)`),
    description: text(),
    document_type: text(),
    revision: integer().notNull().default(1),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('document_templates_by_created').on(t.workspace_id, t.created_at, t.id),
    index('document_templates_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('document_templates_by_name').on(t.workspace_id, t.name_norm, t.id),
    index('document_templates_by_type').on(t.workspace_id, t.document_type, t.created_at, t.id),
  ],
)

/** The sections of a template, in order. History has the length and the digest of `content` only; `file_id` is the image that it names. */
export const documentTemplateSections = pgTable(
  'document_template_sections',
  {
    ...identity,
    template_id: uuid().notNull(),
    type: text({ enum: SECTION_TYPES }).notNull(),
    title: text(),
    content: jsonb().$type<Record<string, unknown>>().notNull(),
    content_length: integer().notNull(),
    content_sha256: text().notNull(),
    file_id: uuid(),
    position: integer().notNull(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('document_template_sections_by_position').on(t.workspace_id, t.template_id, t.position, t.id),
    index('document_template_sections_by_file').on(t.workspace_id, t.file_id, t.id),
    reference(t.template_id, documentTemplates, 'cascade'),
    reference(t.file_id, files),
  ],
)
