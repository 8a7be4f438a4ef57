/** What members connect accounts of theirs for. */
export const GRANT_PURPOSES = ['calendars', 'mailbox'] as const
export type GrantPurpose = (typeof GRANT_PURPOSES)[number]
export const ACCOUNT_PROVIDERS = ['google', 'microsoft', 'ics', 'gmail'] as const

export const CONNECTION_STATUSES = ['connected', 'error', 'disconnected'] as const
/**
 * `invalid_grant`: the member or the provider has ended the grant. `scopes`: it does not allow what is needed. Only the member can correct
 * either, by connecting again.
 */
export const CONNECTION_ERRORS = ['invalid_grant', 'scopes'] as const
export type ConnectionError = (typeof CONNECTION_ERRORS)[number]

/** How long a consent may take. */
export const GRANT_MINUTES = 10
