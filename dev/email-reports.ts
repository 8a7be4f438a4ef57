import type { SentEmail } from './email-emulator.ts'

/**
 * What Postmark's webhooks report about a message (developer documentation, "Webhooks"), for the fields that the Worker reads and some that
 * it ignores.
 */
export function reportOf(
  { MessageID, MessageStream = 'outbound', Tag, To = '', Metadata }: SentEmail,
  type: 'Delivery' | 'Open' | 'Click' | 'HardBounce' | 'SoftBounce' | 'Transient' | 'SpamComplaint' | 'SubscriptionChange',
  at = new Date().toISOString(),
) {
  const common = { MessageID, MessageStream, ServerID: 7, Tag, Metadata }
  switch (type) {
    case 'Delivery':
      return { ...common, RecordType: type, Recipient: To, DeliveredAt: at, Details: '250 2.0.0 OK' }
    case 'Open':
      return { ...common, RecordType: type, Recipient: To, ReceivedAt: at, FirstOpen: true, Platform: 'Desktop', UserAgent: 'Mozilla/5.0' }
    case 'Click':
      return { ...common, RecordType: type, Recipient: To, ReceivedAt: at, OriginalLink: 'https://example.com/', ClickLocation: 'HTML' }
    case 'SubscriptionChange':
      return {
        ...common,
        RecordType: type,
        Recipient: To,
        ChangedAt: at,
        Origin: 'Recipient',
        SuppressSending: true,
        SuppressionReason: 'ManualSuppression',
      }
    case 'SpamComplaint':
      return {
        ...common,
        RecordType: type,
        Type: type,
        TypeCode: 100001,
        Email: To,
        BouncedAt: at,
        Description: 'Spam complaint',
        Inactive: true,
      }
    default:
      return {
        ...common,
        RecordType: 'Bounce',
        Type: type,
        TypeCode: 1,
        Name: type,
        Email: To,
        BouncedAt: at,
        Description: 'The server was unable to deliver your message.',
        Details: '',
        Inactive: type === 'HardBounce',
        CanActivate: true,
      }
  }
}
