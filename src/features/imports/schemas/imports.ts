import * as v from 'valibot'
import { ENCODINGS } from '../../../domain/csv/encoding.ts'
import { named, timestamps } from '../../../schemas/common.ts'
import { Id, InstantOut } from '../../../schemas/fields.ts'
import { MAX_UNKNOWN } from '../rules/limits.ts'
import { IMPORT_STATES, PHASES } from '../rules/states.ts'
import { DATE_FORMATS, FILE_TYPES, IMPORT_MODES, IMPORT_OBJECTS, MATCH_SETTINGS, ROW_STATUSES, UNKNOWN_ACTIONS } from '../rules/types.ts'

const count = v.pipe(v.number(), v.integer())
const text = v.nullable(v.string())

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
    unknown_pipelines: v.pipe(v.picklist(UNKNOWN_ACTIONS), v.description('What happens to a line that names an unknown pipeline.')),
    unknown_stages: v.pipe(v.picklist(UNKNOWN_ACTIONS), v.description('What happens to a line that names an unknown stage.')),
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
    unmapped_columns: v.pipe(
      v.array(v.string()),
      v.description('The columns that are not imported: no field takes them, and they are not in ignored_columns.'),
    ),
    unknown_values: v.pipe(
      v.array(
        v.object({
          field: v.pipe(v.string(), v.description('`pipeline` or `stage`.')),
          value: v.pipe(v.string(), v.description('The name in the file, as the first of its lines has it.')),
          pipeline: v.pipe(text, v.description('The pipeline that a stage was looked for in; null for the default one.')),
          action: v.pipe(v.picklist(UNKNOWN_ACTIONS), v.description('What the settings of the import say for it.')),
          lines: v.pipe(count, v.description('The number of lines that name it.')),
        }),
      ),
      v.description(
        'The pipelines and stages that lines name and that there are not, as the check or the run has found them, ' +
          `at most ${MAX_UNKNOWN}. A run leaves out those that it creates. Empty without the read scope of the records.`,
      ),
    ),
    earlier_imports: v.pipe(
      v.array(v.object({ id: Id, file_name: v.string(), state: v.picklist(IMPORT_STATES), started_at: InstantOut })),
      v.description('The latest imports of the same file (by its SHA-256) that were started and not undone, at most five.'),
    ),
    preview: v.pipe(
      v.array(PreviewedLine),
      v.description(
        'What the first ten lines become with these settings. Cells are cut after 200 characters; records that a line ' +
          'refers to are not looked up.',
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
