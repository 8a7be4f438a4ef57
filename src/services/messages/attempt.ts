import type { Env } from '../../env.ts'
import { postmark } from '../../providers/email/postmark.ts'
import { type ClaimedMessage, type Outcome, reconciled, refusalOf, settled } from './outcomes.ts'

/** Hands a claimed message to the provider, or looks up one whose outcome is unclear. Never throws: every failure is an outcome. */
export async function attempt(env: Env, workspaceId: string, message: ClaimedMessage): Promise<Outcome> {
  const provider = postmark({ url: env.EMAIL_API_URL, token: env.EMAIL_API_TOKEN })
  const now = new Date()
  if (message.status === 'unclear') {
    const found = await provider.find('message_id', message.id).then(
      (id) => ({ id }),
      (error) => ({ error: String(error) }),
    )
    return reconciled(message, found, now)
  }
  const refusal = refusalOf(message, now)
  if (refusal) return refusal
  const delivery = await provider.send({
    from: env.EMAIL_FROM,
    to: message.recipient,
    subject: message.subject ?? '',
    text: message.body_text,
    html: message.body_html ?? '',
    tag: message.purpose,
    metadata: { workspace_id: workspaceId, message_id: message.id },
  })
  return settled(message, delivery)
}
