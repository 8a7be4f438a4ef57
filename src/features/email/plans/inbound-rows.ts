import { textOf } from '../../../domain/templates.ts'
import { newId } from '../../../lib/ids.ts'
import { snippetOf } from '../rules/emails.ts'
import type { InboundEmail } from '../rules/inbound-email.ts'
import { withoutQuotes } from '../rules/mail-quotes.ts'
import { sanitised } from './content.ts'

/** An attachment whose content is stored under its id. */
export type StoredAttachment = { id: string; name: string; content_type: string; size: number; rank: number; content_id: string | null }

/** What add_outside_email takes. */
export async function inboundRows(email: InboundEmail, attachments: StoredAttachment[], occurred_at: string) {
  const { from_email, from_name, reply_to, to, cc, subject, text, stripped_text, html, internet_id, in_reply_to, references } = email
  const body_html = html === null ? null : await sanitised(html, { remoteImages: 'block' })
  const shown = text.trim() === '' ? textOf(body_html ?? html ?? '') : text
  // Without the addresses of links, which would hide the words in a list.
  const read = stripped_text.trim() === '' ? textOf(body_html ?? html ?? '', { links: 'drop' }) : stripped_text
  const own = withoutQuotes(read) || read
  return {
    thread_id: newId(),
    named_thread_id: email.named_thread_id,
    references: in_reply_to ? [in_reply_to, ...references] : references,
    email: {
      id: newId(),
      from_email,
      from_name,
      reply_to,
      to_emails: to,
      cc_emails: cc,
      subject,
      body_text: shown,
      body_html,
      internet_id,
      in_reply_to,
      reference_ids: references,
      occurred_at,
      is_automatic: email.is_automatic,
    },
    is_bulk: email.is_bulk,
    attachments,
    participants: [from_email, ...to, ...cc],
    snippet: snippetOf(own),
    activity_body: own,
  }
}
