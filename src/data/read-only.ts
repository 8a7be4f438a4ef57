import { type SQL, sql } from 'drizzle-orm'
import type { Statement } from './db.ts'
import type { Query } from './query.ts'
import { columnNames } from './rows.ts'

type Sent = Record<string, unknown>

/**
 * Asserts that the record which the query returns has these values now, as responses show them. It runs before the changes, in the same
 * transaction. `messageOf` is the message for a field with another value.
 */
export function assertUnchanged(query: Query<unknown>, sent: Sent, messageOf: (field: string) => string): Statement {
  const names = Object.keys(sent)
  return sql`select assert_unchanged((select ${valuesOf(query, names)} from ${rowsOf(query)}),
    ${JSON.stringify(sent)}::jsonb, ${messagesOf(names, messageOf)}::jsonb)`
}

/** As assertUnchanged for the records of a bulk call, by their ids: it marks the records with another value, which the call then skips. */
export function markChanged(query: Query<unknown>, sent: Record<string, Sent>, messageOf: (field: string) => string): Statement {
  const names = [...new Set(Object.values(sent).flatMap(Object.keys))]
  const id = sql.raw(`c${query.fields.findIndex(({ path }) => path.length === 1 && path[0] === 'id')}`)
  return sql`select mark_changed((select coalesce(jsonb_object_agg(${id}, ${valuesOf(query, names)}) filter (where ${id} is not null), '{}')
    from ${rowsOf(query)}),
    ${JSON.stringify(sent)}::jsonb, ${messagesOf(names, messageOf)}::jsonb)`
}

const rowsOf = ({ query, fields, hidden = 0 }: Query<unknown>): SQL =>
  sql`(${query.getSQL()}) as q(${sql.raw(columnNames(fields.length + hidden))})`

function valuesOf({ fields }: Query<unknown>, names: string[]): SQL {
  const pairs = fields.flatMap(({ path: [name = ''], toJson }, at): SQL[] =>
    names.includes(name) ? [sql.raw(`'${name}', ${toJson?.(`c${at}`) ?? `c${at}`}`)] : [],
  )
  return sql`jsonb_build_object(${sql.join(pairs, sql`, `)})`
}

const messagesOf = (names: string[], messageOf: (field: string) => string) =>
  JSON.stringify(Object.fromEntries(names.map((name) => [name, messageOf(name)])))
