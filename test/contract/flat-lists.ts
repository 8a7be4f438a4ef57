import { isList } from '../../src/http/endpoint.ts'
import { exampleOf } from '../../src/http/openapi/examples.ts'
import type { JsonSchema } from '../../src/http/openapi/schemas.ts'
import { proving } from '../proof.ts'
import type { Call } from './flat-calls.ts'
import { components, type Ids, idFor, isId, type Operation, operations, queryOf } from './samples.ts'

/** The parameters of a list that choose no records: the sizes and positions of pages, and what is returned of a record. */
const FORM = ['limit', 'after', 'page', 'fields', 'format', 'include', 'count', 'wait']
/** What a page of 50 may cost at any size: each row is a block, found by an index. */
const MOST = 5 * 50
/** How many calls there are for each that the usual run makes, which calls another one of each list. */
const ONE_OF = 12

/** A value that a parameter takes. No record is as old as the first times, and none is as new as the last. */
const sampleOf = (field: string, schema: JsonSchema, ids: Ids): string => {
  if (isId(schema)) return idFor(field, ids) ?? crypto.randomUUID()
  if (field === 'ids') return crypto.randomUUID()
  if (/_after$|^from$/.test(field)) return schema.format === 'date' ? '2020-01-01' : '2020-01-01T00:00:00Z'
  if (/_before$|^to$/.test(field)) return schema.format === 'date' ? '2030-01-01' : '2030-01-01T00:00:00Z'
  return String(exampleOf(schema, components))
}

const called = (operation: Operation, [field, schema]: [string, JsonSchema]): Call => ({
  name: `${operation.name}?${field}`,
  most: MOST,
  operation,
  isQuiet: true,
  prepare: async ({ ids }) => ({ query: { [field]: sampleOf(field, schema, ids) } }),
})

const all = operations
  .filter(({ endpoint }) => isList(endpoint) && endpoint.method === 'GET' && !endpoint.successor)
  .flatMap((operation) =>
    Object.entries(operation.query.properties as Record<string, JsonSchema>)
      // What is deleted is listed without other parameters.
      .filter(([field]) => !FORM.includes(field) && !(field === 'deleted' && Object.keys(queryOf(operation, {})).length > 0))
      .map((entry) => called(operation, entry)),
  )

/** Each list with each of its parameters. */
export const LISTED: Call[] = all.filter((_, index) => proving || index % ONE_OF === 0)
