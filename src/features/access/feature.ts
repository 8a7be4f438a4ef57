import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { 'API keys': 'Keys, their scopes, levels and rotation.', 'Roles and permissions': 'The roles of members, and all scopes.' },
  scopes: { 'api-keys': ['read', 'write'], roles: ['read', 'write', 'delete'] },
  tables: {
    api_keys: {
      readers: ['api-keys:read'],
      adminsOnly: true,
      hidden: { first_expires_at: 'Bounds how far a key can be extended' },
      secret: { key_hash: 'Whoever has it can try keys offline', previous_key_hash: 'Whoever has it can try keys offline' },
    },
    roles: { readers: ['roles:read'], renamed: { role_key: 'key' } },
  },
  events: ['role.mailboxes_opened'],
}
