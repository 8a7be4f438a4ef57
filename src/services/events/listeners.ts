import type { Env } from '../../env.ts'
import { enqueueApproval } from './enqueue-approval.ts'
import { enqueueCustomIndex } from './enqueue-custom-index.ts'
import { enqueueImport } from './enqueue-import.ts'
import { removeFile } from './remove-file.ts'
import { sendInvitation } from './send-invitation.ts'

/** A change that was committed, as its listeners get it. It may come twice: a listener must not mind. */
export type Event = {
  workspace_id: string
  id: string
  /** `contact.created`, `opportunity.won`, … */
  type: string
  entity: string
  entity_id: string
  payload: Record<string, unknown>
  /** Field by field, before and after; null for an event that is not a change of a row. */
  changes: Record<string, { before?: unknown; after?: unknown }> | null
  skip_automations: boolean
  request_id: string | null
  attempts: number
}

/** Reacts to events of its types. The database must know these: needs_delivery in schema/functions/history.sql decides as an event is written. */
export type Listener = { types: string[]; handle(env: Env, event: Event): Promise<void> }

export const listeners: Listener[] = [enqueueApproval, removeFile, sendInvitation, enqueueImport, enqueueCustomIndex]
