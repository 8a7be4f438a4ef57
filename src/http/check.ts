import * as v from 'valibot'
import { invalid } from '../errors.ts'
import { issuesOf, misspeltFirst, type Unknown, unknownField } from '../schemas/issues.ts'
import type { Endpoint, Schema } from './endpoint.ts'
import { type ReadOnly, readOnlyMessage, splitReadOnly } from './read-only.ts'
import { inOrderOfChange } from './reading.ts'

/** The parts of a request as received: text, except for the body. */
export type Input = { params: Record<string, string>; query: Record<string, string>; body: unknown }
/** The parts of a valid request. `readOnly` are the fields of the body that must have their current value. */
export type Checked = Input & { readOnly: ReadOnly | undefined }

/** Validates every part against its schema and reports all issues together. */
export function check(endpoint: Endpoint, input: Input): Checked {
  const { query, issues } = inOrderOfChange(endpoint, input.query)
  const part = (schema: Schema | undefined, value: unknown, unknownMessage?: (field: Unknown) => string) => {
    if (!schema) return {}
    // A list has no unknown keys, so it would be accepted as an empty object.
    if (schema.type === 'strict_object' && Array.isArray(value)) return issues.push({ path: '', message: 'Send an object, not a list' })
    const result = v.safeParse(schema, value)
    for (const issue of issuesOf(schema, value, result.issues, unknownMessage)) issues.push(issue)
    return result.output
  }
  const { body, readOnly } = splitReadOnly(endpoint, input.body)
  const checked = {
    params: part(endpoint.params, input.params),
    query: part(endpoint.query, query),
    body: endpoint.content?.as === 'raw' ? input.body : part(endpoint.body, body, (field) => unknownIn(endpoint, field)),
    readOnly,
  }
  if (issues.length > 0) throw invalid(misspeltFirst(issues))
  return checked
}

/** The message for an unknown field of the body, which may be a read-only field of the record. */
function unknownIn(endpoint: Endpoint, { path, known }: Unknown): string {
  const name = String(path.at(-1))
  return (path.length === 1 && readOnlyMessage(endpoint, name)) || unknownField(name, known)
}
