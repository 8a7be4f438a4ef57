import * as v from 'valibot'
import { named } from '../../../schemas/common.ts'
import { describe, Enum, Id, InstantOut } from '../../../schemas/fields.ts'
import { type RunReason as Reason, RUN_REASONS, RUN_SOURCES, RUN_STATES, STEP_STATES } from '../rules/states.ts'

const anyObject = v.record(v.string(), v.unknown())
const RunError = v.nullable(v.object({ code: v.string(), message: v.string(), details: v.optional(v.unknown()) }))
const state = v.pipe(
  v.picklist(RUN_STATES),
  v.description(
    'A run that is queued waits for the end of another run of its record; one that is waiting waits for a time, an event or an approval.',
  ),
)
const reasons = Object.entries(RUN_REASONS)
/** Also of enrolments in auto queues. */
export const RunReason = v.pipe(
  v.nullable(v.picklist(reasons.map(([name]) => name) as Reason[])),
  v.description(
    `What else than a step has ended it, or why it waits; otherwise null. ${reasons.map(([name, why]) => `${name}: ${why}`).join('; ')}.`,
  ),
)
export const AutomationRun = named(
  'AutomationRun',
  v.object({
    id: Id,
    automation_id: Id,
    version_id: Id,
    state,
    source: v.pipe(v.picklist(RUN_SOURCES), v.description('What started it.')),
    source_id: v.pipe(
      v.nullable(Id),
      v.description('The id of the event, the fire of a schedule, the request or the run that started it.'),
    ),
    record_id: v.nullable(Id),
    contact_id: v.nullable(Id),
    customer_id: v.nullable(Id),
    opportunity_id: v.nullable(Id),
    trigger_data: v.pipe(
      anyObject,
      v.description('What started it: the data that was sent, or the event, with its payload for callers who may read its record.'),
      v.examples([{ type: 'contact.created' }]),
    ),
    moves: v.pipe(v.number(), v.integer(), v.description('The number of steps that it has taken.')),
    due_at: v.pipe(v.nullable(InstantOut), v.description('When its next step is due.')),
    awaits: v.pipe(v.nullable(v.string()), v.description('The event or the approval for which it waits.')),
    error: v.pipe(RunError, v.description('Why it failed.')),
    reason: RunReason,
    ended_at: v.nullable(InstantOut),
    created_at: InstantOut,
    updated_at: InstantOut,
  }),
)
export const AutomationStep = named(
  'AutomationStep',
  v.object({
    id: Id,
    run_id: Id,
    sequence: v.pipe(v.number(), v.integer(), v.description('Its position among the steps that the run has taken, from 1.')),
    step_id: v.pipe(Id, v.description('The id of the step in the automation.')),
    type: v.string(),
    state: v.picklist(STEP_STATES),
    input: v.pipe(v.unknown(), v.description('What the step was given, with templates filled in.')),
    output: v.pipe(v.unknown(), v.description('What it returned.')),
    error: RunError,
    attempts: v.pipe(v.number(), v.integer(), v.description('How often it was tried.')),
    request_id: v.pipe(v.nullable(v.string()), v.description('The request by which it took effect: see GET /requests/:request_id.')),
    duration_ms: v.pipe(
      v.nullable(v.pipe(v.number(), v.integer())),
      v.description('How long it took, in milliseconds; of a step that shared a transaction, since its beginning.'),
    ),
    created_at: InstantOut,
  }),
)

export const runFilters = {
  automation_id: v.optional(Id),
  state: v.optional(Enum(RUN_STATES, 'Only runs in this state.')),
  source_id: v.optional(describe(Id, 'Only runs that this started: an event, the fire of a schedule, a request.')),
  contact_id: v.optional(Id),
  customer_id: v.optional(Id),
  opportunity_id: v.optional(Id),
}
export const StartBody = v.pipe(
  v.strictObject({
    contact_id: v.optional(Id),
    customer_id: v.optional(Id),
    opportunity_id: v.optional(Id),
    data: v.optional(
      v.pipe(
        v.record(v.string(), v.unknown(), 'must be an object'),
        v.check((data) => JSON.stringify(data).length <= 50_000, 'must be at most 50,000 characters of JSON'),
        v.description('Data for conditions and templates: `{{ trigger.data.reason }}`.'),
        v.examples([{ reason: 'asked on the phone' }]),
      ),
    ),
  }),
  v.description('The records that the run is about.'),
)
export type StartBody = v.InferOutput<typeof StartBody>

export const PreviewStep = named(
  'AutomationPreviewStep',
  v.object({
    step_id: v.pipe(Id, v.description('The id of the step in the automation.')),
    type: v.string(),
    key: v.nullable(v.string()),
    state: v.pipe(
      v.picklist(STEP_STATES),
      v.description('How it would end: `held` waits for approval, `waiting` for the time in `input`, after which the preview goes on.'),
    ),
    at: v.pipe(InstantOut, v.description('When it would be taken, if every wait lasts as long as it can.')),
    input: v.pipe(v.unknown(), v.description('What the step would be given, with templates filled in.')),
    output: v.pipe(v.unknown(), v.description('What it would return; null for a request to another service.')),
    error: RunError,
    changes: v.pipe(v.array(anyObject), v.description('The changes that it would make.')),
  }),
)
export type PreviewStep = v.InferOutput<typeof PreviewStep>

export const StartResult = named(
  'AutomationStart',
  v.object({
    run_id: v.pipe(v.nullable(Id), v.description('The run; null if none was started.')),
    reason: v.pipe(
      v.nullable(v.string()),
      v.description('Why no run was started, such as enrolled_before.'),
      v.examples(['enrolled_before']),
    ),
    path: v.optional(
      v.pipe(v.array(PreviewStep), v.description('Only of a dry run: the first 30 steps that the run would take, with your rights.')),
    ),
  }),
)
const StepCount = v.object({
  step_id: Id,
  type: v.string(),
  key: v.nullable(v.string()),
  ...Object.fromEntries(
    STEP_STATES.map((name) => [name, v.pipe(v.number(), v.integer(), v.description(`How many times it was ${name}.`))]),
  ),
})
export const Funnel = named(
  'AutomationFunnel',
  v.object({ steps: v.pipe(v.array(StepCount), v.description('The steps as they are now, in their order.')) }),
)

export const Explanation = named(
  'AutomationExplanation',
  v.object({
    event_id: Id,
    type: v.string(),
    at: InstantOut,
    started: v.pipe(v.boolean(), v.description('Whether it started a run.')),
    run_id: v.nullable(Id),
    reason: v.pipe(v.nullable(v.string()), v.description('The rule that kept the event from starting a run.')),
    failed: v.pipe(
      v.nullable(
        v.object({
          path: v.pipe(v.string(), v.description('The place of the condition in the definition.'), v.examples(['conditions.0.filter'])),
          expected: v.pipe(v.unknown(), v.description('What was expected.')),
          actual: v.pipe(
            v.unknown(),
            v.description(
              'What was there: the value of the field, or for several fields each value by its name. ' +
                'The record that the event created or changed is as it was then, and other records are as they are now. ' +
                'Of related records, such as `company.industry`, each of the first five has its value. ' +
                'Null if the event is about no such record, or if you may not read what the event is about.',
            ),
          ),
        }),
      ),
      v.description('The setting of the trigger, or the condition, that the event did not meet.'),
      v.examples([{ path: 'conditions.0.filter', expected: { field: 'city', op: 'eq', value: 'Newcastle' }, actual: 'Sydney' }]),
    ),
  }),
)
export const explainQuery = {
  contact_id: v.optional(Id),
  customer_id: v.optional(Id),
  opportunity_id: v.optional(Id),
}
