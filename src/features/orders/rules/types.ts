/** What a form offers. */
export type OrderItem = {
  product_id: string | null
  label: string
  unit_price: number
  quantity_min: number
  quantity_max: number
  tax_rate: number
}

/** The details that a form can ask for, beside the name and the email address. */
export const CONTACT_FIELDS = ['phone', 'address_line1', 'address_line2', 'city', 'state', 'postal_code', 'country', 'notes'] as const
export type ContactFieldName = (typeof CONTACT_FIELDS)[number]
export type ContactField = { field: ContactFieldName; required: boolean }

/** What the buyer has typed. */
export type Buyer = { name: string; email: string } & Partial<Record<ContactFieldName, string>>

/** A line of an order, in the price that the form shows. `total` is with tax only where the prices of the form are. */
export type OrderLine = Pick<OrderItem, 'product_id' | 'label' | 'unit_price' | 'tax_rate'> & { quantity: number; total: number }

/** What a log of payments can say. */
export const ORDER_EVENTS = [
  'checkout_started',
  'checkout_failed',
  'payment_pending',
  'paid',
  'payment_failed',
  'checkout_expired',
  'refunded',
  'dispute_opened',
  'dispute_updated',
  'dispute_closed',
] as const
export type OrderEvent = (typeof ORDER_EVENTS)[number]

export const ORDER_STATUSES = ['open', 'paid', 'failed', 'expired', 'partially_refunded', 'refunded', 'disputed', 'dispute_lost'] as const

/** The events of the provider that a webhook needs. */
export const STRIPE_EVENTS = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
  'charge.refunded',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
] as const
