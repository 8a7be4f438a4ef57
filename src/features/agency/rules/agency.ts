/** The roles that an agency's workspace has besides the three that every workspace has. A client_admin is an owner too. */
export const AGENCY_ROLES = ['owner', 'account_manager', 'systems_architect', 'salesperson'] as const

export const PAYMENT_KINDS = ['setup', 'service', 'subscription'] as const
export type PaymentKind = (typeof PAYMENT_KINDS)[number]

/** What a workspace has when it is set up; what a client lacks of these is its unfinished setup. */
export const SETUP_STEPS = ['contact_details', 'website', 'team', 'mailbox', 'calendar'] as const

/** The states of a sync: a website's source is copied and built, can then be looked at, and is published. */
export const SYNC_STATUSES = ['queued', 'copying', 'building', 'ready', 'published', 'failed'] as const
/** The latest syncs of a website that are shown. */
export const SYNCS_SHOWN = 5
/** The most syncs of a website that are kept, the latest ones. */
export const SYNCS_KEPT = 100
/** The most bytes of a log that are kept, its end. */
export const LOG_TAIL_BYTES = 4_096

/** The most clients on a page. */
export const CLIENTS_PER_PAGE = 100
/** The most statements that are shown, latest first. */
export const STATEMENTS = 24
/** The most lines of a statement that are shown, the first ones. */
export const LINES_SHOWN = 200
/** The most members with a plan. */
export const MAX_PLANS = 200
/** The most payments and refunds of an agency, or of one of its salespersons, that no statement has yet. */
export const MAX_PENDING = 20_000
