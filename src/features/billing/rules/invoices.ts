import type { Transitions } from '../../../domain/transitions.ts'

/** The statuses that a caller can set. Once an invoice is sent, the amounts determine the others. */
export const SETTABLE_STATUSES = ['draft', 'sent', 'void'] as const
export const INVOICE_STATUSES = ['draft', 'sent', 'partially_paid', 'paid', 'void'] as const
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number]

/** Sending and voiding are requested; the others follow from amount_paid. An invoice with payments cannot become void. */
export const INVOICE_TRANSITIONS = {
  send: { draft: 'sent' },
  pay_in_part: { draft: 'partially_paid', sent: 'partially_paid', paid: 'partially_paid' },
  pay_in_full: { draft: 'paid', sent: 'paid', partially_paid: 'paid' },
  remove_payments: { partially_paid: 'sent', paid: 'sent' },
  void: { draft: 'void', sent: 'void', partially_paid: 'void', paid: 'void' },
} as const satisfies Transitions<InvoiceStatus>
