import type { Channel } from '../../messages/rules/messages.ts'

/**
 * What happens to credits: an operator grants them, a message reserves them when it is queued, and they are settled when the provider
 * accepts it, or refunded when it is not sent. The run of a skill reserves the most that it may cost, of which what it has not used is
 * refunded. A recording of the notetaker is charged when it has ended.
 */
export const CREDIT_KINDS = ['grant', 'reserve', 'settle', 'refund', 'charge'] as const

/** Credits for a unit of each channel: a segment of an SMS, or a message. A channel without a price costs nothing. */
export const PRICES: Readonly<Record<Channel, number>> = { email: 0, sms: 1, whatsapp: 1 }

/** Credits for an SMS with files, which is sent as one MMS, whatever the length of its text. */
export const MMS_PRICE = 3

/** The units of a message that are charged, and what they cost. `segments`: of the text of an SMS. */
export function chargeFor(channel: Channel, segments: number, hasFiles = false): { segments: number | null; credits: number } {
  if (channel === 'sms' && hasFiles) return { segments: 1, credits: MMS_PRICE }
  if (PRICES[channel] === 0) return { segments: null, credits: 0 }
  const units = channel === 'sms' ? segments : 1
  return { segments: units, credits: PRICES[channel] * units }
}
