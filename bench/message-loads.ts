import { companies, fixed, half, type Load, one, oneOf, text } from './values.ts'

/** Messages to contacts, and addresses to which nothing is sent. */
export const MESSAGE_LOADS: Load[] = [
  {
    table: 'messages',
    count: half,
    columns: {
      ...fixed({
        channel: `'email'`,
        purpose: `'birthday'`,
        provider: `'postmark'`,
        recipient: `'person' || n || '@example.com'`,
        subject: `'Happy birthday'`,
        body_text: text,
        dedupe_key: `'birthday:' || n`,
        status: `case when random() < 0.95 then 'sent' else 'failed' end`,
        due_at: 'null',
      }),
      contact_id: (size) => one('contact', size),
    },
  },
  {
    table: 'suppressions',
    count: companies,
    columns: fixed({
      channel: oneOf('email', 'sms', 'whatsapp'),
      address: `'person' || n || '@example.com'`,
      reason: oneOf('unsubscribed', 'hard_bounce'),
    }),
  },
  {
    table: 'email_campaigns',
    count: companies,
    columns: fixed({ name: `'Campaign ' || n`, status: oneOf('draft', 'sent') }),
  },
]
