import { eq, sql } from 'drizzle-orm'
import { importFiles, importRows, imports } from '../../../schema/index.ts'
import type { Ctx } from '../../context.ts'
import { db } from '../../data/db.ts'
import { listWhere, sortKeys } from '../../data/lists.ts'
import { type Keys, type PageQuery, page } from '../../data/page.ts'
import { plan, read } from '../../data/plan.ts'
import { assert, compiledSelect, constant, oneOrThrow } from '../../data/query.ts'
import { assertExists, columnsFor, lockForUpdate, updateRows } from '../../data/store.ts'
import { FIELDS, REQUIRED } from '../../domain/imports/fields.ts'
import { FULL_OF_FAILED_LINES, IMPORT_LIMITS } from '../../domain/imports/limits.ts'
import { AUTOMATIC_CONFIDENCE } from '../../domain/imports/suggest.ts'
import { ACTIVE_STATES, IMPORT_OBJECTS, IMPORT_STATES, MATCH_FIELDS } from '../../domain/imports/types.ts'
import { Import, ImportRecord, ImportRow, type ImportSettings, importFilters } from '../../schemas/imports.ts'

const ofFile = (what: string) => sql.raw(`(select ${what} from import_files f where f.import_id = imports.id)`)
const progress = ofFile(
  `json_build_object('phase', f.phase, ${['total', 'done', 'created', 'updated', 'skipped', 'failed', 'removed', 'restored', 'kept'].map((name) => `'${name}', f.${name}`).join(', ')})`,
).as('progress')
const file = ofFile(
  `json_build_object('encoding', f.encoding, 'delimiter', f.delimiter, 'has_header', f.has_header, 'columns', f.columns, 'suggestions', coalesce(f.suggestions -> imports.object, '[]'), 'preview', f.preview)`,
).as('file')

const fields = columnsFor(imports, Import, { progress })
const records = compiledSelect(db.select(columnsFor(imports, ImportRecord, { progress, file })).from(imports))
export const record = (id: string) => oneOrThrow(records.where(eq(imports.id, id)), 'import')
const listed = (keys: Keys) => db.select({ ...fields, ...keys }).from(imports)

/** The rules that check_import applies to the settings. */
const RULES = JSON.stringify(
  Object.fromEntries(
    IMPORT_OBJECTS.map((object) => [
      object,
      { fields: FIELDS[object].map(({ name }) => name), required: REQUIRED[object], match: MATCH_FIELDS[object] },
    ]),
  ),
)

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

/** Updates an import. A changed object without a mapping gets the suggested mapping for that object. */
export function changeImport(ctx: Ctx, id: string, { object, mapping, ...settings }: ImportSettings) {
  const suggested = sql`(select coalesce(jsonb_agg(s - 'confidence'), '[]') from ${importFiles} f, jsonb_array_elements(f.suggestions -> ${object ?? ''}::text) s where f.import_id = ${id} and (s ->> 'confidence')::numeric >= ${AUTOMATIC_CONFIDENCE})`
  const patch = {
    ...settings,
    ...(object && { object }),
    ...(mapping && { mapping }),
    ...(object && !mapping && { mapping: sql`case when ${imports.object} = ${object} then ${imports.mapping} else ${suggested} end` }),
  }
  const isOpen = sql`(select state in ('ready', 'checked') from ${imports} where id = ${id})`
  const state = sql`(select state from ${imports} where id = ${id})`
  return plan(
    [
      lockForUpdate(ctx, imports, id, 'import'),
      sql`select assert_condition(${isOpen}, 'INVALID_STATE', 'Only an import that was not started can be changed', jsonb_build_object('state', ${state}, 'allowed', array['ready', 'checked']))`,
      sql`delete from ${importRows} where import_id = ${id}`,
      db
        .update(importFiles)
        .set({ phase: null, done: 0, created: 0, updated: 0, skipped: 0, failed: 0 })
        .where(eq(importFiles.import_id, id)),
      updateRows(imports, { ...patch, state: 'ready', finished_at: null }, eq(imports.id, id)),
      sql`select check_import(${id}::uuid, ${RULES}::jsonb, false)`,
    ],
    record(id),
  )
}

/** Starts the import. The event of this change enqueues it. */
export function startImport(ctx: Ctx, id: string, phase: 'check' | 'run' | 'undo') {
  const failed = sql`(select coalesce(sum(f.failed + f.skipped), 0) from ${importFiles} f where f.import_id <> ${id}) < ${IMPORT_LIMITS.failed_lines}`
  return plan(
    [
      lockForUpdate(ctx, imports, id, 'import'),
      phase !== 'undo' && assert(failed, 'CONFLICT', FULL_OF_FAILED_LINES),
      sql`select start_import(${id}::uuid, ${phase}, ${RULES}::jsonb)`,
    ],
    record(id),
  )
}

export const cancelImport = (ctx: Ctx, id: string) =>
  plan([lockForUpdate(ctx, imports, id, 'import'), sql`select cancel_import(${id}::uuid)`], record(id))

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

const rowFields = columnsFor(importRows, ImportRow)
const rowsWith = (keys: Keys) => db.select({ ...rowFields, ...keys }).from(importRows)

/** Lists the import's rows in file order. */
export function rowsOf(id: string, query: PageQuery & { status?: string | undefined; undone?: string | undefined }) {
  const { status, undone } = query
  return page({
    select: rowsWith,
    id: importRows.id,
    where: [
      eq(importRows.import_id, id),
      status === undefined ? undefined : sql`${importRows.status} = ${status}`,
      undone === undefined ? undefined : sql`${importRows.undone} = ${undone}`,
    ],
    sorts: { line: importRows.line },
    name: `import rows ${id}`,
    query: { ...query, sort: 'line' },
  })
}

export const listRows = (id: string, query: PageQuery) => plan([assertExists(imports, id, 'import')], rowsOf(id, query))
