import { type SQL, sql } from 'drizzle-orm'
import { companies, contacts } from '../../../schema/index.ts'
import type { Ctx } from '../../context.ts'
import { conditionOf, listFilters } from '../../data/lists.ts'
import type { Page } from '../../data/paged.ts'
import { type Plan, plan } from '../../data/plan.ts'
import type { Query } from '../../data/query.ts'
import { columnsFor, type OwnedTable } from '../../data/store.ts'
import { Streamed } from '../../data/streamed.ts'
import { TextPages } from '../../data/text-page.ts'
import { CUSTOM, FIELDS } from '../../domain/imports/fields.ts'
import { invalid } from '../../errors.ts'
import { Company } from '../../schemas/companies.ts'
import { Contact } from '../../schemas/contacts.ts'
import type { ExportManner } from '../../schemas/exports.ts'
import { Opportunity } from '../../schemas/opportunities.ts'
import type { SearchBody, Searched } from '../../schemas/search.ts'
import { listFields } from '../opportunities/opportunities.ts'
import { linkedTo } from '../opportunities/opportunity-lists.ts'
import { readyFilter, SEARCHED, searched, searchIn } from '../search/record-search.ts'
import { csvWriter, customKeys, jsonWriter, typeIn } from './export-rows.ts'

type Row = Record<string, unknown>
type ExportRequest = ExportManner & Omit<SearchBody, 'limit' | 'after'>

const nameOf = (table: string, key: string, what = 'name', by = 'id') =>
  sql.raw(`(select o.${what} from public.${table} o where o.${by} = ${key})`)
/** The records that a row refers to, by name or email address as an import resolves them. */
const NAMED: Record<Searched, Record<string, SQL>> = {
  contacts: {
    company: nameOf('companies', 'contacts.customer_id'),
    owner: nameOf('users', 'contacts.assigned_to', 'email'),
    lead_source: nameOf('lead_sources', 'contacts.source_id'),
  },
  companies: {
    parent_company: nameOf('companies', 'companies.parent_company_id'),
    owner: nameOf('users', 'companies.assigned_to', 'email'),
  },
  opportunities: {
    company: nameOf('companies', 'opportunities.customer_id'),
    owner: nameOf('users', 'opportunities.assigned_to', 'email'),
    pipeline: nameOf('pipelines', 'opportunities.pipeline_id'),
    stage: nameOf('stages', 'opportunities.stage_id'),
  },
}
const SCHEMAS = { contacts: Contact, companies: Company, opportunities: Opportunity } as const
const FIELDS_OF = { contacts: columnsFor(contacts, Contact), companies: columnsFor(companies, Company), opportunities: listFields } as const

const aliased = (named: Record<string, SQL>) => Object.fromEntries(Object.entries(named).map(([name, value]) => [name, value.as(name)]))
const exported = (object: Searched) =>
  searched(SEARCHED[object].table, { ...FIELDS_OF[object], ...aliased(NAMED[object]) }, SEARCHED[object].sorts)
const EXPORTED = { contacts: exported('contacts'), companies: exported('companies'), opportunities: exported('opportunities') }

const AVAILABLE: Record<Searched, string[]> = {
  contacts: availableFields('contacts'),
  companies: availableFields('companies'),
  opportunities: availableFields('opportunities'),
}
function availableFields(object: Searched): string[] {
  return [...Object.keys(SCHEMAS[object].entries), ...Object.keys(NAMED[object])]
}
/** The default columns are those that an import accepts, so that a corrected file can be imported without a mapping. */
const defaultFields = (object: Searched): string[] =>
  FIELDS[object].map(({ name }) => name).filter((name) => AVAILABLE[object].includes(name))

/** Exports the records of a list as a file. */
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

/**
 * Exports the records that a search finds, one round trip per page. The first round trip also counts whether there are more than `limit`,
 * because the response header must say so before the first row. @throws AppError VALIDATION_ERROR for an unknown field.
 */
export async function exportRecords(
  ctx: Ctx,
  object: Searched,
  { fields, format, bom, limit, ...search }: ExportRequest,
  where: (SQL | undefined)[] = [],
  either?: [SQL, SQL],
): Promise<Plan<Streamed>> {
  const unknown = (fields ?? []).filter((name) => !name.startsWith(CUSTOM) && !AVAILABLE[object].includes(name))
  if (unknown.length > 0)
    throw invalid(
      unknown.map((name) => ({
        path: 'fields',
        message: `${object} have no field ${name}: use some of ${AVAILABLE[object].join(', ')}, or metadata.<key>`,
      })),
    )
  const ready = await readyFilter(ctx, object, search.filter)
  const pageOf = (size: number, after?: string) =>
    searchIn(EXPORTED[object], object, { ...search, limit: size, after } as SearchBody, { conditions: where, either, walk: true, ready })
  const writer = format === 'csv' ? csvWriter(bom) : jsonWriter()
  const typeOf = typeIn(FIELDS_OF[object])
  const pagesWith = (custom?: string[]) => {
    const columns = fields
      ? { before: fields, custom: [], after: [] }
      : { before: defaultFields(object), custom, after: ['created_at', 'updated_at'] }
    const queryOf = (size: number, after?: string) => pageOf(size, after).result as Query<Page<unknown>>
    return new TextPages(queryOf, writer.row(object, columns, typeOf), limit)
  }
  const { statements: steps, result: all } = pageOf(limit)
  const start: Query<Streamed> = {
    query: sql`select (select coalesce(json_agg(f.field_key), '[]') from (${customKeys(object)}) f), (select count(*) from (${all.query.getSQL()}) counted) > ${limit}::int, ${pagesWith().first()}`,
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
        'Content-Disposition': `attachment; filename="${object}-${ctx.now.toISOString().slice(0, 10)}.${format}"`,
        ...(isTruncated && { 'X-Truncated': '1' }),
      })
    },
  }
  return plan(steps, start)
}
