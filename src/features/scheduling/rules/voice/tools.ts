import type { Tool } from './texts.ts'

/** How the value of an argument is read. */
export type ArgumentKind =
  | 'start'
  | 'day'
  | 'count'
  | 'clock'
  | 'part'
  | 'zone'
  | 'minutes'
  | 'name'
  | 'email'
  | 'phone'
  | 'selector'
  | 'text'
type Argument = { kind: ArgumentKind; aliases?: readonly string[]; description: string; example: string | number }

/** The arguments that tools have, each with the other names under which agents send it. */
const ARGUMENTS = {
  slot: {
    kind: 'start',
    aliases: ['booking_key', 'new_slot', 'new_booking_key', 'starts_at', 'start_time', 'start'],
    description: 'The key of the time in brackets, such as 2026-12-01 09:30; or send `date` and `time`.',
    example: '2026-12-01 09:30',
  },
  date: {
    kind: 'day',
    aliases: ['new_date'],
    description: 'The day, as YYYY-MM-DD. To list times also as the caller says it, such as tomorrow, Friday, next week or 1 December.',
    example: '2026-12-01',
  },
  time: { kind: 'clock', aliases: ['new_time'], description: 'The time of day, with `date`, in place of `slot`.', example: '09:30' },
  from: { kind: 'day', aliases: ['start_date'], description: 'The first of several days. Today unless it is sent.', example: '2026-12-01' },
  to: { kind: 'day', aliases: ['end_date'], description: 'The last day, at most a month after the first.', example: '2026-12-05' },
  days: { kind: 'count', description: 'The number of days, in place of `to`. 7 unless it is sent.', example: 5 },
  part_of_day: { kind: 'part', description: '`morning`, `afternoon` (from noon) or `evening` (from 18:00).', example: 'afternoon' },
  after: { kind: 'clock', description: 'Only times of day from this one on, such as 14:00 or 2 pm.', example: '14:00' },
  before: { kind: 'clock', description: 'Only times of day before this one, such as 17:00 or 5 pm.', example: '17:00' },
  timezone: { kind: 'zone', aliases: ['time_zone'], description: 'The time zone or the city of the caller.', example: 'Australia/Perth' },
  duration_minutes: {
    kind: 'minutes',
    aliases: ['duration'],
    description: 'How long it lasts, if the event type has several durations.',
    example: 30,
  },
  name: { kind: 'name', aliases: ['full_name', 'caller_name'], description: 'The name of the caller.', example: 'Ana Lee' },
  email: {
    kind: 'email',
    aliases: ['email_address'],
    description: 'The email address, written or as it is spoken.',
    example: 'ana@example.com',
  },
  phone: {
    kind: 'phone',
    aliases: ['phone_number', 'caller_phone'],
    description: 'The phone number; that of the call unless it is sent.',
    example: '+61412345678',
  },
  booking_selector: {
    kind: 'selector',
    aliases: ['selector', 'booking_id'],
    description: 'Of several bookings, the number in the list that was read out, its key or its id.',
    example: 1,
  },
  notes: { kind: 'text', aliases: ['note', 'reason'], description: 'What the caller wants to add.', example: 'About a new roof.' },
  reason: { kind: 'text', description: 'Why the booking is cancelled.', example: 'Ill' },
} as const satisfies Record<string, Argument>
export type ArgumentName = keyof typeof ARGUMENTS

/** The arguments of each tool, the most important first. */
export const TOOL_ARGUMENTS = {
  slots: ['date', 'from', 'to', 'days', 'part_of_day', 'after', 'before', 'timezone', 'duration_minutes'],
  book: ['slot', 'date', 'time', 'name', 'email', 'phone', 'timezone', 'duration_minutes', 'notes'],
  cancel: ['phone', 'name', 'booking_selector', 'reason'],
  reschedule: ['slot', 'date', 'time', 'phone', 'name', 'booking_selector', 'timezone', 'duration_minutes'],
  find: ['phone', 'name'],
} as const satisfies Record<Tool, readonly ArgumentName[]>

export const argumentOf = (name: ArgumentName): Argument => ARGUMENTS[name]
/** The names of an argument, its own first. */
export const namesOf = (name: ArgumentName): readonly string[] => [name, ...(argumentOf(name).aliases ?? [])]
/** Every name of an argument of a tool. */
export const takenNames = (tool: Tool): Set<string> => new Set(TOOL_ARGUMENTS[tool].flatMap(namesOf))

/** What providers add to the arguments on their own. */
const PROVIDER_ADDS = ['call_id', 'tool_call_id', 'execution_message']
/** The arguments of a tool call that the tool does not have. */
export const ignoredArguments = (tool: Tool, args: Record<string, unknown>): string[] => {
  const known = takenNames(tool)
  return Object.keys(args).filter((name) => !known.has(name) && !PROVIDER_ADDS.includes(name))
}
