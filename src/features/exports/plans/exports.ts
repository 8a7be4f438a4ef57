import { type SQL, sql } from 'drizzle-orm'
import { supplierCatalogEntries as entries, products } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import type { Statement } from '../../../data/db.ts'
import { conditionOf, listFilters, sortKeys } from '../../../data/lists.ts'
import { type PageQuery, page } from '../../../data/page.ts'
import type { Page } from '../../../data/paged.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import type { Query } from '../../../data/query.ts'
import type { OwnedTable } from '../../../data/store.ts'
import { Streamed } from '../../../data/streamed.ts'
import { TextPages } from '../../../data/text-page.ts'
import { dispositionOf } from '../../../domain/file-names.ts'
import { invalid } from '../../../errors.ts'
import type { SearchBody, Searched, SearchedWork, WorkSearchBody } from '../../../schemas/search.ts'
import { activitiesPage } from '../../activities/plans/activity-lists.ts'
import { isFieldOf } from '../../imports/rules/fields.ts'
import { CUSTOM } from '../../imports/rules/kinds.ts'
import { linkedTo } from '../../opportunities/plans/opportunity-lists.ts'
import { PRODUCT_SORTS, productFilters } from '../../products/schemas/products.ts'
import { readyFilter, searchIn } from '../../search/plans/record-search.ts'
import { workIn } from '../../search/plans/work-search.ts'
import { catalogFilters } from '../../supplier-catalog/schemas/supplier-catalog.ts'
import { tasksPage } from '../../tasks/plans/task-lists.ts'
import type { Exported, ExportManner } from '../schemas/exports.ts'
import { csvWriter, customKeys, jsonWriter, typeIn } from './export-rows.ts'
import { availableFields, defaultFields, EXPORTED, FIELDS_OF, type Listed, SELECTS } from './exportable.ts'

type Row = Record<string, unknown>
type ExportRequest = ExportManner & Omit<SearchBody, 'limit' | 'after'>
type WorkRequest = ExportManner & Omit<WorkSearchBody, 'limit' | 'after'>

/** Where the rows of a file come from: what must hold before they are read, and a page of them after a cursor. */
type Source = { statements: Statement[]; pageOf: (size: number, after?: string) => Query<Page<unknown>> }

/** Exports the records of a list of contacts, companies or opportunities as a file. */
export function exportList(
  ctx: Ctx,
  object: Searched,
  table: OwnedTable,
  filters: Row,
  { fields, format, bom, limit, sort, archived, search, ...query }: ExportRequest & Row,
) {
  const { where, either } = listFilters(table, filters, query)
  const filter = conditionOf(query)
  const conditions = [...where, object === 'opportunities' ? linkedTo(query.contact_id) : undefined]
  return exportRecords(ctx, object, { fields, format, bom, limit, sort, archived, search, filter }, conditions, either)
}

/** Exports the contacts, companies or opportunities that a search finds. */
export async function exportRecords(
  ctx: Ctx,
  object: Searched,
  { fields, format, bom, limit, ...search }: ExportRequest,
  where: (SQL | undefined)[] = [],
  either?: [SQL, SQL],
): Promise<Plan<Streamed>> {
  const ready = await readyFilter(ctx, object, search.filter)
  const planOf = (size: number, after?: string) =>
    searchIn(EXPORTED[object], object, { ...search, limit: size, after } as SearchBody, { conditions: where, either, walk: true, ready })
  const pageOf = (size: number, after?: string) => planOf(size, after).result as Query<Page<unknown>>
  return exportFile(ctx, object, { fields, format, bom, limit }, { statements: planOf(limit).statements, pageOf })
}

/** Exports the tasks or activities that a search finds. */
export async function exportWork(ctx: Ctx, object: SearchedWork, { fields, format, bom, limit, ...search }: WorkRequest) {
  const source = await workIn(ctx, object, search, SELECTS[object])
  return exportFile(ctx, object, { fields, format, bom, limit }, source)
}

const LISTS: Record<Listed, (query: PageQuery) => Query<Page<unknown>>> = {
  products: (query) =>
    page({
      select: SELECTS.products,
      id: products.id,
      ...listFilters(products, productFilters, query),
      sorts: sortKeys(products, PRODUCT_SORTS),
      archived: products.archived,
      whole: true,
      name: 'products',
      query,
    }),
  supplier_catalog_entries: (query) =>
    page({
      select: SELECTS.supplier_catalog_entries,
      id: entries.id,
      ...listFilters(entries, catalogFilters, query),
      sorts: sortKeys(entries, ['created_at']),
      whole: true,
      name: 'supplier catalog entries',
      query,
    }),
  tasks: (query) => tasksPage('tasks', [], query, SELECTS.tasks),
  activities: (query) => activitiesPage('activities', [], query, query.contact_id, SELECTS.activities),
}

/** Exports products, catalogue entries, tasks or activities with the filters of their list. */
export function exportListed(ctx: Ctx, object: Listed, { fields, format, bom, limit, ...query }: ExportManner & Row) {
  const pageOf = (size: number, after?: string) => LISTS[object]({ ...query, limit: size, after })
  return exportFile(ctx, object, { fields, format, bom, limit }, { statements: [], pageOf })
}

/**
 * Exports rows, one round trip per page. The first round trip also counts whether there are more than `limit`, because the response header
 * must say so before the first row. @throws AppError VALIDATION_ERROR for an unknown field.
 */
function exportFile(ctx: Ctx, object: Exported, { fields, format, bom, limit }: ExportManner, { statements, pageOf }: Source) {
  const hasMetadata = isFieldOf(object, `${CUSTOM}key`)
  const unknown = (fields ?? []).filter((name) => !(name.startsWith(CUSTOM) ? hasMetadata : availableFields(object).includes(name)))
  if (unknown.length > 0)
    throw invalid(
      unknown.map((name) => ({
        path: 'fields',
        message:
          `${object} have no field ${name}: ` +
          `use some of ${availableFields(object).join(', ')}${hasMetadata ? ', or metadata.<key>' : ''}`,
      })),
    )
  const writer = format === 'csv' ? csvWriter(bom) : jsonWriter()
  const typeOf = typeIn(FIELDS_OF[object])
  const pagesWith = (custom: string[] | undefined = hasMetadata ? undefined : []) => {
    const columns = fields
      ? { before: fields, custom: [], after: [] }
      : { before: defaultFields(object), custom, after: ['created_at', 'updated_at'] }
    return new TextPages(pageOf, writer.row(object, columns, typeOf), limit)
  }
  const start: Query<Streamed> = {
    query: sql`select (select coalesce(json_agg(f.field_key), '[]') from (${customKeys(object)}) f),
      (select count(*) from (${pageOf(limit).query.getSQL()}) counted) > ${limit}::int, ${pagesWith().first()}`,
    fields: [],
    hidden: 3,
    decode: (_, raw) => {
      const [keys, isTruncated, first] = raw[0] as [string[], boolean, string]
      const columns = fields ?? [...defaultFields(object), ...keys.map((key) => CUSTOM + key), 'created_at', 'updated_at']
      const type = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8'
      async function* pieces() {
        yield writer.head(columns)
        yield* pagesWith(keys).texts(ctx, first)
      }
      return new Streamed(type, pieces, {
        'Content-Disposition': dispositionOf(`${object}-${ctx.now.toISOString().slice(0, 10)}.${format}`),
        ...(isTruncated && { 'X-Truncated': '1' }),
      })
    },
  }
  return plan(statements, start)
}
