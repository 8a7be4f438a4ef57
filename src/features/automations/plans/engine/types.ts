import type { RunReason, RunState } from '../../rules/states.ts'
import type { FeedEvent } from '../../rules/triggers.ts'
import type { Definition, RunPlace, Step } from '../../rules/types.ts'

type Row = Record<string, unknown>
/** A run as claim_runs hands it to a worker. */
export type ClaimedRun = {
  id: string
  automation_id: string
  version_id: string
  state: RunState
  record_id: string | null
  contact_id: string | null
  customer_id: string | null
  opportunity_id: string | null
  trigger_data: Row
  depth: number
  place: RunPlace
  /** Of an enrolment in an auto queue that was changed: the steps that the place is about. */
  former_steps: Step[] | null
  moves: number
  attempts: number
  awaits: string | null
  /** The events that may end its wait, oldest first, MAX_ARRIVED at most; null for a run that waits for none. */
  events: FeedEvent[] | null
  /** The rows of the last step's result, if its output is not known yet. */
  answers: Record<string, { step_id: string; answer: unknown[][] }> | null
  /** The errors of its latest steps that failed or were skipped, by the id of the step. */
  failures: Record<string, RunError> | null
  /** The response of the approval for which the run has waited, with the error of a request that was refused. */
  response: { data?: unknown; error?: RunError } | null
}
/** The rights of the key that published a version, or adopted its runs; null for one that may do nothing any more. */
export type Rights = { scopes: string[]; role_scopes: string[]; level: string }
export type Version = {
  id: string
  automation_id: string
  number: number
  name: string
  definition: Definition
  /** Whether new runs follow it. */
  is_current: boolean
  /** The key that its runs act with: that of its publisher, or of who adopted them; null if it was deleted. */
  key_id: string
  rights: Rights | null
  /** The kinds of records, among those of the events that its runs know, that the key may not read. */
  unreadable: string[]
}
export type Claimed = {
  runs: ClaimedRun[]
  versions: Record<string, Version>
  workspace: { name: string; timezone: string }
  contact: Record<string, Row>
  company: Record<string, Row>
  opportunity: Record<string, Row>
}

export type RunError = { code: string; message: string; details?: unknown }
/** A step as settle_runs stores it. */
export type TakenStep = {
  sequence: number
  step_id: string
  type: string
  state: 'done' | 'skipped' | 'waiting' | 'held' | 'failed'
  place?: unknown
  input?: unknown
  output?: unknown
  error?: RunError
  attempts?: number
  request_id?: string
}
/** The outcome of a run, as settle_runs stores it. */
export type Move = {
  id: string
  version_id: string
  moves: number
  state: RunState
  place: RunPlace
  due_at: string | null
  awaits: string | null
  error: RunError | null
  reason: RunReason | null
  retry: boolean
  steps: TakenStep[]
  /** The worker goes on with the run, and keeps its claim. */
  goes_on?: true
  /** The run goes on waiting, unless an event has come since it was claimed. */
  rests?: true
}
