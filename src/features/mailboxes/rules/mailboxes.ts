export const MAILBOX_PROVIDERS = ['gmail'] as const

/** An address that a mailbox may send as. */
export type Alias = { email: string; name: string | null; is_primary: boolean }
/** The aliases of a mailbox that are stored at most. */
export const MOST_ALIASES = 100

/** How often a mailbox is read without a notification. */
export const MAIL_CATCH_UP_MINUTES = 5
