/** `duplicate`: an earlier result is the same person or business. */
export const LEAD_STATUSES = ['new', 'duplicate', 'converted', 'rejected'] as const
export type LeadStatus = (typeof LEAD_STATUSES)[number]
/** The states that a request can set. */
export const SETTABLE_STATUSES = ['new', 'rejected'] as const

/** By what a result is found to be known, the surest first. Name and place count as one. */
export const LEAD_MATCHES = ['email', 'phone', 'website', 'name_and_city'] as const
