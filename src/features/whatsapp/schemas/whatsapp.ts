import * as v from 'valibot'
import { MAX_MEDIA_BYTES } from '../../../domain/files.ts'
import { named, timestamps } from '../../../schemas/common.ts'
import { Bool, describe, Enum, Id, InstantOut, Multiline, QueryBool } from '../../../schemas/fields.ts'
import { LocalPhone, QueryPhone } from '../../../schemas/parsers.ts'
import { Media } from '../../message-media/schemas/message-media.ts'
import { MESSAGE_STATUSES } from '../../messages/rules/messages.ts'
import { WHATSAPP_MESSAGE_TYPES } from '../rules/content.ts'
import { CONVERSATION_STATUSES, MAX_WHATSAPP_TEXT, WHATSAPP_DIRECTIONS, WHATSAPP_STATUSES } from '../rules/conversations.ts'
import { SHOWN_PAIRING_STATES } from '../rules/pairing.ts'
import { isOneEmoji, MAX_REACTIONS, REACTION_STATUSES } from '../rules/reactions.ts'

const text = v.nullable(v.string())
const number = v.pipe(text, v.description('A phone number in E.164.'), v.examples(['+61412345678']))
const whole = v.pipe(v.number(), v.integer())

const pairing = {
  status: v.picklist(SHOWN_PAIRING_STATES),
  phone_number: v.pipe(number, v.description('The number of the paired phone.')),
  display_name: v.pipe(text, v.description('The name of the WhatsApp account.'), v.examples(['Harbour Renovations'])),
  qr_number: v.pipe(whole, v.description('How many QR codes the pairing has shown.')),
  qr_expires_at: v.nullable(InstantOut),
  connected_at: v.nullable(InstantOut),
  error: v.pipe(text, v.description('What is wrong, and what to do about it.'), v.examples([null])),
}
export const WhatsAppPairing = named('WhatsAppPairing', v.object(pairing))
export type WhatsAppPairing = v.InferOutput<typeof WhatsAppPairing>
export const WhatsAppQr = named(
  'WhatsAppQr',
  v.object({
    ...pairing,
    qr_code: v.pipe(
      text,
      v.description(
        'A data URL with the QR code to scan in the linked devices of the phone. Null while there is none: repeat the request.',
      ),
      v.examples(['data:image/png;base64,iVBORw0KGgo=']),
    ),
  }),
)
export type WhatsAppQr = v.InferOutput<typeof WhatsAppQr>
/** The snapshot of a pairing in events. */
export const WhatsAppPairingRecord = v.object({ ...pairing, id: Id, ...timestamps })

export const WhatsAppConversation = named(
  'WhatsAppConversation',
  v.object({
    id: Id,
    external_phone_number: v.pipe(number, v.description('The number of the other person; null while WhatsApp hides it.')),
    name: v.pipe(text, v.description('The name that the other person has chosen at WhatsApp.'), v.examples(['Ana'])),
    contact_id: v.nullable(Id),
    status: v.picklist(CONVERSATION_STATUSES),
    unread: v.boolean(),
    unread_count: whole,
    direction: v.pipe(v.nullable(v.picklist(WHATSAPP_DIRECTIONS)), v.description('That of the latest message.')),
    snippet: v.pipe(v.string(), v.description('The beginning of the latest message.'), v.examples(['See you on Monday'])),
    message_count: whole,
    last_message_at: InstantOut,
    ...timestamps,
  }),
)
export const WhatsAppConversationPatch = v.strictObject({
  unread: v.optional(describe(Bool, 'Whether it is unread; `false` marks its messages as read.', false)),
  status: v.optional(Enum(CONVERSATION_STATUSES, 'A message brings an archived conversation back.')),
})
export type WhatsAppConversationPatch = v.InferOutput<typeof WhatsAppConversationPatch>
export const conversationFilters = {
  external_phone_number: v.optional(describe(QueryPhone, 'The conversation with this number.')),
  unread: v.optional(describe(QueryBool, 'Conversations with or without unread messages.')),
  status: v.optional(Enum(CONVERSATION_STATUSES)),
  contact_id: v.optional(describe(Id, 'The conversations with this contact.')),
}

const Reaction = v.object({
  emoji: v.pipe(v.string(), v.examples(['👍'])),
  from_me: v.pipe(v.boolean(), v.description('Whether it is from the paired phone or from here.')),
  sender_phone: number,
  sender_name: v.pipe(text, v.examples(['Ana'])),
  at: InstantOut,
  status: v.pipe(
    v.picklist(REACTION_STATUSES),
    v.description('Of a reaction from here: `queued` until WhatsApp has accepted it, `failed` if it has not. Others are `sent`.'),
  ),
  error: v.pipe(text, v.description('Why WhatsApp has not accepted it.'), v.examples([null])),
})

export const WhatsAppMessage = named(
  'WhatsAppMessage',
  v.object({
    id: Id,
    conversation_id: v.nullable(Id),
    group_id: v.nullable(Id),
    direction: v.picklist(WHATSAPP_DIRECTIONS),
    message_id: v.pipe(v.nullable(Id), v.description('The message of the send ledger, if it was sent from here.')),
    contact_id: v.pipe(v.nullable(Id), v.description('The contact who has written it.')),
    sender_phone: number,
    sender_name: v.pipe(text, v.examples(['Ana'])),
    type: v.picklist(WHATSAPP_MESSAGE_TYPES),
    body_text: v.pipe(
      v.string(),
      v.description('The text, the caption of a file, or the emoji of a reaction.'),
      v.examples(['See you on Monday']),
    ),
    media_type: v.pipe(text, v.description('The media type of a file.'), v.examples(['image/jpeg'])),
    media_name: v.pipe(text, v.description('The name of a file.'), v.examples([null])),
    media_size: v.pipe(v.nullable(whole), v.description('The size of a file in bytes.')),
    media: Media,
    replies_to: v.pipe(v.nullable(Id), v.description('The message that it answers or reacts to.')),
    reactions: v.pipe(
      v.array(Reaction),
      v.description(
        `The latest reaction of each person, oldest first, of the latest ${MAX_REACTIONS}. One that was taken away is left out.`,
      ),
    ),
    status: v.pipe(
      v.picklist(WHATSAPP_STATUSES),
      v.description('It rises from `queued` to `read`, and never falls. A received message is `delivered`.'),
    ),
    is_deleted: v.pipe(v.boolean(), v.description('Whether it was deleted in its chat.')),
    edited_at: v.pipe(v.nullable(InstantOut), v.description('When its writer has last changed its text.')),
    occurred_at: InstantOut,
    created_at: InstantOut,
  }),
)
export type WhatsAppMessage = v.InferOutput<typeof WhatsAppMessage>

const body = {
  text: describe(
    v.pipe(
      Multiline(MAX_WHATSAPP_TEXT),
      v.check((value) => value.trim() !== '', 'must not be empty'),
    ),
    `The text, of at most ${MAX_WHATSAPP_TEXT} characters.`,
    'See you on Monday',
  ),
  attachment_id: v.optional(
    describe(
      Id,
      'A file that is sent with the text as its caption: an attachment of a contact, a company or an opportunity that the caller may ' +
        `read, of at most ${MAX_MEDIA_BYTES / 1_000_000} MB.`,
    ),
  ),
  reply_to: v.optional(
    describe(
      Id,
      'The message that it replies to, as `whatsapp_message_id` or the `id` in a list of messages: one of this conversation or group ' +
        'that WhatsApp knows and that was not deleted.',
    ),
  ),
}
export const WhatsAppToSend = v.pipe(
  v.strictObject({
    to_phone: v.optional(describe(LocalPhone, 'The number of the recipient in E.164.')),
    conversation_id: v.optional(describe(Id, 'The conversation to write into.')),
    ...body,
  }),
  v.forward(
    v.partialCheck(
      [['to_phone'], ['conversation_id']],
      ({ to_phone, conversation_id }) => (to_phone === undefined) !== (conversation_id === undefined),
      'Send either to_phone or conversation_id',
    ),
    ['to_phone'],
  ),
)
export type WhatsAppToSend = v.InferOutput<typeof WhatsAppToSend>
export const ReactionToSend = v.strictObject({
  emoji: v.pipe(
    v.nullable(
      v.pipe(
        v.string('must be an emoji, or null'),
        v.check(isOneEmoji, 'must be exactly one emoji, such as 👍; null takes the reaction away'),
      ),
    ),
    v.description('Exactly one emoji, which replaces an earlier one; null takes the reaction away.'),
    v.examples(['👍']),
  ),
})
export type ReactionToSend = v.InferOutput<typeof ReactionToSend>
export const WhatsAppToGroup = v.strictObject({ group_id: describe(Id, 'A group that the paired phone belongs to.'), ...body })
export type WhatsAppToGroup = v.InferOutput<typeof WhatsAppToGroup>
export const WhatsAppSent = named(
  'WhatsAppSent',
  v.object({
    id: Id,
    whatsapp_message_id: v.pipe(Id, v.description('The message in its conversation or group.')),
    conversation_id: v.nullable(Id),
    group_id: v.nullable(Id),
    status: v.picklist(MESSAGE_STATUSES),
    recipient: v.pipe(v.string(), v.examples(['+61412345678'])),
    body_text: v.pipe(v.string(), v.examples(['See you on Monday'])),
    credits: v.pipe(whole, v.description('What it costs.')),
    created_at: InstantOut,
  }),
)
export type WhatsAppSent = v.InferOutput<typeof WhatsAppSent>

const group = {
  id: Id,
  jid: v.pipe(v.string(), v.description('The id of the group at WhatsApp.'), v.examples(['120363000000000001@g.us'])),
  name: v.pipe(v.string(), v.examples(['12 Bridge Street'])),
  description: v.pipe(text, v.examples([null])),
  member_count: whole,
  members_updated_at: v.nullable(InstantOut),
  is_left: v.pipe(v.boolean(), v.description('Whether the paired phone no longer belongs to it.')),
  linked_deal_id: v.nullable(Id),
  linked_customer_id: v.nullable(Id),
  unread: v.pipe(
    v.boolean(),
    v.description('Whether it has messages that nobody has read: `PATCH /conversations/{conversation_id}` marks it.'),
  ),
  unread_count: whole,
  direction: v.pipe(v.nullable(v.picklist(WHATSAPP_DIRECTIONS)), v.description('That of the latest message.')),
  snippet: v.pipe(v.string(), v.description('The beginning of the latest message.'), v.examples(['See you on Monday'])),
  message_count: whole,
  last_message_at: InstantOut,
  ...timestamps,
}
export const WhatsAppGroup = named('WhatsAppGroup', v.object(group))
export const WhatsAppGroupDetails = named(
  'WhatsAppGroupDetails',
  v.object({
    ...group,
    members: v.pipe(
      v.array(
        v.object({
          phone_number: number,
          lid: v.pipe(text, v.description('The id of a member whose number is hidden.'), v.examples([null])),
          role: v.picklist(['member', 'admin', 'owner']),
        }),
      ),
      v.description('The members at members_updated_at.'),
    ),
  }),
)
export const groupFilters = {
  linked_deal_id: v.optional(describe(Id, 'Groups that are linked to this opportunity.')),
  linked_customer_id: v.optional(describe(Id, 'Groups that are linked to this company.')),
  unlinked: v.optional(describe(QueryBool, 'Groups without or with a link.')),
}
export const GroupLink = v.pipe(
  v.strictObject({
    deal_id: v.optional(describe(Id, 'The opportunity.')),
    customer_id: v.optional(describe(Id, 'The company.')),
  }),
  v.forward(
    v.partialCheck(
      [['deal_id'], ['customer_id']],
      ({ deal_id, customer_id }) => deal_id !== undefined || customer_id !== undefined,
      'Send deal_id, customer_id or both',
    ),
    ['deal_id'],
  ),
)
export type GroupLink = v.InferOutput<typeof GroupLink>
export const AcceptedReport = named('AcceptedReport', v.object({ accepted: v.boolean() }))
