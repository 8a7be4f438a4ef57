import type { Transitions } from '../../../domain/transitions.ts'
import type { CalendarProviderName } from './states.ts'

/**
 * States of the copy of a booking in the calendar of a host. `retrying`: the provider could not be called, and is called again. `failed`:
 * it is not called again before the booking changes. `not_connected`: the account of the calendar must be connected again first.
 */
export const COPY_STATES = ['pending', 'synced', 'retrying', 'failed', 'not_connected'] as const
export type CopyState = (typeof COPY_STATES)[number]

const fromAny = <To extends CopyState>(to: To) => Object.fromEntries(COPY_STATES.map((from) => [from, to])) as Record<CopyState, To>
const OPEN = ['pending', 'retrying'] as const
const fromOpen = <To extends CopyState>(to: To) => Object.fromEntries(OPEN.map((from) => [from, to])) as Record<'pending' | 'retrying', To>
export const COPY_TRANSITIONS = {
  plan: fromAny('pending'),
  sync: fromOpen('synced'),
  retry: fromOpen('retrying'),
  fail: fromOpen('failed'),
  disconnect: { pending: 'not_connected', retrying: 'not_connected', synced: 'not_connected' },
} as const satisfies Transitions<CopyState>

/** `pending`: the provider is still creating the video meeting. */
export const MEETING_STATES = ['none', 'pending', 'ready', 'failed'] as const
export type MeetingState = (typeof MEETING_STATES)[number]

/** What happens to a booking whose event was moved or deleted in the calendar. */
export const EXTERNAL_CHANGES = ['follow', 'flag'] as const

/**
 * Why a booking does not follow a change of its event. `setting`: its event type says so. `not_lead`: another host leads the booking.
 * `time`: the event has no time that a booking can have, such as a whole day or a time in the past. `conflict`: a host is not free, or a
 * cap is reached. `state`: the booking can no longer be changed.
 */
export const FLAGS = ['setting', 'not_lead', 'time', 'conflict', 'state'] as const
export type Flag = (typeof FLAGS)[number]

/** An event that was moved or deleted outside (outside_changes). Times are null if it was deleted, or has none that a booking can have. */
export type OutsideChange = {
  copy_id: string
  outside_id: string
  booking_id: string
  change: 'moved' | 'deleted'
  version: string | null
  starts_at: string | null
  ends_at: string | null
  policy: (typeof EXTERNAL_CHANGES)[number]
  is_lead: boolean
  is_open: boolean
  has_begun: boolean
}

const MINUTE = 60_000
const DAY = 86_400_000

/** Why a booking does not follow a change; null if it does, as far as its hosts are free. */
export function flagOf({ change, policy, is_lead, is_open, has_begun, starts_at, ends_at }: OutsideChange, now: number): Flag | null {
  if (policy === 'flag') return 'setting'
  if (!is_lead) return 'not_lead'
  if (!is_open || has_begun) return 'state'
  if (change === 'deleted') return null
  const [start, end] = [Date.parse(starts_at ?? ''), Date.parse(ends_at ?? '')]
  const isPossible = start > now && end > start && end - start <= DAY && start % MINUTE === 0 && end % MINUTE === 0
  return isPossible ? null : 'time'
}

/** A copy as a worker has claimed it (read_booking_copies). Instants are ISO 8601. */
export type ClaimedCopy = {
  id: string
  state: CopyState
  is_wanted: boolean
  /** Whether an earlier claim may have created the event. */
  was_requested: boolean
  event_id: string
  outside_id: string | null
  meeting: MeetingState
  meet_link: string | null
  attempts: number
  is_lead: boolean
  /** Null: the calendar is no longer there. */
  calendar: { id: string; connection_id: string; provider: CalendarProviderName; is_connected: boolean } | null
  /** Null: the booking was purged. */
  booking: CopiedBooking | null
}
export type CopiedBooking = {
  id: string
  event_type: string
  creates_meeting: boolean
  name: string
  email: string | null
  phone: string | null
  notes: string | null
  location: string | null
  video_meet_link: string | null
  starts_at: string
  ends_at: string
  timezone: string
}

/** What is stored of an event that was written. */
export type WrittenCopy = {
  outside_id: string
  outside_version: string | null
  written_starts_at: string
  written_ends_at: string
  meeting: MeetingState
  meet_link: string | null
}
/**
 * What a worker has done (conclude_booking_copy). `removed`: there is no event any more. Without `seconds` the background is done with it.
 */
export type CopyOutcome = { state?: CopyState; written?: WrittenCopy; removed?: true; error?: string; seconds?: number; failed?: true }

/** `drop`: no event was ever requested. `look`: whether the video meeting is ready. */
export type CopyTask = 'drop' | 'write' | 'remove' | 'look' | 'wait_for_connection'

export function copyTask({ is_wanted, was_requested, state, booking, calendar }: ClaimedCopy): CopyTask {
  const isWanted = is_wanted && booking !== null
  if (!isWanted && !was_requested) return 'drop'
  if (!calendar?.is_connected) return 'wait_for_connection'
  if (!isWanted) return 'remove'
  return state === 'synced' ? 'look' : 'write'
}

/** Attempts without success after which a copy has failed: some hours. */
export const MOST_COPY_ATTEMPTS = 12
/** Looks at a video meeting that is being created, after which it has failed. */
const MOST_LOOKS = 10

export const retryAfter = (attempts: number): number => Math.min(15 * 2 ** Math.min(attempts - 1, 10), 3_600)

/** The event was written. A video meeting that is not ready yet is looked at soon. */
export function afterWriting(copy: ClaimedCopy, written: WrittenCopy): CopyOutcome {
  if (written.meeting !== 'pending') return { state: 'synced', written }
  if (copy.state === 'synced' && copy.attempts >= MOST_LOOKS) return { written: { ...written, meeting: 'failed' } }
  // The looks are counted by the attempts.
  return copy.state === 'synced' ? { written, failed: true, seconds: 5 * copy.attempts } : { state: 'synced', written, seconds: 5 }
}

/** The call had no success. `isFinal`: it would have none again. */
export function afterFailure(copy: ClaimedCopy, error: string, wait: number | null, isFinal: boolean): CopyOutcome {
  if (copy.state === 'synced')
    return copy.attempts >= MOST_LOOKS ? { error } : { error, failed: true, seconds: wait ?? retryAfter(copy.attempts) }
  if (isFinal || copy.attempts >= MOST_COPY_ATTEMPTS) return { state: 'failed', error, failed: true }
  return { state: 'retrying', error, failed: true, seconds: wait ?? retryAfter(copy.attempts) }
}

/** Whether the event of a copy has a video meeting: that of the host who leads the booking, unless the booking has another link. */
export const hasMeeting = ({ is_lead, meet_link }: ClaimedCopy, { creates_meeting, video_meet_link }: CopiedBooking): boolean =>
  is_lead && creates_meeting && (video_meet_link === null || video_meet_link === meet_link)

/** What the host reads in the calendar. The booker is no attendee: the notices of the booking invite the booker. */
export function copyText(copy: ClaimedCopy, booking: CopiedBooking) {
  const { event_type, name, email, phone, notes, location, video_meet_link } = booking
  const link = video_meet_link === copy.meet_link ? null : video_meet_link
  return {
    title: `${event_type}: ${name}`,
    description: [name, email, phone, link && `Video meeting: ${link}`, notes].filter(Boolean).join('\n'),
    location: location ?? link,
  }
}
