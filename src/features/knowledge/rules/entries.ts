/** Where the text of an entry comes from. */
export const ENTRY_SOURCES = ['text', 'url', 'file', 'help_center', 'product'] as const
/** `pending`: it cannot be found yet. `failed`: its text could not be turned into vectors in several tries. */
export const ENTRY_STATUSES = ['pending', 'ready', 'failed'] as const

/** The most characters of an entry's text, and the most entries of a base. */
export const MAX_ENTRY_TEXT = 200_000
export const MAX_ENTRIES = 5_000
/** The seconds after which a failed attempt is repeated. */
export const ENTRY_WAITS = [60, 300, 1_800, 7_200]
/** The seconds that a request has before the background takes over. */
export const REQUEST_SECONDS = 90
