import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import type { Statement } from '../../../data/db.ts'
import { saveHalving } from '../../../data/halving.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { AppError } from '../../../errors.ts'
import { wake } from '../../../wake.ts'
import { type Reservation, toReservation } from '../../messages/plans/send-message.ts'
import type { NoticeFacts } from '../rules/notice-facts.ts'
import { type DueNotice, decideNotice, planNotices } from '../rules/notice-plan.ts'
import { renderNotice } from '../rules/notice-texts.ts'
import { settingOf } from '../rules/notices.ts'

/** Notices per claim, for so many seconds. */
const CLAIMED = 50
const LEASE = 300

type ClaimedNotice = DueNotice & { id: string; workspace_id: string; booking_id: string; lease: string }
export type ClaimedNotices = { notices: ClaimedNotice[]; facts: NoticeFacts[] }
type Decision = {
  id: string
  booking_id: string
  version: number
  lease: string
  state: 'due' | 'skipped' | 'cancelled'
  reason: string | null
  send_at: string | null
  message: Reservation | null
}
type Booking = { workspace_id: string; booking_id: string }

const claim = (now: Date, booking?: Booking): Statement =>
  call('claim_booking_notices', booking?.workspace_id ?? null, booking?.booking_id ?? null, now.toISOString(), CLAIMED, LEASE)

/** Claims notices that are due in any workspace: one look at an index when there are none. */
export const claimNotices = (now: Date): Statement => claim(now)

/** Plans the notices of a booking as it is now, and sends those that are due. */
export async function announceBooking(env: Env, booking: Booking, now: Date): Promise<void> {
  const database = jobsDatabaseOf(env)
  const { workspace_id, booking_id } = booking
  const [facts] = (await batch(database, [call('booking_facts', workspace_id, booking_id)])) as [NoticeFacts | null]
  if (!facts) return
  const planned = JSON.stringify(planNotices(facts, now.getTime()))
  const [, claimed] = (await batch(database, [
    call('plan_booking_notices', workspace_id, booking_id, now.toISOString(), planned),
    claim(now, booking),
  ])) as [unknown, ClaimedNotices]
  await sendNotices(env, now, claimed, () => false, booking)
}

/**
 * Decides about claimed notices, and about further ones that are due, and reserves their messages. Doubled and overlapping runs reserve no
 * message twice; what a run that died has claimed is due again when its claim has ended.
 */
export async function sendNotices(env: Env, now: Date, first: ClaimedNotices, isLate: () => boolean, booking?: Booking): Promise<void> {
  let claimed = first
  for (;;) {
    for (const [workspaceId, notices] of Map.groupBy(claimed.notices, ({ workspace_id }) => workspace_id)) {
      const decisions = notices.flatMap((notice) => decide(env, notice, claimed.facts, now))
      await saveOrLog(env, workspaceId, decisions)
      if (decisions.some(({ message }) => message !== null)) await wakeMessages(env, workspaceId)
    }
    if (claimed.notices.length < CLAIMED || isLate()) return
    ;[claimed] = (await batch(jobsDatabaseOf(env), [claim(now, booking)])) as [ClaimedNotices]
  }
}

/** A lost wake-up costs a minute. */
const wakeMessages = (env: Env, workspaceId: string) => wake(env, 'messages.send', workspaceId)

function decide(env: Env, notice: ClaimedNotice, about: NoticeFacts[], now: Date): Decision[] {
  const facts = about.find(({ id }) => id === notice.booking_id)
  if (!facts) return []
  const { id, booking_id, lease, resend } = notice
  const decision = decideNotice(notice, facts, now.getTime())
  const base = { id, booking_id, lease, version: facts.version, state: 'due', reason: null, send_at: null, message: null } as const
  if (decision.action === 'wait') return [{ ...base, send_at: new Date(decision.until).toISOString() }]
  if (decision.action !== 'send') return [{ ...base, state: decision.action === 'skip' ? 'skipped' : 'cancelled', reason: decision.reason }]
  const { kind, channel, recipient } = notice
  const content = renderNotice(settingOf(facts.event_type.notices, kind), facts, notice, env.APP_URL)
  const message = toReservation({
    channel,
    purpose: 'booking',
    contact_id: decision.contact_id,
    recipient,
    ...content,
    reply_to: channel === 'email' ? facts.host.email : null,
    expires_at: new Date(decision.expires_at).toISOString(),
    dedupe_key: `booking_notice:${id}:${resend}`,
  })
  return 'code' in message ? [{ ...base, state: 'skipped', reason: 'channel_not_configured' }] : [{ ...base, message }]
}

const save = (workspaceId: string, decisions: Decision[]): Statement => call('save_booking_notices', workspaceId, JSON.stringify(decisions))

/** A failure of one workspace does not delay the others: its claims end by themselves, and the next tick tries again. */
async function saveOrLog(env: Env, workspaceId: string, decisions: Decision[]): Promise<void> {
  try {
    await saveEach(env, workspaceId, decisions)
  } catch (error) {
    console.error(JSON.stringify({ level: 'error', message: 'booking notices', workspace_id: workspaceId, error: String(error) }))
  }
}

/**
 * Saves decisions together. If the database refuses them, they are halved until the refused one is found, which is skipped with the reason.
 */
async function saveEach(env: Env, workspaceId: string, decisions: Decision[]): Promise<void> {
  const store = (some: Decision[]) => batch(jobsDatabaseOf(env), [save(workspaceId, some)])
  await saveHalving(decisions, store, async (only, error) => {
    if (only.message === null) throw error
    const reason = error instanceof AppError && error.code === 'INSUFFICIENT_CREDITS' ? 'insufficient_credits' : 'failed'
    console.error(JSON.stringify({ level: 'error', message: 'booking notices', notice_id: only.id, error: String(error) }))
    await store([{ ...only, state: 'skipped', reason, message: null }])
  })
}
