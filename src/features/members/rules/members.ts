/** client_admin can do everything, client_editor can edit, client_viewer can only read. */
export const ROLES = ['client_admin', 'client_editor', 'client_viewer'] as const
export type Role = (typeof ROLES)[number]

export const MEMBER_STATUSES = ['active', 'invited', 'removed'] as const

/** `sending` means that the provider has not confirmed yet that it accepted the email. */
export const INVITATION_STATUSES = ['waiting', 'sending', 'sent', 'failed'] as const
