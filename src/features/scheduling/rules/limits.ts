/** The longest claim of a host's time in minutes, buffers included: reads look this far behind a window. */
export const MOST_CLAIM_MINUTES = 1_440
/** The longest range of days that one call lists slots for. */
export const MOST_SLOT_DAYS = 62
export const MOST_HOSTS = 50
export const MOST_ATTENDEES = 50
/** The most guests that a visitor of a page names. */
export const MOST_GUESTS = 10
export const MOST_DURATIONS = 10
export const MOST_HOURS_A_DAY = 10
export const MOST_OVERRIDES = 400
/** The most availability schedules of a member, and the name of the one that a member has without naming any. */
export const MOST_SCHEDULES = 20
export const DEFAULT_SCHEDULE = 'Working hours'
export const MOST_HOLIDAYS = 400
export const MOST_QUESTIONS = 20
export const MOST_ANSWER = 2_000
/** The most bookings of a series, and the days that it may last. */
export const MOST_OCCURRENCES = 52
export const MOST_SERIES_DAYS = 366
/** How long a hold lasts, in seconds. */
export const HOLD_SECONDS = 180
/**
 * How long a time is held, in minutes, until a visitor confirms the email address; and how many bookings an address can ask for within a
 * day.
 */
export const CONFIRM_MINUTES = 30
export const MOST_CONFIRMATIONS = 5
/** The most bookings of an event type that one network makes, or asks for, on its page within an hour. */
export const MOST_PAGE_VISITS = 10
/** The most bookings of a person from pages that are still to come. */
export const MOST_PAGE_BOOKINGS = 10
/** The most waiting lists that a person is on, and the most people on one of them. */
export const MOST_WAITING = 10
export const MOST_IN_LINE = 200
/** How far around a requested time alternatives are looked for, in days. */
export const NEAREST_DAYS = 14
/** The hours after the end of a booking for which its management link works. */
export const MANAGEMENT_HOURS = 24

export const ASSIGNMENTS = ['single', 'round_robin', 'collective'] as const
export type Assignment = (typeof ASSIGNMENTS)[number]

/** What visitors of a booking page pass before they book. */
export const CHALLENGES = ['none', 'turnstile'] as const
export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
export type Weekday = (typeof WEEKDAYS)[number]

/** Working hours on a day's wall clock, `HH:MM`. An end that is not after the start is on the next day. */
export type Hours = { start: string; end: string }
export type WeeklyHours = Partial<Record<Weekday, Hours[]>>
/** The hours of one date in place of the weekly ones; without hours the day is off. */
export type DateOverride = { date: string; hours: Hours[]; reason?: string | null }
/** A day off. */
export type Holiday = { date: string; name: string }
/**
 * A host of an event type. Fixed hosts attend every booking; of the others a round robin chooses one. Without an availability schedule the
 * host's default one applies.
 */
export type EventHost = {
  user_id: string
  priority: number
  weight: number
  is_fixed: boolean
  availability_schedule_id?: string | null | undefined
}

/** The hours of a workspace that has set none. */
export const DEFAULT_HOURS: WeeklyHours = Object.fromEntries(WEEKDAYS.slice(0, 5).map((day) => [day, [{ start: '09:00', end: '17:00' }]]))
