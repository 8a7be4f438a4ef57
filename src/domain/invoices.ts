/** What a caller may say of an invoice; the rest follows from the amounts of one that was sent. */
export const SAID = ['draft', 'sent', 'void'] as const
export const INVOICE_STATUSES = ['draft', 'sent', 'partially_paid', 'paid', 'void'] as const
