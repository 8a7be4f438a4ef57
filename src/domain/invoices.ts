/** What a caller may say of an invoice; the rest follows from the amounts of one that was sent. */
export const SETTABLE_STATUSES = ['draft', 'sent', 'void'] as const
export const INVOICE_STATUSES = ['draft', 'sent', 'partially_paid', 'paid', 'void'] as const
