import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { describe, Enum, Id, InstantOut, Integer, Multiline, Name, optional } from '../../../schemas/fields.ts'
import { MAX_WAIT_DAYS, minutesOf, UNITS } from '../../automations/rules/waits.ts'
import { RunReason } from '../../automations/schemas/automation-runs.ts'
import { STEP_TYPES } from '../../automations/schemas/automation-steps.ts'
import { TRIGGER_SETTINGS } from '../../automations/schemas/automations.ts'
import { TimeWindow } from '../../automations/schemas/waits.ts'
import {
  AUTO_QUEUE_STATES,
  ENROLMENT_STATES,
  EXIT_TYPES,
  LIST_ENROLMENT_STATES,
  MAX_COUNTED,
  MAX_EXITS,
  RE_ENROLMENT_MODES,
} from '../rules/auto-queues.ts'

const whole = v.pipe(v.number(), v.integer())
const exits = EXIT_TYPES.map((type) => v.strictObject({ type: v.literal(type), ...TRIGGER_SETTINGS[type] }))
const Exits = v.pipe(
  v.array(
    v.variant('type', exits as [(typeof exits)[number], ...typeof exits], `must have a type: one of ${EXIT_TYPES.join(', ')}`),
    'must be a list of exits',
  ),
  v.maxLength(MAX_EXITS, `must be at most ${MAX_EXITS} exits`),
  v.description(
    'What ends an enrolment: an event about its contact or opportunity, a stage, a tag, or a list that tracks its membership. ' +
      'The types have the settings of the triggers of the same name, which GET /automation-catalogue describes.',
  ),
  v.metadata({
    examples: [[{ type: 'event', event_types: ['task.created'], where: { field: 'payload.priority', op: 'eq', value: 'high' } }]],
  }),
)
const ReEnrolment = v.pipe(
  v.strictObject({
    mode: Enum(
      RE_ENROLMENT_MODES,
      'When a record can be enrolled again: never, after its enrolment has ended, or a number of days after it ' +
        'began and when it has ended.',
    ),
    days: v.optional(describe(Integer(1, 3650), 'For after_days: the days since the last enrolment.', 30)),
  }),
  v.forward(
    v.check(({ mode, days }) => (mode === 'after_days') === (days !== undefined), 'Send days with the mode after_days, and only with it'),
    ['days'],
  ),
  v.description('Whether a record that was enrolled before can be enrolled again. By default never.'),
  v.examples([{ mode: 'after_end' }]),
)

const fields = {
  name: describe(Name(120), 'The name, which is unique.', 'Follow up a quote'),
  description: optional(describe(Multiline(2000), 'What it is for.', 'Reminds everyone who was sent a quote.')),
  exits: v.optional(Exits),
  re_enrolment: v.optional(ReEnrolment),
}
export const NewAutoQueue = v.strictObject(fields)
export type NewAutoQueue = v.InferOutput<typeof NewAutoQueue>
export const AutoQueuePatch = v.partial(v.strictObject(fields))
export type AutoQueuePatch = v.InferOutput<typeof AutoQueuePatch>

const anyObject = v.record(v.string(), v.unknown())
export const AutoQueue = named(
  'AutoQueue',
  v.object({
    id: Id,
    name: v.string(),
    description: v.nullable(v.string()),
    state: v.pipe(
      v.picklist(AUTO_QUEUE_STATES),
      v.description('Only an active queue takes enrolments. While it is inactive, those in it wait.'),
    ),
    inactive_reason: v.pipe(v.nullable(v.string()), v.description('Why the system has deactivated it.')),
    exits: v.pipe(v.array(anyObject), v.description('What ends an enrolment.'), v.examples([[]])),
    re_enrolment: v.pipe(
      anyObject,
      v.description('Whether a record that was enrolled before can be enrolled again.'),
      v.examples([{ mode: 'never' }]),
    ),
    ...timestamps,
  }),
)
export type AutoQueue = v.InferOutput<typeof AutoQueue>

const ACTING = Object.keys(STEP_TYPES).filter((type) => STEP_TYPES[type]?.acts)
const Delay = v.pipe(
  v.strictObject({ amount: Integer(0, 600_000), unit: Enum(UNITS, 'The unit of time.') }, 'must be a duration: amount and unit'),
  v.check((delay) => minutesOf(delay) <= MAX_WAIT_DAYS * 1440, `must be at most ${MAX_WAIT_DAYS} days`),
  v.description(
    'How long it waits after the step before, or after the enrolment. Days and weeks keep the time of day in the contact’s zone.',
  ),
  v.examples([{ amount: 2, unit: 'days' }]),
)
const SendWindow = v.nullable(
  v.pipe(
    TimeWindow,
    v.forward(
      v.check(({ from, to }) => from < to, 'must be later than from'),
      ['to'],
    ),
    v.description(
      'Days of the week and times of day, in the contact’s zone, at which the step may be taken. ' +
        'A delay that ends outside lasts until the next of them.',
    ),
    v.examples([{ days: [1, 2, 3, 4, 5], from: '09:00', to: '17:00' }]),
  ),
)
const stepFields = {
  name: v.optional(v.nullable(describe(Name(120), 'What it is called in lists of steps.', 'First call'))),
  delay: Delay,
  send_window: v.optional(SendWindow),
  action: v.optional(
    v.nullable(
      v.pipe(
        v.looseObject({ type: v.picklist(ACTING, `must be one of: ${ACTING.join(', ')}`) }, 'must be a step: an object with a type'),
        v.metadata({ additionalProperties: true }),
        v.description(
          'What the step does: a step of an automation that acts, with its settings and templates. See GET /automation-catalogue.',
        ),
        v.examples([{ type: 'create_task', fields: { title: 'Call {{ contact.first_name }}' } }]),
      ),
    ),
  ),
  automation_id: v.optional(
    v.nullable(describe(Id, 'An automation that the step starts, instead of an action. One that is not published by then starts nothing.')),
  ),
}
const isSent = (value: unknown) => value !== undefined && value !== null
export const NewQueueStep = v.pipe(
  v.strictObject({ ...stepFields, position: v.optional(describe(Integer(0, 1000), 'Its place from 0, by default the last.', 0)) }),
  v.forward(
    v.check(({ action, automation_id }) => isSent(action) !== isSent(automation_id), 'Send either action or automation_id'),
    ['action'],
  ),
)
export type NewQueueStep = v.InferOutput<typeof NewQueueStep>
export const QueueStepPatch = v.pipe(
  v.partial(v.strictObject(stepFields)),
  v.forward(
    v.check(
      ({ action, automation_id }) => (action === undefined && automation_id === undefined) || isSent(action) !== isSent(automation_id),
      'Send either action or automation_id',
    ),
    ['action'],
  ),
)
export type QueueStepPatch = v.InferOutput<typeof QueueStepPatch>

export const AutoQueueStep = named(
  'AutoQueueStep',
  v.object({
    id: Id,
    auto_queue_id: Id,
    position: v.pipe(whole, v.description('Its place, from 0.')),
    name: v.nullable(v.string()),
    delay: v.pipe(anyObject, v.description('How long after the step before it is taken.'), v.examples([{ amount: 2, unit: 'days' }])),
    send_window: v.pipe(v.nullable(anyObject), v.description('The days and times at which it is taken.'), v.examples([null])),
    action: v.pipe(
      v.nullable(anyObject),
      v.description('What it does.'),
      v.examples([{ type: 'create_task', fields: { title: 'Call {{ contact.first_name }}' } }]),
    ),
    automation_id: v.nullable(Id),
    ...timestamps,
  }),
)
export type AutoQueueStep = v.InferOutput<typeof AutoQueueStep>

const counted = (text: string) => v.pipe(whole, v.description(`${text} ${MAX_COUNTED} stands for ${MAX_COUNTED} or more.`))
const inside = v.pipe(
  v.object({
    enrolments: counted('The enrolments that have not ended.'),
    at_step: counted('Those that are at the step, or that were at it before its removal.'),
    effect: v.pipe(
      v.string(),
      v.description('What the change does to them.'),
      v.examples(['Enrolments that wait for this step go to the next one when that wait ends.']),
    ),
  }),
  v.description('The enrolments that have not ended, and what the change does to them.'),
)
export const StepChange = named('AutoQueueStepChange', v.object({ ...AutoQueueStep.entries, inside }))
export const StepRemoval = named('AutoQueueStepRemoval', v.object({ id: Id, deleted: v.literal(true), inside }))
export const StepOrder = named(
  'AutoQueueStepOrder',
  v.object({ steps: v.pipe(v.array(AutoQueueStep), v.description('The steps in their new order.')), inside }),
)

const target = {
  contact_id: v.optional(describe(Id, 'The contact to enrol.')),
  opportunity_id: v.optional(describe(Id, 'The opportunity to enrol, instead of a contact.')),
}
export const NewEnrolment = v.pipe(
  v.strictObject(target),
  v.forward(
    v.check(({ contact_id, opportunity_id }) => isSent(contact_id) || isSent(opportunity_id), 'Send either contact_id or opportunity_id'),
    ['contact_id'],
  ),
  v.forward(
    v.check(({ contact_id, opportunity_id }) => !isSent(contact_id) || !isSent(opportunity_id), 'Leave it out, or contact_id'),
    ['opportunity_id'],
  ),
  v.examples([{ contact_id: '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d' }]),
)
export type NewEnrolment = v.InferOutput<typeof NewEnrolment>

export const Enrolment = named(
  'AutoQueueEnrolment',
  v.object({
    id: v.pipe(Id, v.description('Also the id of a run: see GET /automation-runs/{run_id}.')),
    auto_queue_id: Id,
    contact_id: v.pipe(v.nullable(Id), v.description('The contact; of an opportunity that is enrolled, its main contact.')),
    opportunity_id: v.pipe(v.nullable(Id), v.description('The opportunity, if one is enrolled.')),
    state: v.pipe(
      v.picklist(ENROLMENT_STATES),
      v.description(
        '`exited`: an exit of the queue has ended it. `removed`: a request did, or the deletion of the record that was enrolled.',
      ),
    ),
    next_step_id: v.pipe(v.nullable(Id), v.description('The step that is next, or at which it ended.')),
    next_due_at: v.pipe(
      v.nullable(InstantOut),
      v.description('When the next step is due; of a paused enrolment, when it would have been.'),
    ),
    next_due_local: v.pipe(
      v.nullable(v.string()),
      v.description('The same in the zone of the contact, with its offset.'),
      v.examples(['2026-11-23T09:00:00+11:00']),
    ),
    time_zone: v.pipe(v.string(), v.description('The zone of the contact, or else of the workspace.'), v.examples(['Australia/Sydney'])),
    exit: v.pipe(
      v.nullable(
        v.object({ type: v.picklist(EXIT_TYPES), event_type: v.pipe(v.string(), v.description('The type of the event.')), event_id: Id }),
      ),
      v.description('What ended it, if an exit did.'),
    ),
    reason: RunReason,
    error: v.pipe(
      v.nullable(v.object({ code: v.string(), message: v.string(), details: v.optional(v.unknown()) })),
      v.description('Why its step failed.'),
    ),
    ended_at: v.nullable(InstantOut),
    created_at: InstantOut,
    updated_at: InstantOut,
  }),
)
export type Enrolment = v.InferOutput<typeof Enrolment>
export const enrolmentFilters = {
  contact_id: v.optional(Id),
  opportunity_id: v.optional(Id),
  state: v.optional(Enum(ENROLMENT_STATES, 'Only enrolments in this state.')),
}
export const Enrolled = v.object({ id: Id, contact_id: v.nullable(Id), opportunity_id: v.nullable(Id) })
export type Enrolled = v.InferOutput<typeof Enrolled>

export const ListEnrolment = named(
  'AutoQueueListEnrolment',
  v.object({
    id: Id,
    auto_queue_id: Id,
    list_id: v.pipe(v.nullable(Id), v.description('The list, or null if it was deleted.')),
    state: v.picklist(LIST_ENROLMENT_STATES),
    enrolled: v.pipe(whole, v.description('How many members were enrolled until now.')),
    skipped: v.pipe(
      v.record(v.string(), whole),
      v.description('How many were not, by reason: enrolled_before, already_enrolled, not_found.'),
      v.examples([{ already_enrolled: 3 }]),
    ),
    error: v.pipe(v.nullable(v.string()), v.description('Why it failed.')),
    created_at: InstantOut,
    ended_at: v.nullable(InstantOut),
  }),
)

export const QueueCounts = named(
  'AutoQueueCounts',
  v.object({
    enrolments: v.pipe(
      v.object(Object.fromEntries(ENROLMENT_STATES.map((state) => [state, counted(`Enrolments that are ${state}.`)]))),
      v.description('The enrolments by state.'),
    ),
    steps: v.pipe(
      v.array(
        v.object({
          step_id: Id,
          name: v.nullable(v.string()),
          waiting: counted('Enrolments that are at this step.'),
          ...Object.fromEntries(
            ['done', 'skipped', 'failed'].map((state) => [state, v.pipe(whole, v.description(`How often the step was ${state}.`))]),
          ),
        }),
      ),
      v.description('The steps in their order.'),
    ),
  }),
)
export type QueueCounts = v.InferOutput<typeof QueueCounts>
