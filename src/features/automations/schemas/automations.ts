import * as v from 'valibot'
import { eventTypesIn, faultInEventTypes } from '../../../domain/events.ts'
import { RECORD_ENTITIES } from '../../../domain/records.ts'
import { named, timestamps } from '../../../schemas/common.ts'
import { describe, Enum, Id, InstantOut, Integer, Multiline, Name, optional, SingleLine } from '../../../schemas/fields.ts'
import { faultsInTest } from '../rules/data-tests.ts'
import { AUTOMATION_STATES } from '../rules/states.ts'
import { isOwnEvent, TRIGGER_TYPES } from '../rules/triggers.ts'
import { SentSteps, SentTests } from './automation-steps.ts'

const Record = Enum(RECORD_ENTITIES, 'The kind of record.')
const Value = v.nullable(v.union([v.string(), v.number(), v.boolean()], 'must be a text, a number, true, false or null'))
const stage = {
  pipeline_id: v.optional(describe(Id, 'Only stages of this pipeline.')),
  stage_id: v.optional(describe(Id, 'Only this stage.')),
}
const tag = { record: Record, tag: v.optional(describe(SingleLine(120), 'Only this tag.', 'VIP')) }
const list = { list_id: v.optional(describe(Id, 'Only this list, which must track its membership.')) }
const EventName = v.pipe(
  v.string('must be an event type, such as opportunity.won'),
  v.check(
    (name) => faultInEventTypes(name) === undefined && !eventTypesIn(name).every(isOwnEvent),
    ({ input }) => faultInEventTypes(String(input)) ?? 'Events of automations start nothing: choose another one',
  ),
)
const Where = v.pipe(
  v.record(v.string(), v.unknown(), 'must be a condition: an object'),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    for (const { path, message } of faultsInTest(dataset.value)) addIssue({ message: path ? `${path.slice(1)} ${message}` : message })
  }),
  v.description(
    'A condition over the event: field (a path such as payload.contact_id or changes.city.after), op and value, ' +
      'in groups of all, any and not.',
  ),
  v.examples([{ field: 'payload.contact_id', op: 'is_not_empty' }]),
)

/** The settings of each trigger. */
export const TRIGGER_SETTINGS: Record<string, v.ObjectEntries> = {
  contact_created: {},
  record_created: { record: Record },
  record_updated: { record: Record },
  field_changed: {
    record: Record,
    field: describe(SingleLine(120), 'The field; a custom field is metadata.<key>.', 'lead_source'),
    from: v.optional(describe(Value, 'Only a change from this value.')),
    to: v.optional(describe(Value, 'Only a change to this value.')),
  },
  record_archived: { record: Record },
  stage_entered: stage,
  stage_left: stage,
  opportunity_won: {},
  opportunity_lost: {},
  tag_added: tag,
  tag_removed: tag,
  list_entered: list,
  list_left: list,
  event: {
    event_types: describe(
      v.pipe(v.array(EventName, 'must be a list of event types'), v.minLength(1, 'Send at least one'), v.maxLength(50)),
      'Event types, or `contact.*` for all events of a kind: see GET /event-types.',
      ['task.completed'],
    ),
    where: v.optional(Where),
  },
  manual: {},
  schedule: {},
  incoming_webhook: {},
}
const triggers = Object.entries(TRIGGER_SETTINGS).map(([type, settings]) => v.strictObject({ type: v.literal(type), ...settings }))
const Trigger = v.pipe(
  v.variant('type', triggers as [(typeof triggers)[number], ...typeof triggers], `must have a type: one of ${TRIGGER_TYPES.join(', ')}`),
  v.description('What starts a run. GET /automation-catalogue describes the types and their settings.'),
  v.examples([{ type: 'contact_created' }]),
)
const Enrolment = v.pipe(
  v.strictObject({
    mode: v.optional(
      Enum(['always', 'once', 'again_after'], 'How often a record starts a run: each time, once, or again after a number of days.'),
      'always',
    ),
    days: v.optional(describe(Integer(1, 3650), 'For again_after: the days since the last run.', 30)),
    concurrency: v.optional(
      Enum(
        ['parallel', 'queue', 'skip', 'replace'],
        'While a run of the same record has not ended, another one runs beside it, waits for its end, is left out, or replaces it.',
      ),
      'parallel',
    ),
  }),
  v.forward(
    v.check(({ mode, days }) => (mode === 'again_after') === (days !== undefined), 'Send days with the mode again_after, and only with it'),
    ['days'],
  ),
  v.description('Whether a record that started a run before starts another one.'),
  v.examples([{ mode: 'once', concurrency: 'parallel' }]),
)

const fields = {
  name: describe(Name(120), 'The name, which is unique.', 'Welcome new contacts'),
  description: optional(describe(Multiline(2000), 'What it is for.', 'Calls every new contact within two days.')),
  trigger: Trigger,
  conditions: v.optional(SentTests),
  steps: SentSteps,
  enrolment: v.optional(Enrolment),
  open_to_start: v.optional(
    v.pipe(
      v.boolean(),
      v.description(
        'Whether keys without the scopes of its steps may start runs by request, with records and data of their own, which then have ' +
          'the rights of its publisher. It counts from the next publication on. False by default.',
      ),
    ),
  ),
}
export const NewAutomation = v.strictObject(fields)
export type NewAutomation = v.InferOutput<typeof NewAutomation>
export const AutomationPatch = v.partial(v.strictObject(fields))
export type AutomationPatch = v.InferOutput<typeof AutomationPatch>

const anyObject = v.record(v.string(), v.unknown())
const shown = {
  trigger: v.pipe(anyObject, v.description('What starts a run.'), v.examples([{ type: 'contact_created' }])),
  conditions: v.pipe(v.array(anyObject), v.description('Conditions that must hold when it starts.'), v.examples([[]])),
  steps: v.pipe(v.array(anyObject), v.description('The steps with their ids.'), v.examples([[]])),
  enrolment: v.pipe(
    anyObject,
    v.description('Whether a record that started a run before starts another one.'),
    v.examples([{ mode: 'always', concurrency: 'parallel' }]),
  ),
}
export const Automation = named(
  'Automation',
  v.object({
    id: Id,
    name: v.string(),
    description: v.nullable(v.string()),
    state: v.pipe(
      v.picklist(AUTOMATION_STATES),
      v.description('Only a published automation starts runs. While it is paused, its runs wait.'),
    ),
    ...shown,
    version_number: v.pipe(v.nullable(v.pipe(v.number(), v.integer())), v.description('The number of the published version.')),
    has_changes: v.pipe(v.boolean(), v.description('Whether it was changed since it was last published.')),
    published_at: v.nullable(InstantOut),
    published_by: v.pipe(v.nullable(Id), v.description('The member who published it. Its runs have their rights, and those of their key.')),
    open_to_start: v.pipe(
      v.boolean(),
      v.description('Whether keys without the scopes of its steps may start runs of the next version that is published.'),
    ),
    paused_reason: v.pipe(v.nullable(v.string()), v.description('Why the system has paused it.')),
    ...timestamps,
  }),
)
export type Automation = v.InferOutput<typeof Automation>

/** A published version. */
export const AutomationVersion = named(
  'AutomationVersion',
  v.object({
    id: Id,
    number: v.pipe(v.number(), v.integer(), v.description('The number of the version, from 1.')),
    ...shown,
    published_by: Id,
    created_at: InstantOut,
  }),
)

export const AutomationFile = named(
  'AutomationFile',
  v.object({
    format: v.pipe(v.literal('automation/1'), v.description('The format of the file.'), v.examples(['automation/1'])),
    name: v.string(),
    description: v.nullable(v.string()),
    ...shown,
  }),
)
export type AutomationFile = v.InferOutput<typeof AutomationFile>
export const ImportedAutomation = v.strictObject({
  format: describe(v.literal('automation/1', 'must be "automation/1"'), 'The format of the file.', 'automation/1'),
  ...fields,
})

export const ValidationResult = named(
  'AutomationValidation',
  v.object({
    valid: v.pipe(v.boolean(), v.description('Whether it could be published.')),
    issues: v.pipe(
      v.array(v.object({ path: v.pipe(v.string(), v.description('The place in the definition.')), message: v.string() })),
      v.description('Everything that is wrong with it.'),
    ),
  }),
)

const kinds = (description: string) =>
  v.pipe(
    v.array(
      v.object({
        type: v.string(),
        description: v.string(),
        settings: v.pipe(anyObject, v.description('The JSON Schema of its settings.')),
      }),
    ),
    v.description(description),
  )
export const CatalogueEntry = named(
  'AutomationCatalogue',
  v.object({
    triggers: kinds('What can start an automation.'),
    conditions: v.pipe(
      v.array(
        v.object({
          on: v.pipe(v.string(), v.description('What the condition is about.')),
          description: v.string(),
          operators: v.pipe(v.array(v.string()), v.description('The operators of its filter.')),
        }),
      ),
      v.description('What conditions can be about.'),
    ),
    steps: kinds('What a step can do.'),
  }),
)
