import { getTableName, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { SelectResultFields } from 'drizzle-orm/query-builders/select.types'
import { blockers } from '../../../data/blockers.ts'
import { fieldOf, messagesOf, type Reference, rowOutcomes, ruleOf } from '../../../data/bulk.ts'
import { call } from '../../../data/call.ts'
import { db, type Statement } from '../../../data/db.ts'
import { type Deleted, jobOf, startAll } from '../../../data/deletion-jobs.ts'
import { type Plan, plan, wakingFor } from '../../../data/plan.ts'
import { mapResult, rows, typed, type Warning, WithWarnings } from '../../../data/query.ts'
import { type OwnedTable, selectAny } from '../../../data/store.ts'
import { type Taken, takenBy } from '../../../data/unique-keys.ts'
import { FIELD_OBJECTS, type FieldObject } from '../../../domain/filters/custom-types.ts'
import { AppError, type ErrorCode, type Issue, invalid } from '../../../errors.ts'
import { type Bulk, failure, type Validated } from '../../../schemas/bulk.ts'
import { takenFrom } from './unique-values.ts'

export type Fields = Record<string, PgColumn | SQL | SQL.Aliased>

/** Describes a table to the bulk calls. */
export type BulkTable<F extends Fields = Fields> = {
  table: OwnedTable
  /** The entity name used in the change history. */
  entity: string
  what: string
  fields: F
  references: Reference[]
}
/** The rows of a select of these fields. */
export type RowOf<F extends Fields> = { [Name in keyof F]: SelectResultFields<F>[Name & keyof SelectResultFields<F>] }

/** Describes a table and keeps the type of its rows. */
export const bulkTable = <F extends Fields>(table: BulkTable<F>): BulkTable<F> => table

type Row = Record<string, unknown>
type RowOutcome = {
  index: number
  id: string
  unknown: string[]
  refused: ({ code: ErrorCode; issues: Issue[] } & Partial<Taken>) | null
  merged_into: string | null
  taken: Taken | null
  /** The messages for read-only fields with another value than the record has. */
  changed: Record<string, string> | null
}

/** NOT_FOUND for one record of a bulk call, with `merged_into` when the record was merged into another one. */
const notFound = (what: string, merged_into: string | null) =>
  new AppError('NOT_FOUND', `No such ${what} in this workspace`, merged_into ? { merged_into } : undefined)

/** The input of a bulk write: the table, the validated records and the statements that write them. */
export type BulkPlan<F extends Fields = Fields> = [table: BulkTable<F>, validated: Validated<Row>, ...statements: (Statement | undefined)[]]

/** The statements of a bulk write, and an expression for the outcome of each valid record as JSON, where `i` is its index among them. */
export function bulkStatements([{ table, entity, references }, { valid }, ...statements]: BulkPlan): {
  statements: Statement[]
  outcomes: SQL
} {
  const outcomes = rowOutcomes(
    table,
    valid.map(({ value }) => value),
    references,
  )
  return {
    statements: [checkCustomValues(entity, valid), ...statements].filter((step) => step !== undefined),
    outcomes: sql`(select coalesce(jsonb_agg(jsonb_build_object('i', outcome.index, 'id', outcome.id, 'unknown', outcome.unknown,
      'refused', custom_error_of(outcome.id),
      'done', o.done, 'taken', case when not o.done then ${taken(table)} end)), '[]') from ${outcomes} outcome
        left join ${table} t on t.id = outcome.id,
      lateral (select t.id is not null and cardinality(outcome.unknown) = 0 and custom_error_of(outcome.id) is null as done) o)`,
  }
}

/** Finds, for a record that was not written, the other record that has its unique value. */
const taken = (table: OwnedTable): SQL => sql`coalesce(${takenFrom(sql`outcome.id`)}, ${takenBy(table, sql`(outcome.row)`)})`

/** The outcome of a bulk write, and for each of its results the index of the record in the request. */
type BulkOutcome<Out> = { bulk: Bulk<Out>; indices: number[] }

function bulkRows<F extends Fields>(
  ...[{ table, entity, what, fields, references }, { valid, errors }, ...statements]: BulkPlan<F>
): Plan<BulkOutcome<RowOf<F>>> {
  const outcomes = rowOutcomes(
    table,
    valid.map(({ value }) => value),
    references,
  )
  const name = sql.identifier(getTableName(table))
  const outcome = sql<RowOutcome>`json_build_object('index', outcome.index, 'id', outcome.id, 'unknown', outcome.unknown,
      'refused', custom_error_of(outcome.id), 'merged_into', case when ${name}.id is null then merged_into(outcome.id) end,
      'taken', case when ${name}.id is null or cardinality(outcome.unknown) > 0 then ${taken(table)} end,
        'changed', changed_fields(outcome.id))`.as('_outcome')
  const select = selectAny({ ...fields, _outcome: outcome })
    .from(sql`${outcomes} outcome`)
    .leftJoin(table, sql`${name}.id = outcome.id`)
    .orderBy(sql`outcome.index`)
  const result = mapResult(rows(typed<RowOf<F> & Row & { _outcome: RowOutcome }>(select)), (decoded) => {
    const bulk: Bulk<RowOf<F>> = { results: [], skipped: [], errors: [...errors] }
    const indices: number[] = []
    for (const { _outcome: outcome, ...record } of decoded) {
      const index = valid[outcome.index]?.index ?? outcome.index
      const creates = valid[outcome.index]?.creates
      if (outcome.unknown.length > 0) {
        bulk.errors.push(failure(index, refusal(references, outcome), creates ? null : outcome.id))
      } else if (outcome.refused) bulk.errors.push(failure(index, customRefusal(outcome.refused), creates ? null : outcome.id))
      else if (record.id !== null) indices[bulk.results.push(record as RowOf<F>) - 1] = index
      else if (creates) bulk.errors.push(failure(index, conflict(what, outcome.taken), null))
      else bulk.errors.push(failure(index, notFound(what, outcome.merged_into), outcome.id))
    }
    bulk.errors.sort((a, b) => a.index - b.index)
    return { bulk, indices }
  })
  return plan(valid.length > 0 ? [checkCustomValues(entity, valid), ...statements] : [], result)
}

/** Writes the records and returns the outcome of each: the current record, or the reason why it was not written. */
export function bulkWrite<F extends Fields>(...bulkPlan: BulkPlan<F>): Plan<Bulk<RowOf<F>>> {
  const { statements, result } = bulkRows(...bulkPlan)
  return plan(
    statements,
    mapResult(result, ({ bulk }) => bulk),
  )
}

/** Splits a stored record into what the caller receives and the warnings about it. `sent` is the record in the request. */
export type Describe<Stored, Out> = (sent: Row, stored: Stored) => { row: Out; warnings: Warning[] }

/** As bulkWrite, with the warnings about each record; `field` includes the index of the record. `records` are those of the request. */
export function bulkWriteWithWarnings<F extends Fields, Out>(
  bulkPlan: BulkPlan<F>,
  records: unknown[],
  describe: Describe<RowOf<F>, Out>,
): Plan<WithWarnings<Bulk<Out>>> {
  const { statements, result } = bulkRows(...bulkPlan)
  const described = mapResult(result, ({ bulk, indices }) => {
    const split = bulk.results.map((record, i) => describe(records[indices[i] as number] as Row, record))
    const warnings = split.flatMap(({ warnings }, i) =>
      warnings.map((warning) => ({ ...warning, field: `records.${indices[i]}.${warning.field}` })),
    )
    return new WithWarnings({ ...bulk, results: split.map(({ row }) => row) }, warnings)
  })
  return plan(statements, described)
}

/** Marks the records whose custom field values are invalid, so that the write skips them. */
export function checkCustomValues(entity: string, valid: Validated<Row>['valid']): Statement | undefined {
  const checked = valid.filter(({ value, creates }) => creates || value.metadata)
  if (checked.length === 0 || !FIELD_OBJECTS.includes(entity as FieldObject)) return undefined
  const records = checked.map(({ value: { id, metadata }, creates }) => ({ id, metadata, creates }))
  return call('check_custom_values', entity, JSON.stringify(records))
}

function customRefusal({ code, issues, ...taken }: NonNullable<RowOutcome['refused']>): AppError {
  return code === 'CONFLICT' ? new AppError(code, issues[0]?.message ?? '', { ...taken, issues }) : invalid(issues)
}

/** The error for a new record that has a unique value of another one. */
export const conflict = (what: string, taken: Taken | null): AppError =>
  new AppError(
    'CONFLICT',
    `Another ${what} already uses ${taken ? `this ${taken.field}` : 'one of these unique values'}`,
    taken ?? undefined,
  )

/** The error for a row that violates rules. */
function refusal(references: Reference[], { unknown, taken, changed }: RowOutcome): AppError {
  const rule = references.find(({ code, field }) => code === 'CONFLICT' && unknown.includes(field))
  if (rule)
    return new AppError('CONFLICT', rule.message ?? `Another record already uses this ${rule.field}`, taken ?? { field: rule.field })
  const messages = messagesOf(references)
  const messageOf = (key: string) => changed?.[key] ?? (messages[ruleOf(key)] as string)
  const issues = new Map(unknown.toReversed().map((key) => [fieldOf(key), messageOf(key)]))
  return invalid([...issues].map(([path, message]) => ({ path, message })).toReversed())
}

type DeleteOutcome = {
  id: string
  deleted: boolean
  present: boolean
  merged_into: string | null
  ids: string[] | null
  job_id: string | null
  restoring: { code: ErrorCode; message: string; details: unknown } | null
}

/** A condition over the table that prevents a record from being deleted, its message, and a select of the records that cause it. */
export type Blocker = { condition: SQL; message: string; ids: (id: SQL) => SQL }

/** `inBatches`: records with many dependants are deleted by jobs (deleted_in_batches). */
type Deleting = { blocker?: Blocker; inBatches?: true }

/** Deletes the records that can be deleted, in order of id, and reports the outcome of every id. */
export function bulkDelete({ table, entity, what }: BulkTable, ids: string[], { blocker, inBatches }: Deleting = {}): Plan<Bulk<Deleted>> {
  const requested = sql`unnest(${`{${ids.join(',')}}`}::uuid[])`
  const locked = sql`(select id from ${table} where id = any(array(select ${requested})) order by id for update)`
  const remove = sql`delete from ${table}
    where id in ${locked} and job_that_restores(id) is null${blocker ? sql` and not (${blocker.condition})` : sql``}`
  const deleted = sql<boolean>`changed_in_request(${entity}, requested.id, 'deleted')`
  const select = db
    .select({
      id: sql<string>`requested.id`.as('id'),
      deleted: deleted.as('deleted'),
      present: sql<boolean>`exists (select from ${table} t where t.id = requested.id)`.as('present'),
      merged_into: sql<string | null>`case when not ${deleted} then merged_into(requested.id) end`.as('merged_into'),
      ids: sql<
        string[] | null
      >`${blocker ? sql`case when not ${deleted} then ${blockers(blocker.ids(sql`requested.id`))} end` : sql`null`}`.as('ids'),
      job_id: sql<string | null>`${inBatches ? jobOf(sql`requested.id`) : sql`null`}`.as('job_id'),
      restoring: sql<DeleteOutcome['restoring']>`restoring_error(array[requested.id])`.as('restoring'),
    })
    .from(sql`${requested} with ordinality as requested(id, index)`)
    .orderBy(sql`requested.index`)
  const result = mapResult(rows(typed<DeleteOutcome>(select)), (decoded) => {
    const bulk: Bulk<Deleted> = { results: [], skipped: [], errors: [] }
    decoded.forEach(({ id, deleted, present, merged_into, ids: causes, job_id, restoring }, index) => {
      if (ids.indexOf(id) < index) bulk.skipped.push({ index, id, reason: 'Duplicate id in request' })
      else if (deleted) bulk.results.push({ id, deleted: true, ...(job_id !== null && { job_id }) })
      else if (restoring) bulk.errors.push(failure(index, new AppError(restoring.code, restoring.message, restoring.details), id))
      else if (present && blocker) bulk.errors.push(failure(index, new AppError('CONFLICT', blocker.message, { ids: causes }), id))
      else bulk.errors.push(failure(index, notFound(what, merged_into), id))
    })
    return bulk
  })
  const removed = plan([inBatches && startAll(table, ids), remove], result)
  return wakingFor(({ results }) => (results.some(({ job_id }) => job_id) ? 'records.delete' : undefined), removed)
}
