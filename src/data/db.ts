import type { SQL } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/pg-proxy'

const dialect = new PgDialect()

/** Builds statements and never runs one: a request's statements travel together, in one batch (see work.ts). */
export const db = drizzle(() => {
  throw new Error('Statements run as part of a Work, not by themselves')
})

export type Statement = { getSQL(): SQL }

/** A statement in its last form, for what goes with every request. */
export class PlainStatement {
  readonly sql: string
  readonly params: unknown[]

  constructor(text: string, params: unknown[]) {
    this.sql = text
    this.params = params
  }
}

/** Text with `$n` places, and their values. */
export const compile = (statement: Statement | PlainStatement): { sql: string; params: unknown[] } =>
  statement instanceof PlainStatement ? statement : dialect.sqlToQuery(statement.getSQL())
