import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { Conversations: 'One inbox over email, SMS and WhatsApp: what is unread, who takes care of it, and what is snoozed or closed.' },
  tables: {
    conversations: {
      readers: ['email:read', 'sms:read', 'whatsapp:read'],
      hidden: {
        email_thread_id: 'Its id, in one of the channels',
        sms_conversation_id: 'Its id, in one of the channels',
        whatsapp_conversation_id: 'Its id, in one of the channels',
        whatsapp_group_id: 'Its id, in one of the channels',
      },
      derived: {
        direction: 'What its messages change, which have events themselves',
        snippet: 'What its messages change, which have events themselves',
        unread: 'What its messages change, which have events themselves',
        message_count: 'What its messages change, which have events themselves',
        last_message_at: 'What its messages change, which have events themselves',
      },
    },
  },
  events: ['conversation.assigned', 'conversation.closed', 'conversation.reopened'],
}
