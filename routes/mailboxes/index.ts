import { Hono } from 'hono'
import * as v from 'valibot'
import { mailboxes } from '../../schema/index.ts'
import { StartedConnection } from '../../src/features/calendars/schemas/calendars.ts'
import { checkMailbox, chooseSender, disconnectMailbox, startMailbox } from '../../src/features/mailboxes/plans/mailboxes.ts'
import { Mailbox, MailboxPatch, StartMailbox } from '../../src/features/mailboxes/schemas/mailboxes.ts'
import { scopes } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Deleted } from '../../src/schemas/common.ts'
import { describe, Id } from '../../src/schemas/fields.ts'
import { MAILBOXES } from '../paths.ts'

export const mailboxesRouter = new Hono<App>()
export const mailboxesApi = endpoints(mailboxesRouter, { path: MAILBOXES.mailboxes, tag: 'Mailboxes' })

const params = v.object({ mailbox_id: Id })
const write = scopes('mailboxes:write')
/** What is returned is secret, or an outside service is called, so these calls never wait for approval. */
const direct = { ...write, direct: true }

resource(mailboxesApi, {
  name: 'mailbox',
  plural: 'mailboxes',
  param: 'mailbox_id',
  scope: 'mailboxes',
  table: mailboxes,
  returns: Mailbox,
  list: {
    description:
      'Members see their own mailbox, and a client_admin those of all members. What is in it is for its member alone: see the guide.',
    filters: {
      user_id: v.optional(describe(Id, 'Only that of this member.')),
    },
  },
  get: {},
  history: true,
})
mailboxesApi.post(
  '/start',
  {
    id: 'startMailbox',
    summary: 'Start to connect a mailbox',
    description:
      'Returns the address at which the member gives consent. Afterwards the mailbox is connected: emails are sent from it with the ' +
      'mode personal, and those that contacts send to it are received. A member has one mailbox.',
    access: direct,
    body: StartMailbox,
    returns: StartedConnection,
    errors: ['CHANNEL_NOT_CONFIGURED'],
  },
  ({ ctx, body }) => startMailbox(ctx, body),
)
mailboxesApi.post(
  '/:mailbox_id/check',
  {
    id: 'checkMailbox',
    summary: 'Check a mailbox',
    description:
      'Asks the provider for the send-as addresses of the account now. ' +
      'When the access has ended, the mailbox is returned with the status error.',
    access: direct,
    params,
    returns: Mailbox,
    errors: ['NOT_FOUND', 'INVALID_STATE', 'PROVIDER_ERROR'],
  },
  ({ ctx, params }) => checkMailbox(ctx, params.mailbox_id),
)
mailboxesApi.patch(
  '/:mailbox_id',
  {
    id: 'updateMailbox',
    summary: 'Choose the address that a mailbox sends as',
    access: write,
    params,
    body: MailboxPatch,
    returns: Mailbox,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'ALIAS_NOT_CONNECTED'],
  },
  ({ ctx, params, body }) => chooseSender(ctx, params.mailbox_id, body),
)
mailboxesApi.delete(
  '/:mailbox_id',
  {
    id: 'deleteMailbox',
    summary: 'Disconnect a mailbox',
    description:
      'Nothing more is sent or received, and the access is returned to the provider in the background. ' +
      'Until that is done it is listed with the status disconnected. Emails that were received stay.',
    access: write,
    params,
    returns: Deleted,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => disconnectMailbox(ctx, params.mailbox_id),
)

/** The resources of this area. */
export const apis = [mailboxesApi]
