import { Hono } from 'hono'
import { messages } from '../../schema/index.ts'
import { getMessage, listMessages, MESSAGE_SORTS } from '../../src/features/messages/plans/messages.ts'
import { MAX_NOTIFIED, notifyMembers } from '../../src/features/messages/plans/notify-members.ts'
import { requestMessage } from '../../src/features/messages/plans/request-message.ts'
import {
  Message,
  MessageDetails,
  MessageToSend,
  messageFilters,
  Notice,
  NoticeResult,
} from '../../src/features/messages/schemas/messages.ts'
import { created, scopes } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { CRM } from '../paths.ts'

export const messagesRouter = new Hono<App>()
export const messagesApi = endpoints(messagesRouter, { path: CRM.messages, tag: 'Messages' })

resource(messagesApi, {
  name: 'message',
  plural: 'messages',
  scope: 'email',
  table: messages,
  returns: Message,
  record: MessageDetails,
  list: {
    description:
      'Lists the messages that the workspace has sent or is about to send: to contacts, such as birthday messages, and to members.',
    filters: messageFilters,
    sorts: MESSAGE_SORTS,
    plan: listMessages,
  },
  get: { plan: getMessage },
  history: true,
})

messagesApi.post(
  '',
  {
    id: 'sendMessage',
    summary: 'Send a message to a contact',
    description:
      'Stores the message, which is sent at once. A contact who has unsubscribed, is suppressed or archived, or has quiet hours now, ' +
      'is not sent to: see GET /contacts/:contact_id/reachability. The status of the message shows the outcome.',
    access: scopes('email:write'),
    body: MessageToSend,
    returns: created(MessageDetails),
    errors: ['RECIPIENT_UNREACHABLE', 'CHANNEL_NOT_CONFIGURED', 'INSUFFICIENT_CREDITS'],
  },
  ({ ctx, body }) => requestMessage(ctx, body),
)
messagesApi.post(
  '/notify',
  {
    id: 'notifyMembers',
    summary: 'Send an email to members',
    description: `Sends a message to each of the members who are meant, ${MAX_NOTIFIED} at most. Whoever is meant twice gets one.`,
    access: scopes('email:write'),
    body: Notice,
    returns: NoticeResult,
    errors: ['RECIPIENT_UNREACHABLE'],
  },
  ({ ctx, body }) => notifyMembers(ctx, body),
)
