/** What a stage says of the opportunities on it: their status. */
export const STAGE_KINDS = ['open', 'won', 'lost'] as const
export const STATUSES = STAGE_KINDS
