/** The time zone of a new workspace. */
export const DEFAULT_ZONE = 'Australia/Sydney'
