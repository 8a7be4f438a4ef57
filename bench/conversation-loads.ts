import { fixed, half, id, type Load, OWNERS, one, oneOf, some } from './values.ts'

/** The conversation in the inbox of each row in a channel. Few groups are assigned. */
const ofChannel = (channel: string, kind: Parameters<typeof id>[0], isGroup = false): Load => ({
  table: 'conversations',
  count: half,
  columns: {
    ...fixed({
      id: id(kind, 'n'),
      channel: `'${channel}'`,
      is_group: `${isGroup}`,
      title: `'Your offer ' || n`,
      direction: oneOf('inbound', 'outbound'),
      snippet: `'Hello'`,
      unread: 'random() < 0.2',
      message_count: '1',
      last_message_at: 'created',
      status: `case when n % 40 = 0 then 'snoozed' when n % 3 = 0 then 'closed' else 'open' end`,
      snoozed_until: `case when n % 40 = 0 then now() + interval '10 days' end`,
      closed_at: `case when n % 40 > 0 and n % 3 = 0 then created end`,
      assigned_to: some(isGroup ? 0.1 : 0.6, one('user', OWNERS)),
    }),
    contact_id: (size) => (isGroup ? 'null' : some(0.9, one('contact', size))),
  },
})

/** The inbox over the channels. */
export const CONVERSATION_LOADS: Load[] = [
  ofChannel('email', 'emailThread'),
  ofChannel('sms', 'smsConversation'),
  ofChannel('whatsapp', 'whatsappConversation'),
  ofChannel('whatsapp', 'whatsappGroup', true),
]
