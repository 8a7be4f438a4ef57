import type { CheckoutLine } from '../rules/totals.ts'
import type { OrderEvent } from '../rules/types.ts'

/** What a checkout page is to charge. Requests with one `attempt`, which have one content, make one page. */
export type CheckoutOrder = {
  order_id: string
  attempt: string
  currency: string
  email: string
  lines: CheckoutLine[]
  success_url: string
  cancel_url: string
}

/** `refused`: the provider has said why. `unavailable`: nothing is known, or it is not reachable. */
export type Checkout = { outcome: 'created'; id: string; url: string } | { outcome: 'refused' | 'unavailable'; reason: string }

/** What a verified report says about an order. `order_id` is unknown for a dispute, whose payment has it. */
export type PaymentReport = {
  event: OrderEvent
  event_id: string
  at: string
  order_id: string | null
  payment_id: string | null
  provider_id: string
  amount: number | null
  currency: string
  message: string | null
  /** Who has paid, as the provider knows. */
  payer?: { name: string | null; email: string | null }
  dispute_status?: string
}

export type Payments = {
  /** Never throws. */
  createCheckout(secretKey: string, order: CheckoutOrder): Promise<Checkout>
  /** The order of a payment; null for one that is about something else. @throws AppError PROVIDER_ERROR without a response. */
  orderOf(secretKey: string, paymentId: string): Promise<string | null>
  /**
   * Undefined for a report about something else. @throws AppError UNAUTHENTICATED for a signature that is wrong or older than five minutes.
   */
  readReport(webhookSecret: string, report: { bytes: Uint8Array; signature: string | null; now: Date }): Promise<PaymentReport | undefined>
}
