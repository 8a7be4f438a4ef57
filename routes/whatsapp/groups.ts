import { Hono } from 'hono'
import * as v from 'valibot'
import { whatsappGroups } from '../../schema/index.ts'
import {
  getGroup,
  INBOX_SORTS,
  linkGroup,
  listGroupMessages,
  listGroups,
  unlinkGroup,
} from '../../src/features/whatsapp/plans/conversations.ts'
import { sendToGroup } from '../../src/features/whatsapp/plans/send.ts'
import { LINKED_MESSAGES } from '../../src/features/whatsapp/rules/conversations.ts'
import {
  GroupLink,
  groupFilters,
  WhatsAppGroup,
  WhatsAppGroupDetails,
  WhatsAppMessage,
  WhatsAppSent,
  WhatsAppToGroup,
} from '../../src/features/whatsapp/schemas/whatsapp.ts'
import { created, listOf, one, scopes } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Id, pageQuery } from '../../src/schemas/fields.ts'
import { CRM, WHATSAPP } from '../paths.ts'

export const groupsRouter = new Hono<App>()
export const groupsApi = endpoints(groupsRouter, { path: WHATSAPP.groups, tag: 'WhatsApp' })
const params = v.object({ group_id: Id })

groupsApi.post(
  '/send',
  {
    id: 'sendToWhatsappGroup',
    summary: 'Send a message to a WhatsApp group',
    description: 'The message costs credits, which are reserved at once and refunded if it cannot be sent. Its status shows the outcome.',
    access: scopes('whatsapp:send'),
    body: WhatsAppToGroup,
    returns: created(WhatsAppSent, CRM.messages),
    errors: ['CHANNEL_NOT_CONFIGURED', 'RECIPIENT_UNREACHABLE', 'INSUFFICIENT_CREDITS', 'ATTACHMENTS_TOO_LARGE'],
    limits: { rate: 'sends' },
  },
  ({ ctx, body }) => sendToGroup(ctx, body),
)
resource(groupsApi, {
  name: 'whatsapp_group',
  plural: 'whatsapp-groups',
  param: 'group_id',
  scope: 'whatsapp',
  table: whatsappGroups,
  returns: WhatsAppGroup,
  record: WhatsAppGroupDetails,
  list: {
    summary: 'List WhatsApp groups, those with the latest messages first',
    filters: groupFilters,
    sorts: INBOX_SORTS,
    order: '-last_message_at',
    plan: listGroups,
  },
  get: { plan: getGroup },
  history: true,
})
groupsApi.get(
  '/:group_id/messages',
  {
    id: 'listWhatsappGroupMessages',
    summary: 'List the messages of a WhatsApp group, oldest first',
    access: scopes('whatsapp:read'),
    params,
    query: v.strictObject(pageQuery),
    returns: listOf(WhatsAppMessage),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listGroupMessages(params.group_id, query),
)
groupsApi.post(
  '/:group_id/link',
  {
    id: 'linkWhatsappGroup',
    summary: 'Link a WhatsApp group to an opportunity or a company',
    description: `The latest ${LINKED_MESSAGES} messages of the group appear on that timeline at once, and later ones as they come.`,
    access: scopes('whatsapp:write'),
    params,
    body: GroupLink,
    returns: one(WhatsAppGroupDetails),
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, body }) => linkGroup(ctx, params.group_id, body),
)
groupsApi.post(
  '/:group_id/unlink',
  {
    id: 'unlinkWhatsappGroup',
    summary: 'Remove the links of a WhatsApp group',
    description: 'The group stays in the inbox. What is on a timeline already stays there.',
    access: scopes('whatsapp:write'),
    params,
    returns: one(WhatsAppGroupDetails),
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => unlinkGroup(ctx, params.group_id),
)
