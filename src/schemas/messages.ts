import * as v from 'valibot'
import { CHANNELS, MESSAGE_PURPOSES, MESSAGE_STATUSES } from '../domain/messages.ts'
import { named, timestamps } from './common.ts'
import { Enum, Id, InstantOut } from './fields.ts'

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
        '`unclear`: the connection to the provider broke, so the message may have been sent. The provider is asked about it before it is sent again.',
      ),
    ),
    attempts: v.pipe(v.number(), v.integer(), v.description('How often it was handed to the provider.')),
    error: v.pipe(text, v.description('Why it failed, or why the latest attempt did.'), v.examples([null])),
    provider_message_id: v.pipe(text, v.description('Its id at the provider, once that has accepted it.')),
    expires_at: v.pipe(v.nullable(InstantOut), v.description('It is not sent after this time.')),
    sent_at: v.nullable(InstantOut),
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
