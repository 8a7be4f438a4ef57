import * as v from 'valibot'
import { toEmailAddress } from '../../../domain/email-addresses.ts'
import { EMAIL_MESSAGE } from '../../../domain/patterns.ts'
import { PHONE_MESSAGE, toE164 } from '../../../domain/phone.ts'
import { named, timestamps } from '../../../schemas/common.ts'
import { describe, Enum, Id, Multiline, optional, SingleLine } from '../../../schemas/fields.ts'
import { CHANNELS, SUPPRESSION_REASONS } from '../rules/messages.ts'
import { channelOut } from './messages.ts'

const REASON =
  'Why nothing is sent. A contact who opts in again (such as with `email_unsubscribed: false`) lifts `unsubscribed` only; ' +
  'the others end when the entry is deleted.'

const fields = v.strictObject({
  channel: Enum(CHANNELS, 'The channel through which nothing is sent.'),
  address: describe(
    SingleLine(254),
    'An email address, or for `sms` and `whatsapp` a phone number. It is stored as contacts have it: in lower case, or as E.164.',
    'ana@example.com',
  ),
  reason: v.optional(Enum(SUPPRESSION_REASONS, REASON), 'manual'),
  note: optional(describe(Multiline(2000), 'What led to it.', 'Asked by phone to receive no more emails.')),
})
type Fields = v.InferOutput<typeof fields>

/** The address in the form in which contacts have it. */
const withAddress = v.rawTransform<Fields, Fields>(({ dataset: { value }, addIssue, NEVER }) => {
  const isEmail = value.channel === 'email'
  const address = isEmail ? toEmailAddress(value.address) : toE164(value.address)
  if (address !== undefined) return { ...value, address }
  const path: v.ObjectPathItem = { type: 'object', origin: 'value', input: value, key: 'address', value: value.address }
  addIssue({ message: isEmail ? EMAIL_MESSAGE : PHONE_MESSAGE, path: [path] })
  return NEVER
})
export const NewSuppression = v.pipe(fields, withAddress)

export const Suppression = named(
  'Suppression',
  v.object({
    id: Id,
    channel: channelOut,
    address: v.pipe(v.string(), v.description('The email address or phone number.'), v.examples(['ana@example.com'])),
    reason: v.pipe(v.picklist(SUPPRESSION_REASONS), v.description('Why nothing is sent.')),
    note: v.nullable(v.string()),
    ...timestamps,
  }),
)

export const suppressionFilters = {
  address: v.optional(
    v.pipe(
      SingleLine(254),
      v.transform((text) => text.toLowerCase()),
      v.description('An email address, or a phone number in E.164.'),
      v.examples(['ana@example.com']),
    ),
  ),
  channel: v.optional(Enum(CHANNELS)),
  reason: v.optional(Enum(SUPPRESSION_REASONS)),
}
