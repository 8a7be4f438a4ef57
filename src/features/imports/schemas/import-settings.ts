import * as v from 'valibot'
import { Bool, describe, Enum, Id, optional, SingleLine } from '../../../schemas/fields.ts'
import { FIELDS } from '../rules/fields.ts'
import { DATE_FORMATS, IDENTIFIERS, IMPORT_MODES, IMPORT_OBJECTS, MATCH_FIELDS, MATCH_SETTINGS, UNKNOWN_ACTIONS } from '../rules/types.ts'

/** What a caller can decide of an import. */

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
    'Which column fills which field. Columns that are not listed are ignored. Several columns may fill a list, an email address, ' +
      'a phone number (the first value is the main one, and others are alternates), consent (one opt-out suffices), a company or a stage ' +
      '(the first value applies). A column about consent may fill several of its fields. ' +
      `Fields: ${IMPORT_OBJECTS.map((object) => `${object}: ${FIELDS[object].map(({ name }) => name).join(', ')}`).join('; ')}.`,
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
      '`create` creates records and skips lines whose record already exists according to match_by; `update` updates records and skips ' +
        'lines whose record does not exist; `upsert` does both.',
    ),
  ),
  match_by: v.optional(
    v.nullable(
      Enum(
        MATCH_SETTINGS,
        'The field by which a line is matched to a record; `best` uses the best identifier that a line has ' +
          `(${IMPORT_OBJECTS.map((object) => `${object}: ${IDENTIFIERS[object].join(', ')}`).join('; ')}). ` +
          'A line with an unknown id or external_id then also takes over a contact with the same email, a company with the same name, ' +
          'or a product with the same SKU, that has no external_id. ' +
          `${IMPORT_OBJECTS.map((object) => `${object}: ${MATCH_FIELDS[object].join(', ')}`).join('; ')}.`,
      ),
    ),
  ),
  defaults: v.optional(Defaults),
  date_format: v.optional(
    Enum(
      DATE_FORMATS,
      'How to read 03/04/2026: day first, month first, or year first only. ISO dates and Excel day numbers are always accepted. ' +
        'A time of 12 or 24 hours may follow, such as 2:30 PM. Without an offset it is one of the time zone of the workspace. ' +
        'A field without a time keeps the day.',
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
        'Columns that are ignored on purpose. A column that seems to say who must not be contacted, by its name or by its values, ' +
          'is either mapped or listed here; otherwise the import is not started.',
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
      'The static list that every record of the import is added to, also one that exists already; of contacts, companies or ' +
        'opportunities. Needs `lists:write`. A list that is full takes no more; the lines say so. ' +
        'An undo removes the records that it deletes.',
    ),
  ),
  unknown_companies: v.optional(
    Enum(
      UNKNOWN_ACTIONS,
      'What happens to a line that names an unknown company: `create` creates the company, `report` imports the line without it and ' +
        'with a warning, `fail` rejects the line. `placeholder` creates the company as well, also a parent company, and for an id of ' +
        'another system one that is named after it and has it as its external_id: a later import of that company completes it, ' +
        'so that files can be imported in any order. Creating needs `companies:write`. `create` creates no company from an id.',
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
  unknown_pipelines: v.optional(
    Enum(
      ['create', 'fail'],
      'As unknown_companies, for the pipeline of an opportunity. The new pipeline gets the stages that the lines name, and a won and a ' +
        'lost one. Creating needs `pipelines:write`. `replacements` maps a name to an existing pipeline instead.',
    ),
  ),
  unknown_stages: v.optional(
    Enum(
      ['create', 'fail'],
      'As unknown_companies, for the stage of an opportunity, which is added to its pipeline. ' +
        'Won or lost in its name makes it a stage of that kind. Creating needs `pipelines:write`. ' +
        '`replacements` maps a name to an existing stage instead.',
    ),
  ),
  run_automations: optional(
    describe(
      Bool,
      'Whether automations react to the records that the import creates and updates. ' +
        'They do not unless this is true, and true or false is required if a published automation waits for such records. ' +
        '`skip_automations` of the start prevails, and the undo of an import never starts any.',
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
