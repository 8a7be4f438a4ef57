import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { MOST_COUNTED } from '../domain/limits.ts'
import type { Statement } from './db.ts'
import { hand, handedText } from './handed.ts'
import { between } from './lists.ts'
import { foldCounts } from './record-counts.ts'
import { columnOf } from './store.ts'

type Query = Record<string, unknown>
/** The columns that `ids` and `updated_after` compare, where they are not those of the table of the list's `id`. */
export type Records = { id: PgColumn; updated_at: PgColumn }
type Readable = { id: PgColumn; records?: Records | undefined; where: (SQL | undefined)[]; sorts: object; query: Query }

/**
 * Facts about a list as it was when its first page was read. Cursors carry them, so that every page has the same; except `has_more`, of a
 * list whose every page has a cursor: whether the next page has items already.
 */
export type About = { synced_until?: string; count?: number; count_exact?: boolean; has_more?: boolean }

const follows = ({ sort, updated_after, updated_before }: Query): boolean =>
  updated_after !== undefined || updated_before !== undefined || /^-?updated_at$/.test(String(sort))

/** The list as its query asks for it: in the order of change, or only the records with these ids. */
export function asAsked<List extends Readable>(list: List): List {
  const { id, records, query } = list
  const { ids } = query
  const among = Array.isArray(ids) ? sql`${records?.id ?? id} = any(${`{${ids.join(',')}}`}::uuid[])` : undefined
  const where = [...list.where, among]
  if (!follows(query)) return { ...list, where }
  const updated = records?.updated_at ?? columnOf(id.table, 'updated_at')
  if (!updated) throw new Error('A list in the order of change has no updated_at')
  const ordered = { ...query, sort: query.sort === '-updated_at' ? '-updated_at' : 'updated_at' }
  return {
    ...list,
    where: [...where, ...between(updated, 'updated', ordered)],
    sorts: { ...list.sorts, updated_at: updated },
    query: ordered,
  }
}

/**
 * What the first page reads about its list, as a JSON object, and the statement that must run before the page. The statement notes the
 * oldest open transaction (see synced_until): a transaction that commits later starts at that time or after it. `matches` selects the
 * number of records, up to a maximum, and whether that is all of them; `kept` is the number, where it is kept, if nothing is being deleted.
 */
export function aboutOf(query: Query, matches: (count: number) => SQL, kept?: SQL): { about: SQL; before: Statement[] } | undefined {
  const [syncs, counts] = [follows(query) || query.deleted === true, query.count === true]
  if (!syncs && !counts) return undefined
  const synced_until = syncs ? [sql`'synced_until', ${handedText('synced_until')}`] : []
  const count = counts ? [sql`'count', n, 'count_exact', is_all`] : []
  const about = sql`json_build_object(${sql.join([...synced_until, ...count], sql`, `)})`
  const most = sql.raw(String(MOST_COUNTED))
  const passed = () =>
    sql`select least(found.n, ${most}), found.is_all and found.n <= ${most} from (${matches(MOST_COUNTED + 1)}) found(n, is_all)`
  // What is kept includes the records of running deletions, which nobody sees.
  const counted = kept
    ? sql`select ${kept}, true where (select deletes_nothing()) union all ${passed()} where not (select deletes_nothing())`
    : passed()
  return {
    about: counts ? sql`(select ${about} from (${counted}) counted(n, is_all))` : about,
    before: [...(syncs ? [hand('synced_until', sql`to_jsonb(iso(synced_until()))`)] : []), ...(counts && kept ? [foldCounts] : [])],
  }
}
