import * as v from 'valibot'
import { named } from '../../../schemas/common.ts'
import { Id, InstantOut } from '../../../schemas/fields.ts'
import { MESSAGE_STATUSES } from '../../messages/rules/messages.ts'
import { EMAIL_DIRECTIONS } from '../rules/emails.ts'

const text = v.nullable(v.string())
const address = v.pipe(v.string(), v.examples(['ana@example.com']))
const addresses = v.array(address)
const whole = v.pipe(v.number(), v.integer())

export const EmailAttachment = v.object({
  id: Id,
  name: v.pipe(v.string(), v.examples(['offer.pdf'])),
  mimeType: v.pipe(v.string(), v.examples(['application/pdf'])),
  size: v.pipe(whole, v.description('In bytes.'), v.examples([20480])),
})
const ReceivedAttachment = v.object({
  ...EmailAttachment.entries,
  content_id: v.pipe(
    v.nullable(v.string()),
    v.description('The Content-ID by which body_html shows the file: its images have src="cid:" followed by it.'),
    v.examples([null]),
  ),
})
export const EmailAttachmentLink = named(
  'EmailAttachmentLink',
  v.object({
    ...EmailAttachment.entries,
    url: v.pipe(v.string(), v.description('Serves the file to anyone until expires_at.'), v.examples(['https://api.example.com/files/a'])),
    expires_at: InstantOut,
  }),
)
export const EmailMessage = named(
  'EmailMessage',
  v.object({
    id: Id,
    thread_id: Id,
    direction: v.picklist(EMAIL_DIRECTIONS),
    message_id: v.pipe(
      v.nullable(Id),
      v.description(
        'The entry of the email log, of an outbound message. Null for one that a member has sent at the provider of the mailbox.',
      ),
    ),
    status: v.pipe(v.nullable(v.picklist(MESSAGE_STATUSES)), v.description('Of an outbound message of the email log.')),
    contact_id: v.pipe(v.nullable(Id), v.description('The contact who has sent it, of an inbound message.')),
    from_email: address,
    from_name: text,
    to_emails: addresses,
    cc_emails: addresses,
    subject: text,
    body_text: text,
    body_html: v.pipe(
      text,
      v.description(
        'HTML without scripts, forms and the like. Images of an inbound message have their address in data-remote-src, ' +
          'so that nothing is loaded.',
      ),
    ),
    attachments: v.array(ReceivedAttachment),
    has_attachment: v.boolean(),
    attachment_filename: v.pipe(text, v.description('The name of the first attachment.'), v.examples([null])),
    is_automatic: v.pipe(
      v.boolean(),
      v.description(
        'Whether no person has sent it: an out-of-office reply, a notification or a bounce (RFC 3834). ' +
          'Such a message does not reopen its conversation.',
      ),
      v.examples([false]),
    ),
    occurred_at: InstantOut,
    created_at: InstantOut,
  }),
)
export type EmailMessage = v.InferOutput<typeof EmailMessage>
