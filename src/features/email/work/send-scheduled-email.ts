import { sql } from 'drizzle-orm'
import type { WorkSet } from '../../../../queues/work/set.ts'
import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { AppError, STATUS_OF } from '../../../errors.ts'
import { mailerOf } from '../../../http/deployment.ts'
import { loggable } from '../../../lib/text.ts'
import { wake } from '../../../wake.ts'
import { toRows } from '../plans/dispatch.ts'
import { bodyOf, type DraftBody, type DraftContent } from '../plans/drafts.ts'
import { composeReply, type ReplyFacts, replyFacts } from '../plans/reply.ts'
import { composeEmail, type EmailFacts, emailFacts } from '../plans/send.ts'
import { MAX_PARTICIPANTS, MAX_THREAD_LINKS } from '../rules/emails.ts'

type Named = { workspaceId: string; id: string }
type Scheduled = DraftContent & { id: string; version: number; is_member: boolean }

/** Scheduled emails. */
export const scheduledEmails: WorkSet = {
  name: 'email.scheduled',
  queue: 'MESSAGES',
  hasItems: true,
  due: [{ table: 'email_drafts', due: 'send_at', where: "t.status = 'scheduled' and t.send_at <= now()", item: 'id' }],
  run: (env, workspaceId, id) => sendScheduledEmail(env, { workspaceId, id }),
  dead: (env, workspaceId, id) => fail(env, { workspaceId, id }, 'UNAVAILABLE', 'The email could not be processed, in several tries'),
}

const loaded = ({ workspaceId, id }: Named) => call('load_email_draft', workspaceId, id)

/**
 * Reserves the message of a scheduled email whose time has come, from what is stored now. Repeated and concurrent messages do no harm: one
 * of them ends the draft. An email that can no longer be sent ends as failed.
 */
async function sendScheduledEmail(env: Env, named: Named): Promise<void> {
  const { workspaceId } = named
  const [draft] = (await batch(jobsDatabaseOf(env), [loaded(named)])) as [Scheduled | null]
  if (!draft) return
  try {
    const { rows } = toRows(await compose(env, named, draft), `draft:${draft.id}:${draft.version}`)
    await batch(jobsDatabaseOf(env), [
      call('send_email_draft', workspaceId, draft.id, draft.version, JSON.stringify(rows), MAX_THREAD_LINKS, MAX_PARTICIPANTS),
    ])
  } catch (error) {
    if (!(error instanceof AppError) || STATUS_OF[error.code] >= 500) throw error
    return fail(env, named, error.code, error.message)
  }
  // One that is lost is found by cron.
  await wake(env, 'messages.send', workspaceId)
}

async function compose(env: Env, named: Named, draft: Scheduled) {
  if (!draft.is_member) throw new AppError('FORBIDDEN', 'The member who scheduled it is no longer active in this workspace')
  const body = bodyOf(draft)
  const { from } = mailerOf(env)
  return 'reply' in body
    ? composeReply(body.reply, (await factsFor(env, named, body)) as ReplyFacts, from)
    : composeEmail(body.email, (await factsFor(env, named, body)) as EmailFacts, from)
}

async function factsFor(env: Env, named: Named, body: DraftBody): Promise<unknown> {
  const facts = 'reply' in body ? replyFacts(body.reply) : emailFacts(body.email)
  const [, found] = await batch(jobsDatabaseOf(env), [loaded(named), sql`select ${facts}`])
  return found
}

async function fail(env: Env, { workspaceId, id }: Named, code: string, reason: string): Promise<void> {
  await batch(jobsDatabaseOf(env), [call('fail_email_draft', workspaceId, id, code, loggable(reason, 500))])
}
