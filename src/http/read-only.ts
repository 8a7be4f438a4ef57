import type { Endpoint } from './endpoint.ts'

type Entries = Record<string, unknown>
type Fields = Record<string, unknown>
/** The read-only fields that were sent: of the record, or of each record of a bulk update by its id. */
export type ReadOnly = { one: Fields } | { each: Record<string, Fields> }

/** The fields of an opportunity that follow its stage. */
const STAGE_FIELDS = ['status', 'stage_id', 'pipeline_id', 'probability']

type Object = { entries?: Entries; item?: Object; record?: Object }
const entriesOf = (schema: unknown): Entries | undefined => (schema as Object | undefined)?.entries
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether callers may send back the whole record that they received. */
const isUpdate = ({ method, returns }: Endpoint) => (method === 'PATCH' || method === 'PUT') && returns.as === 'one'

/** The fields of one record of a bulk update: those that it may change, and those of the response. */
function bulkRecord({ path, body, returns }: Endpoint): { writable: Entries; returned: Entries } | undefined {
  if (!path.endsWith('/bulk-update')) return undefined
  const writable = entriesOf((entriesOf(body)?.records as Object | undefined)?.record)
  const returned = entriesOf((entriesOf(returns.schema)?.results as Object | undefined)?.item)
  return writable && returned && { writable, returned }
}

/**
 * Splits the body of an update into the fields that it may change and the read-only ones: those of the response that the body does not
 * have. Read-only fields are accepted with their current value, so that a client can send back a record that it has read.
 */
export function splitReadOnly(endpoint: Endpoint, body: unknown): { body: unknown; readOnly: ReadOnly | undefined } {
  const many = bulkRecord(endpoint)
  if (many && isFields(body) && Array.isArray(body.records)) return splitRecords(many, body, body.records)
  const [writable, returned] = [entriesOf(endpoint.body), entriesOf(endpoint.returns.schema)]
  if (!isUpdate(endpoint) || !writable || !returned || !isFields(body)) return { body, readOnly: undefined }
  const { fields, readOnly } = splitFields(writable, returned, body)
  return { body: fields, readOnly: readOnly && { one: readOnly } }
}

function splitRecords({ writable, returned }: { writable: Entries; returned: Entries }, body: Fields, records: unknown[]) {
  const each: Record<string, Fields> = {}
  const split = records.map((record) => {
    if (!isFields(record) || typeof record.id !== 'string') return record
    const { fields, readOnly } = splitFields(writable, returned, record)
    if (readOnly) each[record.id.toLowerCase()] ??= readOnly
    return fields
  })
  return Object.keys(each).length > 0 ? { body: { ...body, records: split }, readOnly: { each } } : { body, readOnly: undefined }
}

function splitFields(writable: Entries, returned: Entries, body: Fields): { fields: Fields; readOnly: Fields | undefined } {
  const names = Object.keys(body).filter((name) => !Object.hasOwn(writable, name) && Object.hasOwn(returned, name))
  if (names.length === 0) return { fields: body, readOnly: undefined }
  const isReadOnly = new Set(names)
  const part = (wanted: boolean) => Object.fromEntries(Object.entries(body).filter(([name]) => isReadOnly.has(name) === wanted))
  return { fields: part(false), readOnly: part(true) }
}

/** The message for a field that only responses have; undefined for a field that they do not have either. */
export function readOnlyMessage(endpoint: Endpoint, field: string): string | undefined {
  const many = bulkRecord(endpoint)
  const returned = many?.returned ?? entriesOf(endpoint.returns.schema)
  if (!returned || !Object.hasOwn(returned, field)) return undefined
  const updates = many !== undefined || isUpdate(endpoint)
  if ('stage_id' in returned && STAGE_FIELDS.includes(field))
    return updates
      ? 'is read-only: it follows the stage, which POST /opportunities/{opportunity_id}/move changes'
      : 'is read-only: it follows from stage_id'
  return updates ? 'is read-only: leave it out, or send its current value' : 'is read-only: leave it out'
}
