import type { Telephony } from '../../providers/sms/port.ts'
import { type ClaimedMessage, type Outcome, reconciled, refusalOf, settled } from './outcomes.ts'

/**
 * Hands a claimed SMS to the provider, or looks up one whose outcome is unclear: by its numbers and its text, among the messages that are not ours already,
 * because the provider keeps no id of ours. Never throws: every failure is an outcome.
 */
export async function attemptSms(telephony: Telephony | undefined, workspaceId: string, message: ClaimedMessage): Promise<Outcome> {
  const now = new Date()
  if (!telephony) return settled(message, { outcome: 'unavailable', reason: 'This deployment has no account at the SMS provider' })
  const sms = { from: message.sender_phone ?? '', to: message.recipient, body: message.body_text }
  if (message.status === 'unclear') {
    const found = await telephony.sms.find(sms, new Date(message.created_at)).then(
      (ids) => ({ id: ids.find((id) => !message.known_ids.includes(id)) }),
      (error) => ({ error: String(error) }),
    )
    return reconciled(message, found, now)
  }
  const refusal = refusalOf(message, now)
  if (refusal) return refusal
  const status_callback = `${telephony.events_url}/${workspaceId}/${message.id}`
  return settled(message, await telephony.sms.send({ ...sms, status_callback }))
}
