import { fixed, half, id, type Load, one, oneOf, some, text } from './values.ts'

/** Conversations by SMS, each with a message, and the ledger of credits. */
export const SMS_LOADS: Load[] = [
  {
    table: 'sms_conversations',
    count: half,
    unstamped: true,
    columns: {
      ...fixed({
        id: id('smsConversation', 'n'),
        phone_number: `'+6149157' || (1570 + n % 3)`,
        external_phone_number: `'+614' || lpad(n::text, 8, '0')`,
        unread: 'random() < 0.2',
        direction: oneOf('inbound', 'outbound'),
        snippet: `'Hello'`,
        last_message_at: 'created',
        created_at: 'created',
      }),
      contact_id: (size) => some(0.9, one('contact', size)),
    },
  },
  {
    table: 'sms_messages',
    count: half,
    unstamped: true,
    columns: fixed({
      conversation_id: id('smsConversation', 'n'),
      direction: `'inbound'`,
      body: text,
      occurred_at: 'created',
      created_at: 'created',
    }),
  },
  {
    table: 'sms_consents',
    count: half,
    unstamped: true,
    columns: {
      ...fixed({
        phone_number: `'+614' || lpad(n::text, 8, '0')`,
        decision: oneOf('opt_in', 'opt_out'),
        source: oneOf('keyword', 'web_form'),
        occurred_at: 'created',
        created_at: 'created',
      }),
      contact_id: (size) => some(0.9, one('contact', size)),
    },
  },
  {
    table: 'credit_entries',
    count: half,
    unstamped: true,
    columns: fixed({
      kind: oneOf('reserve', 'settle'),
      amount: '-1',
      balance: '1000',
      channel: `'sms'`,
      units: '1',
      created_at: 'created',
    }),
  },
]
