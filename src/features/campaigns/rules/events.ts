import { toEmailAddress } from '../../../domain/email-addresses.ts'
import { EMAIL_MAX } from '../../../domain/patterns.ts'
import { isId } from '../../../lib/ids.ts'
import { loggable } from '../../../lib/text.ts'
import { MAX_LINK } from './limits.ts'

/** `bounced`: returned, perhaps only for now. `blocked`: returned for good, so that nothing more is sent to the address. */
export const EMAIL_EVENT_KINDS = ['delivered', 'opened', 'clicked', 'bounced', 'blocked', 'complained', 'unsubscribed'] as const
export type EmailEventKind = (typeof EMAIL_EVENT_KINDS)[number]

export type EmailEvent = {
  kind: EmailEventKind
  /** The recipient of a campaign. */
  recipient_id: string | null
  /** The message of the send ledger. */
  message_id: string | null
  /** The address that it is about, which may be one of several of a message; null if the report has none. */
  address: string | null
  provider_message_id: string | null
  /** ISO 8601. */
  at: string
  note: string | null
  /** The link that was followed. */
  url: string | null
}

/** Bounces after which the provider goes on trying, and replies that are no bounce. */
const NO_BOUNCE = new Set([
  'Transient',
  'AutoResponder',
  'AddressChange',
  'Subscribe',
  'OpenRelayTest',
  'ChallengeVerification',
  'SMTPApiError',
  'TemplateRenderingFailed',
  'InboundError',
])
/** Bounces that say that the address does not exist, or that its owner wants nothing. */
const FINAL = new Set(['HardBounce', 'BadEmailAddress', 'ManuallyDeactivated'])

type Body = Record<string, unknown>
const textIn = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

const known = (id: unknown): id is string => typeof id === 'string' && isId(id)

/**
 * What a webhook of Postmark reports (developer documentation, "Webhooks": Delivery, Bounce, SpamComplaint, Open, Click,
 * SubscriptionChange), with the workspace that our metadata names. Undefined for anything else. A reactivation by the provider is ignored:
 * only a person's own choice makes an address get email again.
 */
export function emailEventOf(body: unknown, now: Date): { workspace_id: string; event: EmailEvent } | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const sent = body as Body
  const metadata = (typeof sent.Metadata === 'object' && sent.Metadata !== null ? sent.Metadata : {}) as Body
  const { workspace_id } = metadata
  const [recipient_id, message_id] = [metadata.recipient_id, metadata.message_id].map((id) => (known(id) ? id : null))
  const kind = kindOf(sent)
  if (!known(workspace_id) || !kind || (!recipient_id && !message_id)) return undefined
  const time = textIn(sent.DeliveredAt ?? sent.BouncedAt ?? sent.ReceivedAt ?? sent.ChangedAt)
  const at = time && !Number.isNaN(Date.parse(time)) ? Math.min(Date.parse(time), now.getTime()) : now.getTime()
  const note = textIn(sent.Description) ?? textIn(sent.Details)
  return {
    workspace_id,
    event: {
      kind,
      recipient_id: recipient_id ?? null,
      message_id: message_id ?? null,
      address: addressOf(sent),
      provider_message_id: textIn(sent.MessageID)?.slice(0, 100) ?? null,
      at: new Date(at).toISOString(),
      note: note ? loggable(note, 500) : null,
      url: kind === 'clicked' ? linkOf(sent.OriginalLink) : null,
    },
  }
}

function addressOf({ Email, Recipient }: Body): string | null {
  const address = toEmailAddress(textIn(Email ?? Recipient) ?? '')
  return address !== undefined && address.length <= EMAIL_MAX ? address : null
}

/**
 * The link as its author wrote it, or null for what is no address of the web. Each recipient has another link to unsubscribe, which is the
 * merge tag again.
 */
function linkOf(value: unknown): string | null {
  const text = textIn(value)
  const url = text && text.length <= MAX_LINK && URL.canParse(text) ? new URL(text) : undefined
  if (!text || !url || !['http:', 'https:'].includes(url.protocol)) return null
  return UNSUBSCRIBE.test(url.pathname) ? '{{unsubscribe_url}}' : loggable(text, MAX_LINK)
}
const UNSUBSCRIBE = /^\/unsubscribe\/[0-9a-f-]{36}\/[0-9a-f-]{36}$/

function kindOf({ RecordType, Type, Inactive, SuppressSending, SuppressionReason }: Body): EmailEventKind | undefined {
  switch (RecordType) {
    case 'Delivery':
      return 'delivered'
    case 'Open':
      return 'opened'
    case 'Click':
      return 'clicked'
    case 'SpamComplaint':
      return 'complained'
    case 'Bounce':
      if (Type === 'SpamComplaint') return 'complained'
      if (Type === 'Unsubscribe') return 'unsubscribed'
      if (FINAL.has(String(Type)) || Inactive === true) return 'blocked'
      return NO_BOUNCE.has(String(Type)) ? undefined : 'bounced'
    case 'SubscriptionChange':
      if (SuppressSending !== true) return undefined
      return { HardBounce: 'blocked' as const, SpamComplaint: 'complained' as const }[String(SuppressionReason)] ?? 'unsubscribed'
    default:
      return undefined
  }
}

/** What an event makes of the status of a recipient; a complaint and an unsubscribe say nothing about it but that it was delivered. */
export const STATUS_OF_EVENT = {
  delivered: 'delivered',
  opened: 'opened',
  clicked: 'clicked',
  bounced: 'bounced',
  blocked: 'bounced',
  complained: 'delivered',
  unsubscribed: 'delivered',
} as const satisfies Record<EmailEventKind, string>
