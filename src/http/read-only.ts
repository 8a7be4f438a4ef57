import type { Endpoint, Schema } from './endpoint.ts'

type Entries = Record<string, unknown>
type Fields = Record<string, unknown>

/** The fields of an opportunity that follow its stage. */
const STAGE_FIELDS = ['status', 'stage_id', 'pipeline_id', 'probability']

const entriesOf = (schema: Schema | undefined): Entries | undefined => (schema as { entries?: Entries } | undefined)?.entries
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether callers may send back the whole record that they received. */
const isUpdate = ({ method, returns }: Endpoint) => (method === 'PATCH' || method === 'PUT') && returns.as === 'one'

/**
 * Splits the body of an update into the fields that it may change and the read-only ones: those of the response that the body does not
 * have. Read-only fields are accepted with their current value, so that a client can send back a record that it has read.
 */
export function splitReadOnly(endpoint: Endpoint, body: unknown): { body: unknown; readOnly: Fields | undefined } {
  const [writable, returned] = [entriesOf(endpoint.body), entriesOf(endpoint.returns.schema)]
  if (!isUpdate(endpoint) || !writable || !returned || !isFields(body)) return { body, readOnly: undefined }
  const names = Object.keys(body).filter((name) => !Object.hasOwn(writable, name) && Object.hasOwn(returned, name))
  if (names.length === 0) return { body, readOnly: undefined }
  const isReadOnly = new Set(names)
  const part = (wanted: boolean) => Object.fromEntries(Object.entries(body).filter(([name]) => isReadOnly.has(name) === wanted))
  return { body: part(false), readOnly: part(true) }
}

/** The message for a field that only responses have; undefined for a field that they do not have either. */
export function readOnlyMessage(endpoint: Endpoint, field: string): string | undefined {
  const returned = entriesOf(endpoint.returns.schema)
  if (!returned || !Object.hasOwn(returned, field)) return undefined
  if ('stage_id' in returned && STAGE_FIELDS.includes(field))
    return isUpdate(endpoint)
      ? 'is read-only: it follows the stage, which POST /opportunities/{opportunity_id}/move changes'
      : 'is read-only: it follows from stage_id'
  return isUpdate(endpoint) ? 'is read-only: leave it out, or send its current value' : 'is read-only: leave it out'
}
