import type { PgColumn } from 'drizzle-orm/pg-core'
import * as v from 'valibot'
import type { OwnedTable } from '../data/store.ts'
import { Archived, Line, pageQuery, QueryInstant } from '../shapes/fields.ts'

const Search = v.optional(
  v.pipe(Line(120), v.minLength(2, 'must be at least 2 characters long'), v.description('Words that the record contains.')),
)

/** The query of a list over a table: its filters, its sorts, and what its columns allow (archived, search, created between). */
export function listQuery(table: OwnedTable, filters: v.ObjectEntries, sorts: string[], initial = '-created_at') {
  const columns = table as OwnedTable & Record<string, PgColumn>
  const offered = sorts.flatMap((name) => [name, `-${name}`])
  const Sort = v.pipe(
    v.picklist(offered, `must be one of: ${offered.join(', ')}`),
    v.description('What to sort by; a minus sign turns the order round.'),
    v.examples([initial]),
  )
  const entries: v.ObjectEntries = {
    ...pageQuery,
    ...filters,
    sort: v.optional(Sort, initial),
    created_after: v.optional(v.pipe(QueryInstant, v.description('Created at this moment or later.'))),
    created_before: v.optional(v.pipe(QueryInstant, v.description('Created at this moment or earlier.'))),
  }
  if (columns.archived) entries.archived = Archived
  if (columns.search_text) entries.search = Search
  return v.strictObject(entries)
}
