/** The status that a stage gives to its opportunities. */
export const STAGE_KINDS = ['open', 'won', 'lost'] as const
export const STATUSES = STAGE_KINDS

type StageDraft = { name: string; kind: (typeof STAGE_KINDS)[number]; probability: number }

/** The stages of a pipeline that is created without any, and of a new workspace's first one. */
export const DEFAULT_STAGES: StageDraft[] = [
  { name: 'New', kind: 'open', probability: 10 },
  { name: 'Qualified', kind: 'open', probability: 30 },
  { name: 'Proposal', kind: 'open', probability: 60 },
  { name: 'Won', kind: 'won', probability: 100 },
  { name: 'Lost', kind: 'lost', probability: 0 },
]
