import type { Stripe } from 'stripe'
import { AppError } from '../../../errors.ts'
import { isId } from '../../../lib/ids.ts'
import { cutText } from '../../../lib/text.ts'
import type { Checkout, CheckoutOrder, Payments } from './port.ts'
import { reportOf } from './stripe-reports.ts'

/**
 * The version whose responses and reports are read here; a webhook of an account may have another one, in which these fields are the same.
 */
const API_VERSION = '2026-10-28.endive'
const TIMEOUT_MS = 8_000
const TOLERANCE_SECONDS = 300

type Library = typeof import('stripe')
/** Loaded for the first payment: it is larger than an area of endpoints. */
const library = (): Promise<Library> => import('stripe')

async function clientOf(url: string, secretKey: string): Promise<Stripe> {
  const { default: Client } = await library()
  const { protocol, hostname, port } = new URL(url)
  return new Client(secretKey, {
    apiVersion: API_VERSION,
    timeout: TIMEOUT_MS,
    maxNetworkRetries: 1,
    telemetry: false,
    httpClient: Client.createFetchHttpClient(),
    protocol: protocol === 'http:' ? 'http' : 'https',
    host: hostname,
    ...(port && { port }),
  })
}

/** Payments by Stripe, at `url`. Each call is made with the secret key of a workspace. */
export function stripe({ url }: { url: string }): Payments {
  return {
    async createCheckout(secretKey, order) {
      try {
        const client = await clientOf(url, secretKey)
        const session = await client.checkout.sessions.create(sessionOf(order), { idempotencyKey: `${order.order_id}/${order.attempt}` })
        return session.url ? { outcome: 'created', id: session.id, url: session.url } : { outcome: 'unavailable', reason: 'No address' }
      } catch (error) {
        return refusalOf(error)
      }
    },
    async orderOf(secretKey, paymentId) {
      try {
        const client = await clientOf(url, secretKey)
        const { metadata } = await client.paymentIntents.retrieve(paymentId)
        return isId(metadata.order_id ?? '') ? (metadata.order_id as string) : null
      } catch (error) {
        const { reason } = refusalOf(error) as Extract<Checkout, { reason: string }>
        throw new AppError('PROVIDER_ERROR', `The payment provider could not say what a payment is for: ${reason}`)
      }
    },
    readReport: async (webhookSecret, { bytes, signature, now }) => {
      const { default: Client } = await library()
      const text = new TextDecoder().decode(bytes)
      const crypto = Client.createSubtleCryptoProvider()
      const verified = Client.webhooks.constructEventAsync(text, signature ?? '', webhookSecret, TOLERANCE_SECONDS, crypto, now.getTime())
      const event = await verified.catch(() => {
        throw new AppError('UNAUTHENTICATED', 'The signature is missing or wrong, or its time is more than five minutes away')
      })
      return reportOf(event)
    },
  }
}

function sessionOf(order: CheckoutOrder): Stripe.Checkout.SessionCreateParams {
  const metadata = { order_id: order.order_id }
  return {
    mode: 'payment',
    client_reference_id: order.order_id,
    customer_email: order.email,
    line_items: order.lines.map(({ name, quantity, unit_amount }) => ({
      quantity,
      price_data: { currency: order.currency.toLowerCase(), unit_amount, product_data: { name } },
    })),
    metadata,
    // The charges of the payment, and so its refunds, have them too.
    payment_intent_data: { metadata },
    success_url: order.success_url,
    cancel_url: order.cancel_url,
  }
}

/** 4xx responses, other than those about too many requests or a conflict, are the provider's decision. */
function refusalOf(error: unknown): Checkout {
  const { statusCode, message, type } = error as Partial<Stripe.errors.StripeError>
  const isDecided = statusCode !== undefined && statusCode >= 400 && statusCode < 500 && ![408, 409, 429].includes(statusCode)
  return { outcome: isDecided ? 'refused' : 'unavailable', reason: cutText(message ?? type ?? 'No response', 300) }
}
