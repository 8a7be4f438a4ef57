import * as v from 'valibot'
import { unknownTags } from '../../../domain/templates.ts'
import { named } from '../../../schemas/common.ts'
import { Bool, describe, Enum, Id, InstantOut, Integer, Multiline, SingleLine } from '../../../schemas/fields.ts'
import { CHANNELS } from '../../messages/rules/messages.ts'
import { NOTICE_TAGS, SUBJECT_TAGS } from '../rules/notice-texts.ts'
import {
  defaultSetting,
  HAS_OFFSETS,
  MOST_OFFSET_MINUTES,
  MOST_OFFSETS,
  NOTICE_KINDS,
  NOTICE_STATES,
  type NoticeSetting,
  PAGE_KINDS,
} from '../rules/notices.ts'

const tagsOf = (tags: readonly string[]) => tags.map((tag) => `{${tag}}`).join(', ')

/** Text in which every merge tag must exist; null for the default text. */
const Template = (schema: v.GenericSchema<string, string>, tags: readonly string[], what: string, example: string) =>
  v.optional(
    v.nullable(
      v.pipe(
        schema,
        v.check((text) => text.trim() !== '', 'must not be empty: send null for the default text'),
        v.check(
          (text) => unknownTags(text, tags).length === 0,
          ({ input }) => `has unknown merge tags (${unknownTags(input, tags).join(', ')}): use ${tagsOf(tags)}`,
        ),
        v.description(`${what} Null: the default text. Merge tags: ${tagsOf(tags)}.`),
        v.examples([example]),
      ),
    ),
    null,
  )

const texts = {
  email_subject: Template(SingleLine(200), SUBJECT_TAGS, 'The subject of the email.', 'Your {event_type} on {date}'),
  email_body: Template(
    Multiline(20_000),
    NOTICE_TAGS,
    'The body of the email, which may be HTML. Only the booker gets lines with `{management_url}`. ' +
      'Lines whose merge tags are all empty are left out.',
    'Hello {first_name},\n\nwe meet on {start}.\n\nMove or cancel: {management_url}',
  ),
  text_body: Template(Multiline(600), NOTICE_TAGS, 'The text of the SMS and the WhatsApp message.', 'We meet on {start}. {management_url}'),
}

const isOfPage = (kind: string) => PAGE_KINDS.some((one) => one === kind)
const Kind = Enum(NOTICE_KINDS, 'What attendees are notified of.')

const Setting = v.pipe(
  v.strictObject({
    kind: Kind,
    is_enabled: v.optional(describe(Bool, 'Whether the notice is sent. Defaults to true.', true), true),
    channels: v.optional(
      v.pipe(
        v.array(Enum(CHANNELS, 'A channel.'), 'must be a list of channels'),
        v.minLength(1, 'must have a channel'),
        v.check((channels) => new Set(channels).size === channels.length, 'must not name a channel twice'),
        v.description('The channels. Further attendees get emails only. Defaults to email.'),
        v.examples([['email']]),
      ),
      ['email'],
    ),
    offsets_minutes: v.optional(
      v.pipe(
        v.array(Integer(5, MOST_OFFSET_MINUTES), 'must be a list of minutes'),
        v.minLength(1, 'must have a number of minutes: to send none, disable the notice'),
        v.maxLength(MOST_OFFSETS, `must have at most ${MOST_OFFSETS} numbers of minutes`),
        v.check((offsets) => new Set(offsets).size === offsets.length, 'must not have a number of minutes twice'),
        v.description(
          'Of `reminder`: the minutes before the start, each of which is a reminder; 1440 and 60 by default. ' +
            'Of `rebooking`: the minutes after the booker was marked as a no-show.',
        ),
        v.examples([[1_440]]),
      ),
    ),
    ...texts,
  }),
  v.forward(
    v.partialCheck(
      [['kind'], ['offsets_minutes']],
      ({ kind, offsets_minutes }) => offsets_minutes === undefined || HAS_OFFSETS.includes(kind),
      'must only be sent for reminder and rebooking',
    ),
    ['offsets_minutes'],
  ),
  v.forward(
    v.partialCheck([['kind'], ['is_enabled']], ({ kind, is_enabled }) => is_enabled || !isOfPage(kind), 'must be true: its link is needed'),
    ['is_enabled'],
  ),
  v.forward(
    v.partialCheck([['kind'], ['channels']], ({ kind, channels }) => channels.join() === 'email' || !isOfPage(kind), 'must be email alone'),
    ['channels'],
  ),
  v.transform(
    ({ offsets_minutes, ...setting }): NoticeSetting => ({
      ...setting,
      offsets_minutes: offsets_minutes ?? defaultSetting(setting.kind).offsets_minutes,
    }),
  ),
)

export const NoticeSettings = v.pipe(
  v.array(Setting, 'must be a list of notices'),
  v.maxLength(NOTICE_KINDS.length, `must have at most ${NOTICE_KINDS.length} notices`),
  v.check((settings) => new Set(settings.map(({ kind }) => kind)).size === settings.length, 'must not have two notices of one kind'),
  v.description(
    'How attendees are notified. A kind that is left out has its defaults: late, no_show and rebooking are not sent, the others are ' +
      'sent by email. `email_confirmation`, `waiting_list` and `waiting_list_offer` go to people who have no booking yet: they cannot be ' +
      'disabled. Reminders of existing bookings keep their times.',
  ),
  v.examples([[{ ...defaultSetting('reminder'), offsets_minutes: [1_440] }]]),
)

const whole = v.pipe(v.number(), v.integer())
const text = v.nullable(v.string())
const channel = v.pipe(v.picklist(CHANNELS), v.description('`email`, `sms` or `whatsapp`.'))

export const NoticeSettingOut = named(
  'BookingNoticeSetting',
  v.object({
    kind: v.picklist(NOTICE_KINDS),
    is_enabled: v.boolean(),
    channels: v.array(v.picklist(CHANNELS)),
    offsets_minutes: v.array(whole),
    email_subject: text,
    email_body: text,
    text_body: text,
  }),
)

export const EventTypeNotices = named(
  'EventTypeNotices',
  v.object({
    event_type_id: Id,
    merge_tags: v.pipe(v.array(v.string()), v.description('The merge tags of texts.')),
    notices: v.pipe(v.array(NoticeSettingOut), v.description('Every kind of notice, with the texts that are sent.')),
  }),
)
export type EventTypeNotices = v.InferOutput<typeof EventTypeNotices>

export const NoticeToPreview = v.strictObject({
  kind: Kind,
  channel: v.optional(Enum(CHANNELS, 'The channel. Defaults to email.'), 'email'),
  booking_id: v.optional(v.nullable(describe(Id, 'A booking of the event type. Without it, a made-up booking is shown.')), null),
  ...v.partial(v.object(texts)).entries,
})
export type NoticeToPreview = v.InferOutput<typeof NoticeToPreview>

export const NoticePreview = named(
  'BookingNoticePreview',
  v.object({
    kind: v.picklist(NOTICE_KINDS),
    channel,
    recipient: v.pipe(text, v.description('The email address or phone number. Null if the booker has none.')),
    subject: text,
    text: v.pipe(v.string(), v.description('The plain text. The link of the booker’s page is shown without its token.')),
    html: v.pipe(text, v.description('The HTML of an email.')),
    calendar: v.pipe(text, v.description('The attached calendar entry, if the notice has one.')),
  }),
)
export type NoticePreview = v.InferOutput<typeof NoticePreview>

export const BookingNotice = named(
  'BookingNotice',
  v.object({
    id: Id,
    booking_id: Id,
    kind: v.picklist(NOTICE_KINDS),
    channel,
    recipient: v.pipe(
      text,
      v.description('The email address or phone number. Null if the booker has none.'),
      v.examples(['ana@example.com']),
    ),
    is_booker: v.pipe(
      v.boolean(),
      v.description('Whether it goes to the booker, and not to a further attendee or, about a change, to a host.'),
    ),
    offset_minutes: v.pipe(whole, v.description('Of a reminder: the minutes before the start. 0 for notices that are sent at once.')),
    resend: v.pipe(whole, v.description('How often the notice had been sent before.')),
    state: v.pipe(
      v.picklist(NOTICE_STATES),
      v.description(
        '`due`: it waits for its time or is being sent. `unknown`: the connection to the provider broke, which is asked about the ' +
          'message before it is sent again.',
      ),
    ),
    reason: v.pipe(text, v.description('Why it was skipped or cancelled.'), v.examples([null])),
    send_at: InstantOut,
    sent_at: v.nullable(InstantOut),
    message_id: v.pipe(v.nullable(Id), v.description('Its message, once it has been handed over.')),
    created_at: InstantOut,
  }),
)
export type BookingNotice = v.InferOutput<typeof BookingNotice>
