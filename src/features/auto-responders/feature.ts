import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { 'Auto Responders': 'What models answer to messages that are received.' },
  tables: {
    auto_responders: {
      readers: ['agent-ops:read'],
      hidden: {
        phone_number_id: 'identity_ref has it',
        email_config_id: 'identity_ref has it',
        key_id: 'The key with which it acts; the change that has written it names the same key',
        tool_scopes: 'Follows from the tools',
      },
      derived: { error: 'Why the background could not act on the latest message' },
    },
  },
}
