import * as v from 'valibot'
import { ROOTS } from '../../../domain/filters/types.ts'
import { named, timestamps } from '../../../schemas/common.ts'
import { Bool, describe, Enum, Id, Integer, Name, SingleLine } from '../../../schemas/fields.ts'
import { MAX_STORED_FILTER, StoredFilter } from '../../../schemas/filters.ts'
import { AGGREGATES } from '../rules/relations.ts'
import { EXPORT_FORMATS, MAX_COLUMNS, MAX_LISTED_VALUES } from '../rules/templates.ts'
import { MOST_ROWS } from './exports.ts'

const PATH =
  'The path of the value, as GET /exports/field-catalog lists it: a field such as `city`, a custom field such as `metadata.tier`, ' +
  'a field of a related record such as `company.name`, or of several: `opportunities.count`, and a field with one of ' +
  `${AGGREGATES.slice(1).join(', ')}, such as \`opportunities.value.sum\`.`
const LABEL = 'The header of the column; by default the label of a custom field, or else the path.'
const COLUMNS =
  `The columns in their order, at most ${MAX_COLUMNS}. A list of values of related records has at most ${MAX_LISTED_VALUES}, ` +
  'and then how many more there are. A sum of amounts in several currencies is empty.'
const FILTERS =
  `Which records are exported, in the language of the filter guide, of at most ${MAX_STORED_FILTER} characters; null exports ` +
  'all that are not archived.'
const SORT = 'The order of the rows, as the search of the root entity has it, such as `-created_at`; null means that by default.'
const EXAMPLE = { field: 'tags', op: 'in', value: ['VIP'] }

const column = v.strictObject({
  path: describe(SingleLine(200), PATH, 'first_name'),
  label: v.optional(v.nullable(describe(Name(120), LABEL, 'First name')), null),
})
const columns = v.pipe(
  v.array(column, 'must be a list of columns, each {"path", "label"}'),
  v.minLength(1, 'must contain at least one column'),
  v.maxLength(MAX_COLUMNS, `must be at most ${MAX_COLUMNS} columns`),
  v.description(COLUMNS),
  v.examples([
    [
      { path: 'id', label: null },
      { path: 'created_at', label: 'Since' },
    ],
  ]),
)
const filters = v.pipe(v.nullable(StoredFilter), v.description(FILTERS), v.examples([{ field: 'created_at', op: 'is_not_empty' }]))
const sort = v.nullable(describe(SingleLine(80), SORT, '-created_at'))
const format = describe(Enum(EXPORT_FORMATS), 'The format of the file.', 'xlsx')
const name = describe(Name(120), 'What it is called; a part of the name of the file.', 'Customers by city')

const template = {
  name,
  columns,
  filters: v.optional(filters),
  sort: v.optional(sort),
  format: v.optional(format),
}
export const NewExportTemplate = v.strictObject({
  ...template,
  root_entity: Enum(ROOTS, 'The kind of record that each row is about. It does not change.'),
})
export type NewExportTemplate = v.InferOutput<typeof NewExportTemplate>
export const ExportTemplatePatch = v.partial(v.strictObject(template))
export type ExportTemplatePatch = v.InferOutput<typeof ExportTemplatePatch>

const OF_TEMPLATE = ' Null: those of the template.'
const viewParts = {
  columns: v.optional(v.nullable(columns)),
  filters: v.optional(filters),
  sort: v.optional(sort),
}
export const NewExportView = v.strictObject({ name: describe(Name(120), 'What the view is called.', 'Only mine'), ...viewParts })
export type NewExportView = v.InferOutput<typeof NewExportView>
export const ExportViewPatch = v.partial(NewExportView)
export type ExportViewPatch = v.InferOutput<typeof ExportViewPatch>

const OVERRIDES = 'Instead of what the view or the template has.'
const overrides = {
  view_id: v.optional(describe(Id, 'A saved view of this template whose columns, filter and sort replace those of the template.')),
  columns: v.optional(describe(columns, `${COLUMNS} ${OVERRIDES}`)),
  filters: v.optional(describe(v.pipe(StoredFilter), `${FILTERS} ${OVERRIDES}`, { field: 'created_at', op: 'is_not_empty' })),
  sort: v.optional(describe(SingleLine(80), `${SORT} ${OVERRIDES}`, '-created_at')),
}
export const ExportPreviewBody = v.strictObject(overrides)
export type ExportPreviewBody = v.InferOutput<typeof ExportPreviewBody>
export const ExportRunBody = v.strictObject({
  ...overrides,
  format: v.optional(describe(Enum(EXPORT_FORMATS), 'The format of the file, instead of that of the template.', 'csv')),
  bom: v.optional(describe(Bool, 'Whether a CSV file begins with a byte order mark, which Excel needs to detect UTF-8.', true), true),
  limit: v.optional(describe(Integer(1, MOST_ROWS), 'The maximum number of rows.', MOST_ROWS), MOST_ROWS),
})
export type ExportRunBody = v.InferOutput<typeof ExportRunBody>

const columnOut = v.object({
  path: v.pipe(v.string(), v.description(PATH), v.examples(['first_name'])),
  label: v.pipe(v.nullable(v.string()), v.description(LABEL)),
})
const filterOut = (more = '') => v.nullable(v.pipe(v.record(v.string(), v.unknown()), v.description(FILTERS + more), v.examples([EXAMPLE])))
const sortOut = (more = '') => v.pipe(v.nullable(v.string()), v.description(SORT + more), v.examples(['-created_at']))

export const ExportTemplate = named(
  'ExportTemplate',
  v.object({
    id: Id,
    name: v.string(),
    root_entity: v.pipe(v.picklist(ROOTS), v.description('The kind of record that each row is about.')),
    columns: v.pipe(v.array(columnOut), v.description(COLUMNS)),
    filters: filterOut(),
    sort: sortOut(),
    format: v.pipe(v.picklist(EXPORT_FORMATS), v.description('The format of the file.')),
    ...timestamps,
  }),
)
export type ExportTemplate = v.InferOutput<typeof ExportTemplate>
export const ExportView = named(
  'ExportView',
  v.object({
    id: Id,
    template_id: v.pipe(Id, v.description('The template that it is a view of.')),
    name: v.string(),
    columns: v.pipe(v.nullable(v.array(columnOut)), v.description(COLUMNS + OF_TEMPLATE)),
    filters: filterOut(OF_TEMPLATE),
    sort: sortOut(OF_TEMPLATE),
    ...timestamps,
  }),
)
export type ExportView = v.InferOutput<typeof ExportView>

export const exportTemplateFilters = {
  root_entity: v.optional(Enum(ROOTS, 'Only templates for this kind of record.')),
}
export const EXPORT_TEMPLATE_SORTS = ['created_at', 'updated_at', 'name']

const Cell = v.nullable(v.union([v.string(), v.number(), v.boolean(), v.array(v.unknown()), v.record(v.string(), v.unknown())]))
export const ExportPreview = named(
  'ExportPreview',
  v.object({
    headers: v.pipe(v.array(v.string()), v.description('The headers of the columns.'), v.examples([['First name', 'company.name']])),
    rows: v.pipe(
      v.array(v.array(Cell)),
      v.description('The values of the first ten rows. Times are in UTC; an XLSX file has them in the time zone of the workspace.'),
      v.examples([[['Ana', 'Harbour Renovations']]]),
    ),
  }),
)
export type ExportPreview = v.InferOutput<typeof ExportPreview>
