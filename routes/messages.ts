import { Hono } from 'hono'
import { messages } from '../schema/index.ts'
import { resource } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { Message, MessageDetails, messageFilters } from '../src/schemas/messages.ts'
import { getMessage } from '../src/services/messages/messages.ts'
import { CRM } from './paths.ts'

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
    description: 'Lists the messages that the workspace has sent to contacts or is about to send, such as birthday messages.',
    filters: messageFilters,
  },
  get: { plan: getMessage },
  history: true,
})
