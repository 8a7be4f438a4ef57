import { Hono } from 'hono'
import * as v from 'valibot'
import { emailDrafts } from '../../schema/index.ts'
import { cancelDraft, createDraft, deleteDraft, scheduleDraft, sendDraft, updateDraft } from '../../src/features/email/plans/drafts.ts'
import {
  EmailDraft,
  EmailDraftPatch,
  EmailDraftSchedule,
  emailDraftFilters,
  NewEmailDraft,
} from '../../src/features/email/schemas/email-drafts.ts'
import { EmailLog } from '../../src/features/email/schemas/emails.ts'
import { created, scopes } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Id } from '../../src/schemas/fields.ts'
import { CRM } from '../paths.ts'

export const emailDraftsRouter = new Hono<App>()
export const emailDraftsApi = endpoints(emailDraftsRouter, { path: CRM.emailDrafts, tag: 'Email' })

const params = v.object({ email_draft_id: Id })
const CHECKED = [
  'NOT_FOUND',
  'CONFLICT',
  'PRECONDITION_FAILED',
  'INVALID_STATE',
  'RECIPIENT_UNREACHABLE',
  'ATTACHMENTS_TOO_LARGE',
  'MAILBOX_NOT_CONNECTED',
  'MAILBOX_USER_REQUIRED',
  'ALIAS_NOT_CONNECTED',
  'FORBIDDEN',
] as const

resource(emailDraftsApi, {
  name: 'email_draft',
  plural: 'email-drafts',
  scope: 'email',
  table: emailDrafts,
  returns: EmailDraft,
  list: { filters: emailDraftFilters },
  get: {},
  create: {
    description:
      'It may be incomplete: what it says is checked when it is sent or scheduled. In personal mode only the member who has begun it ' +
      'sees it, and roles that name `personal-email:read`.',
    body: NewEmailDraft,
    plan: createDraft,
    errors: [],
  },
  update: {
    description: 'A scheduled email must be cancelled first, and one that was sent cannot be changed.',
    body: EmailDraftPatch,
    plan: updateDraft,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'INVALID_STATE'],
  },
  remove: {
    description: 'A scheduled email must be cancelled first. The email of a draft that was sent stays.',
    action: 'write',
    plan: deleteDraft,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'INVALID_STATE'],
  },
  history: true,
})
emailDraftsApi.post(
  '/:email_draft_id/send',
  {
    id: 'sendEmailDraft',
    summary: 'Send an email draft',
    description:
      'Sends it as POST /email/send does, or POST /email/reply if it has a thread. A draft is sent once; one that the mail provider ' +
      'has refused becomes `failed`, and can be sent again.',
    access: scopes('email:send'),
    params,
    returns: created(EmailLog, CRM.messages),
    errors: [...CHECKED, 'EMAIL_LOG_FAILED', 'PROVIDER_ERROR'],
    limits: { rate: 'sends' },
  },
  ({ ctx, params }) => sendDraft(ctx, params.email_draft_id),
)
emailDraftsApi.post(
  '/:email_draft_id/schedule',
  {
    id: 'scheduleEmailDraft',
    summary: 'Schedule an email draft',
    description:
      'It is sent within a minute after this time, in the name of the member who schedules it. ' +
      'Everything is checked now and again then; an email that can no longer be sent, for instance because the contact has ' +
      'unsubscribed, becomes `failed`. In personal mode only the member whose mailbox it is schedules it.',
    access: scopes('email:send'),
    params,
    body: EmailDraftSchedule,
    returns: EmailDraft,
    errors: [...CHECKED],
  },
  ({ ctx, params, body }) => scheduleDraft(ctx, params.email_draft_id, body.send_at),
)
emailDraftsApi.post(
  '/:email_draft_id/cancel',
  {
    id: 'cancelScheduledEmail',
    summary: 'Cancel a scheduled email',
    description: 'It becomes a draft again.',
    access: scopes('email:send'),
    params,
    returns: EmailDraft,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'INVALID_STATE'],
  },
  ({ ctx, params }) => cancelDraft(ctx, params.email_draft_id),
)
