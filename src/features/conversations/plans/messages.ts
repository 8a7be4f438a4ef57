import { type SQL, sql } from 'drizzle-orm'
import { conversations, smsMessages } from '../../../../schema/index.ts'
import { page } from '../../../data/page.ts'
import { plan } from '../../../data/plan.ts'
import { assertExists } from '../../../data/store.ts'
import { idKey, keyOf, merged, type Source } from '../../lists/plans/merged-lists.ts'
import type { ConversationMessage } from '../schemas/conversations.ts'
import { assertScopesOf } from './conversations.ts'

const plain = { mapFromDriverValue: (value: unknown) => value }
const fields = {
  id: plain,
  channel: plain,
  direction: plain,
  message_id: plain,
  sender: plain,
  sender_name: plain,
  subject: plain,
  body_text: plain,
  body_html: plain,
  attachment_count: plain,
  status: plain,
  delivery_status: plain,
  error: plain,
  occurred_at: smsMessages.occurred_at,
}

/** The row of the send ledger of a message, if it has one. */
const LEDGER = sql`left join lateral (select * from messages l
  where l.workspace_id = s.workspace_id and l.id = s.message_id limit 1) m on true`
const WHATSAPP = sql`select s.id, 'whatsapp' as channel, s.direction, s.message_id, s.sender_phone as sender, s.sender_name,
  null as subject, s.body_text, null as body_html,
      (s.media_type is not null)::int as attachment_count, case s.direction when 'outbound' then coalesce(m.status, 'sent') end as status,
      case when s.direction = 'outbound' and s.status in ('delivered', 'read') then s.status else m.delivery_status end as delivery_status,
        m.error, s.occurred_at
    from whatsapp_messages s ${LEDGER}`
/** What each channel has of a message, in the order of its index. */
const SOURCES: ((id: string) => SQL)[] = [
  (id) => sql`select s.id, 'email' as channel, s.direction, s.message_id, s.from_email as sender, s.from_name as sender_name,
      coalesce(s.subject, m.subject) as subject,
      coalesce(s.body_text, m.body_text, '') as body_text, coalesce(s.body_html, m.body_html) as body_html,
      (select count(*)::int from email_attachments a where a.email_message_id = s.id) as attachment_count, m.status,
        m.delivery_status, m.error, s.occurred_at
    from email_messages s ${LEDGER} where s.thread_id = ${id}`,
  (id) => sql`select s.id, 'sms' as channel, s.direction, s.message_id,
      (select case s.direction when 'inbound' then c.external_phone_number else c.phone_number end from sms_conversations c
        where c.id = s.conversation_id) as sender,
      null as sender_name, null as subject, coalesce(s.body, m.body_text, '') as body_text, null as body_html,
        s.media_count as attachment_count, m.status,
      m.delivery_status, m.error, s.occurred_at
    from sms_messages s ${LEDGER} where s.conversation_id = ${id}`,
  (id) => sql`${WHATSAPP} where s.conversation_id = ${id}`,
  (id) => sql`${WHATSAPP} where s.group_id = ${id}`,
]

/** Lists the messages of a conversation, oldest first. Its id is in one source only: the indexes of the others have nothing for it. */
export function listMessages(id: string, query: { limit: number; after?: string | undefined }) {
  const sources = SOURCES.map(
    (rows): Source =>
      (slice) =>
        slice(rows(id)),
  )
  const result = page<ConversationMessage>({
    select: merged(fields, sources),
    id: idKey,
    where: [],
    sorts: { occurred_at: keyOf('occurred_at') },
    name: `conversation ${id}`,
    query: { ...query, sort: 'occurred_at' },
  })
  return plan([assertScopesOf([id], 'read'), assertExists(conversations, id, 'conversation')], result)
}
