import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { ENCODINGS } from '../src/domain/csv/encoding.ts'
import { IMPORT_STATES, PHASES } from '../src/features/imports/rules/states.ts'
import {
  DATE_FORMATS,
  FILE_TYPES,
  IMPORT_MODES,
  IMPORT_OBJECTS,
  MATCH_SETTINGS,
  type Mapped,
  type PreviewedLine,
  type Replacement,
  ROW_STATUSES,
  type Suggested,
  UNKNOWN_ACTIONS,
  type UnknownValue,
} from '../src/features/imports/rules/types.ts'
import { identity, instant, reference, tenant, timestamps } from './columns.ts'
import { lists } from './lists.ts'

/** An import: a file whose lines become records, and its settings. It runs with the authority of the key `run_key_id`. */
export const imports = pgTable(
  'imports',
  {
    ...identity,
    state: text({ enum: IMPORT_STATES }).notNull().default('ready'),
    object: text({ enum: IMPORT_OBJECTS }).notNull(),
    file_name: text().notNull(),
    size: integer().notNull(),
    sha256: text().notNull(),
    mapping: jsonb().$type<Mapped[]>().notNull(),
    mode: text({ enum: IMPORT_MODES }).notNull().default('create'),
    match_by: text({ enum: MATCH_SETTINGS }),
    defaults: jsonb().$type<Record<string, string>>().notNull().default({}),
    date_format: text({ enum: DATE_FORMATS }).notNull(),
    country: text(),
    clear_empty: boolean().notNull().default(false),
    ignored_columns: jsonb().$type<string[]>().notNull().default([]),
    replacements: jsonb().$type<Replacement[]>().notNull().default([]),
    external_id_prefix: text(),
    /** The static list that the records are added to. */
    list_id: uuid(),
    unknown_companies: text({ enum: UNKNOWN_ACTIONS }).notNull().default('create'),
    unknown_lead_sources: text({ enum: UNKNOWN_ACTIONS }).notNull().default('report'),
    unknown_owners: text({ enum: UNKNOWN_ACTIONS }).notNull().default('report'),
    unknown_contacts: text({ enum: UNKNOWN_ACTIONS }).notNull().default('fail'),
    unknown_opportunities: text({ enum: UNKNOWN_ACTIONS }).notNull().default('fail'),
    unknown_pipelines: text({ enum: UNKNOWN_ACTIONS }).notNull().default('fail'),
    unknown_stages: text({ enum: UNKNOWN_ACTIONS }).notNull().default('fail'),
    /** Whether automations react to the records; null until it is decided. */
    run_automations: boolean(),
    skip_automations: boolean().notNull().default(false),
    reason: text(),
    created_by: uuid(),
    run_key_id: uuid(),
    /** The approval with which the run or undo was started, if it needed one. */
    run_approval_id: uuid(),
    undo_id: uuid(),
    started_at: instant(),
    finished_at: instant(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('imports_by_created').on(t.workspace_id, t.created_at, t.id),
    index('imports_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('imports_by_state').on(t.workspace_id, t.state, t.created_at, t.id),
    index('imports_by_object').on(t.workspace_id, t.object, t.created_at, t.id),
    index('imports_by_digest').on(t.workspace_id, t.sha256, t.started_at),
    index('imports_by_list').on(t.workspace_id, t.list_id).where(sql`list_id is not null`),
    reference(t.list_id, lists, 'set null'),
    index('imports_next').on(t.created_at, t.workspace_id).where(sql`state in ('checking', 'running', 'undoing')`),
    index('imports_active').on(t.id).where(sql`state in ('checking', 'running', 'undoing')`),
  ],
)

export type FileColumn = { name: string; samples: string[] }
export type FileLine = { line: number; cells: string[] }

/** The properties of an import's file, and the progress: the next record begins at `next_byte` and `next_line`. Not in the history. */
export const importFiles = pgTable(
  'import_files',
  {
    ...tenant,
    import_id: uuid().notNull(),
    encoding: text({ enum: ENCODINGS }).notNull(),
    delimiter: text().notNull(),
    has_header: boolean().notNull(),
    columns: jsonb().$type<FileColumn[]>().notNull(),
    suggestions: jsonb().$type<Record<string, Suggested[]>>().notNull(),
    preview: jsonb().$type<FileLine[]>().notNull(),
    /** What the first lines become with the import's settings. */
    previewed: jsonb().$type<PreviewedLine[]>().notNull().default([]),
    /** The export format of another product that the file has. */
    format: text(),
    type: text({ enum: FILE_TYPES }).notNull().default('csv'),
    /** The size in bytes of what the lines are read from: the file, or the rows of a workbook's sheet. */
    stored_size: integer().notNull().default(0),
    /** The sheet of a workbook that is read, and the names of all. */
    sheet: text(),
    sheets: jsonb().$type<string[]>().notNull().default([]),
    total: integer().notNull(),
    first_byte: integer().notNull(),
    first_line: integer().notNull(),
    phase: text({ enum: PHASES }),
    next_byte: integer().notNull(),
    next_line: integer().notNull(),
    done: integer().notNull().default(0),
    created: integer().notNull().default(0),
    updated: integer().notNull().default(0),
    skipped: integer().notNull().default(0),
    failed: integer().notNull().default(0),
    warned: integer().notNull().default(0),
    removed: integer().notNull().default(0),
    restored: integer().notNull().default(0),
    kept: integer().notNull().default(0),
    undo_before: uuid(),
    /** The pipelines and stages that lines name and that there are not. */
    unknown_values: jsonb().$type<UnknownValue[]>().notNull().default([]),
    touched_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.import_id] }),
    index('import_files_with_unknown').on(t.workspace_id, t.import_id).where(sql`unknown_values <> '[]'`),
  ],
)

export type RowError = { field: string; column: string | null; value: string | null; message: string }

/**
 * The outcome of each line. `errors` of a line that became a record are warnings. `values` are stored for lines that did not. `undone` is
 * the effect of undoing the import on the record.
 */
export const importRows = pgTable(
  'import_rows',
  {
    ...identity,
    import_id: uuid().notNull(),
    line: integer().notNull(),
    status: text({ enum: ROW_STATUSES }).notNull(),
    record_id: uuid(),
    errors: jsonb().$type<RowError[]>().notNull().default([]),
    has_warnings: boolean().notNull().default(false),
    values: jsonb().$type<string[]>(),
    undone: text({ enum: ['removed', 'restored', 'kept'] }),
    undo_reason: text(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('import_rows_line_key').on(t.workspace_id, t.import_id, t.line),
    index('import_rows_by_status').on(t.workspace_id, t.import_id, t.status, t.line, t.id),
    index('import_rows_by_warnings').on(t.workspace_id, t.import_id, t.line, t.id).where(sql`has_warnings`),
    index('import_rows_by_undone').on(t.workspace_id, t.import_id, t.undone, t.line, t.id).where(sql`undone is not null`),
    index('import_rows_by_record').on(t.workspace_id, t.record_id).where(sql`record_id is not null`),
  ],
)

/** The open event streams of a key: see open_stream. */
export const streamLeases = pgTable(
  'stream_leases',
  { ...tenant, key_id: uuid().notNull(), slot: integer().notNull(), stream_id: uuid().notNull(), expires_at: instant().notNull() },
  (t) => [primaryKey({ columns: [t.workspace_id, t.key_id, t.slot] })],
)
