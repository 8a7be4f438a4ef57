import * as v from 'valibot'
import { AppError } from '../../../errors.ts'
import { named, timestamps } from '../../../schemas/common.ts'
import { describe, Email, Id, InstantOut, Name, SingleLine } from '../../../schemas/fields.ts'
import { EMAIL_PROVIDERS } from '../rules/emails.ts'

const text = v.nullable(v.string())
const address = v.pipe(v.string(), v.examples(['ana@example.com']))
const addresses = v.array(address)

/** Callers of an earlier version send it; it is refused before anything else, because it says which field to send instead. */
const legacyFromEmail = v.optional(
  v.pipe(
    v.string(),
    v.check(() => {
      throw new AppError('FROM_EMAIL_NOT_WRITABLE', 'from_email cannot be written: send from_email_handle, the part before the @')
    }),
    v.description('Refused with FROM_EMAIL_NOT_WRITABLE: the address is made of from_email_handle and the mail domain of the service.'),
  ),
)
const configFields = {
  from_email: legacyFromEmail,
  from_email_handle: describe(
    SingleLine(64),
    'The local part of the address, the part before the @. It is unique among all workspaces, because all send from the ' +
      'mail domain of the service.',
    'hello',
  ),
  from_name: describe(Name(120), 'The name that recipients see.', 'Harbour Renovations'),
  staff_email: describe(Email, 'The address of the staff. Replies go to it while the workspace has no inbox.', 'team@example.com'),
  mailbox_sender_alias: v.optional(v.nullable(describe(Email, 'A send-as address of a connected mailbox.', 'sales@example.com'))),
}
export const NewEmailConfig = v.strictObject(configFields)
export type NewEmailConfig = v.InferOutput<typeof NewEmailConfig>
export const EmailConfigPatch = v.partial(v.strictObject(configFields))
export type EmailConfigPatch = v.InferOutput<typeof EmailConfigPatch>
export const EmailConfig = named(
  'EmailConfig',
  v.object({
    id: Id,
    from_email_handle: v.pipe(v.string(), v.examples(['hello'])),
    from_email: v.pipe(v.string(), v.description('The handle at the mail domain of the service.'), v.examples(['hello@example.com'])),
    from_name: v.pipe(v.string(), v.examples(['Harbour Renovations'])),
    staff_email: address,
    mailbox_sender_alias: v.nullable(address),
    ...timestamps,
  }),
)
export type EmailConfig = v.InferOutput<typeof EmailConfig>

export const EmailInbox = named(
  'EmailInbox',
  v.object({
    is_connected: v.pipe(v.boolean(), v.description('Whether the workspace has a path that receives emails.')),
    path: v.pipe(text, v.description('The path, which is shown once, when its token is made.'), v.examples(['/v1/email/inbound/3f1b2c'])),
    created_at: v.pipe(v.nullable(InstantOut), v.description('When the token was made.')),
  }),
)
export type EmailInbox = v.InferOutput<typeof EmailInbox>
export const ReceivedEmail = named(
  'ReceivedEmail',
  v.object({ id: Id, duplicate: v.pipe(v.boolean(), v.description('Whether this email was received before.')) }),
)

export const EmailCapabilities = named(
  'EmailCapabilities',
  v.object({
    authenticated_user: v.nullable(v.object({ user_id: Id, full_name: text, email: address })),
    company_mail_provider: v.object({
      provider: v.pipe(v.picklist(EMAIL_PROVIDERS), v.description('The provider that sends in company mode.')),
      from_email: v.pipe(address, v.description('The sender in company mode, unless the request names another one.')),
    }),
    users_with_mailbox: v.pipe(
      v.array(v.object({ user_id: Id, full_name: text, email: address })),
      v.description('The members who have connected a mailbox of their own.'),
    ),
    send_as_aliases: v.pipe(addresses, v.description('The send-as addresses of connected mailboxes.')),
  }),
)
