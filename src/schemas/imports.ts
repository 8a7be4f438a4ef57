import * as v from 'valibot'
import { ENCODINGS } from '../domain/csv/encoding.ts'
import { FIELDS } from '../domain/imports/fields.ts'
import {
  ALL_MATCH_FIELDS,
  DATE_FORMATS,
  IMPORT_MODES,
  IMPORT_OBJECTS,
  IMPORT_STATES,
  MATCH_FIELDS,
  ROW_STATUSES,
} from '../domain/imports/types.ts'
import { named, timestamps } from './common.ts'
import { about, Bool, Enum, Id, InstantOut, optional, pageQuery, SingleLine } from './fields.ts'

const count = v.pipe(v.number(), v.integer())
const text = v.nullable(v.string())

const FieldName = v.pipe(
  v.string('must be the name of a field'),
  v.regex(/^[a-z][a-z0-9_]{0,59}$|^metadata\.[^\p{Cc}]{1,100}$/u, 'must be the name of a field, or metadata.<key> of a custom field'),
  v.description('A field of the object, or metadata.<key>.'),
  v.examples(['metadata.tier']),
)
const ColumnName = about(SingleLine(200), 'A column of the file, as `columns` has it.', 'First name')
const Mapping = v.pipe(
  v.array(v.strictObject({ column: ColumnName, field: FieldName }), 'must be a list of columns and their fields'),
  v.maxLength(500, 'must be at most 500 columns'),
  v.description(
    `Which column fills which field; the others are left out. Fields: ${IMPORT_OBJECTS.map((object) => `${object}: ${FIELDS[object].map(({ name }) => name).join(', ')}`).join('; ')}.`,
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
        ([name, one]) =>
          v.is(FieldName, name) && typeof one === 'string' && one.length <= 2000 && one.isWellFormed() && !one.includes('\0'),
      ),
    'must be an object of at most 100 texts by the name of their field, such as {"city": "Newcastle"}',
  ),
  v.metadata({ type: 'object', additionalProperties: { type: 'string', maxLength: 2000 } }),
  v.description('What a new record gets where its line has nothing, by field, as it would be written in the file.'),
  v.examples([{ notes: 'From the trade fair' }]),
)

export const ImportSettings = v.strictObject({
  object: v.optional(Enum(IMPORT_OBJECTS, 'What the lines become. Without a mapping, that which is suggested for it is taken.')),
  mapping: v.optional(Mapping),
  mode: v.optional(
    Enum(
      IMPORT_MODES,
      '`create` makes new records, and skips lines whose record is there already by match_by; `update` skips those whose record is not; `upsert` does either.',
    ),
  ),
  match_by: v.optional(
    v.nullable(
      Enum(
        ALL_MATCH_FIELDS,
        `By which field a line finds its record. ${IMPORT_OBJECTS.map((object) => `${object}: ${MATCH_FIELDS[object].join(', ')}`).join('; ')}.`,
      ),
    ),
  ),
  defaults: v.optional(Defaults),
  date_format: v.optional(
    Enum(
      DATE_FORMATS,
      'How to read 03/04/2026: day first, month first, or year first only. ISO dates and Excel’s day numbers are always read.',
    ),
  ),
  country: optional(
    about(
      SingleLine(80),
      'Whose phone numbers those without a prefix are, and the country of new records whose line has none.',
      'Australia',
    ),
  ),
  clear_empty: v.optional(about(Bool, 'Whether an empty cell clears the field of a record that is updated.', false)),
})
export type ImportSettings = v.InferOutput<typeof ImportSettings>

export const UploadQuery = v.strictObject({
  object: v.optional(Enum(IMPORT_OBJECTS, 'What the lines become; guessed from the columns unless given.')),
  file_name: v.optional(about(SingleLine(150), 'What the file is called, where the body is the file itself.', 'contacts.csv')),
})
export type UploadQuery = v.InferOutput<typeof UploadQuery>

const Progress = v.object({
  phase: v.pipe(
    v.nullable(v.picklist(['check', 'run', 'undo'])),
    v.description('What the counts are of: of a check they tell what would be.'),
  ),
  total: v.pipe(count, v.description('Lines with values, without the header.')),
  done: count,
  created: count,
  updated: count,
  skipped: count,
  failed: count,
  removed: v.pipe(count, v.description('By undoing: records that the import had made.')),
  restored: v.pipe(count, v.description('By undoing: records as they were before.')),
  kept: v.pipe(count, v.description('Left as they are when it was undone, because they were changed or used since.')),
})

export const Import = named(
  'Import',
  v.object({
    id: Id,
    state: v.picklist(IMPORT_STATES),
    object: v.picklist(IMPORT_OBJECTS),
    file_name: v.string(),
    size: v.pipe(count, v.description('In bytes.')),
    sha256: v.string(),
    mapping: v.array(v.object({ column: v.string(), field: v.string() })),
    mode: v.picklist(IMPORT_MODES),
    match_by: v.nullable(v.picklist(ALL_MATCH_FIELDS)),
    defaults: v.record(v.string(), v.string()),
    date_format: v.picklist(DATE_FORMATS),
    country: text,
    clear_empty: v.boolean(),
    reason: v.pipe(text, v.description('Why it stopped.')),
    progress: Progress,
    created_by: v.nullable(Id),
    started_at: v.nullable(InstantOut),
    finished_at: v.nullable(InstantOut),
    ...timestamps,
  }),
)

/** One import, with what was found in its file. */
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
        v.description('For the object: 1 where the column is called like the field, less where it is guessed.'),
      ),
      preview: v.pipe(v.array(v.array(v.string())), v.description('The first lines.')),
    }),
  }),
)

export const ImportRow = named(
  'ImportRow',
  v.object({
    id: Id,
    line: v.pipe(count, v.description('Of the file, the first is 1.')),
    status: v.picklist(ROW_STATUSES),
    record_id: v.nullable(Id),
    errors: v.array(v.object({ field: text, column: text, value: text, message: v.string() })),
    values: v.pipe(v.nullable(v.array(v.string())), v.description('The cells of a line that became no record.')),
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
  undone: v.optional(Enum(['removed', 'restored', 'kept'], 'What undoing the import did.')),
})
