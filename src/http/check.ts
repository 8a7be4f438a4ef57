import * as v from 'valibot'
import { type Issue, invalid } from '../errors.ts'
import { issueOf } from '../schemas/issues.ts'
import type { Endpoint, Schema } from './endpoint.ts'

/** The parts of a request as received: text, except for the body. */
export type Input = { params: Record<string, string>; query: Record<string, string>; body: unknown }

/** Validates every part against its schema and reports all issues together. */
export function check(endpoint: Endpoint, input: Input): Input {
  const issues: Issue[] = []
  const part = (schema: Schema | undefined, value: unknown) => {
    if (!schema) return {}
    // A list has no unknown keys, so it would be accepted as an empty object.
    if (schema.type === 'strict_object' && Array.isArray(value)) return issues.push({ path: '', message: 'Send an object, not a list' })
    const result = v.safeParse(schema, value)
    for (const issue of result.issues ?? []) issues.push(issueOf(issue))
    return result.output
  }
  const checked = {
    params: part(endpoint.params, input.params),
    query: part(endpoint.query, input.query),
    body: endpoint.content?.as === 'raw' ? input.body : part(endpoint.body, input.body),
  }
  if (issues.length > 0) throw invalid(issues)
  return checked
}
