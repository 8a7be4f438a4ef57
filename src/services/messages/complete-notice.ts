import { inviteFile, inviteMethod, isInvitee } from '../../domain/scheduling/invites.ts'
import { fillManagementUrl } from '../../domain/scheduling/notice-texts.ts'
import { toBase64 } from '../../lib/base64.ts'
import type { ClaimedMessage } from './outcomes.ts'

/**
 * The message of a notice as it is handed to the provider: with the link of the booker's page, which no record of the message has, and with the
 * calendar entry of the booking as it is now.
 */
export function completeNotice(message: ClaimedMessage, appUrl: string, now: number): ClaimedMessage {
  const { notice, channel, body_text, body_html } = message
  if (!notice) return message
  const { facts, management_token } = notice
  const url = management_token && `${appUrl}/book/${encodeURIComponent(facts.workspace.slug)}/manage/${management_token}`
  const completed = {
    ...message,
    body_text: fillManagementUrl(body_text, url),
    body_html: body_html === null ? null : fillManagementUrl(body_html, url),
  }
  const method = channel === 'email' && isInvitee(facts, message.recipient) ? inviteMethod(notice.kind, facts) : undefined
  if (!method) return completed
  const content_type = `text/calendar; charset=utf-8; method=${method}`
  return { ...completed, made: [{ name: 'invite.ics', content_type, content: toBase64(inviteFile(facts, method, now, url)) }] }
}
