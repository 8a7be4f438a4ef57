import type { SQL } from 'drizzle-orm'
import type { CAUSES } from '../domain/access.ts'
import { call } from './call.ts'

/**
 * Sets the cause of all following changes and events in the transaction. Before that, the cause is the running request, approval or
 * import.
 */
export const setCause = (type: (typeof CAUSES)[number], id: string): SQL => call('set_cause', type, id)
