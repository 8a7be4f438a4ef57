import * as v from 'valibot'
import { ENCODINGS } from '../domain/csv/encoding.ts'
import { FIELDS } from '../domain/imports/fields.ts'
import { IMPORT_STATES, PHASES } from '../domain/imports/states.ts'
import { ALL_MATCH_FIELDS, DATE_FORMATS, IMPORT_MODES, IMPORT_OBJECTS, MATCH_FIELDS, ROW_STATUSES } from '../domain/imports/types.ts'
import { named, timestamps } from './common.ts'
import { Bool, describe, Enum, Id, InstantOut, optional, pageQuery, SingleLine } from './fields.ts'

const count = v.pipe(v.number(), v.integer())
const text = v.nullable(v.string())

const FieldName = v.pipe(
  v.string('must be the name of a field'),
  v.regex(/^[a-z][a-z0-9_]{0,59}$|^metadata\.[^\p{Cc}]{1,100}$/u, 'must be the name of a field, or metadata.<key> of a custom field'),
  v.description('A field of the object, or metadata.<key> for a custom field.'),
  v.examples(['metadata.tier']),
)
const ColumnName = describe(SingleLine(200), 'The name of a column in the file, as listed in `columns`.', 'First name')
const Mapping = v.pipe(
  v.array(v.strictObject({ column: ColumnName, field: FieldName }), 'must be a list of columns and their fields'),
  v.maxLength(500, 'must be at most 500 columns'),
  v.description(
    `Which column fills which field. Columns that are not listed are ignored. Fields: ${IMPORT_OBJECTS.map((object) => `${object}: ${FIELDS[object].map(({ name }) => name).join(', ')}`).join('; ')}.`,
  ),
)
const Defaults = v.pipe(
  v.custom<Record<string, string>>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Object.keys(value).length <= 100 &&
      Object.entries(value).every(
        ([name, value]) =>
          v.is(FieldName, name) && typeof value === 'string' && value.length <= 2000 && value.isWellFormed() && !value.includes('\0'),
      ),
    'must be an object of at most 100 field names with text values, such as {"city": "Newcastle"}',
  ),
  v.metadata({ type: 'object', additionalProperties: { type: 'string', maxLength: 2000 } }),
  v.description('Default values for new records, by field, used where the line has no value. Written as in the file.'),
  v.examples([{ notes: 'From the trade fair' }]),
)

export const ImportSettings = v.strictObject({
  object: v.optional(
    Enum(IMPORT_OBJECTS, 'The kind of record that the lines become. Without a mapping, the suggested mapping for it is used.'),
  ),
  mapping: v.optional(Mapping),
  mode: v.optional(
    Enum(
      IMPORT_MODES,
      '`create` creates records and skips lines whose record already exists according to match_by; `update` updates records and skips lines whose record does not exist; `upsert` does both.',
    ),
  ),
  match_by: v.optional(
    v.nullable(
      Enum(
        ALL_MATCH_FIELDS,
        `The field by which a line is matched to a record. ${IMPORT_OBJECTS.map((object) => `${object}: ${MATCH_FIELDS[object].join(', ')}`).join('; ')}.`,
      ),
    ),
  ),
  defaults: v.optional(Defaults),
  date_format: v.optional(
    Enum(
      DATE_FORMATS,
      'How to read 03/04/2026: day first, month first, or year first only. ISO dates and Excel day numbers are always accepted.',
    ),
  ),
  country: optional(
    describe(SingleLine(80), 'The country of phone numbers without a prefix, and of new records whose line has no country.', 'Australia'),
  ),
  clear_empty: v.optional(describe(Bool, 'Whether an empty cell clears the field of an existing record.', false)),
})
export type ImportSettings = v.InferOutput<typeof ImportSettings>

export const UploadQuery = v.strictObject({
  object: v.optional(Enum(IMPORT_OBJECTS, 'The kind of record that the lines become. Detected from the columns by default.')),
  file_name: v.optional(describe(SingleLine(150), 'The name of the file, for uploads whose body is the file itself.', 'contacts.csv')),
})
export type UploadQuery = v.InferOutput<typeof UploadQuery>

const Progress = v.object({
  phase: v.pipe(
    v.nullable(v.picklist(PHASES)),
    v.description('The phase that the counts belong to. In a check they state what the run would do.'),
  ),
  total: v.pipe(count, v.description('The number of lines with values, without the header.')),
  done: count,
  created: count,
  updated: count,
  skipped: count,
  failed: count,
  removed: v.pipe(count, v.description('Records created by the import that its undo removed.')),
  restored: v.pipe(count, v.description('Records updated by the import that its undo restored.')),
  kept: v.pipe(count, v.description('Records that the undo left unchanged, because they were changed or used since the import.')),
})

export const Import = named(
  'Import',
  v.object({
    id: Id,
    state: v.picklist(IMPORT_STATES),
    object: v.picklist(IMPORT_OBJECTS),
    file_name: v.string(),
    size: v.pipe(count, v.description('The size in bytes.')),
    sha256: v.string(),
    mapping: v.array(v.object({ column: v.string(), field: v.string() })),
    mode: v.picklist(IMPORT_MODES),
    match_by: v.nullable(v.picklist(ALL_MATCH_FIELDS)),
    defaults: v.record(v.string(), v.string()),
    date_format: v.picklist(DATE_FORMATS),
    country: text,
    clear_empty: v.boolean(),
    reason: v.pipe(text, v.description('Why the import stopped.')),
    progress: Progress,
    created_by: v.nullable(Id),
    started_at: v.nullable(InstantOut),
    finished_at: v.nullable(InstantOut),
    ...timestamps,
  }),
)

/** One import, with the analysis of its file. */
export const ImportRecord = named(
  'ImportRecord',
  v.object({
    ...Import.entries,
    file: v.object({
      encoding: v.picklist(ENCODINGS),
      delimiter: v.string(),
      has_header: v.boolean(),
      columns: v.array(v.object({ name: v.string(), samples: v.array(v.string()) })),
      suggestions: v.pipe(
        v.array(v.object({ column: v.string(), field: v.string(), confidence: v.number() })),
        v.description(
          'The suggested mapping. `confidence` is 1 where the names are equal, and lower where the content suggests the field.',
        ),
      ),
      preview: v.pipe(v.array(v.array(v.string())), v.description('The first lines of the file.')),
    }),
  }),
)

export const ImportRow = named(
  'ImportRow',
  v.object({
    id: Id,
    line: v.pipe(count, v.description('The line number in the file, starting at 1.')),
    status: v.picklist(ROW_STATUSES),
    record_id: v.nullable(Id),
    errors: v.array(
      v.object({
        field: text,
        column: text,
        value: text,
        message: v.string(),
        record_id: v.optional(v.pipe(Id, v.description('The record that has the value already, where it must be unique.'))),
      }),
    ),
    values: v.pipe(v.nullable(v.array(v.string())), v.description('The cells of a failed or skipped line.')),
    undone: v.nullable(v.picklist(['removed', 'restored', 'kept'])),
    undo_reason: text,
  }),
)

export const importFilters = {
  state: v.optional(Enum(IMPORT_STATES)),
  object: v.optional(Enum(IMPORT_OBJECTS)),
}
export const RowQuery = v.strictObject({
  ...pageQuery,
  status: v.optional(Enum(ROW_STATUSES)),
  undone: v.optional(Enum(['removed', 'restored', 'kept'], 'What the undo of the import did with the record.')),
})
