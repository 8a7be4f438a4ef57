import { call } from './call.ts'
import type { Statement } from './db.ts'

/**
 * Statements that make records which follow from something else, such as the contact of a booking. They need not have the fields that the
 * workspace requires of the records that people write.
 */
export const withoutRequired = (statements: Statement[]): Statement[] =>
  statements.length === 0 ? [] : [call('set_flag', 'nothing_required'), ...statements, call('clear_flag', 'nothing_required')]
