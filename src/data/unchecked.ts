import { call } from './call.ts'
import type { Statement } from './db.ts'

/**
 * Statements that write records of this system's own, such as the contact of a booking. What the workspace asks of the records that people
 * write, such as a field that they must have, cannot prevent them.
 */
export const unchecked = (statements: Statement[]): Statement[] =>
  statements.length === 0 ? [] : [call('set_flag', 'unchecked_values'), ...statements, call('clear_flag', 'unchecked_values')]
