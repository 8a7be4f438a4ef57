import * as v from 'valibot'
import { ENCODINGS } from '../domain/csv/encoding.ts'
import { FIELDS } from '../domain/imports/fields.ts'
import { IMPORT_STATES, PHASES } from '../domain/imports/states.ts'
import {
  DATE_FORMATS,
  FILE_TYPES,
  IDENTIFIERS,
  IMPORT_MODES,
  IMPORT_OBJECTS,
  MATCH_FIELDS,
  MATCH_SETTINGS,
  ROW_STATUSES,
  UNKNOWN_ACTIONS,
} from '../domain/imports/types.ts'
import { named, timestamps } from './common.ts'
import { Bool, describe, Enum, Id, InstantOut, optional, SingleLine } from './fields.ts'

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
    `Which column fills which field. Columns that are not listed are ignored. Several columns may fill a list, an email address, a phone number (the first value is the main one, and others are alternates), consent (one opt-out suffices), a company or a stage (the first value applies). A column about consent may fill several of its fields. Fields: ${IMPORT_OBJECTS.map((object) => `${object}: ${FIELDS[object].map(({ name }) => name).join(', ')}`).join('; ')}.`,
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

const Replacements = v.pipe(
  v.array(
    v.strictObject({
      field: FieldName,
      from: describe(SingleLine(200), 'The value in the file. Upper and lower case are the same.', 'Tradeshow'),
      to: v.pipe(
        v.string('must be text'),
        v.maxLength(200, 'must be at most 200 characters'),
        v.check((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), 'must be one line of text'),
        v.description('The value that replaces it; empty to ignore it.'),
        v.examples(['Trade fair']),
      ),
    }),
    'must be a list of values and their replacements',
  ),
  v.maxLength(1000, 'must be at most 1,000 values'),
  v.description('Values of the file that mean something else here, such as the names of lead sources, stages or owners.'),
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
        MATCH_SETTINGS,
        `The field by which a line is matched to a record; \`best\` uses the best identifier that a line has (${IMPORT_OBJECTS.map((object) => `${object}: ${IDENTIFIERS[object].join(', ')}`).join('; ')}). A line with an unknown id or external_id then also takes over a contact with the same email, a company with the same name, or a product with the same SKU, that has no external_id. ${IMPORT_OBJECTS.map((object) => `${object}: ${MATCH_FIELDS[object].join(', ')}`).join('; ')}.`,
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
  ignored_columns: v.optional(
    v.pipe(
      v.array(ColumnName, 'must be a list of columns'),
      v.maxLength(500, 'must be at most 500 columns'),
      v.description(
        'Columns that are ignored on purpose. A column that seems to say who must not be contacted is either mapped or listed here; otherwise the import is not started.',
      ),
    ),
  ),
  replacements: v.optional(Replacements),
  external_id_prefix: optional(
    describe(
      SingleLine(30),
      'Prefix of external ids, so that those of different systems differ: `hubspot-` makes 1042 `hubspot-1042`.',
      'hubspot-',
    ),
  ),
  list_id: optional(
    describe(
      Id,
      'The static list that every record of the import is added to, also one that exists already; of contacts, companies or opportunities. Needs `lists:write`. A list that is full takes no more; the lines say so. An undo removes the records that it deletes.',
    ),
  ),
  unknown_companies: v.optional(
    Enum(
      UNKNOWN_ACTIONS,
      'What happens to a line that names an unknown company: `create` creates the company, `report` imports the line without it and with a warning, `fail` rejects the line. `placeholder` creates the company as well, also a parent company, and for an id of another system one that is named after it and has it as its external_id: a later import of that company completes it, so that files can be imported in any order. Creating needs `companies:write`. `create` creates no company from an id.',
    ),
  ),
  unknown_lead_sources: v.optional(
    Enum(['create', 'report', 'fail'], 'As unknown_companies, for the lead source of a contact. Creating needs `company:write`.'),
  ),
  unknown_owners: v.optional(Enum(['report', 'fail'], 'As unknown_companies, for the owner.')),
  unknown_contacts: v.optional(
    Enum(['report', 'fail'], 'As unknown_companies, for the contact of an opportunity, a task, an activity or a note.'),
  ),
  unknown_opportunities: v.optional(
    Enum(['report', 'fail'], 'As unknown_companies, for the opportunity of a task, an activity or a note.'),
  ),
  run_automations: optional(
    describe(
      Bool,
      'Whether automations react to the records that the import creates and updates. They do not unless this is true, and true or false is required if a published automation waits for such records. `skip_automations` of the start prevails, and the undo of an import never starts any.',
      true,
    ),
  ),
})
export type ImportSettings = v.InferOutput<typeof ImportSettings>

export const UploadQuery = v.strictObject({
  object: v.optional(Enum(IMPORT_OBJECTS, 'The kind of record that the lines become. Detected from the columns by default, except notes.')),
  file_name: v.optional(describe(SingleLine(150), 'The name of the file, for uploads whose body is the file itself.', 'contacts.csv')),
  sheet: v.optional(
    describe(SingleLine(100), 'The name of the sheet of a workbook to import. By default the first one that is not hidden.', 'Customers'),
  ),
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
  warned: v.pipe(count, v.description('The number of lines that became a record, and have warnings.')),
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
    match_by: v.nullable(v.picklist(MATCH_SETTINGS)),
    defaults: v.record(v.string(), v.string()),
    date_format: v.picklist(DATE_FORMATS),
    country: text,
    clear_empty: v.boolean(),
    ignored_columns: v.array(v.string()),
    replacements: v.array(
      v.object({
        field: v.string(),
        from: v.string(),
        to: v.pipe(v.string(), v.description('The value that replaces it; empty to ignore it.')),
      }),
    ),
    external_id_prefix: text,
    list_id: v.pipe(v.nullable(Id), v.description('The static list that the records are added to.')),
    unknown_companies: v.picklist(UNKNOWN_ACTIONS),
    unknown_lead_sources: v.picklist(UNKNOWN_ACTIONS),
    unknown_owners: v.picklist(UNKNOWN_ACTIONS),
    unknown_contacts: v.pipe(v.picklist(UNKNOWN_ACTIONS), v.description('What happens to a line that refers to an unknown contact.')),
    unknown_opportunities: v.pipe(
      v.picklist(UNKNOWN_ACTIONS),
      v.description('What happens to a line that refers to an unknown opportunity.'),
    ),
    run_automations: v.pipe(v.nullable(v.boolean()), v.description('Whether automations react to the records; null is no.')),
    reason: v.pipe(text, v.description('Why the import stopped.')),
    progress: Progress,
    created_by: v.nullable(Id),
    started_at: v.nullable(InstantOut),
    finished_at: v.nullable(InstantOut),
    ...timestamps,
  }),
)

const PreviewedLine = v.object({
  line: v.pipe(count, v.description('The line number in the file, starting at 1.')),
  cells: v.pipe(
    v.array(
      v.object({
        column: v.string(),
        text: v.pipe(v.string(), v.description('The text of the cell.')),
        field: v.pipe(text, v.description('The field that the cell fills, or null.')),
        value: v.pipe(v.unknown(), v.description('What the cell becomes, or null.')),
        problem: v.pipe(text, v.description('Why the cell is not imported, or null.')),
      }),
    ),
    v.description('The cells with text: one entry for each field that a cell fills, and for each of several values.'),
  ),
  errors: v.pipe(v.array(v.object({ field: text, message: v.string() })), v.description('Why the line would fail.')),
})

/** One import, with the analysis of its file. */
export const ImportRecord = named(
  'ImportRecord',
  v.object({
    ...Import.entries,
    earlier_imports: v.pipe(
      v.array(v.object({ id: Id, file_name: v.string(), state: v.picklist(IMPORT_STATES), started_at: InstantOut })),
      v.description('The latest imports of the same file (by its SHA-256) that were started and not undone, at most five.'),
    ),
    preview: v.pipe(
      v.array(PreviewedLine),
      v.description(
        'What the first ten lines become with these settings. Cells are cut after 200 characters; records that a line refers to are not looked up.',
      ),
    ),
    file: v.object({
      type: v.picklist(FILE_TYPES),
      format: v.pipe(
        text,
        v.description('The export format of another product that the file was recognised as, such as `hubspot_contacts`.'),
      ),
      encoding: v.picklist(ENCODINGS),
      delimiter: v.string(),
      has_header: v.boolean(),
      sheet: v.pipe(text, v.description('The sheet of a workbook that is imported.')),
      sheets: v.pipe(v.array(v.string()), v.description('The names of the sheets of a workbook.')),
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

const LineMessage = v.object({ field: text, column: text, value: text, message: v.string() })

export const ImportRow = named(
  'ImportRow',
  v.object({
    id: Id,
    line: v.pipe(count, v.description('The line number in the file, starting at 1.')),
    status: v.picklist(ROW_STATUSES),
    record_id: v.nullable(Id),
    errors: v.pipe(
      v.array(
        v.object({
          ...LineMessage.entries,
          record_id: v.optional(v.pipe(Id, v.description('The record that has the value already, where it must be unique.'))),
        }),
      ),
      v.description('Why the line did not become a record.'),
    ),
    warnings: v.pipe(v.array(LineMessage), v.description('What was not imported of a line that became a record.')),
    values: v.pipe(v.nullable(v.array(v.string())), v.description('The cells of a failed or skipped line.')),
    undone: v.nullable(v.picklist(['removed', 'restored', 'kept'])),
    undo_reason: text,
  }),
)
