import { fixed, half, id, type Load, one, oneOf, some, text, word } from './values.ts'

/** Conversations by email, each with a message, a contact and an address. */
export const EMAIL_LOADS: Load[] = [
  {
    table: 'email_threads',
    count: half,
    columns: {
      ...fixed({
        id: id('emailThread', 'n'),
        subject: `${word} || ' ' || ${word}`,
        status: oneOf('active', 'active', 'active', 'archived', 'spam'),
        is_read: 'random() < 0.8',
        direction: oneOf('inbound', 'outbound'),
        snippet: `'Hello'`,
        message_count: '1',
        last_message_at: 'created',
      }),
      contact_id: (size) => some(0.9, one('contact', size)),
    },
  },
  {
    table: 'email_thread_links',
    count: half,
    unstamped: true,
    columns: {
      ...fixed({ thread_id: id('emailThread', 'n'), last_message_at: 'created' }),
      contact_id: (size) => one('contact', size),
    },
  },
  {
    table: 'email_participants',
    count: half,
    unstamped: true,
    columns: fixed({ thread_id: id('emailThread', 'n'), last_message_at: 'created', email: `'person' || (n % 50) || '@example.com'` }),
  },
  {
    table: 'email_messages',
    count: half,
    unstamped: true,
    columns: fixed({
      thread_id: id('emailThread', 'n'),
      direction: `'inbound'`,
      internet_id: `'message-' || n || '@example.com'`,
      from_email: `'person' || n || '@example.com'`,
      subject: `'Question'`,
      body_text: text,
      occurred_at: 'created',
    }),
  },
]
