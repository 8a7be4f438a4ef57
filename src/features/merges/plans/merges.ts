import { and, eq, getTableName, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type * as v from 'valibot'
import { merges } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { assertReferences, type Reference } from '../../../data/bulk.ts'
import { call } from '../../../data/call.ts'
import { setCause } from '../../../data/cause.ts'
import { db } from '../../../data/db.ts'
import { clearable } from '../../../data/metadata.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import { plan, read } from '../../../data/plan.ts'
import { mapResult, oneOrThrow, rows, typed, type Warning, WithWarnings } from '../../../data/query.ts'
import { columnsFor, type OwnedTable, selectAny } from '../../../data/store.ts'
import type { RecordEntity } from '../../../domain/records.ts'
import { invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { MERGE_CATEGORIES } from '../rules/categories.ts'
import type { MergeFacts, Row } from '../rules/draft.ts'
import { type MergedFields, mergeFields } from '../rules/fields.ts'
import { MOST_ROWS, UNDO_DAYS } from '../rules/merges.ts'
import { Merge, type MergeBody, type merged } from '../schemas/merges.ts'

type Merged = v.InferOutput<ReturnType<typeof merged>>

/** Describes a mergeable entity to the database's merge_records. */
export type Mergeable = {
  entity: RecordEntity
  /** The database finds the referencing tables by this table's name. */
  table: OwnedTable
  /** The columns of the winner in the response. */
  fields: Record<string, PgColumn | SQL | SQL.Aliased>
  references: Reference[]
  /** Translates field_overrides into columns of the stored winner. @throws AppError VALIDATION_ERROR for values that cannot be stored. */
  columns: (ctx: Ctx, winner: Row, overrides: Row) => Row
  /** What the overrides say and the winner does not have. */
  warnings: (overrides: Row, winner: Row) => Warning[]
}

const undoable = sql<boolean>`(merges.undoable and merges.created_at >= now() - make_interval(days => ${sql.raw(`${UNDO_DAYS}`)}))`
const fields = columnsFor(merges, Merge, { undoable: undoable.as('undoable') })
const list = (keys: Keys) => db.select({ ...fields, ...keys }).from(merges)
/** The stored merge's id; null for a preview or a dry run, which store none. */
const savedId = sql<string | null>`case when current_setting('app.mode', true) in ('run', 'approved') then merges.id end`.as('merge_id')

type Facts = MergeFacts & { digest: string }

/**
 * Reads what the merge decides from. The first round trip finds the facts and is rolled back; the second locks the records and runs only if
 * the facts are still the same, otherwise it is planned again. Undefined in the first.
 */
function factsOf(ctx: Ctx, request: Record<string, unknown>): Promise<Facts | undefined> {
  const parameters = sql`${JSON.stringify(request)}::jsonb`
  const facts = rows(typed<{ facts: Facts }>(db.select({ facts: sql`merge_facts(${parameters})`.as('facts') }).from(sql`(select) once`)))
  return ctx.assume(
    mapResult(facts, ([row]) => row?.facts),
    undefined,
    (known) => sql`confirm_merge_facts(${parameters}, ${known?.digest ?? null})`,
  )
}

/** @throws AppError VALIDATION_ERROR for notes, tags or a parent that the winner cannot have. */
function decideFields(entity: RecordEntity, overrides: Row, how: Omit<MergeBody, 'winner_id' | 'loser_ids'>, facts: Facts): MergedFields {
  const { fill_empty_fields: fill = true, append_notes: appendNotes = false, union_tags: uniteTags = false } = how
  const { issues, ...fields } = mergeFields({ entity, overrides, fill, appendNotes, uniteTags }, facts)
  if (issues.length > 0) throw invalid(issues)
  return fields
}

/**
 * Merges the losers into the winner: references move to the winner, empty fields are filled, and the losers are deleted. A preview
 * performs the same merge and rolls it back, so its response is exact.
 */
export async function mergeRecords(of: Mergeable, ctx: Ctx, { winner_id, loser_ids, ...how }: MergeBody) {
  const mergeId = newId()
  const given = how.field_overrides ?? {}
  const request = { entity: of.entity, table: getTableName(of.table), winner_id, loser_ids }
  const { parent_company_id, is_primary, tags } = given
  const facts = await factsOf(ctx, { ...request, parent_company_id, is_primary, tags })
  // Missing records are reported when the facts are confirmed.
  const isComplete = facts?.winner && facts.losers.length === loser_ids.length
  const overrides = isComplete && how.field_overrides ? of.columns(ctx, facts.winner, given) : {}
  const { values, sources } = isComplete ? decideFields(of.entity, overrides, how, facts) : { values: {}, sources: {} }
  const parameters = {
    ...request,
    values,
    sources,
    merge_id: mergeId,
    categories: MERGE_CATEGORIES[of.entity],
    opted_out: Object.entries(how.transfer ?? {}).flatMap(([name, wanted]) => (wanted === false ? [name] : [])),
    most: MOST_ROWS,
  }
  const references = of.references.map((one) => ({ ...one, field: `field_overrides.${one.field}` }))
  const { losers, moved, dropped, left_behind, forced_categories, field_changes } = fields
  const select = selectAny({ merge_id: savedId, winner: of.fields, losers, moved, dropped, left_behind, forced_categories, field_changes })
    .from(of.table)
    .innerJoin(merges, eq(merges.id, mergeId))
    .where(eq(of.table.id, winner_id))
  return plan(
    [
      how.field_overrides && assertReferences(of.table, { ...overrides, id: winner_id }, references),
      clearable(of.entity, overrides),
      setCause('merge', mergeId),
      call('merge_records', JSON.stringify(parameters)),
    ],
    mapResult(oneOrThrow(typed<Merged>(select), of.entity), (row) => {
      const warnings = of.warnings(given, row.winner as Row)
      return new WithWarnings(
        row,
        warnings.map((warning) => ({ ...warning, field: `field_overrides.${warning.field}` })),
      )
    }),
  )
}

const record = (entity: RecordEntity, id: string) =>
  oneOrThrow(
    db
      .select(fields)
      .from(merges)
      .where(and(eq(merges.id, id), eq(merges.entity, entity))),
    'merge',
  )

export const getMerge = (entity: RecordEntity, id: string) => read(record(entity, id))

type MergeQuery = PageQuery & { winner_id?: string | undefined; loser_id?: string | undefined; undone?: boolean | undefined }

/** Lists merges, newest first. */
export function listMerges(entity: RecordEntity, { winner_id, loser_id, undone, ...query }: MergeQuery) {
  const where = [
    eq(merges.entity, entity),
    winner_id === undefined ? undefined : eq(merges.winner_id, winner_id),
    undone === undefined ? undefined : eq(merges.undone, undone),
    loser_id === undefined
      ? undefined
      : sql`${merges.id} in (select e.merge_id from merge_entries e where e.row_id = ${loser_id} and e.action = 'merged')`,
  ]
  const parameters = { ...query, winner_id, loser_id, undone, sort: '-created_at' }
  return read(
    page({ select: list, id: merges.id, where, sorts: { created_at: merges.created_at }, name: `merges of ${entity}`, query: parameters }),
  )
}

/** Undoes a merge: restores the losers and moves their rows back, unless a row changed since the merge. */
export function undoMerge({ entity, table }: Mergeable, mergeId: string) {
  const parameters = { merge_id: mergeId, entity, table: getTableName(table), days: UNDO_DAYS }
  return plan([setCause('undo', mergeId), call('unmerge_records', JSON.stringify(parameters))], record(entity, mergeId))
}
