import { sql } from 'drizzle-orm'
import type { Ctx } from '../../../context.ts'
import type { Statement } from '../../../data/db.ts'
import { compileFilter, FIELD_OBJECT } from '../../../data/filters.ts'
import { assertNoPaths } from '../../../data/query.ts'
import { parseFilter } from '../../../domain/filters/parse.ts'
import type { Filter, RootName } from '../../../domain/filters/types.ts'
import { type Issue, invalid } from '../../../errors.ts'
import {
  CUSTOM_SORT,
  EXPORT_SORTS,
  isTimeSort,
  type OnlyExported,
  type Searched,
  type SearchedWork,
  SORTS,
  TIME_SORTS,
  WORK_SORTS,
} from '../../../schemas/search.ts'
import { readyFilter } from '../../search/plans/record-search.ts'
import { type ColumnSource, readPath } from '../rules/column-paths.ts'
import type { ExportColumn, ExportDefinition } from '../rules/templates.ts'
import { fieldTypes } from './field-types.ts'

/** The sources of the columns. @throws VALIDATION_ERROR that names each column without one. */
export function sourcesOf(root: RootName, columns: ExportColumn[]): ColumnSource[] {
  const types = fieldTypes(root)
  const sources = columns.map(({ path }) => readPath(root, path, types))
  const issues = sources.flatMap((source, index): Issue[] =>
    typeof source === 'string' ? [{ path: `columns.${index}.path`, message: source }] : [],
  )
  if (issues.length > 0) throw invalid(issues)
  return sources as ColumnSource[]
}

/** The filter. @throws VALIDATION_ERROR for one that the root entity cannot have. */
export function filterIn(root: RootName, filters: Record<string, unknown> | null): Filter | undefined {
  if (filters === null) return undefined
  const { filter, issues } = parseFilter(root, filters)
  if (!filter) throw invalid(issues.map(({ path, message }) => ({ path: `filters${path}`, message })))
  return filter
}

/** The sort, or the usual one. @throws VALIDATION_ERROR for one that the search of the root entity has not. */
export function sortIn(root: RootName, sort: string | null): string {
  if (!(root in SORTS)) {
    const sorts: readonly string[] = { ...WORK_SORTS, ...EXPORT_SORTS }[root as SearchedWork | OnlyExported]
    const offered = sorts.flatMap((name) => [name, `-${name}`])
    if (sort !== null && !offered.includes(sort)) throw invalid([{ path: 'sort', message: `must be one of: ${offered.join(', ')}` }])
    return sort ?? `-${sorts[0]}`
  }
  const offered = [...SORTS[root as Searched], ...Object.keys(TIME_SORTS)].flatMap((name) => [name, `-${name}`])
  if (sort !== null && !offered.includes(sort) && !CUSTOM_SORT.test(sort))
    throw invalid([{ path: 'sort', message: `must be one of: ${offered.join(', ')}, or metadata.<key> of a custom field` }])
  return sort ?? '-created_at'
}

/** The resource that a sort reads, besides that of the root entity. */
export function sortResource(sort: string): string[] {
  const name = sort.replace('-', '')
  return isTimeSort(name) ? [TIME_SORTS[name]] : []
}

const objectName = (object: RootName): string => (FIELD_OBJECT as Partial<Record<RootName, string>>)[object] ?? ''

/** Asserts that the custom fields of the columns exist. */
function assertCustom(sources: ColumnSource[]): Statement | undefined {
  const custom = sources.flatMap(({ object, custom }, at) =>
    custom === undefined ? [] : [{ object: objectName(object), key: custom, path: `columns.${at}.path` }],
  )
  if (custom.length === 0) return undefined
  const missing = sql`array(select k ->> 'path' from jsonb_array_elements(${JSON.stringify(custom)}::jsonb) k
    left join custom_fields f on f.object = k ->> 'object' and f.field_key = k ->> 'key' and not f.archived where f.id is null)`
  return assertNoPaths(missing, 'There is no custom field with this key: GET /exports/field-catalog lists the columns')
}

/** Checks what is stored of a template or a view, and returns the guards that its custom fields need. @throws VALIDATION_ERROR */
export async function definitionGuards(
  ctx: Ctx,
  root: RootName,
  { columns, filters, sort }: Partial<{ [Key in keyof ExportDefinition]: ExportDefinition[Key] | null | undefined }>,
): Promise<(Statement | undefined)[]> {
  const sources = columns ? sourcesOf(root, columns) : []
  if (sort) sortIn(root, sort)
  const filter = await readyFilter(ctx, root, filterIn(root, filters ?? null))
  return [assertCustom(sources), ...(filter ? compileFilter(root, filter, 'filters').guards : [])]
}
