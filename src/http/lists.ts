import type { PgColumn } from 'drizzle-orm/pg-core'
import * as v from 'valibot'
import type { ListedTable } from '../data/store.ts'
import { Archived, pageQuery, QueryInstant, SingleLine } from '../schemas/fields.ts'
import { asPhoneSearch } from '../schemas/parsers.ts'
import { BY_OWNER, BY_TIME } from '../schemas/search.ts'

const WORDS = 'Words that the record contains: anywhere, or with fewer than three letters or digits at the beginning of a word.'
const searchText = [SingleLine(120), v.minLength<string, 2, string>(2, 'must be at least 2 characters long')] as const
const Search = v.optional(v.pipe(...searchText, v.description(WORDS)))
const PhoneSearch = v.optional(v.pipe(...searchText, asPhoneSearch, v.description(`${WORDS} A phone number is found in any format.`)))

/**
 * The query schema of a list over a table: its filters, its sorts, and the parameters that its columns allow (archived, search,
 * created_after, created_before). `initial` is the default sort, or a description of it when it depends on the filters.
 */
export function listQuery(table: ListedTable, filters: v.ObjectEntries, sorts: string[], initial = '-created_at') {
  const columns = table as ListedTable & Record<string, PgColumn>
  const names = new Set([...sorts, ...(columns.updated_at ? ['updated_at'] : [])])
  const offered = [...names].flatMap((name) => [name, `-${name}`])
  const fixed = offered.includes(initial)
  const Sort = v.pipe(
    v.picklist(offered, `must be one of: ${offered.join(', ')}`),
    v.description(
      `The sort field; a minus sign reverses the order.${names.has('assigned_to') ? BY_OWNER : ''}` +
        `${names.has('last_activity_at') ? BY_TIME : ''}${fixed ? '' : ` Defaults to ${initial}.`}`,
    ),
    v.examples([fixed ? initial : '-created_at']),
  )
  const entries: v.ObjectEntries = {
    ...pageQuery,
    ...filters,
    sort: fixed ? v.optional(Sort, initial) : v.optional(Sort),
    created_after: v.optional(v.pipe(QueryInstant, v.description('Only records created at this time or later.'))),
    created_before: v.optional(v.pipe(QueryInstant, v.description('Only records created at this time or earlier.'))),
  }
  if (columns.archived) entries.archived = Archived
  if (columns.search_text) entries.search = columns.phone ? PhoneSearch : Search
  return v.strictObject(entries)
}
