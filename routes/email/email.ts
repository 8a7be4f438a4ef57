import { Hono } from 'hono'
import * as v from 'valibot'
import { emailConfigs, emailThreads, messages } from '../../schema/index.ts'
import { postedEmail } from '../../src/features/email/callbacks/posted-email.ts'
import { createConfig, getCapabilities, updateConfig } from '../../src/features/email/plans/configs.ts'
import { scheduleEmail } from '../../src/features/email/plans/drafts.ts'
import { getInbox, inboxHolder, receiveInbound, rotateInboxToken } from '../../src/features/email/plans/inbox.ts'
import { LOG_SORTS, listEmailLogs } from '../../src/features/email/plans/logs.ts'
import { replyToThread } from '../../src/features/email/plans/reply.ts'
import { sendEmail } from '../../src/features/email/plans/send.ts'
import { getSignature, setSignature } from '../../src/features/email/plans/signature.ts'
import {
  getAttachment,
  listThreadMessages,
  listThreads,
  markThreadsRead,
  THREAD_SORTS,
  threadFields,
} from '../../src/features/email/plans/threads.ts'
import { MAX_INBOUND_BODY } from '../../src/features/email/rules/emails.ts'
import {
  EmailCapabilities,
  EmailConfig,
  EmailConfigPatch,
  EmailInbox,
  NewEmailConfig,
  ReceivedEmail,
} from '../../src/features/email/schemas/email-configs.ts'
import { EmailDraft } from '../../src/features/email/schemas/email-drafts.ts'
import { EmailAttachmentLink, EmailMessage } from '../../src/features/email/schemas/email-messages.ts'
import { EmailSignature, EmailSignatureBody } from '../../src/features/email/schemas/email-templates.ts'
import {
  EmailLog,
  EmailReply,
  EmailThread,
  EmailThreadPatch,
  EmailToSend,
  emailLogFilters,
  emailThreadFilters,
  MarkedRead,
  MarkRead,
} from '../../src/features/email/schemas/emails.ts'
import { listQuery } from '../../src/http/lists.ts'
import { created, listOf, raw, scopes } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Id, pageQuery } from '../../src/schemas/fields.ts'
import { CRM } from '../paths.ts'

export const emailRouter = new Hono<App>()
export const emailApi = endpoints(emailRouter, { path: CRM.email, tag: 'Email' })
export const emailThreadsRouter = new Hono<App>()
export const emailThreadsApi = endpoints(emailThreadsRouter, { path: CRM.emailThreads, tag: 'Email' })
export const emailConfigsRouter = new Hono<App>()
export const emailConfigsApi = endpoints(emailConfigsRouter, { path: CRM.emailConfigs, tag: 'Email' })

const SENT =
  'The email is written to the log and to its thread, then handed to the mail provider. If that is temporarily unavailable, ' +
  'the status is `queued`, and it is sent later; `unclear` says that the connection broke, and the provider is asked ' +
  'before anything is sent again.'
const LATER =
  'With `send_at` nothing is sent now: everything is checked, and the response is the email draft with the status `scheduled`, ' +
  'which is sent at that time, after everything has been checked again. POST /email/drafts/:email_draft_id/cancel cancels it.'
const SentOrScheduled = v.union([EmailLog, EmailDraft])
const whereItIs = (record: object): string => ('send_at' in record ? CRM.emailDrafts : CRM.messages)
const ATTACHED = ['ATTACHMENTS_TOO_LARGE'] as const
const MAILBOX = ['MAILBOX_NOT_CONNECTED', 'MAILBOX_USER_REQUIRED', 'ALIAS_NOT_CONNECTED', 'FORBIDDEN'] as const
const CONFIG_ERRORS = ['FROM_EMAIL_NOT_WRITABLE', 'INVALID_FROM_EMAIL_HANDLE', 'MAILBOX_NOT_CONNECTED', 'ALIAS_NOT_CONNECTED'] as const

emailThreadsApi.post(
  '/mark-read',
  {
    id: 'markEmailThreadsRead',
    summary: 'Mark email threads as read',
    access: scopes('email:write'),
    body: MarkRead,
    returns: MarkedRead,
  },
  ({ body }) => markThreadsRead(body),
)
resource(emailThreadsApi, {
  name: 'email_thread',
  plural: 'email-threads',
  param: 'thread_id',
  scope: 'email',
  table: emailThreads,
  returns: EmailThread,
  computed: threadFields,
  list: {
    summary: 'List email threads, those with the latest messages first',
    filters: emailThreadFilters,
    sorts: THREAD_SORTS,
    order: '-last_message_at',
    plan: listThreads,
  },
  get: {},
  update: { description: 'Marks a thread as read or unread, or sets its status.', body: EmailThreadPatch },
  history: true,
})
emailThreadsApi.get(
  '/:thread_id/messages',
  {
    id: 'listEmailThreadMessages',
    summary: 'List the messages of an email thread, oldest first',
    access: scopes('email:read'),
    params: v.object({ thread_id: Id }),
    query: v.strictObject(pageQuery),
    returns: listOf(EmailMessage),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listThreadMessages(params.thread_id, query),
)

resource(emailConfigsApi, {
  name: 'email_config',
  plural: 'email-configs',
  param: 'config_id',
  scope: 'email',
  table: emailConfigs,
  returns: EmailConfig,
  list: {},
  get: {},
  history: true,
})
resource(emailConfigsApi, {
  name: 'email_config',
  plural: 'email-configs',
  param: 'config_id',
  scope: 'email-config',
  table: emailConfigs,
  returns: EmailConfig,
  create: {
    description: 'A sender of the workspace: its address is the handle at the mail domain of the service.',
    body: NewEmailConfig,
    plan: createConfig,
    errors: ['CONFLICT', ...CONFIG_ERRORS],
  },
  update: { body: EmailConfigPatch, plan: updateConfig, errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', ...CONFIG_ERRORS] },
  remove: { action: 'write' },
})

emailApi.post(
  '/send',
  {
    id: 'sendEmail',
    summary: 'Send an email',
    description: `Begins a thread. With a contact or an opportunity it is in their activities. ${SENT} ${LATER}`,
    access: scopes('email:send'),
    body: EmailToSend,
    returns: created(SentOrScheduled, whereItIs),
    errors: ['RECIPIENT_UNREACHABLE', ...ATTACHED, ...MAILBOX, 'EMAIL_LOG_FAILED', 'PROVIDER_ERROR'],
    limits: { rate: 'sends' },
  },
  ({ ctx, body }) => (body.send_at === undefined ? sendEmail(ctx, body) : scheduleEmail(ctx, { email: body }, body.send_at)),
)
emailApi.post(
  '/reply',
  {
    id: 'replyToEmailThread',
    summary: 'Reply to an email thread',
    description: `Replies to whom the latest inbound message is from; a contact is written to at its email. ${SENT} ${LATER}`,
    access: scopes('email:send'),
    body: EmailReply,
    returns: created(SentOrScheduled, whereItIs),
    errors: ['RECIPIENT_UNREACHABLE', ...ATTACHED, ...MAILBOX, 'EMAIL_LOG_FAILED', 'PROVIDER_ERROR'],
    limits: { rate: 'sends' },
  },
  ({ ctx, body }) => (body.send_at === undefined ? replyToThread(ctx, body) : scheduleEmail(ctx, { reply: body }, body.send_at)),
)
emailApi.get(
  '/capabilities',
  {
    id: 'getEmailCapabilities',
    summary: 'List the channels that the caller can send emails through',
    access: scopes('email:read'),
    returns: EmailCapabilities,
  },
  ({ ctx }) => getCapabilities(ctx),
)
emailApi.get(
  '/logs',
  {
    id: 'listEmailLogs',
    summary: 'List the emails that were sent',
    description: 'The emails of threads, and those of automations, birthdays and notices.',
    access: scopes('email:read'),
    query: listQuery(messages, emailLogFilters, LOG_SORTS),
    returns: listOf(EmailLog),
  },
  ({ query }) => listEmailLogs(query),
)
emailApi.get(
  '/attachments/:email_attachment_id/download',
  {
    id: 'getEmailAttachment',
    summary: 'Get a download link for an attachment of an email',
    access: scopes('email:read'),
    params: v.object({ email_attachment_id: Id }),
    returns: EmailAttachmentLink,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
  },
  ({ ctx, params }) => getAttachment(ctx, params.email_attachment_id),
)
emailApi.get(
  '/signature',
  {
    id: 'getEmailSignature',
    summary: "Get the caller's email signature",
    access: scopes('email:read'),
    returns: EmailSignature,
  },
  () => getSignature(),
)
emailApi.put(
  '/signature',
  {
    id: 'setEmailSignature',
    summary: "Set the caller's email signature",
    description: 'It is that of the member whose key is used. An email has it at its end if `append_signature` is true.',
    access: scopes('email:write'),
    body: EmailSignatureBody,
    returns: EmailSignature,
  },
  ({ body }) => setSignature(body.html),
)
emailApi.get(
  '/inbox',
  {
    id: 'getEmailInbox',
    summary: "Get the workspace's email inbox",
    access: scopes('email:read'),
    returns: EmailInbox,
  },
  () => getInbox(),
)
emailApi.post(
  '/inbox/rotate-token',
  {
    id: 'rotateEmailInboxToken',
    summary: 'Rotate the token of the email inbox',
    description:
      'Makes the path that the mail provider posts emails to, which is shown only in this response. ' +
      'The former path stops working immediately.',
    access: { ...scopes('email-config:write'), direct: true },
    returns: EmailInbox,
  },
  () => rotateInboxToken(),
)
emailApi.post(
  '/inbound/:inbox_token',
  {
    id: 'receiveEmail',
    summary: 'Receive an email from the mail provider',
    description:
      `The inbound webhook of Postmark. The body is at most ${MAX_INBOUND_BODY / 1_000_000} MB; it is stored and answered at once, ` +
      'and processed within seconds. An email that is posted again is stored once.',
    access: { ...scopes('email:write'), principal: ({ url }) => inboxHolder(url) },
    params: v.object({ inbox_token: v.pipe(v.string(), v.description('The token of the inbox.'), v.examples(['3f1b2c'])) }),
    body: raw(postedEmail),
    returns: ReceivedEmail,
    errors: ['UNAUTHENTICATED', 'UNSUPPORTED_MEDIA_TYPE'],
    limits: { body: MAX_INBOUND_BODY },
  },
  ({ ctx, body }) => receiveInbound(ctx, body),
)
