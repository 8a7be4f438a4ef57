import { sql } from 'drizzle-orm'
import { activities, tasks } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import type { Statement } from '../../../data/db.ts'
import { asksAbout, compileFilter } from '../../../data/filters.ts'
import type { Keys } from '../../../data/page.ts'
import type { Page } from '../../../data/paged.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import type { Query } from '../../../data/query.ts'
import { selectFrom } from '../../../data/store.ts'
import { Streamed } from '../../../data/streamed.ts'
import { type Joins, linesOf, type RowText, TextPages } from '../../../data/text-page.ts'
import { csvRecord } from '../../../domain/csv/write.ts'
import { dispositionOf } from '../../../domain/file-names.ts'
import { listsIn } from '../../../domain/filters/lists.ts'
import { pathsIn } from '../../../domain/filters/relations.ts'
import type { Filter, RootName } from '../../../domain/filters/types.ts'
import { localTimeIn } from '../../../domain/local-days.ts'
import { zoneOffsets } from '../../../domain/zone-offsets.ts'
import { AppError, invalid } from '../../../errors.ts'
import { EXPORT_SORTS, type OnlyExported, type SearchBody, type Searched } from '../../../schemas/search.ts'
import { readyFilter, SEARCHED, searchIn } from '../../search/plans/record-search.ts'
import { workIn } from '../../search/plans/work-search.ts'
import { type ColumnSource, objectsOf } from '../rules/column-paths.ts'
import { resourceOf } from '../rules/relations.ts'
import { type ExportFormat, PREVIEW_ROWS, withParts } from '../rules/templates.ts'
import { xlsxFile } from '../rules/xlsx-file.ts'
import type { ExportPreview, ExportPreviewBody, ExportRunBody } from '../schemas/export-templates.ts'
import { csvRow, jsonRow, type RowFormat, textsJoin, xlsxRow, zoneQuery } from './cell-formats.ts'
import { exportedPages, ROOT_FIELDS } from './export-roots.ts'
import { type TemplateData, templateData } from './template-data.ts'
import { filterIn, sortIn, sortResource, sourcesOf } from './template-definitions.ts'
import { ownColumns, PageJoins } from './template-joins.ts'

/** An export that is ready: what must hold, its headers, the pages of its rows, and how a row is written. */
type Ready = {
  data: TemplateData
  statements: Statement[]
  headers: string[]
  pageOf: (size: number, after?: string) => Query<Page<unknown>>
  written: (format: RowFormat) => { row: RowText; joins: Joins }
}

/** Reads the template, and plans the pages of its rows. @throws NOT_FOUND, FORBIDDEN or VALIDATION_ERROR */
async function prepare(ctx: Ctx, id: string, { view_id, ...body }: ExportPreviewBody): Promise<Ready> {
  const data = await ctx.read(templateData(id, view_id))
  const { root_entity: root } = data.template
  const definition = withParts(data.template, data.view, body)
  const sources = sourcesOf(root, definition.columns)
  const filter = filterIn(root, definition.filters)
  const sort = sortIn(root, definition.sort)
  const needed = neededBy(root, sources, filter, sort)
  assertReadable(
    data,
    root,
    definition.columns.map(({ path }) => path),
    sources,
    needed,
  )
  assertThere(data, sources)
  const names = new Set(['id', ...sources.flatMap((source) => ownColumns(root, source))])
  const { statements, pageOf } = await pagesOf(ctx, root, [...names], { filter, sort })
  return {
    data,
    statements: [mayRead(needed), ...statements],
    headers: sources.map(({ object, custom }, at) => {
      const { path, label } = definition.columns[at] as { path: string; label: string | null }
      return label ?? (custom === undefined ? undefined : data.labelOf(object, custom)) ?? path
    }),
    pageOf,
    written: (format) => writtenBy(data, root, sources, format),
  }
}

/** The resources that an export reads. */
function neededBy(root: RootName, sources: ColumnSource[], filter: Filter | undefined, sort: string): string[] {
  const filtered = filter ? pathsIn(root, filter).map((path) => path.at(-1)?.to as string) : []
  const lists = filter && listsIn(root, filter).length > 0 ? ['lists'] : []
  const objects = [root, ...sources.flatMap((source) => objectsOf(root, source)), ...filtered, ...lists, ...sortResource(sort)]
  return [...new Set(objects.map(resourceOf))]
}

/** @throws FORBIDDEN that names the columns whose records the role of the key's owner may not read. */
function assertReadable({ reads }: TemplateData, root: RootName, paths: string[], sources: ColumnSource[], needed: string[]): void {
  const missing = needed.filter((resource) => !reads.includes(resource))
  if (missing.length === 0) return
  const columns = paths.filter((_, at) =>
    [root, ...objectsOf(root, sources[at] as ColumnSource)].some((object) => missing.includes(resourceOf(object))),
  )
  const what = columns.length > 0 ? `the columns ${columns.join(', ')} show` : 'the filter or the sort reads'
  throw new AppError('FORBIDDEN', `The role of the key's owner may not read ${missing.join(', ')}, which ${what}`, {
    columns,
    missing_scopes: missing.map((resource) => `${resource}:read`),
  })
}

/** The same in the transaction of the export. */
const mayRead = (needed: string[]): Statement =>
  sql`select assert_condition(cardinality(role_reads(${`{${needed.join(',')}}`}::text[])) = ${needed.length}::int, 'FORBIDDEN',
    ${'The role of the key’s owner may not read what this export shows'})`

/** @throws VALIDATION_ERROR that names the columns of custom fields which are no longer there. */
function assertThere({ customType }: TemplateData, sources: ColumnSource[]): void {
  const issues = sources.flatMap(({ object, custom }, at) =>
    custom !== undefined && customType(object, custom) === undefined
      ? [{ path: `columns.${at}.path`, message: `There is no custom field ${custom} of ${object} any more: take the column out` }]
      : [],
  )
  if (issues.length > 0) throw invalid(issues)
}

/** The pages of the rows, with only these columns of the root. The rights to what a filter reads are those of the role. */
async function pagesOf(ctx: Ctx, root: RootName, names: string[], { filter, sort }: { filter: Filter | undefined; sort: string }) {
  const fields = Object.fromEntries(names.map((name) => [name, ROOT_FIELDS[root][name]]))
  const archived = filter && asksAbout(filter, 'archived') ? 'all' : 'false'
  const needs = () => []
  const ready = await readyFilter(ctx, root, filter)
  const guards = ready ? compileFilter(root, ready, 'filters').guards : []
  if (root in EXPORT_SORTS) {
    const compiled = ready && compileFilter(root, ready, 'filters')
    return { statements: guards, pageOf: exportedPages(root as OnlyExported, fields, { sort, archived, compiled, filter }) }
  }
  if (root === 'tasks' || root === 'activities') {
    const table = { tasks, activities }[root]
    const select = (keys: Keys) => selectFrom<unknown>(table, { ...fields, ...keys })
    const { statements, pageOf } = await workIn(ctx, root, { filter, sort, ...(root === 'tasks' && { archived }) }, select, true, needs)
    return { statements: [...guards, ...statements], pageOf }
  }
  const { table, sorts } = SEARCHED[root as Searched]
  const object = { table, sorts, select: (keys: object) => selectFrom<unknown>(table, { ...fields, ...keys }) }
  const planOf = (limit: number, after?: string) =>
    searchIn(object, root as Searched, { filter, sort, archived, limit, after } as SearchBody, { walk: true, ready, needs })
  return {
    statements: [...guards, ...planOf(1).statements],
    pageOf: (size: number, after?: string) => planOf(size, after).result as Query<Page<unknown>>,
  }
}

function writtenBy(data: TemplateData, root: RootName, sources: ColumnSource[], format: RowFormat): { row: RowText; joins: Joins } {
  const rowIn = (column: (name: string) => string) => {
    const joins = new PageJoins(root, column, data.customType)
    const { texts, line } = format(sources.map((source) => joins.valueOf(source)))
    return { line, joined: joins.toString() + (texts ? `\n${textsJoin(texts)}` : '') }
  }
  return {
    row: (column) => sql.raw(rowIn(column).line),
    joins: {
      of: (column) => sql.raw(rowIn(column).joined),
      queries: format === xlsxRow ? sql.raw(zoneQuery(zoneOffsets(data.zone))) : undefined,
    },
  }
}

/** The headers and the first rows of an export. */
export async function previewTemplate(ctx: Ctx, id: string, body: ExportPreviewBody) {
  const { statements, headers, pageOf, written } = await prepare(ctx, id, body)
  const { row, joins } = written(jsonRow)
  const { head, lines } = linesOf(pageOf(PREVIEW_ROWS), row, joins)
  const result: Query<ExportPreview> = {
    query: sql`select (${head}select '[' || coalesce(string_agg(line, ',' order by n), '') || ']' from (${lines}) written
      where n <= ${PREVIEW_ROWS}::int)`,
    fields: [],
    hidden: 1,
    decode: (_, raw) => ({ headers, rows: JSON.parse(raw[0]?.[0] as string) as ExportPreview['rows'] }),
  }
  return plan(statements, result)
}

const TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

/**
 * Exports the rows of a template as a file, one round trip per page. The first round trip also finds whether there are more than `limit`,
 * because the name of the file must say so before the first row.
 */
export async function runTemplate(ctx: Ctx, id: string, { format: sent, bom, limit, ...body }: ExportRunBody): Promise<Plan<Streamed>> {
  const { data, statements, headers, pageOf, written } = await prepare(ctx, id, body)
  const { name, format = 'xlsx' } = { ...data.template, ...(sent && { format: sent }) }
  const { row, joins } = written(format === 'csv' ? csvRow : xlsxRow)
  const pages = new TextPages(pageOf, row, limit, joins)
  const matching = pageOf(limit).query.getSQL()
  const start: Query<Streamed> = {
    query: sql`select (select count(*) from (${matching}) counted) > ${limit}::int, ${pages.first()}`,
    fields: [],
    hidden: 2,
    decode: (_, raw) => {
      const [isTruncated, first] = raw[0] as [boolean, string]
      const rest = isTruncated ? `, first ${limit} rows` : ''
      const local = localTimeIn(data.zone, ctx.now)
      const about = ({ rows, cut }: { rows: number; cut: number }): [string, string | number][] => [
        ['Template', name],
        ['Exported at', `${local.replace('T', ' ')} (${data.zone})`],
        ['Rows', rows],
        ['More rows matched than the file has', isTruncated ? 'Yes' : 'No'],
        ['Cells cut at 32,767 characters, marked yellow', cut],
      ]
      const pieces = () =>
        format === 'csv' ? csvFile(bom, headers, pages.texts(ctx, first)) : xlsxFile(name, headers, pages.texts(ctx, first), about)
      return new Streamed(TYPES[format], pieces, {
        'Content-Disposition': dispositionOf(`${name.replaceAll(/[\\/]/g, '-')} ${local.slice(0, 10)}${rest}.${format}`),
        ...(isTruncated && { 'X-Truncated': '1' }),
      })
    },
  }
  return plan(statements, start)
}

async function* csvFile(bom: boolean, headers: string[], pages: AsyncIterable<string>): AsyncGenerator<string> {
  yield (bom ? '\uFEFF' : '') + csvRecord(headers)
  yield* pages
}
