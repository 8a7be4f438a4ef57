import { Hono } from 'hono'
import * as v from 'valibot'
import { conversations } from '../schema/index.ts'
import {
  assertHistoryScopes,
  getConversation,
  listConversations,
  updateConversation,
  updateConversations,
} from '../src/features/conversations/plans/conversations.ts'
import { listMessages } from '../src/features/conversations/plans/messages.ts'
import {
  Conversation,
  ConversationMessage,
  ConversationPatch,
  ConversationPatchWithId,
  conversationsQuery,
} from '../src/features/conversations/schemas/conversations.ts'
import { listOf, one, scopes } from '../src/http/modes.ts'
import { history } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { bulkOf } from '../src/schemas/bulk.ts'
import { bulkResult } from '../src/schemas/common.ts'
import { Id, pageQuery } from '../src/schemas/fields.ts'
import { CRM } from './paths.ts'

export const conversationsRouter = new Hono<App>()
export const conversationsApi = endpoints(conversationsRouter, { path: CRM.conversations, tag: 'Conversations' })
const params = v.object({ conversation_id: Id })
const READ = 'Takes `email:read`, `sms:read` or `whatsapp:read`, whichever its channel is.'
const WRITE = 'Takes `email:write`, `sms:write` or `whatsapp:write`, whichever its channel is.'

conversationsApi.get(
  '',
  {
    id: 'listConversations',
    summary: 'List the conversations of all channels, those with the latest messages first',
    description:
      'Email threads, SMS conversations, WhatsApp conversations and WhatsApp groups. ' +
      'Takes `email:read`, `sms:read` or `whatsapp:read`: conversations of a channel whose scope is missing are left out.',
    access: scopes(),
    query: conversationsQuery,
    returns: listOf(Conversation),
    errors: ['INSUFFICIENT_SCOPE'],
  },
  ({ query }) => listConversations(query),
)
conversationsApi.post(
  '/bulk-update',
  {
    id: 'bulkUpdateConversations',
    summary: 'Update up to 100 conversations',
    description: WRITE,
    access: scopes(),
    body: v.strictObject({ records: bulkOf(ConversationPatchWithId) }),
    returns: one(bulkResult(Conversation)),
    errors: ['INSUFFICIENT_SCOPE'],
  },
  ({ ctx, body }) => updateConversations(ctx, body.records),
)
conversationsApi.get(
  '/:conversation_id',
  {
    id: 'getConversation',
    summary: 'Get a conversation',
    description: READ,
    access: scopes(),
    params,
    returns: one(Conversation),
    errors: ['NOT_FOUND', 'INSUFFICIENT_SCOPE'],
  },
  ({ params }) => getConversation(params.conversation_id),
)
conversationsApi.patch(
  '/:conversation_id',
  {
    id: 'updateConversation',
    summary: 'Update a conversation',
    description: `Assigns, snoozes, closes or opens a conversation, or marks it as read or unread, in its channel too. ${WRITE}`,
    access: scopes(),
    params,
    body: ConversationPatch,
    returns: one(Conversation),
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'INSUFFICIENT_SCOPE'],
  },
  ({ ctx, params, body }) => updateConversation(ctx, params.conversation_id, body),
)
conversationsApi.get(
  '/:conversation_id/messages',
  {
    id: 'listConversationMessages',
    summary: 'List the messages of a conversation, oldest first',
    description: `One shape for all channels. ${READ}`,
    access: scopes(),
    params,
    query: v.strictObject(pageQuery),
    returns: listOf(ConversationMessage),
    errors: ['NOT_FOUND', 'INSUFFICIENT_SCOPE'],
  },
  ({ params, query }) => listMessages(params.conversation_id, query),
)
history(conversationsApi, '/:conversation_id/history', {
  entity: 'conversation',
  table: conversations,
  param: 'conversation_id',
  scopes: [],
  guard: assertHistoryScopes,
})
