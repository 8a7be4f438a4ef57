import { keyOfFile } from '../../../domain/file-names.ts'
import type { Delivery } from '../../email/provider/port.ts'
import type { Telephony } from '../../sms/provider/port.ts'
import { attemptOnce } from './attempt-once.ts'
import { type ClaimedMessage, type Outcome, settled } from './outcomes.ts'

/**
 * Hands a claimed SMS to the provider, or looks up one whose outcome is unclear: by its numbers and its text, among the messages that are
 * not ours already, because the provider keeps no id of ours. Never throws: every failure is an outcome.
 */
export async function attemptSms(telephony: Telephony | undefined, workspaceId: string, message: ClaimedMessage): Promise<Outcome> {
  if (!telephony) return settled(message, { outcome: 'unavailable', reason: 'This deployment has no account at the SMS provider' })
  const sms = { from: message.sender_phone ?? '', to: message.recipient, body: message.body_text }
  return attemptOnce(message, {
    find: async () => (await telephony.sms.find(sms, new Date(message.created_at))).find((id) => !message.known_ids.includes(id)),
    async send(): Promise<Delivery> {
      const gone = message.attachments.find(({ source_id }) => source_id === null)
      if (gone) return { outcome: 'refused', reason: `The attached file ${gone.name} was deleted` }
      const media_urls = message.attachments.map(({ name, source_id }) =>
        telephony.fileUrl(keyOfFile(workspaceId, source_id as string), name, new Date()),
      )
      return telephony.sms.send({ ...sms, media_urls, status_callback: `${telephony.events_url}/${workspaceId}/${message.id}` })
    },
  })
}
