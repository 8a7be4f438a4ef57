import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { Bool, describe, Enum, Id, Multiline, optional, QueryBool, SingleLine } from '../../../schemas/fields.ts'
import {
  ACTIONS,
  CATEGORIES,
  CONTEXT_MODULES,
  IDENTITY_KINDS,
  MAX_MESSAGE,
  MAX_TOOLS,
  MODES,
  RESPONDER_CHANNELS,
} from '../rules/auto-responders.ts'

const isDistinct = (names: readonly string[]) => new Set(names).size === names.length
const Tools = v.pipe(
  v.array(v.pipe(SingleLine(80), v.minLength(1, 'must not be empty')), 'must be a list of operationIds, such as ["listProducts"]'),
  v.maxLength(MAX_TOOLS, `must contain at most ${MAX_TOOLS} operations`),
  v.check((names) => isDistinct(names), 'must not contain an operation twice'),
)
const Modules = v.pipe(
  v.array(Enum(CONTEXT_MODULES), `must be a list of ${CONTEXT_MODULES.join(', ')}`),
  v.check((modules) => isDistinct(modules), 'must not contain a module twice'),
)
const TriageActions = v.strictObject(
  Object.fromEntries(CATEGORIES.map((category) => [category, v.optional(Enum(ACTIONS))])) as Record<
    (typeof CATEGORIES)[number],
    v.OptionalSchema<ReturnType<typeof Enum<typeof ACTIONS>>, undefined>
  >,
  `must be an object of categories (${CATEGORIES.join(', ')}) and actions (${ACTIONS.join(', ')})`,
)

const IDENTITY_REF = 'The id of a phone number of the workspace, or of one of its email configs.'
const MODE =
  '`draft`, the default: every reply waits in `/approvals`. `auto_send`: a reply goes out by itself if each of its sentences cites a ' +
  'source that the model was given.'
const fields = {
  enabled: v.optional(describe(Bool, 'Whether it acts on messages that are received; false by default.', true)),
  mode: v.optional(describe(Enum(MODES), MODE, 'auto_send')),
  instructions: optional(describe(Multiline(10_000), 'Who answers, and what to observe.', 'You answer for a bicycle workshop.')),
  tone: optional(describe(SingleLine(200), 'How replies sound.', 'friendly and brief')),
  knowledge_base_id: optional(describe(Id, 'The knowledge base whose passages replies cite.')),
  context_modules: v.optional(
    describe(Modules, 'What the model also reads: the latest messages of the `conversation`, the `contact`, its open `opportunities`.', [
      'contact',
    ]),
  ),
  tools: v.optional(
    describe(
      Tools,
      'The operations that the model may call, by operationId. They must only read, and a reply after one has been ' +
        'called waits for approval.',
      ['listProducts'],
    ),
  ),
  triage_actions: v.optional(
    describe(
      TriageActions,
      'What is done about messages of a category. By default complaints and `other` escalate, sales pitches and spam are left alone, ' +
        'and the rest is answered.',
      { booking: 'escalate' },
    ),
  ),
}
export const AutoResponderUpsert = v.strictObject({
  identity_kind: describe(Enum(IDENTITY_KINDS), 'Whether `identity_ref` is a phone number or an email config.', 'phone'),
  identity_ref: describe(Id, IDENTITY_REF),
  ...fields,
})
export type AutoResponderUpsert = v.InferOutput<typeof AutoResponderUpsert>
export const AutoResponderPatch = v.strictObject(fields)
export type AutoResponderPatch = v.InferOutput<typeof AutoResponderPatch>

export const autoResponderFilters = {
  channel: v.optional(describe(Enum(RESPONDER_CHANNELS), 'Only those of phone numbers (`sms`) or of email configs (`email`).')),
  enabled: v.optional(describe(QueryBool, 'Only those that are enabled, or only those that are not.')),
}

export const AutoResponder = named(
  'AutoResponder',
  v.object({
    id: Id,
    identity_kind: v.pipe(v.picklist(IDENTITY_KINDS), v.description('Whether `identity_ref` is a phone number or an email config.')),
    identity_ref: v.pipe(Id, v.description(IDENTITY_REF)),
    channel: v.pipe(v.picklist(RESPONDER_CHANNELS), v.description('The channel of its messages.')),
    enabled: v.pipe(v.boolean(), v.description('Whether it acts on messages that are received.')),
    mode: v.pipe(v.picklist(MODES), v.description(MODE)),
    instructions: v.pipe(v.nullable(v.string()), v.description('Who answers, and what to observe.')),
    tone: v.pipe(v.nullable(v.string()), v.description('How replies sound.')),
    knowledge_base_id: v.pipe(v.nullable(Id), v.description('The knowledge base whose passages replies cite.')),
    context_modules: v.pipe(v.array(v.picklist(CONTEXT_MODULES)), v.description('What the model also reads.')),
    tools: v.pipe(v.array(v.string()), v.description('The operations that the model may call, by operationId.')),
    triage_actions: v.pipe(
      v.record(v.picklist(CATEGORIES), v.optional(v.picklist(ACTIONS))),
      v.description('What is done about messages of a category; of others the default.'),
      v.examples([{ booking: 'escalate' }]),
    ),
    error: v.pipe(
      v.nullable(v.string()),
      v.description('Why it could not act on the latest message. It is cleared when the auto responder is written again.'),
    ),
    ...timestamps,
  }),
)
export type AutoResponder = v.InferOutput<typeof AutoResponder>

export const TestMessage = v.strictObject({
  subject: optional(describe(SingleLine(300), 'The subject of the email.', 'Your opening hours')),
  text: describe(
    v.pipe(Multiline(MAX_MESSAGE), v.regex(/\S/, 'must not be empty')),
    'The message of a customer.',
    'Are you open on Saturday?',
  ),
  from: optional(describe(SingleLine(254), 'Its sender: an email address, or a phone number.', 'ada@example.com')),
})
export type TestMessage = v.InferOutput<typeof TestMessage>

export const AutoResponderTest = named(
  'AutoResponderTest',
  v.object({
    id: v.pipe(Id, v.description('The run of the model that this test was.')),
    category: v.pipe(v.nullable(v.picklist(CATEGORIES)), v.description('What the message is about; null if the model has failed.')),
    action: v.pipe(v.nullable(v.picklist(ACTIONS)), v.description('What is done about messages of this category.')),
    forced_to_approval: v.pipe(v.boolean(), v.description('Whether the reply would wait in `/approvals` instead of going out by itself.')),
    reasons: v.pipe(
      v.array(v.string()),
      v.description('Why the reply would wait.'),
      v.examples([['The auto responder has the mode draft']]),
    ),
    draft: v.pipe(v.nullable(v.string()), v.description('The reply; null unless the action is `auto_respond`.')),
    sources: v.pipe(
      v.array(v.object({ text: v.string(), source: v.string() })),
      v.description('What the reply says, with the id of the entry or the field of the contact that it cites.'),
    ),
    error: v.pipe(
      v.nullable(v.object({ code: v.string(), message: v.string() })),
      v.description('Why there is no draft, if the model has failed.'),
    ),
    credits: v.pipe(v.number(), v.integer(), v.description('What the test has cost.'), v.examples([2])),
  }),
)
export type AutoResponderTest = v.InferOutput<typeof AutoResponderTest>
