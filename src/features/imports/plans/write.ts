import { type SQL, sql } from 'drizzle-orm'
import type { Ctx, Deployment } from '../../../context.ts'
import { batch, type Database } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import type { Statement } from '../../../data/db.ts'
import { hand, handed } from '../../../data/handed.ts'
import { asJson, decodeResult } from '../../../data/query.ts'
import type { Place } from '../../../domain/csv/scan.ts'
import { AppError, type Issue } from '../../../errors.ts'
import type { Feed } from '../../../providers/feed/port.ts'
import type { Files } from '../../../providers/files/port.ts'
import { valuesOf } from '../../../schemas/bulk.ts'
import { MAX_MEMBERS } from '../../lists/rules/lists.ts'
import { type BulkPlan, bulkStatements } from '../../records/plans/bulk.ts'
import { MAX_UNKNOWN } from '../rules/limits.ts'
import { checkStatements } from './check.ts'
import { type Decision, decide, type Faulty, type Settled, settledAs, type Tried } from './decide.ts'
import { isRefused } from './fit.ts'
import { columnFieldOf, type Job } from './job.ts'
import type { Line } from './lines.ts'
import { MissingRecords } from './missing-records.ts'
import { WRITES } from './plans.ts'
import { lookUp, resolvedFrom, stillMissing, unmatchedKeys } from './resolve.ts'

/** Lines written in one transaction, and the position where the next batch begins. */
export type Batch = {
  lines: Line[]
  from: Place
  to: Place
  /** True for the last batch. */
  end: boolean
}

/**
 * The first statement of each batch: authenticates as the key that started the import, and checks that the import is still at this
 * position.
 */
export function begin({ workspace_id, id, phase, state }: Job, place: { at: number } | { read: true } | Record<string, never>): Statement {
  return call('begin_import', JSON.stringify({ workspace_id, import_id: id, phase, state, ...place }))
}

function ctxOf(database: Database, job: Job): Ctx {
  const read: Ctx['read'] = async (result) => {
    const [, raw] = await batch(database, [begin(job, { read: true }), sql`select ${asJson(result)}`])
    return decodeResult(result, raw as unknown[][])
  }
  return {
    now: new Date(),
    requestId: job.id,
    effectKey: `import:${job.id}`,
    ifMatch: undefined,
    appUrl: '',
    get files(): Files {
      throw new Error('A request of an import has no file')
    },
    get feed(): Feed {
      throw new Error('An import does not wait for events')
    },
    get deployment(): Deployment {
      throw new Error('An import writes no secrets')
    },
    read,
    // With many records, the assumption would often fail for one of them.
    assume: read,
    readConfirmed: read,
    zone: async () => job.zone,
    readText: async (query) => (await batch(database, [begin(job, { read: true }), sql`select ${query}`]))[1] as string,
  }
}

/**
 * Processes a batch of lines: resolves what they refer to, then writes the records, the outcome of each line and the position of the next
 * batch in one transaction. A check writes only the last two. @throws AppError, after which nothing of the batch was written.
 */
export async function writeBatch(database: Database, job: Job, { lines, from, to, end }: Batch): Promise<void> {
  const resolved = resolvedFrom(await lookUpLines(database, job, lines))
  const missing = new MissingRecords(job.country, resolved.pipelines)
  const decision = decide(job, lines, resolved, missing)
  assertOnce(decision)
  const ctx = ctxOf(database, job)
  const { creates, updates, what } = WRITES[job.object]
  const plans = { created: await creates(ctx, inputsOf(decision.creates)), updated: await updates(ctx, inputsOf(decision.updates)) }
  const statements = job.phase === 'check' ? checkStatements(plans.created, plans.updated) : writeStatements(plans)
  const written = [
    partOf(job, 'created', decision.creates, plans.created, `Another ${what} already uses one of these unique values`),
    partOf(job, 'updated', decision.updates, plans.updated, `The ${what} was deleted during the import`),
  ]
  const progress = {
    at: to.byte,
    line: to.line,
    end,
    list_members: MAX_MEMBERS,
    unknown: decision.unknown,
    unknown_most: MAX_UNKNOWN,
    settled: [...decision.settled, ...(await refused(ctx, job, decision.faulty)), ...written.flatMap(({ settled }) => settled)],
    messages: Object.assign({}, ...written.map(({ messages }) => messages)),
  }
  const parts = written.map(
    ({ kind, tried, lost }) =>
      sql`${kind}::text, ${JSON.stringify({ tried, lost })}::jsonb
        || jsonb_build_object('outcomes', ${kind === 'created' ? handed('import_created') : statements.updated.outcomes})`,
  )
  const guards =
    job.phase === 'check'
      ? []
      : stillMissing(
          job,
          unmatchedKeys(
            lines,
            decision.creates.map(({ line }) => line),
            resolved,
          ),
        )
  await batch(database, [
    begin(job, { at: from.byte }),
    ...guards,
    ...(job.phase === 'check' ? [] : missing.statements([...valuesOf(plans.created[1]), ...valuesOf(plans.updated[1])])),
    ...statements.created.statements,
    hand('import_created', statements.created.outcomes),
    ...statements.updated.statements,
    sql`select save_import_rows(${job.id}::uuid, ${JSON.stringify(progress)}::jsonb || jsonb_build_object(${sql.join(parts, sql`, `)}))`,
  ])
}

/**
 * One statement updates a record once. Lines that find one record by different identifiers are known only now. @throws CONFLICT, after
 * which the batch is divided.
 */
function assertOnce({ updates }: Decision): void {
  const updated = new Set<unknown>()
  for (const { input } of updates) {
    if (updated.has(input.id)) throw new AppError('CONFLICT', 'Several lines of the batch are about one record', { id: input.id })
    updated.add(input.id)
  }
}

const NOTHING = { statements: [], outcomes: sql`'[]'::jsonb` }

function writeStatements({
  created,
  updated,
}: Record<Part['kind'], BulkPlan>): Record<Part['kind'], { statements: Statement[]; outcomes: SQL }> {
  const statementsOf = (plan: BulkPlan) => (plan[1].valid.length > 0 ? bulkStatements(plan) : NOTHING)
  return { created: statementsOf(created), updated: statementsOf(updated) }
}

/** Records the failure of a line that the database rejected. */
export async function refuseLine(database: Database, job: Job, { lines, from, to, end }: Batch, issues: Issue[]): Promise<void> {
  const settled = lines.map((line) => settledAs('failed', line, null, faultsOf(job, issues, line)))
  const progress = {
    at: to.byte,
    line: to.line,
    end,
    list_members: MAX_MEMBERS,
    unknown: [],
    unknown_most: MAX_UNKNOWN,
    settled,
    messages: {},
    created: { tried: [], outcomes: [] },
    updated: { tried: [], outcomes: [] },
  }
  await batch(database, [begin(job, { at: from.byte }), call('save_import_rows', job.id, JSON.stringify(progress))])
}

const inputsOf = (tried: Pick<Tried, 'input'>[]) => tried.map(({ input }) => input)
const faultsOf = (job: Job, issues: Issue[], line: Line) =>
  issues.map(({ path, message }) => ({ field: path === '' ? null : columnFieldOf(job, path), ...columnOf(job, line, path), message }))

/** The column with the wrong value of a field, and its own field, where several columns or cells fill it. */
function columnOf(job: Job, { outcomes }: Line, path: string): { field: string; column: string } | undefined {
  const root = path.split('.')[0] as string
  const filling = outcomes.filter((outcome) => outcome.field === root && 'value' in outcome)
  const wrong = filling.find((outcome) => 'value' in outcome && isRefused(job, root, outcome.value)) ?? filling[0]
  const filled = job.filled.find(({ at, field }) => at === wrong?.at && (field.name === root || field.spill === root))
  return filled && { field: filled.field.name, column: filled.column }
}

/** All errors of the faulty lines: those already known, and those that the API's validation reports for the remaining fields. */
async function refused(ctx: Ctx, job: Job, faulty: Faulty[]): Promise<Settled[]> {
  const [, { errors }] = await WRITES[job.object].creates(ctx, inputsOf(faulty))
  const others = new Map(errors.map(({ index, error }) => [index, issuesOf(error)]))
  return faulty.map(({ line, faults, record_id }, index) => {
    const reported = new Set(faults.map(({ field }) => field))
    const isWhole = !reported.has(null)
    const more = faultsOf(job, isWhole ? (others.get(index) ?? []) : [], line).filter(
      ({ field, message }) => !reported.has(field) && !(record_id !== null && message === 'Required'),
    )
    return settledAs('failed', line, record_id, [...faults, ...more])
  })
}

const issuesOf = ({ message, details }: { message: string; details?: unknown }): Issue[] =>
  (details as { issues?: Issue[] } | undefined)?.issues ?? [{ path: '', message }]

async function lookUpLines(database: Database, job: Job, lines: Line[]): Promise<unknown> {
  const lookup = lookUp(job, lines)
  if (!lookup) return undefined
  const [, result] = await batch(database, [begin(job, { read: true }), lookup])
  return result
}

type Part = {
  kind: 'created' | 'updated'
  tried: Pick<Line, 'line' | 'values' | 'warnings'>[]
  lost: string
  settled: Settled[]
  messages: Record<string, { field: string; message: string }>
}

/** One of the two writes: its lines, and the failures of those that did not pass validation. */
function partOf(job: Job, kind: Part['kind'], lines: Decision['creates'], bulkPlan: BulkPlan, lost: string): Part {
  const [{ references }, { valid, errors }] = bulkPlan
  const lineAt = (index: number) => (lines[index] as Tried).line
  return {
    kind,
    lost,
    tried: valid.map(({ index }) => {
      const { line, warnings } = lines[index] as Tried
      return { line: line.line, values: line.values, warnings }
    }),
    settled: errors.map(({ index, error }) => settledAs('failed', lineAt(index), null, faultsOf(job, issuesOf(error), lineAt(index)))),
    messages: Object.fromEntries(
      references.map(({ field, message = `${columnFieldOf(job, field)} does not exist in this workspace` }) => [
        field,
        { field: columnFieldOf(job, field), message },
      ]),
    ),
  }
}
