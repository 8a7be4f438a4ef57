import { renderBodies, renderTemplate } from '../../../domain/templates.ts'
import { clock } from '../../pages/rules/html.ts'
import { changeOf, type NoticeFacts, type NoticeRecipient, zoneOf } from './notice-facts.ts'
import { noticeHtml } from './notice-html.ts'
import type { NoticeKind, NoticeSetting } from './notices.ts'
import { entryOf, googleCalendarUrl, outlookCalendarUrl } from './pages/calendar-links.ts'
import { TEXTS } from './pages/texts.ts'

/**
 * The tag of the link with which the booker moves or cancels. It is replaced when the message is handed to the provider, so that no record
 * of it has the link.
 */
export const MANAGEMENT_TAG = '{management_url}'

export const SUBJECT_TAGS = [
  'first_name',
  'name',
  'event_type',
  'company_name',
  'host_name',
  'date',
  'time',
  'end_time',
  'start',
  'previous_start',
  'previous_host',
  'previous_location',
  'timezone',
  'duration_minutes',
  'location',
  'meeting_link',
  'reason',
  'valid_until',
] as const
/** The merge tags of texts. A subject has no links. */
export const NOTICE_TAGS = [
  ...SUBJECT_TAGS,
  'management_url',
  'rebook_url',
  'google_calendar_url',
  'outlook_calendar_url',
  'ics_url',
] as const

type Texts = { subject: string; email: string; text: string }

const DETAILS = `When: {start}
Where: {location}
Video meeting: {meeting_link}
With: {host_name}`
const CALENDARS = `Google Calendar: {google_calendar_url}
Outlook: {outlook_calendar_url}
Calendar file: {ics_url}`
const CHANGE = 'Move or cancel: {management_url}'
const email = (...paragraphs: string[]) => ['Hello {first_name},', ...paragraphs, '{company_name}'].join('\n\n')

const DEFAULTS: Record<NoticeKind, Texts> = {
  confirmation: {
    subject: 'Confirmed: {event_type}, {date}',
    email: email('Your booking is confirmed: {event_type}.', DETAILS, CALENDARS, CHANGE),
    text: `{company_name}: {event_type} is confirmed for {start}.\n${CHANGE}`,
  },
  reschedule: {
    subject: 'Moved: {event_type}, {date}',
    email: email('Your booking has been moved: {event_type}.', `${DETAILS}\nBefore: {previous_start}`, CALENDARS, CHANGE),
    text: `{company_name}: {event_type} has been moved to {start}.\n${CHANGE}`,
  },
  update: {
    subject: 'Changed: {event_type}, {date}',
    email: email(
      'This booking has changed: {event_type}.',
      `${DETAILS}\nHost before: {previous_host}\nPlace before: {previous_location}`,
      CALENDARS,
      CHANGE,
    ),
    text: `{company_name}: {event_type}, {start}, has changed. With {host_name}. {location}\n${CHANGE}`,
  },
  cancellation: {
    subject: 'Cancelled: {event_type}, {date}',
    email: email('Your booking is cancelled: {event_type}.', 'It was for: {start}\nReason: {reason}', 'Book another time: {rebook_url}'),
    text: '{company_name}: {event_type} on {start} is cancelled.\nBook another time: {rebook_url}',
  },
  reminder: {
    subject: 'Reminder: {event_type}, {date} at {time}',
    email: email('This is a reminder of your booking: {event_type}.', DETAILS, CHANGE),
    text: `{company_name}: reminder of {event_type}, {start}.\n${CHANGE}`,
  },
  late: {
    subject: 'We are waiting for you: {event_type}',
    email: email('Your booking has begun and we are waiting for you: {event_type}.', DETAILS),
    text: '{company_name}: {event_type} has begun and we are waiting for you.\n{meeting_link}',
  },
  no_show: {
    subject: 'We missed you: {event_type}',
    email: email('We missed you: {event_type}, {start}.', 'Book another time: {rebook_url}'),
    text: '{company_name}: we missed you at {event_type}, {start}.\nBook another time: {rebook_url}',
  },
  rebooking: {
    subject: 'Find another time: {event_type}',
    email: email('You can still book another time for {event_type}.', 'Book another time: {rebook_url}'),
    text: '{company_name}: book another time for {event_type}: {rebook_url}',
  },
  email_confirmation: {
    subject: 'Please confirm: {event_type}, {date}',
    email: email(
      'You have asked for a booking: {event_type}, {start}.',
      'It is not made yet. Confirm it: {management_url}',
      'The time is held for you until {valid_until}. If you have not asked for it, ignore this email.',
    ),
    text: '{company_name}: confirm {event_type}, {start}.\nConfirm: {management_url}',
  },
  waiting_list: {
    subject: 'On the waiting list: {event_type}, {date}',
    email: email(
      'You are on the waiting list: {event_type}, {start}.',
      'If a seat becomes free, you get another email.',
      'See or leave the waiting list: {management_url}',
    ),
    text: '{company_name}: you are on the waiting list of {event_type}, {start}.\nSee or leave it: {management_url}',
  },
  waiting_list_offer: {
    subject: 'A seat is free: {event_type}, {date}',
    email: email(
      'A seat is free for you: {event_type}, {start}.',
      'It is kept for you until {valid_until}, and then offered to somebody else.',
      'Take it, or leave the waiting list: {management_url}',
    ),
    text: '{company_name}: a seat of {event_type}, {start}, is free for you until {valid_until}.\nTake it: {management_url}',
  },
}

/** The texts of a kind of notice: those of the event type, or the default ones. */
export const textsOf = ({ kind, email_subject, email_body, text_body }: NoticeSetting): Texts => ({
  subject: email_subject ?? DEFAULTS[kind].subject,
  email: email_body ?? DEFAULTS[kind].email,
  text: text_body ?? DEFAULTS[kind].text,
})

type Values = Record<(typeof NOTICE_TAGS)[number], string>

/**
 * The values of the merge tags. Every time is on the reader's clock and names its time zone. The link of management is a tag until it is
 * sent.
 */
export function valuesFor(facts: NoticeFacts, to: NoticeRecipient & { sequence: number }, appUrl: string): Values {
  const { starts_at, ends_at, previous_starts_at, workspace, event_type } = facts
  const zone = zoneOf(facts, to)
  const { date, time } = clock(TEXTS.en, zone)
  const at = (instant: number) => `${time(instant)} (${zone})`
  const when = (instant: number) => `${date(instant)}, ${at(instant)}`
  const name = to.is_booker ? facts.name : ''
  const change = changeOf(facts, to)
  const entry = entryOf(facts, event_type.name, workspace.name)
  const values = {
    first_name: name.split(/\s+/)[0] ?? '',
    name,
    event_type: event_type.name,
    company_name: workspace.name,
    host_name: facts.host.name,
    date: date(starts_at),
    time: at(starts_at),
    end_time: at(ends_at),
    start: when(starts_at),
    previous_start: previous_starts_at === null ? '' : when(previous_starts_at),
    previous_host: change?.host && change.host.email !== facts.host.email ? change.host.name : '',
    previous_location: change && change.location !== facts.location ? (change.location ?? '') : '',
    timezone: zone,
    duration_minutes: String(facts.duration_minutes),
    location: facts.location ?? '',
    meeting_link: facts.video_meet_link ?? '',
    reason: facts.cancellation_reason ?? '',
    valid_until: facts.valid_until ? when(facts.valid_until) : '',
    google_calendar_url: googleCalendarUrl(entry),
    outlook_calendar_url: outlookCalendarUrl(entry),
    rebook_url: `${appUrl}/book/${encodeURIComponent(workspace.slug)}/${encodeURIComponent(event_type.slug)}`,
  }
  const link = to.is_booker ? MANAGEMENT_TAG : ''
  const own = { management_url: link, ics_url: link && `${link}/booking.ics` }
  // No value is mistaken for the tag.
  const plain = Object.entries(values).map(([key, value]) => [key, value.replaceAll(MANAGEMENT_TAG, 'management_url')])
  return { ...(Object.fromEntries(plain) as Omit<Values, 'management_url' | 'ics_url'>), ...own }
}

const TAG = /\{\s*([a-z_]+)\s*\}/g

/** A template without the lines whose merge tags are all empty, such as that of a place for a booking without one. */
function withoutEmptyLines(template: string, values: Record<string, string>): string {
  const isEmpty = (line: string) => {
    const tags = [...line.matchAll(TAG)].map(([, name]) => values[name as string])
    return tags.length > 0 && tags.every((value) => value === '')
  }
  const lines = template.split(/\r?\n/).filter((line) => !isEmpty(line))
  return lines.join('\n').replace(/\n{3,}/g, '\n\n')
}

export type NoticeContent = { subject: string | null; text: string; html: string | null }

/** A notice as its recipient reads it. */
export function renderNotice(
  setting: NoticeSetting,
  facts: NoticeFacts,
  to: NoticeRecipient & { sequence: number },
  appUrl: string,
): NoticeContent {
  const texts = textsOf(setting)
  const values = valuesFor(facts, to, appUrl)
  const template = withoutEmptyLines(greeting(to.channel === 'email' ? texts.email : texts.text, values), values)
  if (to.channel !== 'email') return { subject: null, text: renderTemplate(template, values), html: null }
  const htmlOf = (plain: string) => noticeHtml(plain, values, facts.workspace.color)
  return { subject: renderTemplate(texts.subject, values), ...renderBodies(template, values, htmlOf) }
}

/** `Hello {first_name},` to somebody whose name is unknown. */
const greeting = (template: string, values: Values): string =>
  values.first_name === '' ? template.replace(/^Hello \{first_name\},/, 'Hello,') : template

/** The database has it too: see without_management_links. */
export const MANAGEMENT_LINK =
  /(?<!\S)\S*\/book\/[^\s/]+\/(manage\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|(confirm|waiting)\/[\w-]{86})/gi

/** A text that a provider has returned, with the tag in the place of the link: whoever has the link can cancel the booking. */
export const withoutManagementLinks = (text: string): string => text.replace(MANAGEMENT_LINK, MANAGEMENT_TAG)

/** A text with the link in the place of its tag, or without the lines that have one. */
export function fillManagementUrl(text: string, url: string | null): string {
  if (url !== null) return text.replaceAll(MANAGEMENT_TAG, url)
  return text
    .split('\n')
    .filter((line) => !line.includes(MANAGEMENT_TAG))
    .join('\n')
}
