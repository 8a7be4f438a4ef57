import { sql } from 'drizzle-orm'
import { whatsappMessages } from '../../../../schema/index.ts'
import { columnsFor } from '../../../data/store.ts'
import { mediaOf } from '../../message-media/plans/files.ts'
import { MAX_REACTIONS } from '../rules/reactions.ts'
import { WhatsAppMessage } from '../schemas/whatsapp.ts'

/** Rows of the same chat as the message that is selected. */
const sameChat = (row: string) =>
  sql.raw(`${row}.conversation_id is not distinct from whatsapp_messages.conversation_id
    and ${row}.group_id is not distinct from whatsapp_messages.group_id`)

/**
 * The reactions to the message: those that people make at their phones are messages themselves, and the one from here has a row of its own.
 * The provider's times are whole seconds. One that could not be taken away is still there.
 */
const reactions = sql<
  WhatsAppMessage['reactions']
>`(select coalesce(jsonb_agg(jsonb_build_object('emoji', p.emoji, 'from_me', p.from_me, 'sender_phone', p.sender_phone,
    'sender_name', p.sender_name, 'at', iso(p.at), 'status', p.status, 'error', p.error) order by p.at, p.emoji)
      filter (where p.emoji <> ''), '[]')
  from (select distinct on (e.from_me, e.person) e.* from (
    (select r.body_text as emoji, r.direction = 'outbound' as from_me,
        case r.direction when 'inbound' then coalesce(r.sender_phone, r.sender_jid, '') else '' end as person,
        r.sender_phone, r.sender_name, r.occurred_at as at, 'sent' as status, null as error, 0 as rank, r.id
      from whatsapp_messages r where r.type = 'reaction' and r.quoted_key_id = whatsapp_messages.key_id and ${sameChat('r')}
      order by r.occurred_at desc, r.id desc limit ${sql.raw(String(MAX_REACTIONS))})
    union all select o.emoji, true, '', null, null, date_trunc('second', o.reacted_at), o.status, o.error, 1, o.id
      from whatsapp_reactions o where o.whatsapp_message_id = whatsapp_messages.id and not (o.emoji = '' and o.status = 'failed')) e
    order by e.from_me, e.person, e.at desc, e.rank desc, e.id desc) p)`.as('reactions')

/** The columns of a message as the API shows it. */
export const messageColumns = columnsFor(whatsappMessages, WhatsAppMessage, {
  media: mediaOf('whatsapp_message_id', sql`whatsapp_messages.id`),
  replies_to: sql<
    string | null
  >`(select q.id from whatsapp_messages q where q.key_id = whatsapp_messages.quoted_key_id and ${sameChat('q')} limit 1)`.as('replies_to'),
  reactions,
})
