import { Hono } from 'hono'
import * as v from 'valibot'
import { whatsappConversations } from '../../schema/index.ts'
import {
  INBOX_SORTS,
  listConversationMessages,
  listConversations,
  updateConversation,
} from '../../src/features/whatsapp/plans/conversations.ts'
import {
  conversationFilters,
  WhatsAppConversation,
  WhatsAppConversationPatch,
  WhatsAppMessage,
} from '../../src/features/whatsapp/schemas/whatsapp.ts'
import { listOf, scopes } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Id, pageQuery } from '../../src/schemas/fields.ts'
import { WHATSAPP } from '../paths.ts'

export const conversationsRouter = new Hono<App>()
export const conversationsApi = endpoints(conversationsRouter, { path: WHATSAPP.conversations, tag: 'WhatsApp' })

resource(conversationsApi, {
  name: 'whatsapp_conversation',
  plural: 'whatsapp-conversations',
  param: 'conversation_id',
  scope: 'whatsapp',
  table: whatsappConversations,
  returns: WhatsAppConversation,
  list: {
    summary: 'List WhatsApp conversations, those with the latest messages first',
    filters: conversationFilters,
    sorts: INBOX_SORTS,
    order: '-last_message_at',
    plan: listConversations,
  },
  get: {},
  update: {
    description: 'Marks a conversation as read or unread, or archives it.',
    body: WhatsAppConversationPatch,
    plan: updateConversation,
  },
  history: true,
})
conversationsApi.get(
  '/:conversation_id/messages',
  {
    id: 'listWhatsappConversationMessages',
    summary: 'List the messages of a WhatsApp conversation, oldest first',
    access: scopes('whatsapp:read'),
    params: v.object({ conversation_id: Id }),
    query: v.strictObject(pageQuery),
    returns: listOf(WhatsAppMessage),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listConversationMessages(params.conversation_id, query),
)
