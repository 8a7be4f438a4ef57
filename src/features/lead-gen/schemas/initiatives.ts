import * as v from 'valibot'
import { toZone } from '../../../domain/time-zones.ts'
import { bulkResult, named, timestamps } from '../../../schemas/common.ts'
import { Bool, describe, Enum, Id, InstantOut, Integer, Multiline, Name, optional } from '../../../schemas/fields.ts'
import { STEP_TYPES } from '../../automations/schemas/automation-steps.ts'
import { TimeOfDay } from '../../automations/schemas/waits.ts'
import { CONSENT_BASES } from '../rules/consent.ts'
import { END_REASONS, ENROLMENT_STATUSES, MAX_DELAY_MINUTES, MAX_LEAD_STEPS } from '../rules/initiatives.ts'
import { LEAD_STATUSES } from '../rules/statuses.ts'
import { leadResultIds } from './results.ts'

const days = v.pipe(
  v.array(Integer(0, 6), 'must be a list of days'),
  v.minLength(1, 'must have at least one day'),
  v.maxLength(7, 'must have each day once'),
  v.check((sent) => new Set(sent).size === sent.length, 'must have each day once'),
)
const zone = v.pipe(
  v.string('must be an IANA time zone'),
  v.maxLength(64),
  v.check((text) => toZone(text) === text, 'must be an IANA time zone, such as Australia/Sydney'),
)
const cadence = {
  daily_send_cap: v.optional(describe(Integer(1, 10_000), 'The most emails a day. By default 40.', 40)),
  send_window_start: v.optional(describe(TimeOfDay, 'From when steps are taken. By default 09:00.', '09:00')),
  send_window_end: v.optional(describe(TimeOfDay, 'Before when. One before the start is on the next day. By default 17:00.', '17:00')),
  send_days: v.optional(describe(days, 'The days on which the window opens; 0 is Sunday. By default Monday to Friday.', [1, 2, 3, 4, 5])),
  timezone: v.optional(describe(zone, 'The zone of the window. By default Australia/Sydney.', 'Australia/Sydney')),
  min_gap_seconds: v.optional(describe(Integer(0, 86_400), 'The least time between two emails, in seconds. By default 90.', 90)),
}
const fields = {
  name: describe(Name(200), 'What the initiative is called.', 'Hotels of the coast'),
  description: optional(describe(Multiline(2_000), 'What it is for.', 'Hotels that were at the trade fair.')),
  is_active: v.optional(describe(Bool, 'Whether its steps are taken. False by default.', false)),
  ...cadence,
}
export const NewInitiative = v.strictObject(fields)
export type NewInitiative = v.InferOutput<typeof NewInitiative>
export const InitiativePatch = v.partial(v.strictObject(fields))
export type InitiativePatch = v.InferOutput<typeof InitiativePatch>

const text = v.nullable(v.string())
const whole = (what: string, example: number) => v.pipe(v.number(), v.integer(), v.description(what), v.examples([example]))
export const LeadInitiative = named(
  'LeadInitiative',
  v.object({
    id: Id,
    name: v.string(),
    description: text,
    is_active: v.pipe(v.boolean(), v.description('Whether its steps are taken.')),
    daily_send_cap: whole('The most emails a day.', 40),
    send_window_start: v.pipe(v.string(), v.description('From when steps are taken.'), v.examples(['09:00'])),
    send_window_end: v.pipe(v.string(), v.description('Before when steps are taken.'), v.examples(['17:00'])),
    send_days: v.pipe(v.array(v.number()), v.description('The days on which the window opens.'), v.examples([[1, 2, 3, 4, 5]])),
    timezone: v.pipe(v.string(), v.description('The zone of the window.'), v.examples(['Australia/Sydney'])),
    min_gap_seconds: whole('The least time between two emails, in seconds.', 90),
    ...timestamps,
  }),
)
export type LeadInitiative = v.InferOutput<typeof LeadInitiative>

const ACTING = Object.keys(STEP_TYPES).filter((type) => STEP_TYPES[type]?.acts)
const config = v.pipe(
  v.record(v.string(), v.unknown(), 'must be an object'),
  v.description('The settings of the action: see GET /automation-catalogue. Texts may contain templates.'),
  v.examples([{ subject: 'Your roof', text: 'Good morning {{ contact.first_name }}' }]),
)
const delay = describe(Integer(0, MAX_DELAY_MINUTES), 'Minutes after the step before, or after the enrolment. 0 by default.', 2880)
const order = describe(Integer(0, 100_000), 'Its place: steps are taken in ascending order. By default the last.', 1)
const active = describe(Bool, 'Whether it is taken. True by default; one that is not is passed over.', true)
export const NewLeadStep = v.pipe(
  v.strictObject({
    action_type: v.optional(Enum(ACTING as [string, ...string[]], 'Quick mode: what the step does.')),
    action_config: v.optional(config),
    automation_id: v.optional(describe(Id, 'Own automation: the published automation that the step starts, in place of an action.')),
    delay: v.optional(delay),
    sort_order: v.optional(order),
    is_active: v.optional(active),
  }),
  v.forward(
    v.check(
      ({ action_type, automation_id }) => (action_type === undefined) !== (automation_id === undefined),
      'Send either action_type or automation_id',
    ),
    ['action_type'],
  ),
  v.examples([{ action_type: 'create_task', action_config: { fields: { title: 'Call {{ contact.first_name }}' } }, delay: 60 }]),
)
export type NewLeadStep = v.InferOutput<typeof NewLeadStep>
export const LeadStepPatch = v.strictObject({ delay: v.optional(delay), sort_order: v.optional(order), is_active: v.optional(active) })
export type LeadStepPatch = v.InferOutput<typeof LeadStepPatch>

export const LeadInitiativeStep = named(
  'LeadInitiativeStep',
  v.object({
    id: Id,
    initiative_id: Id,
    sort_order: whole('Its place: steps are taken in ascending order.', 1),
    action_type: v.pipe(text, v.description('Quick mode: what it does.'), v.examples(['create_task'])),
    action_config: v.pipe(v.nullable(v.record(v.string(), v.unknown())), v.description('The settings of the action.')),
    delay: whole('Minutes after the step before.', 2880),
    automation_id: v.pipe(Id, v.description('The automation that it starts; in quick mode one of its own.')),
    is_active: v.pipe(v.boolean(), v.description('Whether it is taken.')),
    fired_count: whole('How often it was taken.', 12),
    reply_count: whole('How many people replied after it.', 2),
    ...timestamps,
  }),
)
export type LeadInitiativeStep = v.InferOutput<typeof LeadInitiativeStep>
export const LeadInitiativeDetails = named(
  'LeadInitiativeDetails',
  v.object({
    ...LeadInitiative.entries,
    steps: v.pipe(
      v.array(
        v.object({
          ...LeadInitiativeStep.entries,
          automation: v.pipe(
            v.object({ id: Id, name: v.string(), state: v.string() }),
            v.description('The automation that the step starts.'),
          ),
        }),
      ),
      v.description(`The steps in their order, at most ${MAX_LEAD_STEPS}.`),
    ),
  }),
)
export type LeadInitiativeDetails = v.InferOutput<typeof LeadInitiativeDetails>

export const LeadEnrolment = named(
  'LeadEnrolment',
  v.object({
    id: Id,
    initiative_id: Id,
    lead_result_id: Id,
    contact_id: v.pipe(Id, v.description('The contact, which is the record of the automations.')),
    status: Enum(ENROLMENT_STATUSES, '`completed`: after the last step. `ended`: for the reason that end_reason names.'),
    end_reason: v.pipe(text, v.description(`One of ${END_REASONS.join(', ')}, or null.`), v.examples(['replied'])),
    next_step_id: v.pipe(v.nullable(Id), v.description('The step that is next.')),
    scheduled_for: v.pipe(v.nullable(InstantOut), v.description('From when it is due; the window, the cap and the gap may delay it.')),
    lead_result: v.pipe(
      v.object({
        id: Id,
        name: v.string(),
        company_name: text,
        email: text,
        phone: text,
        city: text,
        country: text,
        consent_basis: v.picklist(CONSENT_BASES),
        status: v.picklist(LEAD_STATUSES),
      }),
      v.description('The result as it is now.'),
    ),
    created_at: InstantOut,
    ended_at: v.pipe(v.nullable(InstantOut), v.description('When it was completed, or ended.')),
  }),
)
export type LeadEnrolment = v.InferOutput<typeof LeadEnrolment>
export const LeadEnrolments = bulkResult(LeadEnrolment)
export const EnrolLeads = v.strictObject({ lead_result_ids: leadResultIds })
export const enrolmentFilters = { status: v.optional(Enum(ENROLMENT_STATUSES)) }

const REASON =
  'Why it was not fired: outside_window, daily_cap, min_gap, quiet_hours, channel_not_configured, automation_not_published, changed, ' +
  'taken (by another call), step_inactive, or why the enrolment ended.'
export const Dispatched = v.object({
  fired: whole('How many steps were fired.', 1),
  more: v.pipe(v.boolean(), v.description('Whether there may be more that is due: call again.')),
  tasks: v.pipe(
    v.array(
      v.object({
        task_id: Id,
        initiative_id: Id,
        outcome: Enum(['fired', 'skipped', 'ended', 'waiting'], 'What happened to the task.'),
        reason: v.pipe(text, v.description(REASON)),
        retry_at: v.pipe(v.nullable(v.string()), v.description('When it may be fired, as far as that is known.')),
      }),
    ),
    v.description('The tasks that were due, in order, at most 100.'),
  ),
})
export type Dispatched = v.InferOutput<typeof Dispatched>
