import * as v from 'valibot'
import { APPROVAL_STATUSES } from '../domain/access.ts'
import { RECORD_PLURALS } from '../domain/records.ts'
import { Id, InstantOut } from './fields.ts'
import { moneyOut } from './pipes.ts'

const whole = v.pipe(v.number(), v.integer())
const id = v.nullable(Id)
const none = v.object({})
const counts = v.object(
  Object.fromEntries(
    ['total', 'done', 'created', 'updated', 'skipped', 'failed', 'removed', 'restored', 'kept'].map((name) => [name, v.nullable(whole)]),
  ),
)
const closed = v.object({ stage_id: id, value: moneyOut })
const approval = v.object({
  status: v.picklist(APPROVAL_STATUSES),
  resource: v.string(),
  method: v.string(),
  path: v.pipe(v.string(), v.description('The path of the endpoint, with :name for its parameters.')),
  requested_by: Id,
  key_id: Id,
  policy_ids: v.pipe(v.array(Id), v.description('The approval policies that hold the request.')),
  required_scopes: v.nullable(v.array(v.string())),
  requires_admin: v.boolean(),
  expires_at: InstantOut,
  edited_by: id,
  decided_by: id,
})
const member = v.object({ object: v.picklist(RECORD_PLURALS), record_id: Id })
const enrolment = { enrolment_id: Id, contact_id: id, opportunity_id: id }
const related = v.object({ assigned_to: id, contact_id: id, customer_id: id, opportunity_id: id })

/** The payloads of the events that are more than a change of a record, with what happened. `merged`, `unmerged` and `purged` are of several kinds. */
export const SPECIAL_PAYLOADS: Record<string, { description: string; payload: v.GenericSchema }> = {
  merged: { description: 'Other records were merged into it.', payload: v.object({ merge_id: Id, loser_ids: v.array(Id) }) },
  unmerged: { description: 'A merge into it was undone.', payload: v.object({ merge_id: Id, restored_ids: v.array(Id) }) },
  purged: { description: 'It was erased with all that was stored about it.', payload: none },
  'approval.approved': { description: 'A request was approved. It is executed next.', payload: approval },
  'approval.edited': { description: 'A pending request was edited.', payload: approval },
  'approval.executed': { description: 'An approved request was executed.', payload: approval },
  'approval.expired': { description: 'Nobody decided about a request in time.', payload: approval },
  'approval.failed': { description: 'An approved request could not be executed.', payload: approval },
  'approval.rejected': { description: 'A request was rejected.', payload: approval },
  'approval.requested': { description: 'A request waits for approval.', payload: approval },
  'approval.stale': { description: 'Another request has changed what a pending one changes.', payload: approval },
  'auto_queue.enrolled': {
    description: 'A contact or an opportunity was enrolled in an auto queue.',
    payload: v.object(enrolment),
  },
  'auto_queue.enrolment_ended': {
    description: 'An enrolment in an auto queue is complete, has failed, or was ended by an exit or a person.',
    payload: v.object({ ...enrolment, state: v.picklist(['completed', 'failed', 'exited', 'removed']) }),
  },
  'auto_queue.list_enrolment_ended': {
    description: 'The members of a list were enrolled in an auto queue, or could not be.',
    payload: v.object({ list_enrolment_id: Id, list_id: Id, state: v.picklist(['completed', 'failed']), enrolled: whole }),
  },
  'auto_queue.list_enrolment_started': {
    description: 'The members of a list are enrolled in an auto queue in the background.',
    payload: v.object({ list_enrolment_id: Id, list_id: Id }),
  },
  'automation.loop_stopped': {
    description: 'An automation did not start again, because it would have run in a loop.',
    payload: v.object({ reasons: v.array(v.picklist(['too_deep', 'too_often'])) }),
  },
  'automation.paused': { description: 'The system has paused an automation.', payload: v.object({ reason: v.string() }) },
  'automation.run_failed': {
    description: 'A run of an automation failed.',
    payload: v.object({ run_id: Id, step_id: id, code: v.string(), message: v.string() }),
  },
  'import.checked': { description: 'The check of an import has ended.', payload: counts },
  'import.finished': { description: 'An import has ended.', payload: counts },
  'import.undone': { description: 'The undo of an import has ended.', payload: counts },
  'import.failed': {
    description: 'An import, its check or its undo stopped with an error.',
    payload: v.object({ reason: v.string(), phase: v.nullable(v.string()) }),
  },
  'list.entered': { description: 'A record became a member of a list that tracks its membership.', payload: member },
  'list.left': { description: 'A record is no longer a member of a list that tracks its membership.', payload: member },
  'member.invited': { description: 'A person was invited, or their invitation was renewed.', payload: v.object({ invitation_id: Id }) },
  'member.joined': { description: 'A person accepted their invitation.', payload: none },
  'member.removed': { description: 'A member was removed from the workspace.', payload: none },
  'opportunity.lost': { description: 'An opportunity was lost.', payload: closed },
  'opportunity.moved': {
    description: 'An opportunity moved to another stage.',
    payload: v.object({
      from_stage_id: id,
      to_stage_id: id,
      from_pipeline_id: id,
      to_pipeline_id: id,
      skip_action_ids: v.array(v.string()),
    }),
  },
  'opportunity.won': { description: 'An opportunity was won.', payload: closed },
  'task.completed': { description: 'A task was completed.', payload: related },
  'task.reminder': {
    description: 'The time of the reminder of a task has come.',
    payload: v.object({ ...related.entries, due_at: v.nullable(InstantOut), reminder_at: InstantOut }),
  },
  'task.reopened': { description: 'A completed task was reopened.', payload: related },
}
