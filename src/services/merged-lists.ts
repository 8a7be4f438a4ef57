import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Keys, SortKey } from '../data/page.ts'
import type { PageSource } from '../data/query.ts'
import { fieldsOf } from '../data/rows.ts'

/** Cuts from `rows`, a select, those that may stand on the page: behind the cursor, in order, no more than it needs. */
type Slice = (rows: SQL) => SQL
/** One of the tables that a list is made of, as a select that has cut its own rows. */
export type Source = (slice: Slice) => SQL
type Decoder = { mapFromDriverValue(value: never): unknown }

/** What the sources' rows are ordered by. */
export const keyOf = (name: string): SortKey => ({ key: sql.raw(name), type: 'timestamp(3) with time zone' })
export const idKey = sql`id` as unknown as PgColumn

/**
 * What `page` selects from, over several sources, each an index scan of no more rows than the page has: what is merged and sorted
 * does not grow with the tables. Every source has the columns of `fields` by name, among them `id` and the sort key.
 */
export function merged<Row>(fields: Record<string, Decoder>, sources: Source[]) {
  const names = sql.join(
    Object.keys(fields).map((name) => sql.identifier(name)),
    sql`, `,
  )
  return (keys: Keys): PageSource<Row> => ({
    fields: fieldsOf({ config: { fields: { ...fields, ...keys } } }),
    page(behind, order) {
      const cut: Slice = (rows) => sql`select * from (${rows}) one_source where ${behind ?? sql`true`} ${order}`
      const parts = sources.map((source) => sql`(select ${names} from (${source(cut)}) one_slice)`)
      return sql`select ${names}, ${keys._key.sql}, ${keys._id.sql} from (${sql.join(parts, sql` union all `)}) every_source ${order}`
    },
  })
}
