import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { Bool, describe, Email, Enum, Id, Ids, Instant, InstantOut, Multiline, QueryBool, SingleLine } from '../../../schemas/fields.ts'
import { pipeOf } from '../../../schemas/pipes.ts'
import { MESSAGE_PURPOSES, MESSAGE_STATUSES } from '../../messages/rules/messages.ts'
import {
  EMAIL_DIRECTIONS,
  EMAIL_MODES,
  EMAIL_PROVIDERS,
  MAX_EMAIL_BYTES,
  MAX_MARKED,
  MAX_RECIPIENTS,
  MAX_SENT_ATTACHMENTS,
  MAX_SUBJECT,
  THREAD_STATUSES,
} from '../rules/emails.ts'

const text = v.nullable(v.string())
const address = v.pipe(v.string(), v.examples(['ana@example.com']))
const addresses = v.array(address)
const whole = v.pipe(v.number(), v.integer())

// Sending

const recipients = (description: string) =>
  v.optional(
    v.pipe(
      v.array(Email, 'must be a list of email addresses'),
      v.maxLength(MAX_RECIPIENTS - 1, `must be at most ${MAX_RECIPIENTS - 1}: an email has at most ${MAX_RECIPIENTS} recipients`),
      v.description(description),
      v.examples([['team@example.com']]),
    ),
  )
const content = {
  mode: v.optional(Enum(EMAIL_MODES, 'Whether the mail provider of the workspace sends it, or the mailbox of a member.'), 'company'),
  sender_user_id: v.optional(describe(Id, 'The member from whose mailbox it is sent, in personal mode.')),
  config_id: v.optional(describe(Id, 'The sender: an email config. The oldest one by default.')),
  cc: recipients('Further recipients.'),
  bcc: recipients('Further recipients whom the others do not see.'),
  text: v.optional(describe(Multiline(), 'The plain text. By default it is made of the HTML.', 'Hello Ana, here is your offer.')),
  html: v.optional(
    describe(
      Multiline(100_000),
      'The HTML, without scripts, forms and the like. By default it is made of the text.',
      '<p>Hello Ana, here is your offer.</p>',
    ),
  ),
  template_id: v.optional(
    describe(
      Id,
      'An email template, in place of text and html. Its merge tags have the values of the contact; without one, their fallbacks.',
    ),
  ),
  append_signature: v.optional(describe(Bool, 'Whether the signature of the caller is appended.', true)),
  send_at: v.optional(
    describe(
      Instant,
      'When it is sent, at most a year ahead. It is then an email draft with the status `scheduled`, which is returned.',
      '2030-03-31T09:30:00.000Z',
    ),
  ),
  attachment_ids: v.optional(
    v.pipe(
      Ids(MAX_SENT_ATTACHMENTS),
      v.description(
        'Files that are attached: attachments of contacts, companies and opportunities that the caller may read. ' +
          `With the text they are at most ${MAX_EMAIL_BYTES / 1_000_000} MB in base64.`,
      ),
    ),
  ),
}
type Sent = {
  template_id?: string | undefined
  text?: string | undefined
  html?: string | undefined
  mode: string
  sender_user_id?: string | undefined
  cc?: string[]
  bcc?: string[]
}
const rules = [
  v.forward(
    v.partialCheck(
      [['text'], ['html'], ['template_id']],
      ({ text, html, template_id }: Sent) => template_id !== undefined || Boolean(text?.trim() || html?.trim()),
      'Send text, html or both, or template_id',
    ),
    ['text'],
  ),
  v.forward(
    v.partialCheck(
      [['text'], ['html'], ['template_id']],
      ({ text, html, template_id }: Sent) => template_id === undefined || (text === undefined && html === undefined),
      'A template has the text: send it, or text and html',
    ),
    ['template_id'],
  ),
  v.forward(
    v.partialCheck(
      [['mode'], ['sender_user_id']],
      ({ mode, sender_user_id }: Sent) => mode === 'personal' || sender_user_id === undefined,
      'Send it only in personal mode',
    ),
    ['sender_user_id'],
  ),
  v.forward(
    v.partialCheck(
      [['cc'], ['bcc']],
      ({ cc = [], bcc = [] }: Sent) => cc.length + bcc.length < MAX_RECIPIENTS,
      `An email has at most ${MAX_RECIPIENTS} recipients, in to, cc and bcc together`,
    ),
    ['bcc'],
  ),
] as const

const SendBody = v.strictObject({
  to: v.optional(describe(Email, 'The recipient. By default the email of the contact.')),
  subject: v.optional(
    v.pipe(
      describe(SingleLine(MAX_SUBJECT), 'The subject; by default that of the template.', 'Your offer'),
      v.minLength<string, 1, string>(1, 'must not be empty'),
    ),
  ),
  contact_id: v.optional(describe(Id, 'The contact whom it is for. It is then in the activities of the contact.')),
  deal_id: v.optional(describe(Id, 'The opportunity that it is about. It is then in the activities of the opportunity.')),
  customer_id: v.optional(describe(Id, 'The company that it is about.')),
  ...content,
})
const hasRecipient = v.forward(
  v.partialCheck(
    [['to'], ['contact_id']],
    ({ to, contact_id }: { to?: string; contact_id?: string }) => to !== undefined || contact_id !== undefined,
    'Send to or contact_id',
  ),
  ['to'],
)
const hasSubject = v.forward(
  v.partialCheck(
    [['subject'], ['template_id']],
    ({ subject, template_id }: { subject?: string; template_id?: string }) => subject !== undefined || template_id !== undefined,
    'Required, unless a template has it',
  ),
  ['subject'],
)
/** One flat pipe, because the rules are applied to the body with the fields of every write. */
export const EmailToSend = pipeOf<typeof SendBody>(SendBody, ...rules, hasRecipient, hasSubject)
export type EmailToSend = v.InferOutput<typeof EmailToSend>
const ReplyBody = v.strictObject({ thread_id: describe(Id, 'The thread.'), ...content })
export const EmailReply = pipeOf<typeof ReplyBody>(ReplyBody, ...rules)
export type EmailReply = v.InferOutput<typeof EmailReply>

export const EmailLog = named(
  'EmailLog',
  v.object({
    id: Id,
    type: v.pipe(v.picklist(MESSAGE_PURPOSES), v.description('What it was sent for.')),
    status: v.picklist(MESSAGE_STATUSES),
    provider: v.nullable(v.picklist(EMAIL_PROVIDERS)),
    provider_message_id: v.pipe(text, v.description('Its id at the provider, once that has accepted it.')),
    subject: text,
    recipient_email: address,
    sender_email: v.pipe(text, v.description('Null: the address of the service.'), v.examples(['hello@example.com'])),
    sender_user_id: v.pipe(v.nullable(Id), v.description('The member who has sent it.')),
    cc: addresses,
    bcc: addresses,
    thread_id: v.nullable(Id),
    contact_id: v.nullable(Id),
    deal_id: v.nullable(Id),
    customer_id: v.nullable(Id),
    error: v.pipe(text, v.description('Why it failed, or why the latest attempt did.'), v.examples([null])),
    sent_at: v.nullable(InstantOut),
    created_at: InstantOut,
    updated_at: InstantOut,
  }),
)
export type EmailLog = v.InferOutput<typeof EmailLog>
export const emailLogFilters = {
  status: v.optional(Enum(MESSAGE_STATUSES)),
  contact_id: v.optional(Id),
  deal_id: v.optional(Id),
  type: v.optional(Enum(MESSAGE_PURPOSES)),
  provider: v.optional(Enum(EMAIL_PROVIDERS)),
}

// Threads

const linked = (description: string) => v.pipe(v.array(v.object({ id: Id, name: v.string() })), v.description(description))
export const EmailThread = named(
  'EmailThread',
  v.object({
    id: Id,
    subject: v.pipe(v.string(), v.examples(['Your offer'])),
    status: v.picklist(THREAD_STATUSES),
    is_read: v.boolean(),
    direction: v.pipe(v.picklist(EMAIL_DIRECTIONS), v.description('That of the latest message.')),
    snippet: v.pipe(v.string(), v.description('The beginning of the latest message.'), v.examples(['Hello Ana, here is your offer.'])),
    message_count: whole,
    last_message_at: InstantOut,
    contact_id: v.pipe(v.nullable(Id), v.description('The contact that it is with. It is deleted with the contact.')),
    private_to: v.pipe(
      v.nullable(Id),
      v.description('The member in whose mailbox it is, and who alone sees it; null: the team does.'),
      v.examples([null]),
    ),
    participants: v.pipe(addresses, v.description('The addresses that have written or received a message, at most 50.')),
    contacts: linked('The contacts that it is linked to.'),
    deals: linked('The opportunities that it is linked to.'),
    customers: linked('The companies that it is linked to.'),
    ...timestamps,
  }),
)
export type EmailThread = v.InferOutput<typeof EmailThread>
export const EmailThreadPatch = v.strictObject({
  status: v.optional(Enum(THREAD_STATUSES, 'A message brings an archived thread back.')),
  is_read: v.optional(describe(Bool, 'Whether it is read.', true)),
})
export const emailThreadFilters = {
  status: v.optional(Enum(THREAD_STATUSES)),
  is_read: v.optional(QueryBool),
  direction: v.optional(Enum(EMAIL_DIRECTIONS, 'The direction of the latest message.')),
  contact_id: v.optional(describe(Id, 'Threads that are linked to this contact.')),
  deal_id: v.optional(describe(Id, 'Threads that are linked to this opportunity.')),
  customer_id: v.optional(describe(Id, 'Threads that are linked to this company.')),
  participant: v.optional(describe(Email, 'Threads in which this address has written or received a message.')),
}
export const MarkRead = v.pipe(
  v.strictObject({
    thread_ids: v.optional(Ids(100)),
    all: v.optional(describe(Bool, `The latest unread threads, at most ${MAX_MARKED} in a call: repeat it while has_more is true.`, true)),
  }),
  v.forward(
    v.partialCheck(
      [['thread_ids'], ['all']],
      ({ thread_ids, all }) => (thread_ids !== undefined) !== (all === true),
      'Send thread_ids, or all: true',
    ),
    ['thread_ids'],
  ),
)
export type MarkRead = v.InferOutput<typeof MarkRead>
export const MarkedRead = named(
  'MarkedRead',
  v.object({
    updated: v.pipe(whole, v.description('How many threads were unread.')),
    has_more: v.pipe(v.boolean(), v.description('Whether other threads are unread.')),
  }),
)
