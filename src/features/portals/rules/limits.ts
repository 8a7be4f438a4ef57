/** How long the address of a portal works, and a session of its page. */
export const PORTAL_DAYS = 180
export const SESSION_SECONDS = 12 * 3600

/** So many wrong PINs lock a portal, and a network, for so many minutes. */
export const MOST_WRONG_PINS = 5
export const LOCK_MINUTES = 15

/** The most work orders and tasks that a page shows. */
export const MOST_SHOWN = 100
