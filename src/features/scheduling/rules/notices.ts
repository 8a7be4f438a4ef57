import type { Transitions } from '../../../domain/transitions.ts'
import type { Channel } from '../../messages/rules/messages.ts'
import type { BookingStatus } from './states.ts'

/** Emails to visitors of the page who have no booking yet. Each has a link without which it would be pointless. */
export const PAGE_KINDS = ['email_confirmation', 'waiting_list', 'waiting_list_offer'] as const
/** What the attendees of a booking, and visitors of the page, are notified of. */
export const NOTICE_KINDS = [
  'confirmation',
  'reschedule',
  'update',
  'cancellation',
  'reminder',
  'late',
  'no_show',
  'rebooking',
  ...PAGE_KINDS,
] as const
export type NoticeKind = (typeof NOTICE_KINDS)[number]

/** `due` also while its message is with the provider. `unknown`: the provider has not said whether it has accepted it. */
export const NOTICE_STATES = ['due', 'sent', 'skipped', 'cancelled', 'unknown'] as const
export type NoticeState = (typeof NOTICE_STATES)[number]
export const NOTICE_TRANSITIONS = {
  send: { due: 'sent', unknown: 'sent' },
  skip: { due: 'skipped', unknown: 'skipped' },
  cancel: { due: 'cancelled', unknown: 'cancelled' },
  doubt: { due: 'unknown' },
  retry: { unknown: 'due' },
} as const satisfies Transitions<NoticeState>
/** The states of a notice that can be sent once more. */
export const RESENDABLE: readonly NoticeState[] = ['sent', 'skipped']

export const MOST_OFFSETS = 5
export const MOST_OFFSET_MINUTES = 43_200
export const MOST_RESENDS = 5
/** The error of a message whose booking has changed since it was reserved. */
export const BOOKING_CHANGED = 'booking_changed'

/** How a kind of notice is sent. A text that is null is the default one. */
export type NoticeSetting = {
  kind: NoticeKind
  is_enabled: boolean
  channels: Channel[]
  /** Of reminders: the minutes before the start. Of rebooking notices: the minutes after the booker was marked as a no-show. */
  offsets_minutes: number[]
  email_subject: string | null
  email_body: string | null
  text_body: string | null
}

/** The kinds that are sent some time before or after, once for each of their offsets. */
export const HAS_OFFSETS: readonly NoticeKind[] = ['reminder', 'rebooking']
const ENABLED: readonly NoticeKind[] = ['confirmation', 'reschedule', 'update', 'cancellation', 'reminder', ...PAGE_KINDS]
const OFFSETS: Partial<Record<NoticeKind, number[]>> = { reminder: [1_440, 60], rebooking: [60] }

export const defaultSetting = (kind: NoticeKind): NoticeSetting => ({
  kind,
  is_enabled: ENABLED.includes(kind),
  channels: ['email'],
  offsets_minutes: OFFSETS[kind] ?? [],
  email_subject: null,
  email_body: null,
  text_body: null,
})

/** The setting of a kind: that of the event type, or the default one. */
export const settingOf = (settings: readonly NoticeSetting[], kind: NoticeKind): NoticeSetting =>
  settings.find((setting) => setting.kind === kind) ?? defaultSetting(kind)

/** The statuses of a booking in which a kind of notice is true. */
export const STATUSES_OF: Record<NoticeKind, readonly BookingStatus[]> = {
  confirmation: ['confirmed'],
  reschedule: ['confirmed'],
  update: ['confirmed'],
  cancellation: ['cancelled'],
  reminder: ['confirmed'],
  late: ['late'],
  no_show: ['no_show'],
  rebooking: ['no_show'],
  email_confirmation: [],
  waiting_list: [],
  waiting_list_offer: [],
}

/** Whether a notice of this kind is true of the booking. One that was moved has another in its place, which has notices of its own. */
export const isTrueOf = (kind: NoticeKind, { status, is_moved }: { status: BookingStatus; is_moved: boolean }): boolean =>
  !is_moved && STATUSES_OF[kind].includes(status)

/** The kinds that wait for the end of the recipient's quiet hours. The others respond to what has just happened. */
export const WAITS_FOR_MORNING: readonly NoticeKind[] = ['reminder', 'no_show', 'rebooking']

const MINUTE = 60_000
const WEEK = 7 * 1_440 * MINUTE

type Times = { starts_at: number; ends_at: number; updated_at: number }

/** When a notice is due: at once, or by its offset. */
export function dueAt(kind: NoticeKind, offset: number, { starts_at, updated_at }: Times, now: number): number {
  if (kind === 'reminder') return starts_at - offset * MINUTE
  return kind === 'rebooking' ? updated_at + offset * MINUTE : now
}

/** When it is too late for a notice. */
export function expiryOf(kind: NoticeKind, { starts_at, ends_at }: Times, sendAt: number): number {
  if (kind === 'reminder') return starts_at
  if (kind === 'rebooking') return sendAt + WEEK
  return kind === 'no_show' ? ends_at + WEEK : ends_at
}
