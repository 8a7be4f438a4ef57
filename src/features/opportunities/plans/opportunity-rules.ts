import { Guard } from '../../../data/bulk.ts'
import { call } from '../../../data/call.ts'
import type { Statement } from '../../../data/db.ts'

/**
 * Asserts that an opportunity as it is created or patched breaks no rule of its stage, and does not set a value that its line items decide.
 */
export const assertOpportunity = (patch: Record<string, unknown>): Statement => call('assert_opportunity', JSON.stringify(patch))

/** Marks, for the transaction, the opportunities of a bulk call that would break one of these rules. */
export const checkOpportunities = (patches: Record<string, unknown>[]): Guard | undefined =>
  patches.length === 0 ? undefined : new Guard(call('check_opportunities', JSON.stringify(patches)))
