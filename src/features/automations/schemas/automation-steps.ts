import * as v from 'valibot'
import { RECORD_ENTITIES } from '../../../domain/records.ts'
import { Bool, describe, Enum, Id, Integer, SingleLine } from '../../../schemas/fields.ts'
import { RoleKey } from '../../access/schemas/roles.ts'
import { emailContent } from '../../messages/schemas/messages.ts'
import { outgoingFields, requestOutput } from '../../webhooks/schemas/outgoing-requests.ts'
import { FACTS, type Fact } from '../rules/types.ts'
import { AwaitedEvent, Duration, TimeOfDay, TimeWindow } from './waits.ts'

/** Steps of an automation in all, how deep they may lie in each other, branches of a step, and items of a loop. */
export const MAX_STEPS = 100
export const MAX_STEP_DEPTH = 5
export const MAX_BRANCHES = 10
export const MAX_ITEMS = 100

const isTemplate = (text: string) => text.includes('{{')
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** An id, or a template that gives one. */
const IdText = v.pipe(
  v.string('must be an id'),
  v.maxLength(500),
  v.check((text) => isTemplate(text) || uuid.test(text), 'must be an id, or a template such as {{ item.id }}'),
  v.description('An id, or a template that gives one.'),
  v.examples(['{{ item.id }}']),
)
const Record = Enum(RECORD_ENTITIES, 'The kind of record.')
const recordId = v.optional(describe(IdText, 'The record. By default the one that the run is about.'))
const Fields = v.pipe(
  v.record(v.string(), v.unknown(), 'must be an object'),
  v.check((fields) => Object.keys(fields).length > 0, 'Send at least one field'),
  v.description('The fields as the endpoint takes them. Texts may contain templates.'),
  v.examples([{ title: 'Call {{ contact.first_name }}', due_at: '{{ now }}' }]),
)
const Names = v.pipe(
  v.array(SingleLine(120), 'must be a list of names'),
  v.minLength(1, 'Send at least one'),
  v.maxLength(20, 'must be at most 20'),
  v.examples([['VIP']]),
)
const testsOn = <const On extends readonly [Fact, ...Fact[]]>(facts: On, described: { on: string; filter: string }) =>
  v.pipe(
    v.array(
      v.strictObject({
        on: Enum(facts, described.on),
        filter: v.pipe(
          v.record(v.string(), v.unknown(), 'must be a filter: an object'),
          v.description(described.filter),
          v.examples([{ field: 'city', op: 'eq', value: 'Newcastle' }]),
        ),
      }),
      'must be a list of conditions',
    ),
    v.maxLength(10, 'must be at most 10 conditions'),
  )
const FILTER = 'For a record a filter as the search takes it; for the trigger conditions over its data, with paths such as payload.stage_id'
const Tests = testsOn(FACTS, {
  on: 'What the filter is about: a record of the run, the data of its trigger, or what steps before have led to.',
  filter:
    `${FILTER}; for steps conditions over what they returned, with paths such as first_call.status, or first_call.failure.code of a ` +
    'step that failed or was skipped.',
})

/** The settings of each type of step. `acts`: it takes effect as a request. */
type StepType = { description: string; settings: Record<string, v.GenericSchema>; acts?: true }
type AnyStep = v.GenericSchema<unknown, { id?: string | undefined; type: string }>
const create = (one: string, path: string): StepType => ({
  description: `Creates ${one}, as POST ${path} does.`,
  settings: { fields: Fields },
  acts: true,
})
const update = (one: string, path: string): StepType => ({
  description: `Changes ${one}, as PATCH ${path} does.`,
  settings: { record_id: recordId, fields: Fields },
  acts: true,
})

const REACHED =
  'It waits until the quiet hours of the contact end. It is skipped when the contact cannot be reached otherwise; the step shows why.'
const textMessage = (one: string): StepType => ({
  description: `Sends ${one} to the contact, as POST /messages does. ${REACHED}`,
  settings: { record_id: recordId, text: emailContent.text },
  acts: true,
})

export const STEP_TYPES: Record<string, StepType> = {
  condition: {
    description: 'The run goes on only if all conditions hold; otherwise it is complete.',
    settings: { if: v.pipe(Tests, v.minLength(1, 'Send at least one condition')) },
  },
  branch: {
    description: 'Takes the steps of the first branch whose conditions hold, or those of else, and then goes on behind.',
    settings: {
      branches: v.pipe(
        v.array(
          v.strictObject({ name: v.optional(SingleLine(120)), if: Tests, steps: v.array(v.unknown()) }),
          'must be a list of branches',
        ),
        v.minLength(1, 'Send at least one branch'),
        v.maxLength(MAX_BRANCHES, `must be at most ${MAX_BRANCHES} branches`),
      ),
      else: v.optional(v.array(v.unknown())),
    },
  },
  wait: {
    description:
      'Waits for a duration, until a date or instant, or for an event about one of the records of the run, whichever it is, ' +
      'and optionally until a time of day at which the contact may be reached. Send one of for, until and event.',
    settings: {
      for: v.optional(Duration),
      until: v.optional(
        describe(SingleLine(300), 'A date, an instant, or a template that gives one.', '{{ opportunity.expected_close_date }}'),
      ),
      at: v.optional(describe(TimeOfDay, 'The time of day of a date, in the zone of the contact.')),
      event: AwaitedEvent,
      window: v.optional(TimeWindow),
    },
  },
  for_each: {
    description: `Takes the steps for each item: of a list that a template gives, or of up to ${MAX_ITEMS} records that a search finds.`,
    settings: {
      items: v.optional(describe(SingleLine(300), 'A template that gives a list.', '{{ trigger.payload.ids }}')),
      search: v.optional(
        v.strictObject({
          object: Enum(['contacts', 'companies', 'opportunities'], 'The object that is searched.'),
          filter: v.record(v.string(), v.unknown()),
          limit: v.optional(Integer(1, MAX_ITEMS), MAX_ITEMS),
        }),
      ),
      steps: v.array(v.unknown(), 'must be a list of steps'),
    },
  },
  stop: { description: 'Ends the run.', settings: { reason: v.optional(SingleLine(255)) } },
  create_contact: create('a contact', '/contacts'),
  update_contact: update('a contact', '/contacts/:contact_id'),
  create_company: create('a company', '/companies'),
  update_company: update('a company', '/companies/:company_id'),
  create_opportunity: create('an opportunity', '/opportunities'),
  update_opportunity: update('an opportunity', '/opportunities/:opportunity_id'),
  create_task: {
    ...create('a task', '/tasks'),
    description: 'Creates a task, as POST /tasks does, about the records of the run unless the fields name others.',
  },
  create_activity: {
    ...create('an activity', '/activities'),
    description: 'Creates an activity, as POST /activities does, about the records of the run unless the fields name others.',
  },
  add_tags: { description: 'Adds tags to a record.', settings: { record: Record, record_id: recordId, tags: Names }, acts: true },
  remove_tags: { description: 'Removes tags from a record.', settings: { record: Record, record_id: recordId, tags: Names }, acts: true },
  add_to_list: {
    description: 'Adds a record to a static list.',
    settings: { list_id: Id, record: Record, record_id: recordId },
    acts: true,
  },
  remove_from_list: {
    description: 'Removes a record from a static list.',
    settings: { list_id: Id, record: Record, record_id: recordId },
    acts: true,
  },
  move_stage: {
    description: 'Moves an opportunity to a stage, as POST /opportunities/:opportunity_id/move does.',
    settings: {
      record_id: recordId,
      stage_id: IdText,
      lost_reasons: v.optional(Names),
      won_reasons: v.optional(Names),
    },
    acts: true,
  },
  assign: {
    description: 'Assigns a record to a member, or to several in turn.',
    settings: {
      record: Record,
      record_id: recordId,
      user_ids: v.pipe(v.array(IdText, 'must be a list of members'), v.minLength(1, 'Send at least one member'), v.maxLength(100)),
    },
    acts: true,
  },
  send_email: {
    description: `Sends an email to the contact, as POST /messages does. ${REACHED}`,
    settings: { record_id: recordId, ...emailContent },
    acts: true,
  },
  send_sms: textMessage('a text message'),
  send_whatsapp: textMessage('a WhatsApp message'),
  notify: {
    description:
      'Sends an email to members: those named, those with a role, the one a record of the run is assigned to, and those who follow it. ' +
      'It is skipped when nobody is meant.',
    settings: {
      user_ids: v.optional(
        v.pipe(v.array(IdText, 'must be a list of members'), v.maxLength(100, 'must be at most 100'), v.description('These members.')),
      ),
      role: v.optional(describe(RoleKey, 'The members with this role.', 'client_admin')),
      assignee_of: v.optional(Enum(RECORD_ENTITIES, 'The member to whom the record of this kind is assigned.')),
      followers_of: v.optional(Enum(RECORD_ENTITIES, 'The members who follow the record of this kind.')),
      record_id: v.optional(describe(IdText, 'For assignee_of and followers_of, the record. By default the one that the run is about.')),
      ...emailContent,
    },
    acts: true,
  },
  start_automation: {
    description: 'Starts another published automation for the records of the run.',
    settings: { automation_id: Id },
    acts: true,
  },
  http_request: {
    description:
      'Sends a request to another service, as POST /outgoing-requests does, and waits for its response. ' +
      'The output has the status and the body, or the values that `output` names. A status other than 2xx fails the step.',
    settings: {
      ...outgoingFields,
      output: requestOutput,
    },
    acts: true,
  },
  api_request: {
    description:
      'Sends any request of this API that may wait for approval, with the rights of the automation: what has no step of its own. ' +
      'See the operations of the reference.',
    settings: {
      method: Enum(['POST', 'PUT', 'PATCH', 'DELETE'], 'The method.'),
      path: describe(
        v.pipe(SingleLine(200), v.startsWith('/', 'must start with a slash')),
        'The path as the reference writes it, with {name} for its parameters.',
        '/tasks/{task_id}/complete',
      ),
      params: v.optional(v.record(v.string(), v.string()), {}),
      body: v.optional(v.record(v.string(), v.unknown()), {}),
    },
    acts: true,
  },
}

const common = {
  id: v.optional(describe(Id, 'The id of the step, which stays the same in later versions. Assigned if it is left out.')),
  key: v.optional(
    describe(
      v.pipe(v.string(), v.regex(/^[a-z][a-z0-9_]{0,39}$/, 'must be up to 40 small letters, digits and underscores')),
      'A name for templates: `{{ steps.first_call.id }}`.',
      'first_call',
    ),
  ),
  type: v.pipe(
    v.string(),
    v.description(`One of ${Object.keys(STEP_TYPES).join(', ')}. See GET /automation-catalogue.`),
    v.examples(['create_task']),
  ),
}
const acting = {
  on_error: v.optional(
    Enum(['fail', 'continue'], 'What happens when the step is refused: the run fails, or goes on. By default it fails.'),
  ),
  require_approval: v.optional(describe(Bool, 'Whether a person approves the step before it takes effect.', false)),
}

/** The schema of a step of a type, as far as it does not contain other steps. */
export const schemaOf = ({ settings, acts }: StepType): AnyStep =>
  acts ? v.strictObject({ ...settings, ...acting, ...common }) : v.strictObject({ ...settings, ...common })

const EXAMPLE = [
  { type: 'wait', for: { amount: 2, unit: 'days' } },
  { type: 'create_task', fields: { title: 'Call {{ contact.first_name | default: "the new contact" }}' } },
]
/** Steps as clients send them; parseSteps validates them by type. */
export const SentSteps = v.pipe(
  v.array(v.unknown(), 'must be a list of steps'),
  v.maxLength(MAX_STEPS, `must be at most ${MAX_STEPS} steps`),
  v.metadata({
    items: { type: 'object', properties: { type: { enum: Object.keys(STEP_TYPES) } }, required: ['type'], additionalProperties: true },
  }),
  v.description('The steps, in order. Each has a type and the settings of that type: see GET /automation-catalogue.'),
  v.examples([EXAMPLE]),
)
export const SentTests = v.pipe(
  testsOn(['contact', 'company', 'opportunity', 'trigger'], {
    on: 'What the filter is about: a record of the run, or the data of its trigger.',
    filter: `${FILTER}.`,
  }),
  v.description('Conditions that must hold when the automation starts.'),
  v.examples([[]]),
)
