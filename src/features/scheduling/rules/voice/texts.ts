import type { Question } from '../questions.ts'
import { bookingKey, spokenTime, spokenZone } from '../words.ts'
import { dayAt, wallAt, type ZoneTable } from '../zone-table.ts'

export const FAILED = {
  slots: 'AVAILABILITY CHECK FAILED:',
  book: 'BOOKING FAILED - NOTHING WAS BOOKED:',
  cancel: 'BOOKING CANCELLATION FAILED:',
  reschedule: 'RESCHEDULE FAILED:',
  find: 'BOOKING SEARCH FAILED:',
} as const
export type Tool = keyof typeof FAILED

/** The most slots that a caller can keep in mind. */
export const MOST_SPOKEN = 6
const MOST_TEXT = 200

/** A name, title or note of a record as data in a text: one line, without characters that could pass for structure, and not too long. */
export function quoted(text: string | null | undefined, most = MOST_TEXT): string {
  const line = (text ?? '')
    .toWellFormed()
    // Wide forms of quotation marks and brackets become the usual ones.
    .normalize('NFKC')
    .replace(/[\p{C}\u2028\u2029]+/gu, ' ')
    .replace(/["“”„‟«»‹›〝〞〟「」『』`[\]{}<>|#*]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  const characters = [...line]
  return `"${characters.length > most ? `${characters.slice(0, most).join('')}…` : line}"`
}

/** An email address, letter by letter where it could be misheard: `ana at example dot com`. */
export const spelledEmail = (email: string): string =>
  email.replaceAll('.', ' dot ').replace('@', ' at ').replaceAll('_', ' underscore ').replaceAll('-', ' dash ')

/** The time of another zone whose clocks differ: `, which is noon, Sydney time`, with the day if that differs too. */
function elsewhere(table: ZoneTable, other: ZoneTable | undefined, start: number): string {
  if (!other || wallAt(table, start) === wallAt(other, start)) return ''
  const time = spokenTime(other, start)
  const clock = dayAt(table, start) === dayAt(other, start) ? time.replace(/^[^,]*, /, '') : time
  return `, which is ${clock}, ${spokenZone(other.zone)}`
}

/**
 * `Tuesday the first of December, half past nine in the morning, Sydney time [2026-12-01 09:30]`. `company`: the company's zone, said if it
 * differs.
 */
export const spokenSlot = (table: ZoneTable, start: number, company?: ZoneTable): string =>
  `${spokenTime(table, start)}, ${spokenZone(table.zone)}${elsewhere(table, company, start)} [${bookingKey(table, start)}]`

const and = (names: string[]) => (names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`)

export type EventText = { name: string; duration_minutes: number; hosts: (string | null)[]; description: string | null }

/** The header of a list of slots. */
export function headerOf({ name, duration_minutes, hosts, description }: EventText): string[] {
  const known = hosts.flatMap((host) => (host ? [quoted(host, 60)] : []))
  return [
    `Event type: ${quoted(name)}`,
    `Duration: ${duration_minutes} minutes`,
    ...(known.length > 0 ? [`Hosts: ${and(known.slice(0, 5))}${known.length > 5 ? ` and ${known.length - 5} others` : ''}`] : []),
    ...(description ? [`Description: ${quoted(description)}`] : []),
  ]
}

export type BookingText = EventText & {
  id: string
  status: string
  start: number
  end: number
  table: ZoneTable
  /** The company's zone. */
  company?: ZoneTable
  video_meet_link: string | null
  email: string | null
}

/** What a booking is, as a sentence; the same for a new one and for one that was requested before. `booker`: whose it is, in a list. */
export function bookingSentence(
  { id, status, start, end, table, company, video_meet_link, email, ...event }: BookingText,
  booker?: string,
): string {
  const hosts = event.hosts.flatMap((host) => (host ? [quoted(host, 60)] : []))
  const parts = [
    `${quoted(event.name)}${booker === undefined ? '' : ` for ${quoted(booker, 80)}`}, ${event.duration_minutes} minutes, ` +
      `on ${spokenSlot(table, start, company)}, until ${bookingKey(table, end).slice(11)}`,
    hosts.length > 0 ? ` with ${and(hosts)}` : '',
    '.',
    event.description ? ` Description: ${quoted(event.description)}.` : '',
    video_meet_link ? ` The video meeting is at ${video_meet_link}` : '',
    video_meet_link ? ' .' : '',
    email ? ` The address for the invitation is ${spelledEmail(email)}.` : '',
    status === 'pending' ? ' It waits to be confirmed by the host.' : '',
    ` Booking id: ${id}.`,
  ]
  return parts.join('')
}

/** How further free times can be heard. */
export const moreLine = (count: number): string[] =>
  count > 0
    ? [
        `There ${count === 1 ? 'is one more free time' : `are ${count} more free times`}. ` +
          'To hear others, call this tool again with date, and with part_of_day, or after and before.',
      ]
    : []

export const ignoredLine = (names: string[]): string[] =>
  names.length > 0
    ? [`This tool has no such arguments, so they were ignored: ${and(names.slice(0, 10).map((name) => quoted(name, 40)))}.`]
    : []

/** What an agent asks before it books, with the arguments for the answers. */
export const questionLines = (questions: Question[]): string[] =>
  questions.length === 0
    ? []
    : [
        'Before booking, ask the caller, and send each answer under its name:',
        ...questions.map(({ key, label, type, required, options }) => {
          const form = type === 'choice' ? `one of ${options.map((option) => quoted(option, 100)).join(', ')}` : type.replace('_', ' or ')
          return `- ${key} (${form}${required ? ', required' : ''}): ${quoted(label)}`
        }),
      ]

type ChoiceEntry = Pick<BookingText, 'id' | 'start' | 'table' | 'company' | 'name' | 'duration_minutes' | 'hosts' | 'status'> & {
  booker: string
}

/**
 * Bookings in a list to choose from. What is the same in all of them is said as well, because a caller may know nothing else; ids only
 * where the rest is the same.
 */
export function choiceLines(bookings: ChoiceEntry[]): string[] {
  const lines = bookings.map(({ name, booker, start, table, company, duration_minutes, hosts, status }) => {
    const known = hosts.flatMap((host) => (host ? [quoted(host, 60)] : []))
    const parts = [
      `${quoted(name, 80)} for ${quoted(booker, 80)} on ${spokenSlot(table, start, company)}, ${duration_minutes} minutes`,
      known.length > 0 ? ` with ${and(known)}` : '',
      status === 'pending' ? ', not confirmed yet' : '',
    ]
    return parts.join('')
  })
  const isAlone = (line: string) => lines.filter((other) => other === line).length === 1
  return lines.map((line, index) => (isAlone(line) ? line : `${line}, booking id ${bookings[index]?.id}`))
}

/** A numbered list to choose from. `reason`: why it is read out again. */
export const chooseFrom = (what: string, lines: string[], reason?: string): string =>
  [
    ...(reason ? [reason] : []),
    `There ${lines.length === 1 ? 'is one upcoming booking' : `are ${lines.length} upcoming bookings`}. Nothing has been ${what} yet. ` +
      'Ask the caller which one:',
    ...lines.map((line, index) => `${index + 1}. ${line}`),
    'Then call this tool again with booking_selector set to the number.',
  ].join('\n')
