import { isPremium } from '../../../domain/premium-numbers.ts'
import { isQuiet, type QuietHours, quietEnd } from '../../../domain/quiet-hours.ts'
import { type Channel, isConfigured, type UnreachableReason } from './messages.ts'

/** What decides whether a contact can be reached. `suppressed` has the channels whose address is on the suppression list. */
export type Recipient = {
  archived: boolean
  email: string | null
  phone: string | null
  email_unsubscribed: boolean
  sms_unsubscribed: boolean
  whatsapp_unsubscribed: boolean
  suppressed: readonly string[]
  /** The channels through which the workspace can send (configured_channels). */
  configured: readonly string[]
  /** The IANA zone of the contact's local time. */
  zone: string
  quiet_hours: QuietHours
}

/** `next_allowed_at`: the end of the quiet hours, if nothing else is in the way. */
export type Reachability = { reachable: true } | { reachable: false; reason: UnreachableReason; next_allowed_at: Date | null }

/** The address of a contact in a channel. */
export const addressOf = ({ email, phone }: Pick<Recipient, 'email' | 'phone'>, channel: Channel): string | null =>
  channel === 'email' ? email : phone

const UNSUBSCRIBED = { email: 'email_unsubscribed', sms: 'sms_unsubscribed', whatsapp: 'whatsapp_unsubscribed' } as const

/** Whether a contact can be reached through a channel at an instant, and if not, why and when. */
export function canReach(contact: Recipient, channel: Channel, at: Date): Reachability {
  const reason = lastingReason(contact, channel)
  if (reason) return { reachable: false, reason, next_allowed_at: null }
  if (!isQuiet(contact.quiet_hours, at, contact.zone)) return { reachable: true }
  return { reachable: false, reason: 'quiet_hours', next_allowed_at: quietEnd(contact.quiet_hours, at, contact.zone) }
}

function lastingReason(contact: Recipient, channel: Channel): UnreachableReason | undefined {
  if (contact.archived) return 'archived'
  if (!isConfigured(channel) || !contact.configured.includes(channel)) return 'channel_not_configured'
  const address = addressOf(contact, channel)
  if (!address) return 'no_address'
  if (channel === 'sms' && isPremium(address)) return 'premium_number'
  if (contact[UNSUBSCRIBED[channel]]) return 'unsubscribed'
  return contact.suppressed.includes(channel) ? 'suppressed' : undefined
}
