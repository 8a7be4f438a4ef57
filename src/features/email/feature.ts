import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { Email: 'Conversations by email: threads and their messages, sending and replying, the log, and the senders of the workspace.' },
  scopes: { email: ['read', 'write', 'send'], 'email-config': ['write'] },
  tables: {
    email_attachments: { restored: true },
    email_configs: { readers: ['email:read'] },
    email_drafts: { readers: ['email:read'] },
    email_messages: { restored: true },
    email_participants: { restored: true },
    email_templates: { readers: ['email:read'] },
    email_thread_links: {
      merges: {
        contact: { contact_id: 'email_threads' },
        company: { customer_id: 'email_threads' },
        opportunity: { deal_id: 'email_threads' },
      },
      restored: true,
    },
    email_threads: { readers: ['email:read'], derived: { outside_thread_id: "The provider's id of the conversation" } },
  },
  events: ['email.automatic_received', 'email.received'],
}
