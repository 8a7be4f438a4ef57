import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { Bool, describe, Enum, Id, Integer, Multiline, Name, optional, SAMPLE_ID, SingleLine, Url } from '../../../schemas/fields.ts'
import { Zone } from '../../../schemas/parsers.ts'
import { EXTERNAL_CHANGES } from '../../calendars/rules/copies.ts'
import { ASSIGNMENTS, CHALLENGES, MOST_DURATIONS, MOST_GUESTS, MOST_HOSTS, MOST_QUESTIONS } from '../rules/limits.ts'
import { QUESTION_TYPES } from '../rules/questions.ts'
import { takenNames } from '../rules/voice/tools.ts'
import { NoticeSettingOut, NoticeSettings } from './booking-notices.ts'

const Minutes = (min: number, max: number, description: string, example: number) => describe(Integer(min, max), description, example)
const Cap = (period: string) =>
  optional(
    describe(
      Integer(1, 1_000),
      `The most bookings of it in a ${period}, which is that of \`locked_timezone\`, else of the company’s time zone.`,
      8,
    ),
  )

const Host = v.strictObject({
  user_id: describe(Id, 'A member of the workspace.'),
  priority: v.optional(describe(Integer(0, 100), 'Of free hosts, a round robin chooses among those with the highest priority.', 0), 0),
  weight: v.optional(describe(Integer(1, 100), 'The host’s share of the bookings, relative to the others.', 1), 1),
  is_fixed: v.optional(describe(Bool, 'Whether the host attends every booking, beside the one that a round robin chooses.', false), false),
  availability_schedule_id: optional(
    describe(Id, 'The availability schedule of the host in which this event type can be booked; the host’s default one unless sent.'),
  ),
})

export const Hosts = v.pipe(
  v.array(Host, 'must be a list of hosts'),
  v.maxLength(MOST_HOSTS, `must have at most ${MOST_HOSTS} hosts`),
  v.check((hosts) => new Set(hosts.map(({ user_id }) => user_id)).size === hosts.length, 'must not name a member twice'),
  v.description('The members who can be booked.'),
  v.examples([[{ user_id: SAMPLE_ID, priority: 0, weight: 1, is_fixed: false }]]),
)

export const Slug = v.pipe(
  v.string('must be text: a slug, such as first-meeting'),
  v.trim(),
  v.toLowerCase(),
  v.regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must have only letters, digits and single hyphens between them, such as first-meeting'),
  v.maxLength(80, 'must be at most 80 characters long'),
  v.description('The name in addresses, which is unique. Derived from the name unless it is sent.'),
  v.examples(['first-meeting']),
)

const Step = describe(
  Integer(5, 1_440),
  'The minutes between two starts that are offered, counted from the beginning of the host’s working hours. Defaults to 30.',
  30,
)

/** The key is also the name of the argument of a voice agent's tool, so it must not be one that the tool has already. */
const RESERVED = takenNames('book')
const Question = v.pipe(
  v.strictObject({
    key: v.pipe(
      v.string('must be text: a key, such as budget'),
      v.regex(/^[a-z][a-z0-9_]{0,39}$/, 'must have 1 to 40 lower-case letters, digits and _, the first one a letter, such as budget'),
      v.check((key) => !RESERVED.has(key), 'is the name of a field of every booking: choose another key'),
      v.description('Identifies the answer; also the argument of a voice agent’s tool.'),
      v.examples(['budget']),
    ),
    label: describe(SingleLine(200), 'What is asked.', 'What is your budget?'),
    type: v.optional(Enum(QUESTION_TYPES, 'What the answer must be.'), 'text'),
    required: v.optional(describe(Bool, 'Whether nothing is booked without an answer.', false), false),
    options: v.optional(
      v.pipe(
        v.array(SingleLine(100), 'must be a list of answers'),
        v.maxLength(50, 'must have at most 50 answers'),
        v.check(
          (options) => new Set(options.map((option) => option.toLowerCase())).size === options.length,
          'must not name an answer twice',
        ),
        v.description('The answers of a choice.'),
        v.examples([[]]),
      ),
      [],
    ),
  }),
  v.check(
    ({ type, options }) => (type === 'choice') === options.length > 0,
    'must have options if its type is choice, and no options otherwise',
  ),
)
const Questions = v.pipe(
  v.array(Question, 'must be a list of questions'),
  v.maxLength(MOST_QUESTIONS, `must have at most ${MOST_QUESTIONS} questions`),
  v.check((questions) => new Set(questions.map(({ key }) => key)).size === questions.length, 'must not have two questions with one key'),
  v.description('What the booker is asked.'),
  v.examples([[{ key: 'budget', label: 'What is your budget?', type: 'number', required: false, options: [] }]]),
)

export const eventTypeFields = {
  name: describe(Name(120), 'The name, which is unique.', 'First meeting'),
  slug: v.optional(Slug),
  description: optional(describe(Multiline(2_000), 'What the booking is for.', 'We look at your plans together.')),
  location: optional(describe(SingleLine(255), 'Where it takes place.', '12 Bridge Street, Sydney')),
  meeting_link: optional(describe(Url, 'The link of the video meeting, which its bookings get.', 'https://meet.example.com/first')),
  hosts: v.optional(Hosts),
  assignment: v.optional(
    Enum(
      ASSIGNMENTS,
      'Who hosts a booking. `single` and `round_robin`: one of the hosts, in turn. ' +
        '`collective`: all of them together. Defaults to round_robin.',
    ),
  ),
  duration_minutes: v.optional(Minutes(5, 720, 'How long a booking lasts, in minutes. Defaults to 30.', 30)),
  other_durations: v.optional(
    v.pipe(
      v.array(Integer(5, 720), 'must be a list of minutes'),
      v.maxLength(MOST_DURATIONS, `must have at most ${MOST_DURATIONS} durations`),
      v.description('Further durations in minutes that may be asked for.'),
      v.examples([[60]]),
    ),
  ),
  step_minutes: v.optional(Step),
  align_to_clock: v.optional(
    describe(
      Bool,
      'Whether steps count from midnight in the event type’s time zone (`locked_timezone`, else the company’s), such as on the hour ' +
        'and half past, rather than from the beginning of working hours. Defaults to false.',
      false,
    ),
  ),
  buffer_before_minutes: v.optional(Minutes(0, 240, 'The minutes before a booking that stay free.', 0)),
  buffer_after_minutes: v.optional(
    Minutes(0, 240, 'The minutes after a booking that stay free. Buffers of neighbouring bookings add up.', 15),
  ),
  minimum_notice_minutes: v.optional(Minutes(0, 100_000, 'How long before its start a booking must be made, in minutes.', 120)),
  horizon_days: v.optional(describe(Integer(1, 730), 'How far ahead bookings can be made, in days. Defaults to 60.', 60)),
  seats: v.optional(describe(Integer(1, 1_000), 'How many bookings the same time can have. Defaults to 1.', 1)),
  max_per_day: Cap('day'),
  max_per_week: Cap('week'),
  max_per_month: Cap('month'),
  locked_timezone: optional(
    describe(Zone, 'The time zone of the place, for visits: times are shown in it whatever the caller asks for.', 'Australia/Perth'),
  ),
  requires_confirmation: v.optional(
    describe(Bool, 'Whether a booking is pending until it is confirmed. A pending booking blocks its time. Defaults to false.', false),
  ),
  confirm_email: v.optional(
    describe(
      Bool,
      'Whether visitors of the booking page confirm their email address first, contacts too: the time is held for 30 minutes, ' +
        'and booked when they press the button behind the link of an email. Defaults to false.',
      false,
    ),
  ),
  challenge: v.optional(
    Enum(
      CHALLENGES,
      'What visitors of the booking page pass before they book or join a waiting list. ' +
        '`turnstile`: a check by Cloudflare Turnstile that they are people, for which the deployment needs its keys. ' +
        'The API, voice agents, and links in emails need none. Defaults to none.',
    ),
  ),
  waiting_list: v.optional(
    describe(
      Bool,
      'Whether people can wait for a seat of a time that is full, of an event type with several seats. ' +
        'Whoever is first in line is offered the next free seat by email. Defaults to false.',
      false,
    ),
  ),
  waiting_list_offer_minutes: v.optional(
    Minutes(10, 10_080, 'How long a free seat is kept for the first in line, in minutes, at most until the start. Defaults to 120.', 120),
  ),
  max_guests: v.optional(
    describe(
      Integer(0, MOST_GUESTS),
      `How many guests a visitor of the booking page can name by their email addresses, at most ${MOST_GUESTS}. ` +
        'They get what attendees get. Defaults to 0.',
      0,
    ),
  ),
  redirect_url: optional(
    describe(
      v.pipe(Url, v.startsWith('https://', 'must start with https://')),
      'Where visitors of the booking page are led after a booking: an https address. ' +
        'The page of the booking stays reachable by the link in its email.',
      'https://example.com/thank-you',
    ),
  ),
  pipeline_id: optional(describe(Id, 'The pipeline of the opportunities that bookings create; the default one unless set.')),
  reuse_open_opportunity: v.optional(
    describe(Bool, 'Whether a booking is linked to the contact’s open opportunity of the pipeline, if there is one.', true),
  ),
  questions: v.optional(Questions),
  notices: v.optional(NoticeSettings),
  create_video_meeting: v.optional(
    describe(
      Bool,
      'Whether the calendar of the host creates a video meeting for each booking without a `meeting_link`. ' +
        'The booking gets its link as soon as it is known. Defaults to false.',
      false,
    ),
  ),
  on_external_change: v.optional(
    Enum(
      EXTERNAL_CHANGES,
      'What happens to a booking whose event was moved or deleted in the calendar of its host. `follow`: it is moved or cancelled, ' +
        'too. `flag`: it stays as it is, and an event says so. Defaults to follow.',
    ),
  ),
  is_active: v.optional(describe(Bool, 'Whether it can be booked. Existing bookings stay.', true)),
}
export const NewEventType = v.strictObject(eventTypeFields)
export type NewEventType = v.InferOutput<typeof NewEventType>
export const EventTypePatch = v.partial(v.strictObject(eventTypeFields))
export type EventTypePatch = v.InferOutput<typeof EventTypePatch>

const minutes = v.pipe(v.number(), v.integer())
const text = v.nullable(v.string())
export const ScheduledEventType = named(
  'ScheduledEventType',
  v.object({
    id: Id,
    name: v.string(),
    slug: v.string(),
    description: text,
    location: text,
    meeting_link: text,
    create_video_meeting: v.boolean(),
    on_external_change: v.picklist(EXTERNAL_CHANGES),
    hosts: v.array(
      v.object({
        user_id: Id,
        priority: minutes,
        weight: minutes,
        is_fixed: v.boolean(),
        availability_schedule_id: v.optional(
          v.pipe(
            v.nullable(Id),
            v.description('The availability schedule of the host that is used. Missing or null for the host’s default one.'),
          ),
        ),
      }),
    ),
    assignment: v.picklist(ASSIGNMENTS),
    duration_minutes: minutes,
    other_durations: v.array(minutes),
    step_minutes: minutes,
    align_to_clock: v.boolean(),
    buffer_before_minutes: minutes,
    buffer_after_minutes: minutes,
    minimum_notice_minutes: minutes,
    horizon_days: minutes,
    seats: minutes,
    max_per_day: v.nullable(minutes),
    max_per_week: v.nullable(minutes),
    max_per_month: v.nullable(minutes),
    locked_timezone: text,
    requires_confirmation: v.boolean(),
    confirm_email: v.boolean(),
    challenge: v.picklist(CHALLENGES),
    waiting_list: v.boolean(),
    waiting_list_offer_minutes: minutes,
    max_guests: minutes,
    redirect_url: text,
    pipeline_id: v.nullable(Id),
    reuse_open_opportunity: v.boolean(),
    questions: v.pipe(
      v.array(
        v.object({
          key: v.string(),
          label: v.string(),
          type: v.picklist(QUESTION_TYPES),
          required: v.boolean(),
          options: v.array(v.string()),
        }),
      ),
      v.description('What the booker is asked.'),
    ),
    notices: v.pipe(v.array(NoticeSettingOut), v.description('How attendees are notified, where it differs from the defaults.')),
    is_active: v.boolean(),
    ...timestamps,
  }),
)
export type ScheduledEventType = v.InferOutput<typeof ScheduledEventType>
