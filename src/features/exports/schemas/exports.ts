import * as v from 'valibot'
import { Bool, describe, Enum, Integer, QueryBool, QueryInt } from '../../../schemas/fields.ts'
import { parse } from '../../../schemas/pipes.ts'
import { type Searched, type SearchedWork, searchBody, workSearchBody } from '../../../schemas/search.ts'
import type { ImportObject } from '../../imports/rules/types.ts'

/** What can be exported. Notes are activities. */
export type Exported = Exclude<ImportObject, 'notes' | 'lead_results'>

/** The maximum number of rows in an export. */
export const MOST_ROWS = 250_000
const FORMATS = ['csv', 'jsonl'] as const

const NAME = /^[a-z][a-z0-9_]{0,59}$|^metadata\.[^\p{Cc},]{1,100}$/u
const NAMES = 'must be field names, such as first_name, email or metadata.tier'
const FIELDS =
  'The columns, in this order. By default all fields that an import can read, the custom fields, and the times of creation and last change.'
const ROWS = `The maximum number of rows. When more rows match, the response has the header X-Truncated: 1.`
const BOM = 'Whether a CSV file begins with a byte order mark, which Excel needs to detect UTF-8.'
const namesIn = (text: string) => {
  const names = text.split(',').map((name) => name.trim())
  return names.length <= 300 && names.every((name) => NAME.test(name)) ? names : undefined
}
const format = v.optional(Enum(FORMATS, 'The format: `csv`, or `jsonl` with a JSON object on each line.'), 'csv')

const inQuery = {
  fields: v.optional(
    v.pipe(v.string(NAMES), v.description(`${FIELDS} Separated by commas.`), v.examples(['id']), parse('names', namesIn, NAMES)),
  ),
  format,
  bom: v.optional(describe(QueryBool, BOM), true),
  limit: v.optional(describe(QueryInt(1, MOST_ROWS), ROWS, MOST_ROWS), MOST_ROWS),
}
const inBody = {
  fields: v.optional(
    v.pipe(
      v.array(v.pipe(v.string(NAMES), v.regex(NAME, NAMES), v.examples(['id'])), 'must be a list of field names'),
      v.minLength(1, 'must contain at least one field'),
      v.maxLength(300, 'must be at most 300 fields'),
      v.description(FIELDS),
    ),
  ),
  format,
  bom: v.optional(describe(Bool, BOM), true),
  limit: v.optional(describe(Integer(1, MOST_ROWS), ROWS, MOST_ROWS), MOST_ROWS),
}

/** The query of a list without pagination. */
export function exportQuery({ entries }: { entries: v.ObjectEntries }) {
  const { after: _, ...filters } = entries
  return v.strictObject({ ...filters, ...inQuery })
}

/** The body of a search, or of a list's filters, without pagination. */
export function exportBody({ entries }: { entries: v.ObjectEntries }) {
  const { after: _, ...search } = entries
  return v.strictObject({ ...search, ...inBody })
}
/** The body of the search over an object. */
export const searchOf = (object: Searched | SearchedWork) =>
  object === 'activities' || object === 'tasks' ? workSearchBody(object) : searchBody(object)

/** The body of the response, streamed while it is read. */
export const ExportFile = v.pipe(v.string(), v.description('The exported file.'))

/** The options of an export. */
export type ExportManner = { fields?: string[] | undefined; format: (typeof FORMATS)[number]; bom: boolean; limit: number }
