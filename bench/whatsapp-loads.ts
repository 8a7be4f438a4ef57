import { fixed, half, id, type Load, one, oneOf, some, text } from './values.ts'

const messagesOf = (chat: string, kind: Parameters<typeof id>[0]): Load => ({
  table: 'whatsapp_messages',
  count: half,
  unstamped: true,
  columns: fixed({
    [chat]: id(kind, 'n'),
    direction: `'inbound'`,
    key_id: `'3EB0' || n`,
    body_text: text,
    status: `'delivered'`,
    occurred_at: 'created',
  }),
})

/** Conversations and groups of WhatsApp, each with a message. */
export const WHATSAPP_LOADS: Load[] = [
  {
    table: 'whatsapp_conversations',
    count: half,
    columns: {
      ...fixed({
        id: id('whatsappConversation', 'n'),
        external_phone_number: `'+614' || lpad(n::text, 8, '0')`,
        status: oneOf('active', 'active', 'archived'),
        unread: 'random() < 0.2',
        direction: oneOf('inbound', 'outbound'),
        snippet: `'Hello'`,
        message_count: '1',
        last_message_at: 'created',
      }),
      contact_id: (size) => some(0.9, one('contact', size)),
    },
  },
  {
    table: 'whatsapp_groups',
    count: half,
    columns: {
      ...fixed({
        id: id('whatsappGroup', 'n'),
        jid: `'12036' || lpad(n::text, 13, '0') || '@g.us'`,
        name: `'Site ' || n`,
        unread: 'random() < 0.2',
        direction: oneOf('inbound', 'outbound'),
        snippet: `'Hello'`,
        message_count: '1',
        last_message_at: 'created',
      }),
      linked_deal_id: (size) => some(0.5, one('opportunity', size)),
    },
  },
  messagesOf('conversation_id', 'whatsappConversation'),
  messagesOf('group_id', 'whatsappGroup'),
]
