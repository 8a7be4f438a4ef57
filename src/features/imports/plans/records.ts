import { eq, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type * as v from 'valibot'
import { importRows, imports } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db } from '../../../data/db.ts'
import { listWhere, sortKeys } from '../../../data/lists.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import { plan, read } from '../../../data/plan.ts'
import {
  assert,
  compiledSelect,
  constant,
  mapResult,
  oneOrThrow,
  type PageSource,
  type Warning,
  WithWarnings,
} from '../../../data/query.ts'
import { assertExists, columnsFor, lockForUpdate } from '../../../data/store.ts'
import { ACTIVE_STATES, IMPORT_STATES, type ImportState } from '../rules/states.ts'
import type { PreviewedLine, UnknownValue } from '../rules/types.ts'
import { importFilters } from '../schemas/import-lists.ts'
import { Import, ImportRecord, ImportRow } from '../schemas/imports.ts'

const ofFile = (what: string) => sql.raw(`(select ${what} from import_files f where f.import_id = imports.id)`)
const NUMBERS = ['total', 'done', 'created', 'updated', 'skipped', 'failed', 'warned', 'removed', 'restored', 'kept']
const progress = ofFile(`json_build_object('phase', f.phase, ${NUMBERS.map((name) => `'${name}', f.${name}`).join(', ')})`).as('progress')
/** Whether the caller may read the kind of record that the import is for, and thus the values of its file. */
const READABLE = `has_scopes(array[import_scope(imports.object, 'read')])`
const file = ofFile(
  `json_build_object('type', f.type, 'format', f.format, 'encoding', f.encoding, 'delimiter', f.delimiter, 'has_header', f.has_header,
    'sheet', f.sheet, 'sheets', f.sheets,
    'columns', case when ${READABLE} then f.columns
      else (select jsonb_agg(c || '{"samples": []}' order by n) from jsonb_array_elements(f.columns) with ordinality e(c, n)) end,
    'suggestions', coalesce(f.suggestions -> imports.object, '[]'),
      'preview', case when ${READABLE} then (select coalesce(jsonb_agg(l -> 'cells' order by n), '[]')
      from jsonb_array_elements(f.preview) with ordinality e(l, n)) else '[]' end)`,
).as('file')

type EarlierImport = { id: string; file_name: string; state: ImportState; started_at: string }
const preview = sql<PreviewedLine[]>`${ofFile(`case when ${READABLE} then f.previewed else '[]' end`)}`.as('preview')
const unknown = sql<UnknownValue[]>`${ofFile(`case when ${READABLE} then f.unknown_values else '[]' end`)}`.as('unknown_values')
/** The columns that no field takes and that nobody declared to be ignored. */
const unmapped = sql<
  string[]
>`${ofFile(`(select coalesce(jsonb_agg(c -> 'name' order by n), '[]') from jsonb_array_elements(f.columns) with ordinality e(c, n)
  where not imports.ignored_columns ? (c ->> 'name')
    and not exists (select from jsonb_array_elements(imports.mapping) m where m ->> 'column' = c ->> 'name'))`)}`.as('unmapped_columns')
const EARLIER = 5
/** The latest imports of the same file that were started and not undone. */
const earlier = sql<
  EarlierImport[]
>`(select coalesce(json_agg(json_build_object('id', o.id, 'file_name', o.file_name, 'state', o.state, 'started_at', iso(o.started_at))
  order by o.started_at desc), '[]')
  from (select * from imports e where e.sha256 = imports.sha256 and e.id <> imports.id and e.started_at is not null and e.state <> 'undone'
    order by e.started_at desc limit ${sql.raw(String(EARLIER))}) o)`.as('earlier_imports')

const fields = columnsFor(imports, Import, { progress })
const recordFields = columnsFor(imports, ImportRecord, {
  progress,
  file,
  preview,
  unmapped_columns: unmapped,
  unknown_values: unknown,
  earlier_imports: earlier,
})
const records = compiledSelect(db.select(recordFields).from(imports))

export const record = (id: string) => oneOrThrow(records.where(eq(imports.id, id)), 'import')

/** As `record`; if it starts, with a warning if the file was imported before. */
export const recordWithWarnings = (id: string, starts: boolean) =>
  mapResult(
    record(id),
    (row) => new WithWarnings(row, starts && row.earlier_imports.length > 0 ? [importedBefore(row.earlier_imports)] : []),
  )

const importedBefore = (earlier: { id: string }[]): Warning => ({
  code: 'FILE_IMPORTED_BEFORE',
  field: 'file',
  message: 'The same file was imported before: its lines update the records that they match, and others are created again',
  details: { import_ids: earlier.map(({ id }) => id) },
})

const listed = (keys: Keys) => db.select({ ...fields, ...keys }).from(imports)

export const getImport = (id: string) => read(record(id))

export function listImports(query: PageQuery) {
  return read(
    page({
      select: listed,
      id: imports.id,
      where: listWhere(imports, importFilters, query),
      sorts: sortKeys(imports, ['created_at', 'updated_at']),
      name: 'imports',
      query,
    }),
  )
}

/** Deletes the import. The event of this change removes its file after the commit. */
export function deleteImport(ctx: Ctx, id: string) {
  return plan(
    [
      lockForUpdate(ctx, imports, id, 'import'),
      assert(
        sql`(select state <> all(${sql.raw(`'{${ACTIVE_STATES.join(',')}}'`)}) from ${imports} where id = ${id})`,
        'INVALID_STATE',
        'This import is under way: cancel it first',
        { allowed: IMPORT_STATES.filter((state) => !ACTIVE_STATES.includes(state)) },
      ),
      db.delete(imports).where(eq(imports.id, id)),
    ],
    constant({ id, deleted: true as const }),
  )
}

const unlessOmitted = (value: PgColumn, substitute: SQL) =>
  sql`case when (select readable from line_values) then ${value} else ${substitute} end`.mapWith(value)
const messages = unlessOmitted(importRows.errors, sql`omit_error_values(${importRows.errors})`)
const rowFields = columnsFor(importRows, ImportRow, {
  errors: sql`case when ${importRows.has_warnings} then '[]' else ${messages} end`.mapWith(importRows.errors).as('errors'),
  warnings: sql`case when ${importRows.has_warnings} then ${messages} else '[]' end`.mapWith(importRows.errors).as('warnings'),
  values: unlessOmitted(importRows.values, sql`null`).as('values'),
})

/** The rows of an import: without the values of its lines for a caller who may not read that kind of record. */
const rowsWith =
  (id: string) =>
  (keys: Keys): PageSource<v.InferOutput<typeof ImportRow>> => {
    const { fields, head } = compiledSelect(db.select({ ...rowFields, ...keys }).from(importRows))
    const readable = sql`select ${sql.raw(READABLE)} as readable from imports where id = ${id}`
    return {
      fields,
      page: (condition, order) => sql`with line_values as materialized (${readable}) ${head} where ${condition ?? sql`true`} ${order}`,
    }
  }

/** Lists the import's rows in file order. */
export function rowsOf(
  id: string,
  query: PageQuery & { status?: string | undefined; undone?: string | undefined; warnings?: boolean | undefined },
) {
  const { status, undone, warnings } = query
  return page({
    select: rowsWith(id),
    id: importRows.id,
    where: [
      eq(importRows.import_id, id),
      status === undefined ? undefined : sql`${importRows.status} = ${status}`,
      warnings === undefined ? undefined : eq(importRows.has_warnings, warnings),
      undone === undefined ? undefined : sql`${importRows.undone} = ${undone}`,
    ],
    sorts: { line: importRows.line },
    name: `import rows ${id}`,
    query: { ...query, sort: 'line' },
  })
}

export const listRows = (id: string, query: PageQuery) => plan([assertExists(imports, id, 'import')], rowsOf(id, query))
