export const CALENDAR_PROVIDERS = ['google', 'microsoft', 'ics'] as const
export type CalendarProviderName = (typeof CALENDAR_PROVIDERS)[number]

export const CONNECTION_STATUSES = ['connected', 'error', 'disconnected'] as const
/** `invalid_grant`: the member or the provider has ended the grant. `scopes`: it does not allow what is needed. Only the member can correct either, by connecting again. */
export const CONNECTION_ERRORS = ['invalid_grant', 'scopes'] as const
export type ConnectionError = (typeof CONNECTION_ERRORS)[number]

export const CHANNEL_STATES = ['active', 'renewing', 'lapsed'] as const

/** How long a consent may take. */
export const GRANT_MINUTES = 10
/** A calendar that was read longer ago makes its member unavailable. */
export const STALE_MINUTES = 15
/** How often a calendar is read without a notification. */
export const CATCH_UP_MINUTES = 5
/** The connections of a member, and the calendars of a connection, at most. */
export const MOST_CONNECTIONS = 20
export const MOST_CALENDARS = 100
