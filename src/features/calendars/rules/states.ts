export const CALENDAR_PROVIDERS = ['google', 'microsoft', 'ics'] as const
export type CalendarProviderName = (typeof CALENDAR_PROVIDERS)[number]

export const CHANNEL_STATES = ['active', 'renewing', 'lapsed'] as const

/** A calendar that was read longer ago makes its member unavailable. */
export const STALE_MINUTES = 15
/** How often a calendar is read without a notification. */
export const CATCH_UP_MINUTES = 5
/** The connections of a member, and the calendars of a connection, at most. */
export const MOST_CONNECTIONS = 20
export const MOST_CALENDARS = 100
