import type { Env } from '../../env.ts'
import { removeFile } from './remove-file.ts'
import { sendInvitation } from './send-invitation.ts'
import { wakeApproval } from './wake-approval.ts'
import { wakeCustomIndex } from './wake-custom-index.ts'
import { wakeImport } from './wake-import.ts'

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

export type Listener = (env: Env, event: Event) => Promise<void>

/** Everything that reacts to events. Each gets every event and takes what concerns it. */
export const listeners: Listener[] = [wakeApproval, removeFile, sendInvitation, wakeImport, wakeCustomIndex]
