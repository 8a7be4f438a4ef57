import { type SQL, sql } from 'drizzle-orm'
import type { CAUSES } from '../domain/access.ts'

/** Every change and event of the transaction from here on names this as its cause; until then the request, approval or import that runs. */
export const setCause = (type: (typeof CAUSES)[number], id: string): SQL => sql`select set_cause(${type}, ${id}::uuid)`
