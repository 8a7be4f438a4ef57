import * as v from 'valibot'
import { AppError, boundIssues, type Issue, invalid, MAX_ISSUES } from '../errors.ts'
import { SAMPLE_ID } from './fields.ts'
import { issuesOf } from './issues.ts'

/** An array of 1 to `max` records that are validated one by one, so that an invalid record does not stop the others. */
export function bulkOf<S extends v.GenericSchema>(record: S, max = 100) {
  const envelope = v.pipe(
    v.array(v.unknown(), 'must be a list of records'),
    v.minLength(1, 'must have at least one record'),
    v.maxLength(max, `must have at most ${max} records: send the rest in another request`),
    v.description(`1 to ${max} records. An invalid record is reported in \`errors\` and does not stop the others.`),
  )
  return Object.assign(envelope, { record })
}

/** One to `max` ids of a bulk call, which reports a malformed id by its index like any other record that it cannot find. */
export const BulkIds = (max: number) =>
  v.pipe(
    v.array(v.pipe(v.unknown(), v.metadata({ type: 'string', format: 'uuid' })), 'must be a list of UUIDs'),
    v.minLength(1, 'must contain at least one id'),
    v.maxLength(max, `must contain at most ${max} ids: send the rest in another request`),
    v.description(`One to ${max} ids. A malformed one is reported in \`errors\` and does not stop the others.`),
    v.examples([[SAMPLE_ID]]),
  )

export type Failure = { index: number; id?: string | null; error: { code: string; message: string; details?: unknown } }
export type Skip = { index: number; id: string | null; reason: string }
export type Bulk<Item> = { results: Item[]; skipped: Skip[]; errors: Failure[] }

export function failure(index: number, error: AppError, id?: string | null): Failure {
  const { code, message, details } = error
  return { index, ...(id !== undefined && { id }), error: { code, message, ...(details !== undefined && { details }) } }
}

export type Validated<Value> = { valid: { index: number; creates: boolean; value: Value }[]; errors: Failure[] }
export const valuesOf = <Value>({ valid }: Validated<Value>): Value[] => valid.map(({ value }) => value)
/** The same records with other values, in the same order. */
export const withValues = <Value>({ valid, errors }: Validated<unknown>, values: Value[]): Validated<Value> => ({
  valid: valid.map((record, at) => ({ ...record, value: values[at] as Value })),
  errors,
})

/** Splits records into those that match the schema and pass `prepare` (which may throw an AppError), and the errors of the others. */
export function validateEach<S extends v.GenericSchema, Out>(
  schema: S,
  records: unknown[],
  prepare: (value: v.InferOutput<S>) => Out,
): Validated<Out> {
  const valid: Validated<Out>['valid'] = []
  const errors: Failure[] = []
  const seen = new Set<string>()
  let remaining = MAX_BULK_ISSUES
  records.forEach((record, index) => {
    const id = typeof (record as { id?: unknown } | null)?.id === 'string' ? ((record as { id: string }).id as string) : undefined
    try {
      const result = v.safeParse(schema, record)
      if (!result.success) throw invalidRecord(issuesOf(schema, record, result.issues), remaining)
      const targetId = (result.output as { id?: string }).id
      if (targetId && seen.has(targetId)) throw invalid([{ path: 'id', message: 'Duplicate id in request: send each id once' }])
      if (targetId) seen.add(targetId)
      valid.push({ index, creates: !targetId, value: prepare(result.output) })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      errors.push(failure(index, error, id))
      remaining -= issuesIn(error)
    }
  })
  return { valid, errors }
}

/** A bulk call reports at most this many issues in total, but at least one for each invalid record. */
const MAX_BULK_ISSUES = 1_000

function invalidRecord(all: Issue[], remaining: number): AppError {
  const shown = Math.max(1, Math.min(MAX_ISSUES, remaining))
  const { issues, more_issues = 0 } = boundIssues(all.slice(0, shown))
  const more = more_issues + Math.max(0, all.length - shown)
  return new AppError('VALIDATION_ERROR', 'Some fields are not valid', { issues, ...(more > 0 && { more_issues: more }) })
}

const issuesIn = ({ details }: AppError) => (details as { issues?: unknown[] } | undefined)?.issues?.length ?? 0
