/** The most characters of a field with several lines, such as notes. */
export const MAX_TEXT = 20_000

/** The most tags of a record. */
export const MAX_TAGS = 50

/** The most members who follow a record. */
export const MAX_FOLLOWERS = 100

/** The most companies on the way from a company to the top of its hierarchy, itself included. */
export const MAX_COMPANY_LEVELS = 50

/** The most records that `count=true` counts. */
export const MOST_COUNTED = 10_000
