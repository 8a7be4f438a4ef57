import * as v from 'valibot'
import { named } from '../../../schemas/common.ts'
import { describe, Enum, Id, Ids, Instant, InstantOut, Multiline, optional, QueryBool } from '../../../schemas/fields.ts'
import { BodyPhone, QueryPhone } from '../../../schemas/parsers.ts'
import { EMAIL_DIRECTIONS } from '../../email/rules/emails.ts'
import { MAX_MEDIA, MAX_MMS_BYTES } from '../../message-media/rules/message-media.ts'
import { Media } from '../../message-media/schemas/message-media.ts'
import { DELIVERY_STATUSES, MESSAGE_STATUSES } from '../../messages/rules/messages.ts'
import { CONSENT_DECISIONS, CONSENT_SOURCES, MAX_MARKED_SMS, MAX_SMS_CHARACTERS, RECORDED_SOURCES, SMS_ENCODINGS } from '../rules/sms.ts'

const whole = (description: string, example: number) => v.pipe(v.number(), v.integer(), v.description(description), v.examples([example]))
const text = v.nullable(v.string())
const number = (description: string, example: string) => v.pipe(v.string(), v.description(description), v.examples([example]))

const Text = v.pipe(
  Multiline(MAX_SMS_CHARACTERS),
  v.check((value) => value.trim() !== '', 'must not be empty'),
)
const Body = v.strictObject({
  contact_id: v.optional(describe(Id, 'The contact, who is written to at its phone. Send this, to_phone or conversation_id.')),
  to_phone: v.optional(
    describe(BodyPhone, 'The number, which is stored as E.164. A contact who has it is found by any of its numbers.', '+61412345678'),
  ),
  conversation_id: v.optional(describe(Id, 'The conversation that is continued, from the same number.')),
  text: describe(Text, 'The text. See GET /sms/segments for what it costs.', 'Your order is ready.'),
  attachment_ids: v.optional(
    v.pipe(
      Ids(MAX_MEDIA),
      v.description(
        'Files that are sent with it as an MMS, which has a price of its own (see GET /billing/credits): attachments of contacts, ' +
          `companies and opportunities that the caller may read, at most ${MAX_MMS_BYTES / 1_000_000} MB together. ` +
          'Where the number or the country has no MMS, the provider refuses the message or sends a link.',
      ),
    ),
  ),
  phone_number_id: v.optional(
    describe(
      Id,
      'The number to send from. By default the latest one that the recipient has heard from, or else the first of the workspace.',
    ),
  ),
})
export const SmsToSend = v.pipe(
  Body,
  v.forward(
    v.partialCheck(
      [['contact_id'], ['to_phone'], ['conversation_id']],
      (sent) => [sent.contact_id, sent.to_phone, sent.conversation_id].filter((one) => one !== undefined).length === 1,
      'Send exactly one of contact_id, to_phone and conversation_id',
    ),
    ['contact_id'],
  ),
  v.forward(
    v.partialCheck(
      [['conversation_id'], ['phone_number_id']],
      (sent) => sent.conversation_id === undefined || sent.phone_number_id === undefined,
      'Leave it out: a conversation is continued from its own number',
    ),
    ['phone_number_id'],
  ),
)
export type SmsToSend = v.InferOutput<typeof SmsToSend>

export const SmsConversation = named(
  'SmsConversation',
  v.object({
    id: Id,
    phone_number: number('The number of the workspace.', '+61491571570'),
    external_phone_number: number('The number of the other side.', '+61412345678'),
    contact_id: v.pipe(v.nullable(Id), v.description('The contact that the conversation is with, if its number is known.')),
    unread: v.pipe(v.boolean(), v.description('Whether it has messages that nobody has read.')),
    direction: v.pipe(v.picklist(EMAIL_DIRECTIONS), v.description('That of the latest message.')),
    snippet: v.pipe(v.string(), v.description('The beginning of the latest message.')),
    message_count: whole('How many messages it has.', 2),
    last_message_at: InstantOut,
    created_at: InstantOut,
  }),
)
export const conversationFilters = {
  contact_id: v.optional(Id),
  phone_number: v.optional(QueryPhone),
  external_phone_number: v.optional(QueryPhone),
  unread: v.optional(describe(QueryBool, 'Only conversations with unread messages, or without.', true)),
}

export const SmsMessage = named(
  'SmsMessage',
  v.object({
    id: Id,
    conversation_id: Id,
    direction: v.picklist(EMAIL_DIRECTIONS),
    message_id: v.pipe(v.nullable(Id), v.description('Of an outbound message, its id in GET /messages.')),
    text: v.pipe(v.string(), v.description('The text.')),
    status: v.pipe(v.nullable(v.picklist(MESSAGE_STATUSES)), v.description('Of an outbound message, what came of sending it.')),
    delivery_status: v.pipe(v.nullable(v.picklist(DELIVERY_STATUSES)), v.description('What the provider has reported since.')),
    error: v.pipe(text, v.description('Why it was not sent, or the error code of the provider.')),
    segments: v.pipe(v.nullable(v.pipe(v.number(), v.integer())), v.description('The segments of an outbound message; 1 of an MMS.')),
    credits: v.pipe(v.nullable(v.pipe(v.number(), v.integer())), v.description('What an outbound message costs.')),
    media_count: whole('How many pictures and other files it has.', 0),
    media: Media,
    occurred_at: InstantOut,
  }),
)
export type SmsMessage = v.InferOutput<typeof SmsMessage>

const ids = v.pipe(
  v.array(Id, 'must be a list of ids'),
  v.minLength(1, 'Send at least one id'),
  v.maxLength(MAX_MARKED_SMS, `must be at most ${MAX_MARKED_SMS}`),
)
export const SmsMarkRead = v.strictObject({
  conversation_ids: v.optional(
    v.pipe(
      ids,
      v.description(`The conversations; without them, the ${MAX_MARKED_SMS} latest unread ones. Repeat the call while has_more is true.`),
    ),
  ),
})
export type SmsMarkRead = v.InferOutput<typeof SmsMarkRead>

export const segmentsQuery = v.strictObject({
  text: describe(Text, 'The text of an SMS.', 'Your order is ready.'),
  with_files: v.optional(describe(QueryBool, 'Whether files are sent with it: an MMS has a price of its own.', false)),
})
export type SmsSegmentsQuery = v.InferOutput<typeof segmentsQuery>
export const SmsSegments = named(
  'SmsSegments',
  v.object({
    encoding: v.pipe(
      v.picklist(SMS_ENCODINGS),
      v.description(
        '`gsm7` if the text has only characters of GSM 03.38, otherwise `ucs2`, of which a segment holds less than half as much.',
      ),
    ),
    units: whole('The septets of GSM-7, or the UTF-16 code units of UCS-2.', 20),
    segments: whole('The segments that it is sent as.', 1),
    credits: whole('What it costs: its segments, or with files an MMS.', 1),
  }),
)

export const SmsConsent = named(
  'SmsConsent',
  v.object({
    id: Id,
    phone_number: v.pipe(v.string(), v.description('The number in E.164.'), v.examples(['+61412345678'])),
    contact_id: v.pipe(v.nullable(Id), v.description('The contact who had the number then.')),
    decision: v.pipe(v.picklist(CONSENT_DECISIONS), v.description('What the person has decided. The latest decision of a number holds.')),
    source: v.pipe(v.picklist(CONSENT_SOURCES), v.description('How the workspace knows; `keyword`: by replying STOP or START.')),
    evidence: v.pipe(text, v.description('What proves it.'), v.examples(['Replied STOP'])),
    recorded_by: v.pipe(v.nullable(Id), v.description('The member who has recorded it; null for a keyword.')),
    occurred_at: v.pipe(InstantOut, v.description('When the person has decided.')),
    created_at: InstantOut,
  }),
)
export type SmsConsent = v.InferOutput<typeof SmsConsent>
export const NewSmsConsent = v.strictObject({
  phone_number: describe(BodyPhone, 'The number of the person, in E.164.'),
  decision: Enum(CONSENT_DECISIONS, 'What the person has decided. `opt_out`: the number gets no SMS any more.'),
  source: Enum(RECORDED_SOURCES, 'How the workspace knows.'),
  evidence: optional(
    describe(Multiline(2000), 'What proves it, such as the wording of the form and its address.', 'Ticked "Text me offers" at /signup'),
  ),
  occurred_at: v.optional(describe(Instant, 'When the person has decided; by default now. Not in the future.', '2026-03-31T09:30:00.000Z')),
})
export type NewSmsConsent = v.InferOutput<typeof NewSmsConsent>
export const consentFilters = {
  phone_number: v.optional(QueryPhone),
  contact_id: v.optional(Id),
  decision: v.optional(Enum(CONSENT_DECISIONS)),
}
