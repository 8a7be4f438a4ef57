import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import {
  Bool,
  describe,
  Email,
  Enum,
  Id,
  Instant,
  InstantOut,
  Multiline,
  optional,
  SAMPLE_ID,
  SingleLine,
} from '../../../schemas/fields.ts'
import { DRAFT_STATUSES } from '../rules/email-drafts.ts'
import { EMAIL_MODES, MAX_RECIPIENTS, MAX_SENT_ATTACHMENTS, MAX_SUBJECT } from '../rules/emails.ts'

const list = <S extends v.GenericSchema<string, string>>(item: S, max: number, description: string, example: string) =>
  v.optional(
    v.pipe(
      v.array(item, 'must be a list'),
      v.maxLength(max, `must be at most ${max}`),
      v.description(description),
      v.examples([[example]]),
    ),
  )

const fields = {
  to: optional(describe(Email, 'The recipient. By default the email of the contact; not of a reply.', 'ana@example.com')),
  subject: optional(describe(SingleLine(MAX_SUBJECT), 'The subject; by default that of the template. Not of a reply.', 'Your offer')),
  text: optional(describe(Multiline(), 'The plain text.', 'Hello Ana, here is your offer.')),
  html: optional(describe(Multiline(100_000), 'The HTML.', '<p>Hello Ana, here is your offer.</p>')),
  cc: list(Email, MAX_RECIPIENTS, 'Further recipients.', 'team@example.com'),
  bcc: list(Email, MAX_RECIPIENTS, 'Further recipients whom the others do not see.', 'team@example.com'),
  contact_id: optional(describe(Id, 'The contact whom it is for. The draft is deleted with the contact.')),
  deal_id: optional(describe(Id, 'The opportunity that it is about.')),
  customer_id: optional(describe(Id, 'The company that it is about.')),
  config_id: optional(describe(Id, 'The sender: an email config. The oldest one by default.')),
  mode: v.optional(
    Enum(
      EMAIL_MODES,
      '`personal`: the mailbox of a member sends it, and only the member who writes it sees the draft. Defaults to `company`.',
    ),
  ),
  sender_user_id: optional(describe(Id, 'The member from whose mailbox it is sent, in personal mode.')),
  template_id: optional(describe(Id, 'An email template, in place of text and html.')),
  append_signature: v.optional(describe(Bool, 'Whether the signature of the member who sends it is appended.', true)),
  attachment_ids: list(
    Id,
    MAX_SENT_ATTACHMENTS,
    'Files that are attached: attachments of contacts, companies and opportunities.',
    SAMPLE_ID,
  ),
}
export const NewEmailDraft = v.strictObject({
  ...fields,
  thread_id: v.optional(describe(Id, 'The thread that it replies to. The draft is deleted with the thread.')),
})
export type NewEmailDraft = v.InferOutput<typeof NewEmailDraft>
export const EmailDraftPatch = v.partial(v.strictObject(fields))
export type EmailDraftPatch = v.InferOutput<typeof EmailDraftPatch>
export const EmailDraftSchedule = v.strictObject({
  send_at: describe(Instant, 'When it is sent. In the future, at most a year ahead.', '2030-03-31T09:30:00.000Z'),
})

const text = v.nullable(v.string())
const addresses = v.array(v.pipe(v.string(), v.examples(['team@example.com'])))
export const EmailDraft = named(
  'EmailDraft',
  v.object({
    id: Id,
    status: v.pipe(
      v.picklist(DRAFT_STATUSES),
      v.description(
        '`scheduled`: it is sent at `send_at`. `sent`: GET /messages/:message_id has the outcome. ' +
          '`failed`: it was not sent, for the reason in `error`.',
      ),
    ),
    thread_id: v.pipe(v.nullable(Id), v.description('The thread that it replies to.')),
    to: text,
    subject: text,
    cc: addresses,
    bcc: addresses,
    text: v.pipe(text, v.description('The plain text.')),
    html: v.pipe(text, v.description('The HTML, without what emails cannot have, such as scripts and forms.')),
    template_id: v.nullable(Id),
    append_signature: v.boolean(),
    attachment_ids: v.array(Id),
    config_id: v.nullable(Id),
    mode: v.pipe(
      v.picklist(EMAIL_MODES),
      v.description('Whether the mail provider of the workspace sends it, or the mailbox of a member.'),
    ),
    sender_user_id: v.pipe(
      v.nullable(Id),
      v.description('The member from whose mailbox it is sent, in personal mode.'),
      v.examples([null]),
    ),
    private_to: v.pipe(
      v.nullable(Id),
      v.description(
        'The member who alone sees it: who has begun it, if it is in personal mode or replies to a conversation of a ' +
          'mailbox. Null: the team does.',
      ),
      v.examples([null]),
    ),
    contact_id: v.nullable(Id),
    deal_id: v.nullable(Id),
    customer_id: v.nullable(Id),
    send_at: v.pipe(v.nullable(InstantOut), v.description('When it is sent, or was to be sent.')),
    scheduled_by: v.pipe(v.nullable(Id), v.description('The member who has scheduled it, in whose name it is sent.')),
    message_id: v.pipe(v.nullable(Id), v.description('The entry of the email log, of one that was sent.')),
    error: v.pipe(
      v.nullable(v.object({ code: v.string(), message: v.string() })),
      v.description('Why it could not be sent.'),
      v.examples([null]),
    ),
    created_by: v.pipe(v.nullable(Id), v.description('The member who has begun it.')),
    ...timestamps,
  }),
)
export type EmailDraft = v.InferOutput<typeof EmailDraft>
export const emailDraftFilters = { status: v.optional(Enum(DRAFT_STATUSES)), contact_id: v.optional(Id) }
