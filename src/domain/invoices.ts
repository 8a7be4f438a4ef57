/** The statuses that a caller can set. Once an invoice is sent, the amounts determine the others. */
export const SETTABLE_STATUSES = ['draft', 'sent', 'void'] as const
export const INVOICE_STATUSES = ['draft', 'sent', 'partially_paid', 'paid', 'void'] as const
