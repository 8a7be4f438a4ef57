/** What a proposal can rely on. */
export const EVIDENCE_TYPES = [
  'contact',
  'company',
  'opportunity',
  'knowledge_entry',
  'memory',
  'conversation',
  'message',
  'run',
  'page',
  'other',
] as const

export type Evidence = { type: (typeof EVIDENCE_TYPES)[number]; id: string | null; url: string | null; quote: string | null }
/** Why a write is proposed. A purge leaves less of it. */
export type Grounds = { reason: string; evidence: Evidence[] }

/** Those of its approval, and `withdrawn`. */
export const PROPOSAL_STATUSES = ['pending', 'approved', 'executed', 'failed', 'rejected', 'expired', 'withdrawn'] as const
export const MAX_EVIDENCE = 20
/** How long a proposal waits for a decision by default, and at most. */
export const MAX_HOURS = 720
