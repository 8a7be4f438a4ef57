import { type SQL, sql } from 'drizzle-orm'
import type { SqlFunctions } from './functions.ts'

/** The arguments of a function: values of their types, null, or what SQL computes, which has its type already. */
type Given<Arguments extends unknown[]> = { [at in keyof Arguments]: Arguments[at] | SQL | null }

/** A select of a function of schema/functions. PostgreSQL converts each argument to the type that the function declares. */
export const call = <Name extends keyof SqlFunctions>(name: Name, ...given: Given<Parameters<SqlFunctions[Name]>>): SQL =>
  sql`select ${sql.raw(name)}(${sql.join(
    given.map((one) => sql`${one}`),
    sql`, `,
  )})`
