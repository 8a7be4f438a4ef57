import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { SMS: 'Conversations by SMS: sending, messages received, delivery, and what a text costs.' },
  scopes: { sms: ['read', 'write', 'send'] },
  tables: { sms_consents: { restored: true }, sms_conversations: { restored: true }, sms_messages: { restored: true } },
  events: ['sms.received'],
}
