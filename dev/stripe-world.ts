import { createHmac, randomBytes } from 'node:crypto'

// biome-ignore lint/suspicious/noExplicitAny: the fields of a form
type Sent = Record<string, any>
const newId = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`
const seconds = () => Math.floor(Date.now() / 1000)

/** A checkout page of the emulated Stripe. Amounts are in the smallest unit of the currency. */
export interface Session {
  id: string
  object: 'checkout.session'
  account: string
  status: 'open' | 'complete' | 'expired'
  payment_status: 'unpaid' | 'paid'
  amount_total: number
  currency: string
  client_reference_id: string | null
  customer_email: string | null
  customer_details: { name: string | null; email: string | null } | null
  metadata: Record<string, string>
  payment_intent: string | null
  success_url: string
  cancel_url: string
  url: string | null
  line_items: { name: string; quantity: number; unit_amount: number }[]
  payment_metadata: Record<string, string>
}

export interface Charge {
  id: string
  object: 'charge'
  account: string
  amount: number
  amount_refunded: number
  refunded: boolean
  currency: string
  payment_intent: string
  metadata: Record<string, string>
}

export interface Dispute {
  id: string
  object: 'dispute'
  account: string
  amount: number
  currency: string
  charge: string
  payment_intent: string
  reason: string
  status: string
  metadata: Record<string, string>
}

export interface Endpoint {
  id: string
  object: 'webhook_endpoint'
  account: string
  url: string
  enabled_events: string[]
  secret: string
}

/** An event with what it is sent to; the same event has the same id, however often it is sent. */
export type StripeEvent = { id: string; account: string; type: string; created: number; body: string }

export class StripeWorld {
  readonly sessions: Session[] = []
  readonly charges: Charge[] = []
  readonly disputes: Dispute[] = []
  readonly endpoints: Endpoint[] = []
  readonly events: StripeEvent[] = []
  readonly #emit: (event: StripeEvent) => void
  readonly #origin: () => string

  constructor(emit: (event: StripeEvent) => void, origin: () => string) {
    this.#emit = emit
    this.#origin = origin
  }

  open(account: string, sent: Sent): Session {
    const lines = Object.values(sent.line_items as Sent).map(({ quantity, price_data }: Sent) => ({
      name: price_data.product_data.name as string,
      quantity: Number(quantity),
      unit_amount: Number(price_data.unit_amount),
    }))
    const id = newId('cs_test')
    const session: Session = {
      id,
      object: 'checkout.session',
      account,
      status: 'open',
      payment_status: 'unpaid',
      amount_total: lines.reduce((sum, { quantity, unit_amount }) => sum + quantity * unit_amount, 0),
      currency: Object.values(sent.line_items as Sent)[0].price_data.currency,
      client_reference_id: sent.client_reference_id ?? null,
      customer_email: sent.customer_email ?? null,
      customer_details: null,
      metadata: sent.metadata ?? {},
      payment_intent: null,
      success_url: sent.success_url,
      cancel_url: sent.cancel_url ?? '',
      url: `${this.#origin()}/c/pay/${id}`,
      line_items: lines,
      payment_metadata: sent.payment_intent_data?.metadata ?? {},
    }
    this.sessions.push(session)
    return session
  }

  session(id: string): Session | undefined {
    return this.sessions.find((session) => session.id === id)
  }

  /** The visitor pays. With `delayed` the bank confirms later: see `confirm`. */
  pay(session: Session, name = 'Ana Lee', delayed = false): StripeEvent {
    session.status = 'complete'
    session.url = null
    session.customer_details = { name, email: session.customer_email }
    session.payment_intent = newId('pi')
    if (!delayed) this.#charge(session)
    return this.emit('checkout.session.completed', session)
  }

  /** The bank confirms or refuses a payment that is delayed. */
  confirm(session: Session, succeeds = true): StripeEvent {
    if (succeeds) this.#charge(session)
    return this.emit(`checkout.session.async_payment_${succeeds ? 'succeeded' : 'failed'}`, session)
  }

  #charge(session: Session): void {
    session.payment_status = 'paid'
    this.charges.push({
      id: newId('ch'),
      object: 'charge',
      account: session.account,
      amount: session.amount_total,
      amount_refunded: 0,
      refunded: false,
      currency: session.currency,
      payment_intent: session.payment_intent as string,
      metadata: session.payment_metadata,
    })
  }

  expire(session: Session): StripeEvent {
    session.status = 'expired'
    session.url = null
    return this.emit('checkout.session.expired', session)
  }

  chargeOf(session: Session): Charge {
    return this.charges.find(({ payment_intent }) => payment_intent === session.payment_intent) as Charge
  }

  refund(charge: Charge, amount = charge.amount - charge.amount_refunded): StripeEvent {
    charge.amount_refunded += amount
    charge.refunded = charge.amount_refunded >= charge.amount
    return this.emit('charge.refunded', charge)
  }

  /** The buyer's bank disputes a charge; the same dispute with another status is updated or closed. */
  dispute(charge: Charge, status = 'needs_response'): StripeEvent {
    const known = this.disputes.find((one) => one.charge === charge.id)
    if (known) {
      known.status = status
      return this.emit(`charge.dispute.${['won', 'lost'].includes(status) ? 'closed' : 'updated'}`, known)
    }
    const dispute: Dispute = {
      id: newId('du'),
      object: 'dispute',
      account: charge.account,
      amount: charge.amount,
      currency: charge.currency,
      charge: charge.id,
      payment_intent: charge.payment_intent,
      reason: 'fraudulent',
      status,
      metadata: {},
    }
    this.disputes.push(dispute)
    return this.emit('charge.dispute.created', dispute)
  }

  /** Makes an event of an account; `at` in seconds. */
  emit(type: string, object: Session | Charge | Dispute, at = seconds()): StripeEvent {
    const { account } = object
    const id = newId('evt')
    const event = {
      id,
      object: 'event',
      api_version: '2026-10-28.endive',
      created: at,
      livemode: false,
      pending_webhooks: 1,
      type,
      request: { id: null, idempotency_key: null },
      data: { object: shownOf(object) },
    }
    const made = { id, account, type, created: at, body: JSON.stringify(event) }
    this.events.push(made)
    this.#emit(made)
    return made
  }

  addEndpoint(account: string, url: string, enabled_events: string[]): Endpoint {
    const secret = `whsec_${randomBytes(24).toString('base64url').replaceAll('-', 'x')}`
    const endpoint: Endpoint = { id: newId('we'), object: 'webhook_endpoint', account, url, enabled_events, secret }
    this.endpoints.push(endpoint)
    return endpoint
  }

  clear(): void {
    for (const list of [this.sessions, this.charges, this.disputes, this.endpoints, this.events]) list.length = 0
  }
}

/** An object as responses and events show it. */
export function shownOf(object: { account: string } & Partial<Pick<Session, 'payment_metadata' | 'line_items'>>): object {
  const { account: _, payment_metadata: __, line_items: ___, ...shown } = object
  return shown
}

/** The header of a report: https://docs.stripe.com/webhooks#verify-manually. */
export function signatureOf(secret: string, body: string, at = seconds()): string {
  return `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`
}
