/** The status that a stage gives to its opportunities. */
export const STAGE_KINDS = ['open', 'won', 'lost'] as const
export const STATUSES = STAGE_KINDS
