/** What the inbox must be, from the rows of the channels alone: statements that fill an empty one. */
export const INBOX = [
  `insert into conversations (workspace_id, id, channel, contact_id, title, direction, snippet, unread, message_count, last_message_at,
    private_to, status, closed_at, created_at)
    select workspace_id, id, 'email', contact_id, subject, direction, snippet, not is_read, message_count, last_message_at, private_to,
        case status when 'active' then 'open' else 'closed' end, case when status <> 'active' then now() end, created_at
      from email_threads where message_count > 0
    union all select workspace_id, id, 'sms', contact_id, external_phone_number, direction, snippet, unread,
        message_count, last_message_at, null,
        'open', null, created_at
      from sms_conversations
    union all select workspace_id, id, 'whatsapp', contact_id, coalesce(name, external_phone_number, 'WhatsApp'),
        coalesce(direction, 'inbound'),
        snippet, unread, message_count, last_message_at, null, case status when 'active' then 'open' else 'closed' end,
        case when status <> 'active' then now() end, created_at
      from whatsapp_conversations where message_count > 0`,
  `update whatsapp_groups g set direction = coalesce((select m.direction from whatsapp_messages m where m.workspace_id = g.workspace_id
    and m.group_id = g.id order by m.occurred_at desc, m.id desc limit 1), 'inbound') where message_count > 0`,
  `insert into conversations (workspace_id, id, channel, is_group, title, direction, snippet, unread, message_count,
    last_message_at, created_at)
    select workspace_id, id, 'whatsapp', true, name, direction, snippet, unread, message_count, last_message_at, created_at
      from whatsapp_groups where message_count > 0`,
]
