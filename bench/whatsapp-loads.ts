import { fixed, half, id, type Load, one, oneOf, some, text } from './values.ts'

type Kind = Parameters<typeof id>[0]
const messagesOf = (chat: string, kind: Kind, message: Kind): Load => ({
  table: 'whatsapp_messages',
  count: half,
  unstamped: true,
  columns: fixed({
    id: id(message, 'n'),
    [chat]: id(kind, 'n'),
    direction: `'inbound'`,
    key_id: `'3EB0' || n`,
    body_text: text,
    status: `'delivered'`,
    occurred_at: 'created',
  }),
})

/** Conversations and groups of WhatsApp, each with a message; those of conversations were read and have a reaction. */
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
  messagesOf('conversation_id', 'whatsappConversation', 'whatsappMessage'),
  messagesOf('group_id', 'whatsappGroup', 'groupMessage'),
  {
    table: 'whatsapp_reactions',
    count: half,
    unstamped: true,
    columns: fixed({
      whatsapp_message_id: id('whatsappMessage', 'n'),
      emoji: oneOf('👍', '🎉'),
      status: `'sent'`,
      reacted_at: 'created',
      due_at: 'null::timestamptz',
    }),
  },
  {
    table: 'whatsapp_reads',
    count: half,
    unstamped: true,
    columns: fixed({ conversation_id: id('whatsappConversation', 'n'), unread: '0', until_at: 'created', due_at: 'null::timestamptz' }),
  },
]
