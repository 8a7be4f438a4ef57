import { type SQL, sql } from 'drizzle-orm'
import type { OwnedTable } from './store.ts'

type Transition = Readonly<Record<string, string>>

/** Raises INVALID_STATE unless the transition starts from the record's current state. `subject` begins the message: `The task`. */
export const assertState = (table: OwnedTable, column: string, id: string, transition: Transition, subject: string): SQL => {
  const state = sql.identifier(column)
  const allowed = sql`${JSON.stringify(Object.keys(transition))}::jsonb`
  return sql`select assert_condition(${allowed} ? ${state}, 'INVALID_STATE', ${`${subject} is `}::text || replace(${state}, '_', ' '),
    jsonb_build_object('state', ${state}, 'allowed', ${allowed})) from ${table} where ${table.id} = ${id}`
}

/** The state that the transition leads to. */
export const stateAfter = (state: SQL, transition: Transition): SQL => sql`(${JSON.stringify(transition)}::jsonb ->> ${state})`
