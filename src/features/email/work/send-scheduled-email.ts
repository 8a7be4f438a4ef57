import { sql } from 'drizzle-orm'
import type { MessageOf } from '../../../../queues/messages.ts'
import { batch } from '../../../data/batch.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { AppError, STATUS_OF } from '../../../errors.ts'
import { mailerOf } from '../../../http/deployment.ts'
import { loggable } from '../../../lib/text.ts'
import { toRows } from '../plans/dispatch.ts'
import { bodyOf, type DraftBody, type DraftContent } from '../plans/drafts.ts'
import { composeReply, type ReplyFacts, replyFacts } from '../plans/reply.ts'
import { composeEmail, type EmailFacts, emailFacts } from '../plans/send.ts'
import { MAX_PARTICIPANTS, MAX_THREAD_LINKS } from '../rules/emails.ts'

type Message = MessageOf<'email.scheduled'>
type Scheduled = DraftContent & { id: string; version: number; is_member: boolean }

const loaded = ({ workspace_id, email_draft_id }: Message) => sql`select load_email_draft(${workspace_id}::uuid, ${email_draft_id}::uuid)`

/**
 * Reserves the message of a scheduled email whose time has come, from what is stored now. Repeated and concurrent messages do no harm: one
 * of them ends the draft. An email that can no longer be sent ends as failed.
 */
export async function sendScheduledEmail(env: Env, message: Message): Promise<void> {
  const [draft] = (await batch(jobsDatabaseOf(env), [loaded(message)])) as [Scheduled | null]
  if (!draft) return
  const { workspace_id } = message
  try {
    const { rows } = toRows(await compose(env, message, draft), `draft:${draft.id}:${draft.version}`)
    await batch(jobsDatabaseOf(env), [
      sql`select send_email_draft(${workspace_id}::uuid, ${draft.id}::uuid, ${draft.version}::int, ${JSON.stringify(rows)}::jsonb, ${MAX_THREAD_LINKS}::int,
        ${MAX_PARTICIPANTS}::int)`,
    ])
  } catch (error) {
    if (!(error instanceof AppError) || STATUS_OF[error.code] >= 500) throw error
    return fail(env, message, error.code, error.message)
  }
  // One that is lost is found by cron.
  await env.MESSAGES.send({ type: 'messages.send', workspace_id }).catch(() => {})
}

async function compose(env: Env, message: Message, draft: Scheduled) {
  if (!draft.is_member) throw new AppError('FORBIDDEN', 'The member who scheduled it is no longer active in this workspace')
  const body = bodyOf(draft)
  const { from } = mailerOf(env)
  return 'reply' in body
    ? composeReply(body.reply, (await factsFor(env, message, body)) as ReplyFacts, from)
    : composeEmail(body.email, (await factsFor(env, message, body)) as EmailFacts, from)
}

async function factsFor(env: Env, message: Message, body: DraftBody): Promise<unknown> {
  const facts = 'reply' in body ? replyFacts(body.reply) : emailFacts(body.email)
  const [, found] = await batch(jobsDatabaseOf(env), [loaded(message), sql`select ${facts}`])
  return found
}

/** After the last attempt. The replay of the dead letter takes it back. */
export const deadLetterScheduledEmail = (env: Env, message: Message): Promise<void> =>
  fail(env, message, 'UNAVAILABLE', 'The email could not be processed, in several tries')

async function fail(env: Env, { workspace_id, email_draft_id }: Message, code: string, reason: string): Promise<void> {
  await batch(jobsDatabaseOf(env), [
    sql`select fail_email_draft(${workspace_id}::uuid, ${email_draft_id}::uuid, ${code}, ${loggable(reason, 500)})`,
  ])
}
