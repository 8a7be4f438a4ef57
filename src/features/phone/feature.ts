import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { Phone: 'The phone numbers of the workspace.' },
  scopes: { calls: ['read'], phone: ['read', 'write'] },
  tables: {
    call_logs: { readers: ['calls:read'], restored: true },
    phone_addresses: { readers: ['phone:read'], hidden: { provider_id: "The provider's id of the address" } },
    phone_bundles: {
      readers: ['phone:read'],
      hidden: { provider_id: "The provider's id of the bundle", items: 'Erased as soon as the provider has them' },
    },
    phone_numbers: {
      readers: ['phone:read'],
      hidden: { provider_id: "The provider's id of the number" },
      derived: {
        voice_provider_last_synced_at: 'When the voice provider last got the agents',
        voice_provider_last_sync_error: 'Why the voice provider last did not get them',
      },
    },
  },
  events: ['call.analyzed', 'call.ended', 'call.started'],
}
