import type { SQL } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/pg-proxy'

const dialect = new PgDialect()

/** Builds statements and never runs one: a request's statements travel together, in one batch (see work.ts). */
export const db = drizzle(() => {
  throw new Error('Statements run as part of a Work, not by themselves')
})

export type Statement = { getSQL(): SQL }

/** Text with `$n` places, and their values. */
export const compile = (statement: Statement) => dialect.sqlToQuery(statement.getSQL())
