import { getTableName, type SQL, sql } from 'drizzle-orm'
import { insertEach, messagesOf, type Reference, rowOutcomes, unknownOf, updateEach } from '../data/bulk.ts'
import { db, type Statement } from '../data/db.ts'
import { type Plan, plan } from '../data/plan.ts'
import { mapResult, rows, type Select, type Warning, WithWarnings } from '../data/query.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import { type Bulk, failure, type Validated } from '../schemas/bulk.ts'
import type { BulkTable } from './bulk.ts'

type Row = Record<string, unknown>
/** One record's columns: of a new one, with its id, and of a change to one that is there. */
export type Draft = { create: Row & { id: string }; patch: Row }

/** A table as upserts see it. `references` are judged before a record is matched; `rules` after, when `r.id` is where it goes. */
export type UpsertTable = BulkTable & {
  /** What a new record cannot be without. */
  required: string
  rules?: Reference[]
  /** What a column of a new record gets, and what one of a changed record becomes: see insertEach and updateEach. */
  creating?: Record<string, SQL>
  merging: (patches: Row[]) => Record<string, SQL>
  /** What is told of a record, and what of its patch was not kept. */
  describe?: (patch: Row, record: Row) => { row: Row; warnings: Warning[] }
  /** What must be locked before anything is judged. */
  before?: (patches: Row[]) => Statement | undefined | false
}

type Fault = { code: ErrorCode; message: string; details?: unknown }
type UpsertOutcome = { at: number; id: string; created: boolean; fault: Fault | null }
type Found = { outcome: UpsertOutcome; record: Row | null }
/** A record with what became of it, and how to say so. */
type Described = { row: Row; warnings: Warning[] }

/**
 * Which record each draft is, and whether it can be written, is decided by one statement, which notes it for the transaction;
 * the next two insert the new ones and change the others. `single` raises what a bulk call reports.
 */
function upsertStatements(of: UpsertTable, drafts: Draft[], on: string[], single: boolean): (Statement | undefined | false)[] {
  const { table, entity, references, rules = [], required, creating, merging, before } = of
  const creates = drafts.map(({ create }) => create)
  const patches = drafts.map(({ create, patch }) => ({ ...patch, id: create.id }))
  const request = {
    table: getTableName(table),
    object: entity,
    on,
    required,
    single,
    records: drafts,
    messages: messagesOf([...references, ...rules]),
  }
  const json = sql`${JSON.stringify(request)}::jsonb`
  const decide = sql`with asked as materialized (
      select m.* from (select jsonb_agg(to_jsonb(f.unknown) order by f.index) as unknown from ${rowOutcomes(table, patches, references)} f) judged, match_records(${json}, judged.unknown) m)
    select record_upserts(${json}, (select jsonb_agg(to_jsonb(p) || jsonb_build_object('unknown', ${unknownOf(rules)}) order by p.at) from asked p, jsonb_populate_record(null::${table}, p.patch) r))`
  return [
    before?.(patches),
    decide,
    insertEach(table, creates, [], creating, sql`upsert_rows(true)`),
    updateEach(table, patches, [], merging(patches), sql`upsert_rows(false)`),
  ]
}

/** What became of each draft, in order. */
function upsertOutcomes({ table, fields }: UpsertTable) {
  const name = sql.identifier(getTableName(table))
  const outcome = sql<UpsertOutcome>`json_build_object('at', fate.at, 'id', fate.id, 'created', fate.created, 'fault', fate.fault)`.as(
    'fate',
  )
  const select = db
    .select({ ...fields, outcome } as never)
    .from(sql`jsonb_to_recordset(current_setting('app.upserts')::jsonb) as fate(at int, id uuid, created boolean, fault jsonb)`)
    .leftJoin(table, sql`${name}.id = fate.id and fate.fault is null`)
    .orderBy(sql`fate.at`)
  return mapResult(rows(select as unknown as Select<Row & { outcome: UpsertOutcome }>), (found): Found[] =>
    found.map(({ outcome, ...record }) => ({ outcome, record: record.id === null ? null : { ...record, created: outcome.created } })),
  )
}

const describeRecord = ({ describe }: UpsertTable, patch: Row, record: Row): Described =>
  describe?.(patch, record) ?? { row: record, warnings: [] }

/** Why there is no record: its own fault, or what another request did meanwhile. */
function faultOf({ what }: UpsertTable, { fault, created }: UpsertOutcome): AppError {
  if (fault) return new AppError(fault.code, fault.message, fault.details)
  const message = created ? `Another ${what} already has a value of this one that must be its own` : `The ${what} was deleted meanwhile`
  return new AppError('CONFLICT', message)
}

/** Creates the record or changes the one that it matches by the first key of `on` that it has and that finds one. */
export function upsertOne(of: UpsertTable, draft: Draft, on: string[]): Plan<WithWarnings<Row>> {
  const result = mapResult(upsertOutcomes(of), ([found]) => {
    const { record, outcome } = found as Found
    if (!record) throw faultOf(of, outcome)
    const { row, warnings } = describeRecord(of, draft.patch, record)
    return new WithWarnings(row, warnings)
  })
  return plan(upsertStatements(of, [draft], on, true), result)
}

/** The same for many, each by itself: one that an earlier record of the call created is changed by a later one. */
export function upsertMany(of: UpsertTable, { valid, errors }: Validated<Draft>, on: string[]): Plan<WithWarnings<Bulk<Row>>> {
  const result = mapResult(upsertOutcomes(of), (found) => {
    const bulk: Bulk<Row> = { results: [], skipped: [], errors: [...errors] }
    const all: Warning[] = []
    for (const { outcome, record } of found) {
      const { index, value } = valid[outcome.at] as Validated<Draft>['valid'][number]
      if (!record) {
        bulk.errors.push(failure(index, faultOf(of, outcome), outcome.created ? null : outcome.id))
        continue
      }
      const { row, warnings } = describeRecord(of, value.patch, record)
      bulk.results.push(row)
      all.push(...warnings.map((warning) => ({ ...warning, field: `records.${index}.${warning.field}` })))
    }
    bulk.errors.sort((a, b) => a.index - b.index)
    return new WithWarnings(bulk, all)
  })
  const drafts = valid.map(({ value }) => value)
  return plan(drafts.length > 0 ? upsertStatements(of, drafts, on, false) : [sql`select set_config('app.upserts', '[]', true)`], result)
}
