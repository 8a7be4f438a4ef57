import type { SQL } from 'drizzle-orm'
import { PgDialect, type PgTable } from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/pg-proxy'

const dialect = new PgDialect()

/** Builds statements and never runs one: the statements of a request are sent together in one batch (see plan.ts). */
export const db = drizzle(() => {
  throw new Error('Statements run as part of a plan, not by themselves')
})

/** `writes` are the rows that the statement inserts or updates, for the error of one whose unique value another record has. */
export type Statement = { getSQL(): SQL; writes?: Writes }
export type Writes = { table: PgTable; rows: Record<string, unknown>[] }

/** A statement that says what it writes. */
export const writing = (table: PgTable, rows: object[], statement: { getSQL(): SQL }): Statement => ({
  getSQL: () => statement.getSQL(),
  writes: { table, rows: rows as Writes['rows'] },
})

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
