import { Hono } from 'hono'
import * as v from 'valibot'
import { MarkedRead } from '../src/features/email/schemas/emails.ts'
import { getMedia } from '../src/features/message-media/plans/files.ts'
import { MediaLink } from '../src/features/message-media/schemas/message-media.ts'
import { getConsent, listConsents, recordConsent } from '../src/features/sms/plans/consents.ts'
import {
  countSegments,
  getConversation,
  listConversationMessages,
  listConversations,
  markConversationsRead,
} from '../src/features/sms/plans/conversations.ts'
import { sendSms } from '../src/features/sms/plans/send.ts'
import {
  consentFilters,
  conversationFilters,
  NewSmsConsent,
  SmsConsent,
  SmsConversation,
  SmsMarkRead,
  SmsMessage,
  SmsSegments,
  SmsToSend,
  segmentsQuery,
} from '../src/features/sms/schemas/sms.ts'
import { created, listOf, scopes } from '../src/http/modes.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { Id, pageQuery } from '../src/schemas/fields.ts'
import { CRM } from './paths.ts'

export const smsRouter = new Hono<App>()
export const smsApi = endpoints(smsRouter, { path: CRM.sms, tag: 'SMS' })
const params = v.object({ sms_conversation_id: Id })

smsApi.post(
  '/send',
  {
    id: 'sendSms',
    summary: 'Send an SMS',
    description:
      'Writes the message to its conversation and hands it to the provider. Its status shows the outcome; after an unclear outcome the ' +
      'provider is asked before anything is sent again. It costs the credits of its segments, and with files those of an MMS instead, ' +
      'whatever the length of its text; they are refunded if it is not sent. Somebody who has replied STOP is not written to.',
    access: scopes('sms:send'),
    body: SmsToSend,
    returns: created(SmsMessage, CRM.messages),
    errors: ['RECIPIENT_UNREACHABLE', 'CHANNEL_NOT_CONFIGURED', 'INSUFFICIENT_CREDITS', 'ATTACHMENTS_TOO_LARGE'],
    limits: { rate: 'sends' },
  },
  ({ ctx, body }) => sendSms(ctx, body),
)
smsApi.get(
  '/segments',
  {
    id: 'countSmsSegments',
    summary: 'Count the segments of a text',
    access: scopes('sms:read'),
    query: segmentsQuery,
    returns: SmsSegments,
  },
  ({ query }) => countSegments(query),
)
smsApi.get(
  '/conversations',
  {
    id: 'listSmsConversations',
    summary: 'List SMS conversations, those with the latest messages first',
    description: 'A number of the workspace and a number outside have one conversation.',
    access: scopes('sms:read'),
    query: v.strictObject({ ...pageQuery, ...conversationFilters }),
    returns: listOf(SmsConversation),
  },
  ({ query }) => listConversations(query),
)
smsApi.get(
  '/media/:media_id/download',
  {
    id: 'getSmsMedia',
    summary: 'Get a download link for a file of an SMS',
    description: 'Files of received messages are fetched from the provider within seconds, at most 10 MB each.',
    access: scopes('sms:read'),
    params: v.object({ media_id: Id }),
    returns: MediaLink,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
  },
  ({ ctx, params }) => getMedia(ctx, 'sms_message_id', params.media_id),
)
smsApi.post(
  '/conversations/mark-read',
  {
    id: 'markSmsConversationsRead',
    summary: 'Mark SMS conversations as read',
    access: scopes('sms:write'),
    body: SmsMarkRead,
    returns: MarkedRead,
  },
  ({ body }) => markConversationsRead(body),
)
smsApi.get(
  '/conversations/:sms_conversation_id',
  {
    id: 'getSmsConversation',
    summary: 'Get an SMS conversation',
    access: scopes('sms:read'),
    params,
    returns: SmsConversation,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getConversation(params.sms_conversation_id),
)
smsApi.get(
  '/conversations/:sms_conversation_id/messages',
  {
    id: 'listSmsMessages',
    summary: 'List the messages of an SMS conversation, oldest first',
    access: scopes('sms:read'),
    params,
    query: v.strictObject(pageQuery),
    returns: listOf(SmsMessage),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listConversationMessages(params.sms_conversation_id, query),
)
smsApi.get(
  '/consents',
  {
    id: 'listSmsConsents',
    summary: 'List decisions about SMS to numbers, the latest first',
    description: 'Replies such as STOP and START are recorded by themselves.',
    access: scopes('sms:read'),
    query: v.strictObject({ ...pageQuery, ...consentFilters }),
    returns: listOf(SmsConsent),
  },
  ({ query }) => listConsents(query),
)
smsApi.post(
  '/consents',
  {
    id: 'createSmsConsent',
    summary: 'Record a decision about SMS to a number',
    description:
      'Holds at once, unless a later decision about the number is recorded: after `opt_out` the number is on the suppression list and ' +
      'its contacts have `sms_unsubscribed`; `opt_in` lifts both. A record cannot be changed, because it is evidence: record the next ' +
      'decision instead. A number that has replied STOP gets messages again only after it has replied START, whatever is recorded ' +
      'here, because the provider keeps its own list.',
    access: scopes('sms:write', 'contacts:write'),
    body: NewSmsConsent,
    returns: created(SmsConsent, `${CRM.sms}/consents`),
  },
  ({ ctx, body }) => recordConsent(ctx, body),
)
smsApi.get(
  '/consents/:consent_id',
  {
    id: 'getSmsConsent',
    summary: 'Get a decision about SMS to a number',
    access: scopes('sms:read'),
    params: v.object({ consent_id: Id }),
    returns: SmsConsent,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getConsent(params.consent_id),
)
