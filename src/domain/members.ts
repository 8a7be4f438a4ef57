/** client_admin may do everything, client_editor edits, client_viewer only reads. */
export const ROLES = ['client_admin', 'client_editor', 'client_viewer'] as const
export type Role = (typeof ROLES)[number]

export const MEMBER_STATUSES = ['active', 'invited', 'removed'] as const

/** `sending`: given to the provider, which has not said yet that it took it. */
export const INVITATION_STATUSES = ['waiting', 'sending', 'sent', 'failed'] as const
