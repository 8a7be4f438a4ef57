import type { Channel } from './messages.ts'

/**
 * What happens to credits: an operator grants them, a message reserves them when it is queued, and they are settled when the provider accepts it, or
 * refunded when it is not sent. A recording of the notetaker is charged when it has ended.
 */
export const CREDIT_KINDS = ['grant', 'reserve', 'settle', 'refund', 'charge'] as const

/** Credits for a unit of each channel: a segment of an SMS, or a message. A channel without a price costs nothing. */
export const PRICES: Readonly<Record<Channel, number>> = { email: 0, sms: 1, whatsapp: 1 }

/** The credits that a message of so many units costs. */
export const creditsFor = (channel: Channel, units: number): number => PRICES[channel] * units
