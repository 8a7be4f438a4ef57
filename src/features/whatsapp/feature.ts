import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: {
    WhatsApp: 'Conversations and groups of WhatsApp: the pairing with a phone, messages, sending, and links to deals and companies.',
  },
  scopes: { whatsapp: ['read', 'write', 'send'] },
  tables: {
    whatsapp_conversations: { readers: ['whatsapp:read'], hidden: { lid: 'The id at WhatsApp of a person whose number is hidden' } },
    whatsapp_groups: {
      readers: ['whatsapp:read'],
      hidden: { snippet: 'The beginning of the latest message, which is deleted with its writer', unlinked: 'Whether it has no link' },
      derived: {
        members: 'Too large for each change: GET /whatsapp/groups/:group_id returns it',
        members_updated_at: 'When the members were listed',
      },
    },
    whatsapp_messages: { restored: true },
    whatsapp_pairings: {
      readers: ['whatsapp:read'],
      hidden: { instance_name: 'The name of the connection at the provider' },
      derived: {
        qr_number: 'How many QR codes were shown',
        qr_expires_at: 'Until when the QR code is shown',
        attempts: 'How often the watch has looked in vain',
        due_at: 'When the watch looks next',
        compared_until: 'Up to when the messages were compared with those of the provider',
      },
      secret: {
        sealed_token: 'The token of the path to which the provider reports',
        token_hash: 'Whoever has it can try tokens offline',
        qr_image: 'Whoever scans it pairs another phone',
      },
    },
    whatsapp_reactions: { restored: true },
    whatsapp_reads: { restored: true },
  },
  events: ['whatsapp.reaction_failed', 'whatsapp.reaction_sent', 'whatsapp.received'],
}
