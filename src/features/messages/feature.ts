import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: {
    Messages: 'Messages to contacts: what was sent, what waits, and what failed.',
    Suppressions: 'Addresses to which nothing is sent.',
  },
  tables: {
    messages: {
      readers: ['email:read'],
      hidden: {
        private_to: 'Nobody else sees the record, nor its history',
        body_text: 'Too large for each change: GET /messages/:message_id returns it',
        body_html: 'Too large for each change: GET /messages/:message_id returns it',
        dedupe_key: 'What makes it one message, however often it is reserved',
        outside_account_id: "The provider's id of the account that sends it",
      },
      derived: { attempts: 'How often it was handed to the provider', due_at: 'When the background looks at it next' },
    },
    suppressions: { readers: ['email:read'] },
  },
  events: ['message.delivered', 'message.failed', 'message.queued', 'message.sent', 'message.undelivered'],
}
