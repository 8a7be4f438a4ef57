import type { SQL } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/pg-proxy'

const dialect = new PgDialect()

/** Builds statements and never runs one: the statements of a request are sent together in one batch (see plan.ts). */
export const db = drizzle(() => {
  throw new Error('Statements run as part of a plan, not by themselves')
})

export type Statement = { getSQL(): SQL }

/** An already compiled statement, for those that are part of every request. */
export class PlainStatement {
  readonly sql: string
  readonly params: unknown[]

  constructor(text: string, params: unknown[]) {
    this.sql = text
    this.params = params
  }
}

/** SQL text with `$n` placeholders, and their values. */
export const compile = (statement: Statement | PlainStatement): { sql: string; params: unknown[] } =>
  statement instanceof PlainStatement ? statement : dialect.sqlToQuery(statement.getSQL())
