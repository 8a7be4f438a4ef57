/** A static list has members that are added and removed; a live list has the records that its filter matches. */
export const LIST_KINDS = ['static', 'live'] as const
export type ListKind = (typeof LIST_KINDS)[number]

/** A private list is seen by its owner and by members with the role client_admin, a shared one by everyone. */
export const LIST_VISIBILITIES = ['private', 'shared'] as const

/** The most members of a static list: they go, and come back, with the list in one transaction. A live list of a tag has no limit. */
export const MAX_MEMBERS = 5_000
/** How deep filters refer to lists whose filters refer to lists. */
export const MAX_LIST_DEPTH = 3
/** The most conditions of a filter together with those of the lists that it refers to. */
export const MAX_LIST_CONDITIONS = 200
/** The most lists that a filter refers to, directly and through other lists. */
export const MAX_NAMED_LISTS = 100
/** The most live lists that are evaluated for one record. */
export const MAX_EVALUATED = 50
/** The most lists of a workspace whose records' entering and leaving is announced by events. */
export const MAX_TRACKED_LISTS = 20
/** The most members of such a list. */
export const MAX_TRACKED_MEMBERS = 10_000
/** How often a filter that depends on the time is evaluated for all records, in minutes. */
export const CLOCK_MINUTES = 15
