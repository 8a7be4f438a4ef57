import * as v from 'valibot'
import { CHANNELS, SUPPRESSION_REASONS } from '../domain/messages.ts'
import { named, timestamps } from './common.ts'
import { describe, Email, Enum, Id, Multiline, optional, SingleLine } from './fields.ts'
import { LocalPhone } from './parsers.ts'

const REASON =
  'Why nothing is sent. A contact who opts in again (such as with `email_unsubscribed: false`) lifts `unsubscribed` and `manual`, but not `hard_bounce` and `complaint`.'

/** An address in the form in which contacts have it: of email in lower case, and a phone number as E.164. */
const Address = (schema: typeof Email | typeof LocalPhone, example: string) =>
  describe(
    schema,
    'The address: an email address, or for `sms` and `whatsapp` a phone number. It is compared as contacts store it.',
    example,
  )
const rest = {
  reason: v.optional(Enum(SUPPRESSION_REASONS, REASON), 'manual'),
  note: optional(describe(Multiline(2000), 'What led to it.', 'Asked by phone to receive no more emails.')),
}

export const NewSuppression = v.variant(
  'channel',
  [
    v.strictObject({ channel: v.literal('email'), address: Address(Email, 'ana@example.com'), ...rest }),
    v.strictObject({ channel: v.picklist(['sms', 'whatsapp']), address: Address(LocalPhone, '+61412345678'), ...rest }),
  ],
  `must be one of: ${CHANNELS.join(', ')}`,
)

export const Suppression = named(
  'Suppression',
  v.object({
    id: Id,
    channel: v.picklist(CHANNELS),
    address: v.string(),
    reason: v.picklist(SUPPRESSION_REASONS),
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
