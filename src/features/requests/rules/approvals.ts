import type { APPROVAL_STATUSES } from '../../../domain/access.ts'
import type { Transitions } from '../../../domain/transitions.ts'

type ApprovalStatus = (typeof APPROVAL_STATUSES)[number]

/**
 * A person approves or rejects; the queue executes what was approved, and what failed because its message did, when that is replayed; cron
 * expires what nobody decided; a purge rejects what has not run.
 */
export const APPROVAL_TRANSITIONS = {
  approve: { pending: 'approved' },
  reject: { pending: 'rejected' },
  expire: { pending: 'expired' },
  execute: { approved: 'executed' },
  fail: { approved: 'failed' },
  replay: { failed: 'approved' },
  purge: { pending: 'rejected', approved: 'rejected' },
} as const satisfies Transitions<ApprovalStatus>
