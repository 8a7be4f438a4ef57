import { eq, sql } from 'drizzle-orm'
import * as v from 'valibot'
import { attachments, emailDrafts } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import type { Reference } from '../../../data/bulk.ts'
import { call } from '../../../data/call.ts'
import { db, type Statement } from '../../../data/db.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { assert, constant, mapResult, oneOrThrow, rows } from '../../../data/query.ts'
import { assertSent, columnsFor, insertRow, lockForUpdate, updateRows } from '../../../data/store.ts'
import { assertState } from '../../../data/transitions.ts'
import { AppError, invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { issuesOf } from '../../../schemas/issues.ts'
import { DRAFT_TRANSITIONS, FARTHEST_SEND } from '../rules/email-drafts.ts'
import { EmailDraft, type EmailDraftPatch, type NewEmailDraft } from '../schemas/email-drafts.ts'
import { type EmailLog, EmailReply, EmailToSend } from '../schemas/emails.ts'
import { assertReadable } from './attached.ts'
import { sanitised } from './content.ts'
import { accepted, dispatch, logOf, type Outgoing } from './dispatch.ts'
import { outgoingReply } from './reply.ts'
import { outgoingEmail } from './send.ts'

const WHAT = 'email draft'
/** As many as an email has. */
const MOST_HTML = 100_000
const columns = columnsFor(emailDrafts, EmailDraft)
const selected = (id: string) => db.select(columns).from(emailDrafts).where(eq(emailDrafts.id, id))
const stored = (id: string) => oneOrThrow(selected(id), WHAT, id)

/** The states in which a draft may be changed, and deleted. */
const CHANGEABLE = { draft: 'draft', failed: 'failed' }
const DELETABLE = { draft: 'draft', failed: 'failed', sent: 'sent' }

const lockIn = (ctx: Ctx, id: string, from: Readonly<Record<string, string>>): Statement[] => [
  lockForUpdate(ctx, emailDrafts, id, WHAT),
  assertState(emailDrafts, 'status', id, from, 'The draft'),
]

const missingFiles = sql`array(select concat('attachment_ids.', n - 1) from unnest(r.attachment_ids) with ordinality as list(e, n)
  where not exists (select from ${attachments} t where t.id = e))`
const FILES: Reference = { field: 'attachment_ids', condition: sql`cardinality(${missingFiles}) = 0`, paths: missingFiles }

/**
 * The content of a draft as it is stored and shown: as it would be sent. It may be incomplete, so nothing may be left of its HTML. @throws
 * VALIDATION_ERROR for HTML that is too long once its signs are written as references.
 */
async function safe<Content extends { html?: string | null | undefined }>(content: Content): Promise<Content> {
  if (!content.html) return content
  const html = await sanitised(content.html, { remoteImages: 'keep' })
  if (html.length > MOST_HTML)
    throw invalid([{ path: 'html', message: `must have at most ${MOST_HTML} characters, also with its signs as references` }])
  return { ...content, html }
}

export async function createDraft(_ctx: Ctx, input: NewEmailDraft) {
  const row = { ...(await safe(input)), id: newId() }
  return plan(
    [assertSent(emailDrafts, row, [FILES]), insertRow(emailDrafts, { ...row, created_by: sql`current_user_id()` })],
    stored(row.id),
  )
}

export async function updateDraft(ctx: Ctx, id: string, sent: EmailDraftPatch) {
  const patch = await safe(sent)
  return plan(
    [
      ...lockIn(ctx, id, CHANGEABLE),
      assertSent(emailDrafts, { ...patch, id }, [FILES]),
      updateRows(emailDrafts, patch, eq(emailDrafts.id, id), { id }),
    ],
    stored(id),
  )
}

export const deleteDraft = (ctx: Ctx, id: string) =>
  plan([...lockIn(ctx, id, DELETABLE), db.delete(emailDrafts).where(eq(emailDrafts.id, id))], constant({ id, deleted: true as const }))

const CONTENT = [
  'cc',
  'bcc',
  'text',
  'html',
  'template_id',
  'append_signature',
  'attachment_ids',
  'config_id',
  'mode',
  'sender_user_id',
] as const
const OF_EMAIL = ['to', 'subject', 'contact_id', 'deal_id', 'customer_id'] as const
export type DraftContent = Pick<EmailDraft, (typeof CONTENT)[number] | (typeof OF_EMAIL)[number] | 'thread_id'>
export type DraftBody = { reply: EmailReply } | { email: EmailToSend }

/** What a draft says as the body of the request that sends it. @throws VALIDATION_ERROR for one that is not complete. */
export function bodyOf(draft: DraftContent): DraftBody {
  const sent = Object.fromEntries(
    [...CONTENT, ...OF_EMAIL, 'thread_id' as const].flatMap((name) => {
      const value = draft[name]
      return value === null || value === false || (Array.isArray(value) && value.length === 0) ? [] : [[name, value]]
    }),
  )
  return draft.thread_id ? { reply: parsed(EmailReply, sent) } : { email: parsed(EmailToSend, sent) }
}

function parsed<S extends v.GenericSchema>(schema: S, sent: unknown): v.InferOutput<S> {
  const result = v.safeParse(schema, sent)
  if (!result.success) throw invalid(issuesOf(schema, sent, result.issues))
  return result.output
}

const outgoingOf = (ctx: Ctx, body: DraftBody): Promise<Outgoing> =>
  'reply' in body ? outgoingReply(ctx, body.reply) : outgoingEmail(ctx, body.email)

/** Planned with until the draft is read, in a round trip that a repeated request does not take. */
const ANY: EmailDraft = {
  id: '',
  status: 'draft',
  thread_id: null,
  to: 'nobody@example.com',
  subject: 'Any',
  cc: [],
  bcc: [],
  text: 'Any',
  html: null,
  template_id: null,
  append_signature: false,
  attachment_ids: [],
  config_id: null,
  mode: 'company',
  sender_user_id: null,
  private_to: null,
  contact_id: null,
  deal_id: null,
  customer_id: null,
  send_at: null,
  scheduled_by: null,
  message_id: null,
  error: null,
  created_by: null,
  version: 0,
  created_at: '',
  updated_at: '',
}

/** Reads the draft that a decision is about. @throws NOT_FOUND */
async function read(ctx: Ctx, id: string): Promise<EmailDraft> {
  const [draft] = await ctx.assume(rows(selected(id)), [ANY], sql`false`)
  if (!draft) throw new AppError('NOT_FOUND', `No such ${WHAT} in this workspace`)
  return draft as EmailDraft
}

const unchanged = (id: string, version: number): Statement =>
  assert(
    sql`(select version from email_drafts where id = ${id}) = ${version}::int`,
    'CONFLICT',
    'The draft was changed meanwhile: send the request again',
    { id },
  )

/** Sends a draft now. Of two requests one sends it. @throws as sendEmail, INVALID_STATE */
export async function sendDraft(ctx: Ctx, id: string): Promise<Plan<EmailLog>> {
  const draft = await read(ctx, id)
  const guards = [...lockIn(ctx, id, DRAFT_TRANSITIONS.send), unchanged(id, draft.version)]
  // The guard refuses the wrong state, unless the request is a repeated one that has a response.
  if (!(draft.status in DRAFT_TRANSITIONS.send)) return plan(guards, mapResult(logOf(draft.message_id ?? id), accepted))
  return dispatch(ctx, await outgoingOf(ctx, bodyOf(draft)), {
    before: guards,
    after: (message) => [call('end_email_draft', id, message)],
  })
}

/** @throws VALIDATION_ERROR for a time that has passed, or is too far ahead. */
function assertAhead(ctx: Ctx, send_at: string): void {
  const ahead = Date.parse(send_at) - ctx.now.getTime()
  if (ahead <= 0 || ahead > FARTHEST_SEND) throw invalid([{ path: 'send_at', message: 'must be in the future, at most a year ahead' }])
}

/** A right to the mailbox of somebody else may have ended by then, so only the member schedules emails from it. */
const ownMailbox = ({ mailbox }: Outgoing): Statement | false =>
  mailbox !== null &&
  assert(
    sql`current_person() = ${mailbox.user_id}::uuid`,
    'FORBIDDEN',
    'Only the member schedules emails from this mailbox, with a key of their own',
    {
      sender_user_id: mailbox.user_id,
    },
  )

/** Has the background send a draft at a time. Everything is checked now, and again when it is sent. */
export async function scheduleDraft(ctx: Ctx, id: string, send_at: string): Promise<Plan<EmailDraft>> {
  assertAhead(ctx, send_at)
  const draft = await read(ctx, id)
  const guards = [...lockIn(ctx, id, DRAFT_TRANSITIONS.schedule), unchanged(id, draft.version)]
  if (!(draft.status in DRAFT_TRANSITIONS.schedule)) return plan(guards, stored(id)) as Plan<EmailDraft>
  const outgoing = await outgoingOf(ctx, bodyOf(draft))
  const scheduled = { status: 'scheduled', send_at, scheduled_by: sql`current_user_id()`, error: null }
  return plan(
    [...guards, ownMailbox(outgoing), assertReadable(outgoing.files), updateRows(emailDrafts, scheduled, eq(emailDrafts.id, id), { id })],
    stored(id),
  ) as Plan<EmailDraft>
}

/** Adds a scheduled draft of an email or a reply: what scheduleDraft does for one that is stored. @throws as sendEmail. */
export async function scheduleEmail(ctx: Ctx, body: DraftBody, send_at: string): Promise<Plan<EmailDraft>> {
  assertAhead(ctx, send_at)
  const outgoing = await outgoingOf(ctx, body)
  const { send_at: _, ...fields } = 'reply' in body ? body.reply : body.email
  const member = sql`current_user_id()`
  const row = { ...(await safe(fields)), id: newId(), status: 'scheduled', send_at, scheduled_by: member, created_by: member }
  return plan([ownMailbox(outgoing), assertReadable(outgoing.files), insertRow(emailDrafts, row)], stored(row.id)) as Plan<EmailDraft>
}

export const cancelDraft = (ctx: Ctx, id: string) =>
  plan(
    [
      ...lockIn(ctx, id, DRAFT_TRANSITIONS.cancel),
      updateRows(emailDrafts, { status: 'draft', send_at: null, scheduled_by: null }, eq(emailDrafts.id, id), { id }),
    ],
    stored(id),
  )
