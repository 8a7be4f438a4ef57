import * as v from 'valibot'
import { named } from '../../../schemas/common.ts'
import { Enum, Id, InstantOut } from '../../../schemas/fields.ts'
import { CHANNELS } from '../../messages/rules/messages.ts'
import { CREDIT_KINDS, MMS_PRICE, PRICES } from '../rules/credits.ts'

const whole = (description: string, example: number) => v.pipe(v.number(), v.integer(), v.description(description), v.examples([example]))
const price = (of: string) => v.pipe(v.number(), v.integer(), v.description(`The credits for ${of}.`))
const channel = v.pipe(v.nullable(v.picklist(CHANNELS)), v.description('The channel of the message; null for a grant.'))

export const Credits = named(
  'Credits',
  v.object({
    balance: whole('The credits that are left.', 120),
    reserved: whole('The credits of messages that are queued, until the provider accepts them, and of runs of skills, until they end.', 2),
    prices: v.pipe(
      v.object({
        email: price('an email'),
        sms: price('a segment of an SMS'),
        mms: price('an SMS with files, whatever the length of its text'),
        whatsapp: price('a WhatsApp message'),
      }),
      v.description('The credits for a unit of each channel: a segment of an SMS, or a message. An SMS with files is one MMS.'),
      v.examples([{ ...PRICES, mms: MMS_PRICE }]),
    ),
  }),
)

export const CreditEntry = named(
  'CreditEntry',
  v.object({
    id: Id,
    kind: v.pipe(
      v.picklist(CREDIT_KINDS),
      v.description(
        '`grant` adds credits. A message, or the run of a skill, reserves them (`reserve`); they are then settled (`settle`), ' +
          'refunded (`refund`), or for a run partly both. A recording is charged when its notetaker has ended or its transcript is ' +
          'written (`charge`), in several parts if the balance does not cover it at once.',
      ),
    ),
    amount: whole('The change of the balance; 0 when reserved credits are settled.', -1),
    balance: whole('The balance after it.', 119),
    message_id: v.pipe(v.nullable(Id), v.description('The message that costs the credits.')),
    channel,
    units: v.pipe(
      v.nullable(v.pipe(v.number(), v.integer())),
      v.description('The units of the message, such as the segments of an SMS (1 of an MMS), or the recorded minutes.'),
    ),
    reference: v.pipe(
      v.nullable(v.string()),
      v.description(
        'The reference of a grant; `notetaker:` or `transcript:` with the id of the one whose recording is charged, and the credits that ' +
          'were charged for it before; or `skill_run:` and the id of the run.',
      ),
    ),
    created_at: InstantOut,
  }),
)
export const entryFilters = { kind: v.optional(Enum(CREDIT_KINDS, 'Only entries of this kind.')) }

export const CreditUsage = named(
  'CreditUsage',
  v.object({
    id: Id,
    month: v.pipe(v.string(), v.description('The first day of the month, in UTC.'), v.examples(['2026-11-01'])),
    channel: v.pipe(v.picklist(CHANNELS), v.description('The channel of the messages.')),
    messages: whole('The messages that the provider has accepted.', 40),
    units: whole('Their units: segments of SMS, of which an MMS is one.', 52),
    credits: whole('What they cost.', 52),
  }),
)
