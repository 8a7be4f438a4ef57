import { sql } from 'drizzle-orm'
import { batch } from '../../../data/batch.ts'
import type { Statement } from '../../../data/db.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { newId } from '../../../lib/ids.ts'
import { hashKey, toHex } from '../../../lib/keys.ts'
import { loggable } from '../../../lib/text.ts'
import type { Delivery } from '../../email/provider/port.ts'
import { postmark } from '../../email/provider/postmark.ts'
import { invitationEmail } from '../../members/rules/invitation-email.ts'
import type { Event, Listener } from './listeners.ts'

type Invitation = {
  status: 'waiting' | 'sending' | 'sent' | 'failed'
  attempt_id: string | null
  /** True while the response to the attempt may still arrive. */
  fresh: boolean
  email: string
  role: string
  role_name: string | null
  workspace: string
  inviter: string | null
  days: number
}

/**
 * Sends an invitation's email once. The attempt is recorded before the provider is called, and an attempt with an unclear outcome is
 * looked up at the provider before the next one. Only the token's hash is stored, so each attempt has a link of its own.
 */
export const sendInvitation: Listener = { types: ['member.invited'], handle: send }

async function send(env: Env, event: Event): Promise<void> {
  const invitation = await load(env, event)
  // Accepted, replaced by a later one, or already sent.
  if (!invitation || invitation.status === 'sent' || invitation.status === 'failed') return
  if (invitation.status === 'sending' && (await isSent(env, event, invitation))) return
  const claimed = await claim(env, event, invitation)
  // It was replaced or accepted meanwhile, or another delivery of this event is sending it, which a second look tells.
  if (!claimed) return send(env, event)
  const { attempt_id, token } = claimed
  const delivery = await provider(env).send({
    ...invitationEmail({ ...invitation, link: `${env.APP_URL}/invitations/${token}` }),
    from: env.EMAIL_FROM,
    to: invitation.email,
    tag: 'invitation',
    metadata: { workspace_id: event.workspace_id, attempt_id },
  })
  await record(env, event, attempt_id, delivery)
  if (delivery.outcome === 'unavailable' || delivery.outcome === 'unclear') throw new Error(`Invitation email: ${delivery.reason}`)
}

const provider = (env: Env) => postmark({ url: env.EMAIL_API_URL, token: env.EMAIL_API_TOKEN })
const invitationOf = (event: Event) => event.payload.invitation_id as string

/** Runs one statement in the event's workspace and returns the first column of its first row. */
async function within(env: Env, event: Event, statement: Statement): Promise<unknown> {
  const database = jobsDatabaseOf(env)
  const [, result] = await batch(database, [sql`select set_config('app.workspace_id', ${event.workspace_id}, true)`, statement])
  return result
}

async function load(env: Env, event: Event) {
  const stored = await within(
    env,
    event,
    sql`select json_build_object('status', i.status, 'attempt_id', i.attempt_id, 'fresh', i.attempted_at > now() - interval '1 minute',
        'email', u.email, 'role', m.role,
        'role_name', (select r.name from roles r where r.workspace_id = m.workspace_id and r.role_key = m.role and not r.built_in),
        'workspace', w.name, 'inviter', (select full_name from users where id = i.invited_by),
          'days', ceil(extract(epoch from i.expires_at - now()) / 86400))
      from invitations i join memberships m using (workspace_id, user_id) join users u on u.id = i.user_id
      join workspaces w on w.id = i.workspace_id
      where i.id = ${invitationOf(event)} and i.expires_at > now()`,
  )
  return stored as Invitation | undefined
}

/** Whether the provider accepted the previous attempt. @throws while that is unknown. */
async function isSent(env: Env, event: Event, { attempt_id, fresh }: Invitation): Promise<boolean> {
  if (fresh || !attempt_id) throw new Error('Invitation email: the previous attempt may still be in progress')
  const message_id = await provider(env).find('attempt_id', attempt_id)
  if (message_id) await record(env, event, attempt_id, { outcome: 'sent', message_id })
  return message_id !== undefined
}

/** Records the next attempt; undefined when the invitation has changed since it was read. */
async function claim(env: Env, event: Event, { attempt_id: before }: Invitation) {
  const attempt_id = newId()
  const token = toHex(crypto.getRandomValues(new Uint8Array(32)))
  const hash = toHex(await hashKey(token))
  const claimed = await within(
    env,
    event,
    sql`update invitations set status = 'sending', attempt_id = ${attempt_id}, attempted_at = now(), token_hash = decode(${hash}, 'hex')
      where id = ${invitationOf(event)} and attempt_id is not distinct from ${before} and status in ('waiting', 'sending') returning true`,
  )
  return claimed ? { attempt_id, token } : undefined
}

/** A temporary failure is reported to the operator only, through the event; a rejection is shown to the workspace too. */
const STATUS = { sent: 'sent', refused: 'failed', unavailable: 'waiting', unclear: 'sending' } as const

function record(env: Env, event: Event, attemptId: string, delivery: Delivery) {
  const message_id = delivery.outcome === 'sent' ? delivery.message_id : null
  const error = delivery.outcome === 'refused' ? loggable(delivery.reason, 500) : null
  return within(
    env,
    event,
    sql`update invitations set status = ${STATUS[delivery.outcome]}, message_id = ${message_id}, error = ${error},
      sent_at = case when ${message_id}::text is not null then now() end
      where id = ${invitationOf(event)} and attempt_id = ${attemptId}`,
  )
}
