import { canReach } from '../../messages/rules/reachability.ts'
import { changeOf, contactOf, type NoticeFacts, type NoticeRecipient, recipientsFor, zoneOf } from './notice-facts.ts'
import { dueAt, expiryOf, HAS_OFFSETS, isTrueOf, NOTICE_KINDS, type NoticeKind, settingOf, WAITS_FOR_MORNING } from './notices.ts'

/** A notice to be noted (plan_booking_notices). */
export type PlannedNotice = NoticeRecipient & { kind: NoticeKind; offset_minutes: number; sequence: number; send_at: string }
/** A notice whose time has come. `resend`: how often it was sent again. */
export type DueNotice = NoticeRecipient & {
  kind: NoticeKind
  offset_minutes: number
  sequence: number
  send_at: number
  created_at: number
  resend: number
}

/** The kinds of notices that a booking has as it is now. A booking that was moved is announced as such, not as a new one. */
export function kindsFor(facts: NoticeFacts): NoticeKind[] {
  const { previous_starts_at } = facts
  const other = previous_starts_at === null ? 'reschedule' : 'confirmation'
  return NOTICE_KINDS.filter((kind) => kind !== other && isTrueOf(kind, facts))
}

/**
 * The notices that a booking has as it is now. They follow from the booking alone, and each is unique, so an event that is delivered again
 * or late adds none twice.
 */
export function planNotices(facts: NoticeFacts, now: number): PlannedNotice[] {
  return kindsFor(facts).flatMap((kind) => {
    const { is_enabled, channels, offsets_minutes } = settingOf(facts.event_type.notices, kind)
    if (!is_enabled) return []
    const offsets = HAS_OFFSETS.includes(kind) ? offsets_minutes : [0]
    return sequencesOf(kind, facts, now)
      .flatMap((sequence) =>
        channels.flatMap((channel) => recipientsFor(kind, facts, channel, sequence).map((to) => ({ ...to, sequence }))),
      )
      .flatMap((to) =>
        offsets.map((offset_minutes) => ({
          ...to,
          kind,
          offset_minutes,
          send_at: new Date(dueAt(kind, offset_minutes, facts, now)).toISOString(),
        })),
      )
  })
}

/** A change is announced to those who attend when it is made, and no more once it is so old. */
const FRESH = 3_600_000
/** The changes that are announced now; 0 for a notice that is about none. */
const sequencesOf = (kind: NoticeKind, { changes, announced }: NoticeFacts, now: number): number[] =>
  kind === 'update'
    ? changes.filter(({ sequence, noted_at }) => sequence > announced && noted_at > now - FRESH).map(({ sequence }) => sequence)
    : [0]

/** What happens to a notice whose time has come. */
export type NoticeDecision =
  | { action: 'send'; contact_id: string | null; expires_at: number }
  | { action: 'skip' | 'cancel'; reason: string }
  | { action: 'wait'; until: number }

const skip = (reason: string): NoticeDecision => ({ action: 'skip', reason })
const cancel = (reason: string): NoticeDecision => ({ action: 'cancel', reason })

/** An invitation waits so long for the link of its video meeting, and is sent without it after that. */
const LINK_PATIENCE = 60_000
const INVITES: readonly NoticeKind[] = ['confirmation', 'reschedule']

/** Decides about a notice by the booking as it is at the time of sending. */
export function decideNotice(notice: DueNotice, facts: NoticeFacts, now: number): NoticeDecision {
  const { kind } = notice
  if (!isTrueOf(kind, facts)) return cancel(facts.is_moved ? 'booking_moved' : `booking_${facts.status}`)
  if (!isRecipient(notice, facts)) return cancel('not_an_attendee')
  if (kind === 'update' && !changeOf(facts, notice)) return cancel('superseded')
  if (notice.send_at > now) return { action: 'wait', until: notice.send_at }
  if (notice.resend === 0 && !isWanted(notice, facts)) return skip('disabled')
  if (kind === 'rebooking' && facts.booked_again) return skip('booked_again')
  if (facts.awaits_link && INVITES.includes(kind) && now < notice.created_at + LINK_PATIENCE)
    return { action: 'wait', until: notice.created_at + LINK_PATIENCE }
  const expires_at = expiryOf(kind, facts, notice.send_at)
  if (expires_at <= now || isMissed(notice)) return skip('past')
  return reach(notice, facts, expires_at, now)
}

const isRecipient = ({ kind, channel, recipient, is_booker, sequence }: DueNotice, facts: NoticeFacts): boolean =>
  recipientsFor(kind, facts, channel, sequence).some((to) => to.recipient === recipient && to.is_booker === is_booker)

function isWanted({ kind, channel, offset_minutes }: DueNotice, { event_type }: NoticeFacts): boolean {
  const { is_enabled, channels, offsets_minutes } = settingOf(event_type.notices, kind)
  return is_enabled && channels.includes(channel) && (!HAS_OFFSETS.includes(kind) || offsets_minutes.includes(offset_minutes))
}

/** Whether the time of a reminder was over already when the booking was made: the confirmation stands for it. */
const isMissed = ({ kind, resend, send_at, created_at }: DueNotice): boolean => kind === 'reminder' && resend === 0 && send_at <= created_at

function reach(notice: DueNotice, facts: NoticeFacts, expires_at: number, now: number): NoticeDecision {
  const { kind, channel, recipient } = notice
  const contact = contactOf(facts, notice)
  const anyone = { archived: false, email_unsubscribed: false, sms_unsubscribed: false, whatsapp_unsubscribed: false }
  const to = {
    ...(contact ?? anyone),
    email: recipient || null,
    phone: recipient || null,
    suppressed: facts.suppressed.filter(({ address }) => address === recipient).map((one) => one.channel),
    configured: facts.configured,
    zone: zoneOf(facts, notice),
    quiet_hours: WAITS_FOR_MORNING.includes(kind) ? facts.quiet_hours : null,
  }
  const found = canReach(to, channel, new Date(now))
  if (found.reachable) return { action: 'send', contact_id: contact?.id ?? null, expires_at }
  const until = found.next_allowed_at?.getTime()
  return until !== undefined && until < expires_at ? { action: 'wait', until } : skip(found.reason)
}
