import { Temporal } from 'temporal-polyfill'
import { dayAfter, dayIn } from '../../../domain/local-days.ts'
import { endOfContact, instantAt, isQuiet, type QuietHours, quietEnd } from '../../../domain/quiet-hours.ts'
import { renderBodies, renderTemplate } from '../../../domain/templates.ts'
import type { Channel } from '../../messages/rules/messages.ts'
import { addressOf, canReach, type Recipient } from '../../messages/rules/reachability.ts'
import { BIRTHDAY_CHANNELS, type BirthdayResult } from './results.ts'

export const MERGE_TAGS = ['first_name', 'last_name', 'company_name', 'age'] as const

/** Messages are sent from this local time on. */
const MORNING = '08:00'
const DEFAULT_SUBJECT = 'Happy birthday'
/** Address books write a year such as 1604 for a birthday without one. */
const OLDEST = 130

export type BirthdayTemplate = { year: number; email_subject: string | null; email_body: string | null; sms_body: string | null }
export type Celebrant = Recipient & {
  first_name: string
  last_name: string | null
  date_of_birth: string
  relationship_started_at: string | null
}
export type BirthdayMessage = {
  channel: (typeof BIRTHDAY_CHANNELS)[number]
  result: BirthdayResult
  recipient: string | null
  subject: string | null
  text: string | null
  html: string | null
}

/**
 * A birthday as month and day, `MMDD`, which contacts.birthday has. Someone born on 29 February has their birthday on the 28th in common
 * years.
 */
export function birthdaysOn(day: string): number[] {
  const { month, day: dayOfMonth, inLeapYear } = Temporal.PlainDate.from(day)
  const own = month * 100 + dayOfMonth
  return own === 228 && !inLeapYear ? [228, 229] : [own]
}

/** Every birthday that is being celebrated somewhere on earth within an hour. */
export function birthdaysAround(now: Date): number[] {
  const [first, last] = [-12, 15].map((hours) => dayIn('UTC', new Date(now.getTime() + hours * 3_600_000))) as [string, string]
  const days = [first]
  while ((days.at(-1) as string) < last) days.push(dayAfter(days.at(-1) as string, 1))
  return [...new Set(days.flatMap(birthdaysOn))]
}

/** When the morning begins on a day. */
export const morningOf = (day: string, zone: string): Date => instantAt(zone, day, MORNING)

/** When the messages of a day may be sent: from the morning on, after the quiet hours. Undefined if these last until the end of the day. */
export function openingOf(day: string, zone: string, quiet: QuietHours): Date | undefined {
  const opening = quietEnd(quiet, morningOf(day, zone), zone)
  return dayIn(zone, opening) === day ? opening : undefined
}

/** Contacts whose messages may be sent now: those with this birthday and zone. */
export type Open = { birthday: number; zone: string; day: string; year: number; expires_at: string }
type Group = { birthday: number; zone: string | null }

const MINUTE = 60_000

/**
 * Which of these contacts get their messages now, and when to look again: when the next ones may be sent, and at least every hour, because
 * contacts change. A morning that was missed is made up for on the same local day, until the quiet hours begin, and never later.
 */
export function scheduleBirthdays(groups: Group[], quiet: QuietHours, now: Date): { open: Open[]; next: Date } {
  const open: Open[] = []
  const times = [new Date(now.getTime() + 60 * MINUTE)]
  for (const { birthday, zone } of groups) {
    // The background decides the zone within minutes.
    if (zone === null) {
      times.push(new Date(now.getTime() + MINUTE))
      continue
    }
    const today = dayIn(zone, now)
    for (const day of [today, dayAfter(today, 1)]) {
      const opening = birthdaysOn(day).includes(birthday) ? openingOf(day, zone, quiet) : undefined
      if (!opening) continue
      if (opening > now) times.push(opening)
      else if (isQuiet(quiet, now, zone)) times.push(quietEnd(quiet, now, zone))
      else open.push({ birthday, zone, day, year: yearOf(day), expires_at: endOfContact(quiet, now, zone).toISOString() })
    }
  }
  return { open, next: times.reduce((a, b) => (a < b ? a : b)) }
}

export const yearOf = (day: string): number => Temporal.PlainDate.from(day).year

/** The completed years of a relationship on a day; 0 if its start is unknown. */
export function yearsOfRelationship(startedAt: string | null, zone: string, day: string): number {
  if (startedAt === null) return 0
  const started = Temporal.PlainDate.from(dayIn(zone, new Date(startedAt)))
  return Math.max(0, started.until(day, { largestUnit: 'years' }).years)
}

/** The template for a number of years. A missing year has that of the year before it; before the first template, the first. */
export function templateFor(templates: BirthdayTemplate[], years: number): BirthdayTemplate | undefined {
  const sorted = templates.toSorted((a, b) => a.year - b.year)
  return sorted.findLast(({ year }) => year <= years) ?? sorted[0]
}

/** The values of the merge tags. The age is empty for a birthday without a year. */
export function tagValues({ first_name, last_name, date_of_birth }: Celebrant, company: string, day: string): Record<string, string> {
  const age = yearOf(day) - yearOf(date_of_birth)
  const isKnown = age >= 0 && age <= OLDEST
  return { first_name, last_name: last_name ?? '', company_name: company, age: isKnown ? String(age) : '' }
}

/** The messages that a contact gets on a birthday at an instant, with what is in their way. */
export function birthdayMessages(
  contact: Celebrant,
  { templates, company }: { templates: BirthdayTemplate[]; company: string },
  day: string,
  at: Date,
): { years: number; template: BirthdayTemplate | undefined; messages: BirthdayMessage[] } {
  const years = yearsOfRelationship(contact.relationship_started_at, contact.zone, day)
  const template = templateFor(templates, years)
  const values = tagValues(contact, company, day)
  const messages = BIRTHDAY_CHANNELS.flatMap((channel): BirthdayMessage[] => {
    const body = channel === 'email' ? template?.email_body : template?.sms_body
    if (!body) return []
    const reach = canReach(contact, channel, at)
    const result = reach.reachable ? 'queued' : reach.reason
    return [
      { channel, result, recipient: addressOf(contact, channel as Channel), ...contentOf(channel, template?.email_subject, body, values) },
    ]
  })
  const none = { channel: 'email', result: 'no_template', recipient: null, subject: null, text: null, html: null } as const
  return { years, template, messages: messages.length > 0 ? messages : [none] }
}

function contentOf(channel: Channel, subject: string | null | undefined, body: string, values: Record<string, string>) {
  if (channel !== 'email') return { subject: null, text: renderTemplate(body, values), html: null }
  const line = renderTemplate(subject || DEFAULT_SUBJECT, values)
  return { subject: line, ...renderBodies(body, values) }
}
