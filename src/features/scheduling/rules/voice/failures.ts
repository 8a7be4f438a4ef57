import { zoneTable } from '../zone-table.ts'
import { FAILED, quoted, spokenSlot, type Tool } from './texts.ts'

type Near = { starts_at: string; timezone: string } | null | undefined
type Failure = { code: string; message: string; details?: unknown }

const NOTHING = 'Nothing has been changed.'
const ASK: Record<string, string> = {
  answers: 'Ask the caller this question, and send the answer under its name.',
  email: 'Ask the caller to spell the email address.',
  phone: 'Ask the caller for the complete phone number, with the country or area code, or for its last four digits and the name.',
  name: 'Ask the caller for the name.',
  starts_at: 'Ask the caller for the day and time, and call this tool again with a booking key such as 2026-12-01 09:30.',
  timezone: 'Ask the caller which city they are in, for the time zone.',
  booking_selector: 'Ask the caller which booking is meant, and send its number.',
  duration_minutes: 'Ask the caller how long it should take.',
  date: 'Ask the caller for the day, and send it as YYYY-MM-DD.',
  from: 'Ask the caller for the first day, and send it as YYYY-MM-DD.',
  to: 'Ask the caller for the last day, and send it as YYYY-MM-DD.',
  days: 'Ask the caller for the days, and send them as from and to.',
  time: 'Ask the caller for the time of day, and send it as HH:MM.',
  part_of_day: 'Ask the caller for the part of the day.',
  after: 'Ask the caller for the time of day, and send it as HH:MM.',
  before: 'Ask the caller for the time of day, and send it as HH:MM.',
  slot: 'Ask the caller for the day and time, and call this tool again with a booking key such as 2026-12-01 09:30.',
  notes: 'Ask the caller for it once more, and send it as a text.',
  reason: 'Ask the caller for it once more, and send it as a text.',
}

function spokenNear(near: Near): string[] {
  if (!near) return []
  const start = Date.parse(near.starts_at)
  return [spokenSlot(zoneTable(near.timezone, start, start), start)]
}

function reasonOf({ code, message, details }: Failure): string {
  const { nearest_before, nearest_after, issues } = (details ?? {}) as {
    nearest_before?: Near
    nearest_after?: Near
    issues?: { path: string; message: string }[]
  }
  switch (code) {
    case 'SLOT_UNAVAILABLE': {
      const near = [...spokenNear(nearest_before), ...spokenNear(nearest_after)]
      const offer =
        near.length > 0
          ? `The nearest free times are ${near.join(' and ')}. Ask the caller which one suits.`
          : 'There is no free time near it. Ask the caller for another day.'
      return `That time is not free. ${NOTHING} ${offer}`
    }
    case 'INVALID_EMAIL':
      return `The email address is not valid. ${NOTHING} ${ASK.email}`
    case 'VALIDATION_ERROR': {
      const [issue] = issues ?? []
      const field = issue?.path ?? ''
      return (
        `${field && `The ${field.replaceAll('_', ' ')} `}${field ? 'cannot be used: ' : ''}` +
        `${field.startsWith('answers') ? quoted(issue?.message, 400) : (issue?.message ?? message)}. ` +
        `${NOTHING} ${ASK[field] ?? 'Correct it and call this tool again.'}`
      )
    }
    case 'NOT_FOUND':
    case 'INVALID_STATE':
      return `${message}. ${NOTHING} Ask the caller for the phone number with which the booking was made.`
    case 'INVALID_JSON':
    case 'UNSUPPORTED_MEDIA_TYPE':
    case 'PAYLOAD_TOO_LARGE':
      return `The tool call could not be read. ${NOTHING} Call this tool again with its arguments as JSON.`
    case 'RATE_LIMITED':
      return `There are too many calls at the moment. ${NOTHING} Wait ten seconds and call this tool again.`
    default:
      return (
        'The booking system did not answer. Nothing is confirmed. Call this tool once more with the same details; it does nothing ' +
        'twice. If it fails again, offer the caller to be called back.'
      )
  }
}

/** What a voice agent receives about a failure: that it is one, that nothing has changed, and what to ask next. */
export function failureText(tool: Tool, failure: Failure): string {
  // The answer of the database may have been lost after it had booked.
  const isUnclear = tool === 'book' && (failure.code === 'UNAVAILABLE' || failure.code === 'INTERNAL')
  return `${isUnclear ? 'BOOKING NOT CONFIRMED:' : FAILED[tool]} ${reasonOf(failure)}`
}

const REQUESTED: Partial<Record<Tool, string>> = {
  book: 'REQUESTED, NOT BOOKED:',
  cancel: 'REQUESTED, NOT CANCELLED:',
  reschedule: 'REQUESTED, NOT MOVED:',
}
/** What a voice agent receives about a request that waits for a person's approval. */
export const heldText = (tool: Tool): string =>
  `${REQUESTED[tool] ?? 'REQUESTED:'} a person has to approve this first, and the time is not kept until then. ` +
  'Tell the caller that the request was taken and that they will hear from us.'
