/** How often a queue delivers a message before it becomes a dead letter: the first time and `max_retries` of wrangler.toml. */
export const MAX_ATTEMPTS = 6
/** The most dead letters of a workspace that are stored in 24 hours; others are only logged. */
export const MAX_DAILY = 1_000
/**
 * The largest message that is stored, in bytes of JSON: an SMS of 1,600 characters. Other messages carry ids only, so a larger one is
 * malformed.
 */
export const MAX_MESSAGE_BYTES = 12_000
/** How long dead letters are kept, in days. */
export const DEAD_LETTER_DAYS = 30

/** `replayed`: handed to its queue again. */
export const DEAD_LETTER_STATUSES = ['open', 'replayed'] as const

/** The queues of wrangler.toml. The binding of each is its name in upper case. */
export const QUEUE_NAMES = ['events', 'approvals', 'requests', 'imports', 'messages', 'webhooks', 'campaigns', 'deliveries'] as const
export type QueueName = (typeof QUEUE_NAMES)[number]
