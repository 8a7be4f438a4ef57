import { getTableName, type SQL, sql } from 'drizzle-orm'
import { insertEach, messagesOf, type Reference, rowOutcomes, updateEach, violatedFields } from '../../../data/bulk.ts'
import type { Statement } from '../../../data/db.ts'
import { hand, handed } from '../../../data/handed.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { mapResult, rows, typed, type Warning, WithWarnings } from '../../../data/query.ts'
import { selectAny } from '../../../data/store.ts'
import { type Taken, takenBy } from '../../../data/unique-keys.ts'
import { archivedWarnings } from '../../../domain/warnings.ts'
import { AppError, type ErrorCode } from '../../../errors.ts'
import { type Bulk, failure, type Validated } from '../../../schemas/bulk.ts'
import { type BulkTable, conflict, type Describe, type Fields, type RowOf } from './bulk.ts'

type Row = Record<string, unknown>
/**
 * The columns of one record, for both outcomes: a new record with its id, and a patch of an existing one. `sent` is what the caller sent.
 */
export type Draft = { create: Row & { id: string }; patch: Row; sent: Row }

/**
 * Describes a table to the upserts. `references` are checked before a record is matched; `rules` after, when `r.id` is the record's final
 * id.
 */
export type UpsertTable<F extends Fields = Fields, Out = RowOf<F>> = BulkTable<F> & {
  /** The field that a new record requires. */
  required: string
  rules?: Reference[]
  /** SQL for columns of new and of updated records: see insertEach and updateEach. */
  creating?: Record<string, SQL>
  merging: (patches: Row[]) => Record<string, SQL>
  describe: Describe<Found<F>, Out & Created>
  /** A lock to take before the checks. */
  before?: (patches: Row[]) => Statement | undefined | false
  /** A lock to take when the matched records are known, before they are written. */
  beforeWrite?: (patches: Row[]) => Statement | undefined | false
}

/** Describes a table and keeps the types of its rows. */
export const upsertTable = <F extends Fields, Out = RowOf<F>>(table: UpsertTable<F, Out>): UpsertTable<F, Out> => table

type Fault = { code: ErrorCode; message: string; details?: unknown }
type UpsertOutcome = { at: number; id: string; created: boolean; matched_by: string | null; fault: Fault | null; taken: Taken | null }
type UpsertRow<F extends Fields> = { outcome: UpsertOutcome; record: Found<F> | null }
type Created = { created: boolean; matched_by: string | null }
type Found<F extends Fields> = RowOf<F> & Created

/**
 * One statement decides which record each draft matches and whether it can be written, and stores that for the transaction. The next two
 * statements insert and update. With `single`, the first error is raised; otherwise each is reported.
 */
function upsertStatements<F extends Fields, Out>(
  of: UpsertTable<F, Out>,
  drafts: Draft[],
  on: string[],
  single: boolean,
): (Statement | undefined | false)[] {
  const { table, entity, references, rules = [], required, creating, merging, before, beforeWrite } = of
  const creates = drafts.map(({ create }) => create)
  const patches = drafts.map(({ create, patch }) => ({ ...patch, id: create.id }))
  const request = {
    table: getTableName(table),
    object: entity,
    on,
    required,
    single,
    records: drafts.map(({ create, patch }) => ({ create, patch })),
    messages: messagesOf([...references, ...rules]),
  }
  const json = sql`${JSON.stringify(request)}::jsonb`
  const decide = sql`with requested as materialized (
      select m.* from (select jsonb_agg(to_jsonb(f.unknown) order by f.index) as unknown
        from ${rowOutcomes(table, patches, references)} f) judged, match_records(${json}, judged.unknown) m)
    select record_upserts(${json}, (select jsonb_agg(to_jsonb(p) || jsonb_build_object('unknown', ${violatedFields(rules)}) order by p.at)
      from requested p, jsonb_populate_record(null::${table}, p.patch) r))`
  return [
    before?.(patches),
    decide,
    beforeWrite?.(patches),
    insertEach(table, creates, [], creating, sql`upsert_rows(true)`),
    updateEach(table, patches, [], merging(patches), sql`upsert_rows(false)`),
  ]
}

/** The outcome of each draft, in order. */
function upsertOutcomes<F extends Fields, Out>({ table, fields }: UpsertTable<F, Out>) {
  const name = sql.identifier(getTableName(table))
  const outcome = sql<UpsertOutcome>`json_build_object('at', outcome.at, 'id', outcome.id, 'created', outcome.created,
      'matched_by', outcome.matched_by, 'fault', outcome.fault,
      'taken', case when ${name}.id is null
        and outcome.fault is null then (select ${takenBy(table, sql`r`)}
          from jsonb_populate_record(null::${table}, outcome.patch) r) end)`.as('outcome')
  const select = selectAny({ ...fields, outcome })
    .from(
      sql`jsonb_to_recordset(${handed('upserts')}) as outcome(at int, id uuid, created boolean,
        matched_by text, patch jsonb, fault jsonb)`,
    )
    .leftJoin(table, sql`${name}.id = outcome.id and outcome.fault is null`)
    .orderBy(sql`outcome.at`)
  return mapResult(rows(typed<RowOf<F> & Row & { outcome: UpsertOutcome }>(select)), (decoded): UpsertRow<F>[] =>
    decoded.map(({ outcome, ...record }) => ({
      outcome,
      record: record.id === null ? null : { ...(record as RowOf<F>), created: outcome.created, matched_by: outcome.matched_by },
    })),
  )
}

function describeRecord<F extends Fields, Out>({ describe }: UpsertTable<F, Out>, sent: Row, record: Found<F>) {
  const { row, warnings } = describe(sent, record)
  return { row, warnings: [...warnings, ...archivedWarnings(sent, row)] }
}

/** The error of a draft that was not written: its own, or a conflict with a concurrent request. */
function faultOf({ what }: { what: string }, { fault, created, taken }: UpsertOutcome): AppError {
  if (fault) return new AppError(fault.code, fault.message, fault.details)
  return created ? conflict(what, taken) : new AppError('CONFLICT', `The ${what} was deleted by another request`)
}

/** Creates the record, or updates the one matched by the first key of `on` that has a value and finds a record. */
export function upsertOne<F extends Fields, Out>(of: UpsertTable<F, Out>, draft: Draft, on: string[]): Plan<WithWarnings<Out & Created>> {
  const result = mapResult(upsertOutcomes(of), ([decoded]) => {
    const { record, outcome } = decoded as UpsertRow<F>
    if (!record) throw faultOf(of, outcome)
    const { row, warnings } = describeRecord(of, draft.sent, record)
    return new WithWarnings(row, warnings)
  })
  return plan(upsertStatements(of, [draft], on, true), result)
}

/** Upserts many records independently. A record that an earlier one of the call created is updated by a later one. */
export function upsertMany<F extends Fields, Out>(
  of: UpsertTable<F, Out>,
  { valid, errors }: Validated<Draft>,
  on: string[],
): Plan<WithWarnings<Bulk<Out & Created>>> {
  const result = mapResult(upsertOutcomes(of), (decoded) => {
    const bulk: Bulk<Out & Created> = { results: [], skipped: [], errors: [...errors] }
    const all: Warning[] = []
    for (const { outcome, record } of decoded) {
      const { index, value } = valid[outcome.at] as Validated<Draft>['valid'][number]
      if (!record) {
        bulk.errors.push(failure(index, faultOf(of, outcome), outcome.created ? null : outcome.id))
        continue
      }
      const { row, warnings } = describeRecord(of, value.sent, record)
      bulk.results.push(row)
      all.push(...warnings.map((warning) => ({ ...warning, field: `records.${index}.${warning.field}` })))
    }
    bulk.errors.sort((a, b) => a.index - b.index)
    return new WithWarnings(bulk, all)
  })
  const drafts = valid.map(({ value }) => value)
  return plan(drafts.length > 0 ? upsertStatements(of, drafts, on, false) : [hand('upserts', sql`'[]'`)], result)
}
