import { zoneOfContact } from '../../contacts/rules/local-zone.ts'
import type { Channel } from '../../messages/rules/messages.ts'
import { canReach, type Recipient } from '../../messages/rules/reachability.ts'
import { type ConsentBasis, consentFault } from './consent.ts'
import type { Cadence, EndReason } from './initiatives.ts'
import { nextOpening, openDay } from './windows.ts'

/** A task that is due, with its contact (lead_dispatch_facts). */
export type DueTask = {
  id: string
  enrolment_id: string
  step_id: string
  contact_id: string
  is_email: boolean
  action_type: string | null
  step_is_active: boolean
  consent_basis: ConsentBasis
  recipient: Omit<Recipient, 'zone'> & { timezone: string | null; state: string | null; country: string | null }
}
/** An initiative with tasks that are due, and its counter. */
export type DueInitiative = Cadence & {
  id: string
  version: number
  workspace_zone: string
  local_date: string | null
  sent: number
  /** When the next email may follow, by the initiative and by the address that sends. */
  next_at: string | null
  next_due: string | null
  /** Whether there may be more that are due. */
  is_full: boolean
  tasks: DueTask[]
}

/** `fire` starts the step, `skip` goes to the next one, `defer` and `wait` leave it until later; `defer` moves its time. */
export type Decision = {
  task_id: string
  initiative_id: string
  version: number
  action: 'fire' | 'skip' | 'end' | 'defer' | 'wait'
  reason: string | null
  day: string | null
  until: string | null
}

const CHANNELS: Record<string, Channel> = { send_email: 'email', send_sms: 'sms', send_whatsapp: 'whatsapp' }
const ENDS: Record<string, EndReason> = {
  archived: 'archived',
  no_address: 'no_address',
  premium_number: 'no_address',
  unsubscribed: 'unsubscribed',
  suppressed: 'suppressed',
}
const HOUR = 3_600_000

/** What happens to each task that is due, in order: emails no more than the cap, and no closer than the gap. */
export function decide(initiative: DueInitiative, now: Date): Decision[] {
  const day = openDay(initiative, now)
  const counter = {
    sent: day !== undefined && initiative.local_date === day ? initiative.sent : 0,
    nextAt: initiative.next_at === null ? 0 : Date.parse(initiative.next_at),
  }
  return initiative.tasks.map((task) => {
    const { action, reason, until } = one(initiative, task, now, day, counter)
    if (action === 'fire' && task.is_email) {
      counter.sent += 1
      counter.nextAt = now.getTime() + initiative.min_gap_seconds * 1000
    }
    const { id: initiative_id, version } = initiative
    return { task_id: task.id, initiative_id, version, action, reason, day: day ?? null, until: until?.toISOString() ?? null }
  })
}

type Verdict = { action: Decision['action']; reason: string | null; until?: Date | undefined }

function one(
  initiative: DueInitiative,
  task: DueTask,
  now: Date,
  day: string | undefined,
  counter: { sent: number; nextAt: number },
): Verdict {
  if (!task.step_is_active) return { action: 'skip', reason: 'step_inactive' }
  if (day === undefined) return { action: 'wait', reason: 'outside_window', until: nextOpening(initiative, now) }
  const held = heldBack(task, initiative.workspace_zone, now)
  if (held) return held
  if (!task.is_email) return { action: 'fire', reason: null }
  if (initiative.local_date !== null && initiative.local_date > day)
    return { action: 'wait', reason: 'outside_window', until: nextOpening(initiative, now) }
  if (counter.sent >= initiative.daily_send_cap) return { action: 'wait', reason: 'daily_cap', until: nextOpening(initiative, now) }
  if (counter.nextAt > now.getTime()) return { action: 'wait', reason: 'min_gap', until: new Date(counter.nextAt) }
  return { action: 'fire', reason: null }
}

/** Why the person is not contacted now, or no more. */
function heldBack(task: DueTask, workspaceZone: string, now: Date): Verdict | undefined {
  const channel = task.is_email ? 'email' : CHANNELS[task.action_type ?? '']
  const { recipient } = task
  if (recipient.archived) return { action: 'end', reason: 'archived' }
  if (!channel) return undefined
  if (consentFault(task.consent_basis, recipient.country)) return { action: 'end', reason: 'no_consent' }
  const reach = canReach({ ...recipient, zone: zoneOfContact(recipient, workspaceZone).timezone }, channel, now)
  if (reach.reachable) return undefined
  const ends = ENDS[reach.reason]
  if (ends) return { action: 'end', reason: ends }
  return { action: 'defer', reason: reach.reason, until: reach.next_allowed_at ?? new Date(now.getTime() + HOUR) }
}
