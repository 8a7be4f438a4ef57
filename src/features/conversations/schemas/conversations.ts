import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { Bool, describe, Enum, Id, Instant, InstantOut, pageQuery, QueryBool, QueryInstant } from '../../../schemas/fields.ts'
import { EMAIL_DIRECTIONS } from '../../email/rules/emails.ts'
import { DELIVERY_STATUSES, MESSAGE_STATUSES } from '../../messages/rules/messages.ts'
import { INBOX_CHANNELS, INBOX_STATUSES, MAX_SNOOZE_DAYS } from '../rules/conversations.ts'

const text = v.nullable(v.string())
const whole = (description: string, example: number) => v.pipe(v.number(), v.integer(), v.description(description), v.examples([example]))

const channel = v.pipe(v.picklist(INBOX_CHANNELS), v.description('How the messages are sent and received.'))

export const Conversation = named(
  'Conversation',
  v.object({
    id: v.pipe(Id, v.description('The id of the email thread, SMS conversation, WhatsApp conversation or WhatsApp group.')),
    channel,
    is_group: v.pipe(v.boolean(), v.description('Whether it is a WhatsApp group.'), v.examples([false])),
    contact_id: v.pipe(
      v.nullable(Id),
      v.description('The contact that it is with, if that is known. It is deleted with the contact. A group has none.'),
    ),
    title: v.pipe(
      v.string(),
      v.description(
        'The subject of an email thread, the number of the other side of SMS, the name or the number of a person at ' +
          'WhatsApp, the name of a group.',
      ),
      v.examples(['Your offer']),
    ),
    direction: v.pipe(v.picklist(EMAIL_DIRECTIONS), v.description('That of the latest message.')),
    snippet: v.pipe(v.string(), v.description('The beginning of the latest message.'), v.examples(['See you on Monday'])),
    unread: v.boolean(),
    message_count: whole('How many messages it has.', 2),
    last_message_at: InstantOut,
    status: v.pipe(
      v.picklist(INBOX_STATUSES),
      v.description('A message that is received opens a snoozed or closed conversation again, and so does the end of the snooze.'),
    ),
    snoozed_until: v.nullable(InstantOut),
    closed_at: v.pipe(v.nullable(InstantOut), v.description('When a closed conversation was closed.')),
    assigned_to: v.pipe(v.nullable(Id), v.description('The member who takes care of it.')),
    private_to: v.pipe(
      v.nullable(Id),
      v.description('The member in whose mailbox it is, and who alone sees it; null: the team does.'),
      v.examples([null]),
    ),
    ...timestamps,
  }),
)
export type Conversation = v.InferOutput<typeof Conversation>

const SORTS = ['last_message_at', '-last_message_at', 'updated_at', '-updated_at'] as const
const sort = v.pipe(
  v.picklist(SORTS, `must be one of: ${SORTS.join(', ')}`),
  v.description('The sort field; a minus sign reverses the order.'),
  v.examples(['-last_message_at']),
)
export const conversationsQuery = v.strictObject({
  ...pageQuery,
  channel: v.optional(Enum(INBOX_CHANNELS)),
  is_group: v.optional(describe(QueryBool, 'WhatsApp groups only, or none of them.', true)),
  status: v.optional(Enum(INBOX_STATUSES)),
  assigned_to: v.optional(describe(Id, 'Conversations of this member.')),
  unassigned: v.optional(
    v.pipe(
      QueryBool,
      v.check((value) => value, 'must be true: leave it out, or send assigned_to'),
      v.description('`true` returns conversations of nobody.'),
      v.examples([true]),
    ),
  ),
  unread: v.optional(describe(QueryBool, 'Conversations with or without unread messages.', true)),
  contact_id: v.optional(describe(Id, 'Conversations with this contact.')),
  last_message_after: v.optional(describe(QueryInstant, 'Conversations with a message at this time or later.')),
  last_message_before: v.optional(describe(QueryInstant, 'Conversations whose latest message is of this time or earlier.')),
  sort: v.optional(sort, '-last_message_at'),
})
export type ConversationsQuery = v.InferOutput<typeof conversationsQuery>

const fields = {
  status: v.optional(describe(v.picklist(INBOX_STATUSES, `must be one of: ${INBOX_STATUSES.join(', ')}`), 'The status.', 'snoozed')),
  snoozed_until: v.optional(
    v.nullable(
      describe(
        Instant,
        `When it is opened again, at most ${MAX_SNOOZE_DAYS} days ahead. Alone it snoozes the conversation.`,
        '2030-03-31T09:30:00.000Z',
      ),
    ),
  ),
  assigned_to: v.optional(v.nullable(describe(Id, 'The member who takes care of it. Null: nobody.'))),
  unread: v.optional(describe(Bool, 'Whether it is unread; so it is in its channel.', false)),
}
export const ConversationPatch = v.strictObject(fields)
export type ConversationPatch = v.InferOutput<typeof ConversationPatch>
export const ConversationPatchWithId = v.strictObject({ id: Id, ...fields })

export const ConversationMessage = named(
  'ConversationMessage',
  v.object({
    id: Id,
    channel,
    direction: v.picklist(EMAIL_DIRECTIONS),
    message_id: v.pipe(v.nullable(Id), v.description('Of a message that was sent from here, its id in GET /messages.')),
    sender: v.pipe(text, v.description('The address or the number that it is from, if it is known.'), v.examples(['ana@example.com'])),
    sender_name: v.pipe(text, v.description('The name that the sender goes by.'), v.examples(['Ana Lee'])),
    subject: v.pipe(text, v.description('The subject of an email.'), v.examples(['Your offer'])),
    body_text: v.pipe(v.string(), v.description('The text.'), v.examples(['See you on Monday'])),
    body_html: v.pipe(text, v.description('The HTML of an email, without scripts and remote images.'), v.examples([null])),
    attachment_count: whole('How many files, pictures and other media it has.', 0),
    status: v.pipe(v.nullable(v.picklist(MESSAGE_STATUSES)), v.description('Of an outbound message, what came of sending it.')),
    delivery_status: v.pipe(v.nullable(v.picklist(DELIVERY_STATUSES)), v.description('What the provider has reported since.')),
    error: v.pipe(text, v.description('Why it was not sent, or the error of the provider.'), v.examples([null])),
    occurred_at: InstantOut,
  }),
)
export type ConversationMessage = v.InferOutput<typeof ConversationMessage>
