import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { Webhooks: 'Addresses that receive events as they happen, and addresses that other systems send to.' },
  scopes: { webhooks: ['read', 'write', 'delete'] },
  tables: {
    incoming_webhooks: {
      readers: ['webhooks:read'],
      secret: { token_hash: 'Whoever has it can try tokens offline', signature_secret: 'Verifies what the webhook receives' },
    },
    webhooks: {
      readers: ['webhooks:read'],
      secret: { sealed_secret: 'Signs what the webhook sends', sealed_previous_secret: 'Signs what the webhook sends' },
    },
  },
  events: ['webhook.disabled'],
}
