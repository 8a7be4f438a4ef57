import { type SQL, sql } from 'drizzle-orm'
import type { Statement } from './db.ts'
import type { Query } from './query.ts'
import { columnNames } from './rows.ts'

/**
 * Asserts that the record which the query returns has these values now, as responses show them. It runs before the changes, in the same
 * transaction. `messageOf` is the message for a field with another value.
 */
export function assertUnchanged(
  { query, fields, hidden = 0 }: Query<unknown>,
  sent: Record<string, unknown>,
  messageOf: (field: string) => string,
): Statement {
  const columns = sql.raw(columnNames(fields.length + hidden))
  const pairs = fields.flatMap(({ path: [name = ''], toJson }, at): SQL[] =>
    Object.hasOwn(sent, name) ? [sql.raw(`'${name}', ${toJson?.(`c${at}`) ?? `c${at}`}`)] : [],
  )
  const messages = Object.fromEntries(Object.keys(sent).map((field) => [field, messageOf(field)]))
  return sql`select assert_unchanged((select jsonb_build_object(${sql.join(pairs, sql`, `)}) from (${query.getSQL()}) as q(${columns})),
    ${JSON.stringify(sent)}::jsonb, ${JSON.stringify(messages)}::jsonb)`
}
