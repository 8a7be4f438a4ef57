import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Keys, SortKey } from '../../../data/page.ts'
import type { PageSource } from '../../../data/query.ts'
import { fieldsOf } from '../../../data/rows.ts'

/** Limits a select to the rows that can be on the page: after the cursor, in order, and no more than the page needs. */
type Slice = (rows: SQL) => SQL
/** One of the tables that a list combines, as a select that is already limited to the page. */
export type Source = (slice: Slice) => SQL
type Decoder = { mapFromDriverValue(value: never): unknown }

/** The sort key, by its name in the sources. */
export const keyOf = (name: string): SortKey => ({ key: sql.raw(name), type: 'timestamp(3) with time zone' })
export const idKey = sql`id` as unknown as PgColumn

/**
 * A page source over several tables. Each is an index scan of at most one page of rows, so the cost of merging and sorting does not grow
 * with the tables. Every source has the columns of `fields` by name, including `id` and the sort key.
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
