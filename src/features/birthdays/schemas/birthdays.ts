import * as v from 'valibot'
import { named } from '../../../schemas/common.ts'
import { Id, InstantOut, IsoDate, pageQuery } from '../../../schemas/fields.ts'
import { BIRTHDAY_CHANNELS, BIRTHDAY_RESULTS } from '../rules/results.ts'

export const BIRTHDAY_POLICY =
  'On their birthday contacts get the template of their completed years of relationship; a missing year has the template before it, ' +
  'or else the first. Messages are sent from 08:00 on, after the quiet hours, in the contact’s time zone; after an outage later on the ' +
  'same local day, but never on the next. Each contact gets one message a year in each channel. ' +
  'A birthday on 29 February is on the 28th in common years. `{age}` is empty if the birthday has no year (a year over 130 years ago).'

const text = v.nullable(v.string())
const whole = v.pipe(v.number(), v.integer())
const channel = v.pipe(v.picklist(BIRTHDAY_CHANNELS), v.description('`email` or `sms`.'))
const result = v.pipe(
  v.picklist(BIRTHDAY_RESULTS),
  v.description('`queued` if there is a message, and otherwise why there is none. `failed` is an error of ours.'),
)

export const birthdayPreviewQuery = v.strictObject({
  ...pageQuery,
  date: v.optional(v.pipe(IsoDate, v.description('The day. Defaults to today in the workspace’s time zone.'))),
})

export const BirthdayPreview = named(
  'BirthdayPreview',
  v.object({
    contact_id: Id,
    first_name: v.string(),
    last_name: text,
    years: v.pipe(whole, v.description('The completed years of the relationship.')),
    template_year: v.pipe(v.nullable(whole), v.description('The year of the template; null if there is no template.')),
    timezone: v.string(),
    send_at: v.pipe(
      v.nullable(InstantOut),
      v.description('From when on messages are sent. Null if the quiet hours last until the end of the day.'),
    ),
    already_sent: v.pipe(v.boolean(), v.description('Whether the contact has got a message for a birthday in this year already.')),
    messages: v.array(
      v.object({
        channel,
        result,
        recipient: v.pipe(text, v.description('The email address or phone number.')),
        subject: text,
        text: v.pipe(text, v.description('The plain text.')),
      }),
    ),
  }),
)

export const birthdayDeliveryQuery = v.strictObject({
  ...pageQuery,
  contact_id: v.optional(Id),
  day: v.optional(v.pipe(IsoDate, v.description('Of birthdays on this day.'))),
})

export const BirthdayDelivery = named(
  'BirthdayDelivery',
  v.object({
    id: Id,
    contact_id: Id,
    day: v.pipe(IsoDate, v.description('The birthday in the contact’s time zone.')),
    channel,
    result,
    message_id: v.nullable(Id),
    created_at: InstantOut,
  }),
)

export const BirthdayCount = named(
  'BirthdayCount',
  v.object({
    day: IsoDate,
    channel,
    result,
    contacts: v.pipe(whole, v.description('The number of contacts.')),
  }),
)
