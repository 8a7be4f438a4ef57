import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { describe, Enum, Id, InstantOut, Multiline, SingleLine } from '../../../schemas/fields.ts'
import { RoleKey } from '../../access/schemas/roles.ts'
import { EMAIL_PROVIDERS } from '../../email/rules/emails.ts'
import { CHANNELS, DELIVERY_STATUSES, MESSAGE_PURPOSES, MESSAGE_STATUSES } from '../rules/messages.ts'

const text = v.nullable(v.string())

/** The channel of a message or an address, in responses. */
export const channelOut = v.pipe(v.picklist(CHANNELS), v.description('`email`, `sms` or `whatsapp`.'))

export const Message = named(
  'Message',
  v.object({
    id: Id,
    channel: channelOut,
    purpose: v.pipe(v.picklist(MESSAGE_PURPOSES), v.description('What it is sent for.')),
    contact_id: v.nullable(Id),
    recipient: v.pipe(v.string(), v.description('The email address or phone number.'), v.examples(['ana@example.com'])),
    subject: text,
    status: v.pipe(
      v.picklist(MESSAGE_STATUSES),
      v.description(
        '`unclear`: the connection to the provider broke, so the message may have been sent. ' +
          'The provider is asked about it before it is sent again.',
      ),
    ),
    attempts: v.pipe(v.number(), v.integer(), v.description('How often it was handed to the provider.')),
    error: v.pipe(text, v.description('Why it failed, or why the latest attempt did.'), v.examples([null])),
    provider_message_id: v.pipe(text, v.description('Its id at the provider, once that has accepted it.')),
    expires_at: v.pipe(v.nullable(InstantOut), v.description('It is not sent after this time.')),
    sent_at: v.nullable(InstantOut),
    provider: v.pipe(v.nullable(v.picklist(EMAIL_PROVIDERS)), v.description('The mail provider, of an email.')),
    sender_email: v.pipe(
      text,
      v.description('The sender of an email; null for the address of the service.'),
      v.examples(['hello@example.com']),
    ),
    sender_name: text,
    sender_user_id: v.pipe(v.nullable(Id), v.description('The member who has sent it.')),
    reply_to: v.pipe(text, v.description('The address that replies go to, if it is not the sender.')),
    cc: v.array(v.string()),
    bcc: v.array(v.string()),
    thread_id: v.pipe(v.nullable(Id), v.description('The email thread that it is in.')),
    deal_id: v.nullable(Id),
    customer_id: v.nullable(Id),
    sender_phone: v.pipe(text, v.description('The number of the workspace that an SMS is sent from.')),
    segments: v.pipe(
      v.nullable(v.pipe(v.number(), v.integer())),
      v.description('The segments of an SMS, each of which is charged, and 1 of one with files; null for a channel without a price.'),
    ),
    credits: v.pipe(v.number(), v.integer(), v.description('The credits that it costs.'), v.examples([1])),
    delivery_status: v.pipe(
      v.nullable(v.picklist(DELIVERY_STATUSES)),
      v.description('What the provider has reported since it accepted the message.'),
    ),
    ...timestamps,
  }),
)

export const MessageDetails = named(
  'MessageDetails',
  v.object({
    ...Message.entries,
    body_text: v.pipe(v.string(), v.description('Its plain text.')),
    body_html: v.pipe(text, v.description('Its HTML; null for a channel without HTML.')),
  }),
)

export const messageFilters = {
  contact_id: v.optional(Id),
  channel: v.optional(Enum(CHANNELS)),
  status: v.optional(Enum(MESSAGE_STATUSES)),
  purpose: v.optional(Enum(MESSAGE_PURPOSES)),
}

/** The content of an email, which steps of automations have too. */
export const emailContent = {
  subject: describe(SingleLine(255), 'The subject.', 'Your offer'),
  text: describe(Multiline(), 'The plain text.', 'Hello Ana, here is your offer.'),
  html: v.optional(describe(Multiline(100_000), 'The HTML. By default it is made of the text.', '<p>Hello Ana, here is your offer.</p>')),
}
const MessageBody = v.strictObject({
  contact_id: describe(Id, 'The contact.'),
  channel: v.optional(Enum(CHANNELS, 'The channel.'), 'email'),
  ...emailContent,
  subject: v.optional(describe(SingleLine(255), 'The subject of an email.', 'Your offer')),
})
export const MessageToSend = v.pipe(
  MessageBody,
  v.forward(
    v.partialCheck(
      [['channel'], ['subject']],
      ({ channel, subject }) => (channel === 'email') === (subject !== undefined),
      'Send it with an email, and only then',
    ),
    ['subject'],
  ),
  v.forward(
    v.partialCheck([['channel'], ['html']], ({ channel, html }) => channel === 'email' || html === undefined, 'Send it only with an email'),
    ['html'],
  ),
)
export type MessageToSend = v.InferOutput<typeof MessageToSend>

const NoticeBody = v.strictObject({
  user_ids: v.optional(
    v.pipe(v.array(Id, 'must be a list of ids'), v.maxLength(100, 'must be at most 100'), v.description('These members.')),
  ),
  role: v.optional(describe(RoleKey, 'The members with this role.', 'client_admin')),
  assignee_of: v.optional(
    v.pipe(
      v.strictObject({ contact_id: v.optional(Id), customer_id: v.optional(Id), opportunity_id: v.optional(Id) }, 'must be an object'),
      v.description('The members to whom these records are assigned.'),
    ),
  ),
  followers_of: v.optional(
    v.pipe(
      v.strictObject({ contact_id: v.optional(Id), customer_id: v.optional(Id), opportunity_id: v.optional(Id) }, 'must be an object'),
      v.description('The members who follow these records.'),
    ),
  ),
  ...emailContent,
})
export const Notice = v.pipe(
  NoticeBody,
  v.forward(
    v.partialCheck(
      [['user_ids'], ['role'], ['assignee_of'], ['followers_of']],
      ({ user_ids = [], role, assignee_of = {}, followers_of = {} }) =>
        user_ids.length > 0 || role !== undefined || Object.keys({ ...assignee_of, ...followers_of }).length > 0,
      'Send user_ids, role, assignee_of or followers_of',
    ),
    ['user_ids'],
  ),
)
export type Notice = v.InferOutput<typeof Notice>
export const NoticeResult = named(
  'Notice',
  v.object({
    recipients: v.pipe(
      v.array(
        v.object({ message_id: Id, recipient: v.pipe(v.string(), v.description('The email address.'), v.examples(['ana@example.com'])) }),
      ),
      v.description('The messages, one for each member.'),
    ),
  }),
)
