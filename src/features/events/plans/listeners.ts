import type { Env } from '../../../env.ts'
import { enqueueApproval } from './enqueue-approval.ts'
import { enqueueBookingCopies } from './enqueue-booking-copies.ts'
import { enqueueCustomIndex } from './enqueue-custom-index.ts'
import { enqueueDeadLetter } from './enqueue-dead-letter.ts'
import { enqueueImport } from './enqueue-import.ts'
import { enqueueScheduleRun } from './enqueue-schedule-run.ts'
import { notifyAttendees } from './notify-attendees.ts'
import { notifyMailboxOwners } from './notify-mailbox-owners.ts'
import { removeFile } from './remove-file.ts'
import { sendInvitation } from './send-invitation.ts'

/** A committed change as its listeners receive it. It may be delivered more than once, so listeners are idempotent. */
export type Event = {
  workspace_id: string
  id: string
  /** `contact.created`, `opportunity.won`, … */
  type: string
  entity: string
  entity_id: string
  payload: Record<string, unknown>
  /** The values of each changed field before and after; null for an event that does not announce a row's change. */
  changes: Record<string, { before?: unknown; after?: unknown }> | null
  skip_automations: boolean
  request_id: string | null
  attempts: number
}

/**
 * Handles events of its types. needs_delivery in schema/functions/history.sql must list the same types, because it decides when an event
 * is written whether to deliver it.
 */
export type Listener = { types: string[]; handle(env: Env, event: Event): Promise<void> }

export const listeners: Listener[] = [
  enqueueApproval,
  removeFile,
  sendInvitation,
  enqueueImport,
  enqueueCustomIndex,
  enqueueScheduleRun,
  enqueueDeadLetter,
  notifyAttendees,
  enqueueBookingCopies,
  notifyMailboxOwners,
]
