import type { Transitions } from '../../../domain/transitions.ts'

export const BOOKING_STATUSES = ['pending', 'confirmed', 'cancelled', 'attended', 'late', 'no_show'] as const
export type BookingStatus = (typeof BOOKING_STATUSES)[number]

/** Statuses in which a booking keeps its hosts' time, if it has claimed it. */
export const LIVE_STATUSES: readonly BookingStatus[] = ['pending', 'confirmed', 'attended', 'late', 'no_show']
/** Statuses of a booking that can still be cancelled or moved. */
export const OPEN_STATUSES: readonly BookingStatus[] = ['pending', 'confirmed']

/** A mark is possible from any status. Marking a cancelled booking claims no time again. */
const markAs = <To extends BookingStatus>(to: To) =>
  Object.fromEntries(BOOKING_STATUSES.map((from) => [from, to])) as Record<BookingStatus, To>

export const BOOKING_TRANSITIONS = {
  confirm: { pending: 'confirmed' },
  decline: { pending: 'cancelled' },
  cancel: { pending: 'cancelled', confirmed: 'cancelled' },
  reschedule: { pending: 'cancelled', confirmed: 'cancelled' },
  reassign: { pending: 'pending', confirmed: 'confirmed' },
  mark_attended: markAs('attended'),
  mark_late: markAs('late'),
  mark_no_show: markAs('no_show'),
} as const satisfies Transitions<BookingStatus>
export type BookingTransition = keyof typeof BOOKING_TRANSITIONS

/** `lapsed`: a seat was offered and not taken in time. `expired`: the time has begun. */
export const WAITING_STATES = ['waiting', 'offered', 'booked', 'lapsed', 'left', 'expired'] as const
export type WaitingState = (typeof WAITING_STATES)[number]
export const WAITING_TRANSITIONS = {
  offer: { waiting: 'offered' },
  book: { offered: 'booked' },
  lapse: { offered: 'lapsed' },
  leave: { waiting: 'left', offered: 'left' },
  expire: { waiting: 'expired' },
} as const satisfies Transitions<WaitingState>

export const HOLD_STATES = ['held', 'booked', 'released', 'expired'] as const
export type HoldState = (typeof HOLD_STATES)[number]
export const HOLD_TRANSITIONS = {
  book: { held: 'booked' },
  release: { held: 'released' },
  expire: { held: 'expired' },
} as const satisfies Transitions<HoldState>
