import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { describe, Enum, Id, InstantOut, Integer, JsonObject, Multiline, Name, optional, SingleLine } from '../../../schemas/fields.ts'
import { MODELS } from '../rules/prices.ts'
import {
  CALL_OUTCOMES,
  DEFAULT_RUN_CREDITS,
  DEFAULT_STEPS,
  MAX_RUN_CREDITS,
  MAX_STEPS,
  MAX_TOOLS,
  RUN_STATUSES,
  SKILL_STATUSES,
  SKILL_VISIBILITIES,
} from '../rules/skills.ts'

const SCHEMA_LIMITS = { keys: 100, keyLength: 100, depth: 20, bytes: 20_480 }
const INPUT_LIMITS = { keys: 100, keyLength: 100, depth: 8, bytes: 20_480 }
const INPUT_SAMPLE = { type: 'object', properties: { contact_id: { type: 'string' } }, required: ['contact_id'] }

const Tools = v.pipe(
  v.array(v.pipe(SingleLine(80), v.minLength(1, 'must not be empty')), 'must be a list of operationIds, such as ["getContact"]'),
  v.maxLength(MAX_TOOLS, `must contain at most ${MAX_TOOLS} operations`),
  v.check((names) => new Set(names).size === names.length, 'must not contain an operation twice'),
)
const JsonSchema = (text: string, sample: Record<string, unknown>) =>
  optional(describe(JsonObject(SCHEMA_LIMITS, JSON.stringify(sample)), text, sample))

const fields = {
  name: describe(Name(120), 'What the skill is called; unique in the workspace. A run may name it.', 'Summarise a contact'),
  description: optional(describe(Multiline(2_000), 'What it does, for who chooses among skills.', 'Three sentences about a contact.')),
  model: v.optional(describe(Enum(MODELS), '`standard`, the default, or `small`, which is faster and costs a quarter.', 'standard')),
  system_prompt: describe(
    v.pipe(Multiline(20_000), v.minLength(1, 'must not be empty')),
    'What the model is to do. Other workspaces never see it.',
    'Read the contact and summarise it in three sentences.',
  ),
  tools: v.optional(
    describe(Tools, 'The operations that the model may call, by operationId. The key that stores the skill needs their scopes.', [
      'getContact',
    ]),
  ),
  input_schema: JsonSchema(
    'The JSON Schema that the input of a run must fit: `type` is object, and references begin with #.',
    INPUT_SAMPLE,
  ),
  output_schema: JsonSchema('The JSON Schema of the output. Without it the output is a text.', {
    type: 'object',
    properties: { summary: { type: 'string' } },
  }),
  visibility: v.optional(
    describe(
      Enum(SKILL_VISIBILITIES),
      '`public`: every workspace can run it while it is active, and sees all but `system_prompt`. `private`, the default: only this one.',
      'private',
    ),
  ),
  status: v.optional(
    describe(Enum(SKILL_STATUSES), 'A `draft`, the default, and an `active` skill can be run; a `disabled` one cannot.', 'active'),
  ),
  max_steps: v.optional(
    describe(Integer(1, MAX_STEPS), `How often a run asks the model at most; ${DEFAULT_STEPS} by default.`, DEFAULT_STEPS),
  ),
  credits_per_run: v.optional(
    describe(Integer(1, MAX_RUN_CREDITS), `What a run may cost at most; ${DEFAULT_RUN_CREDITS} by default.`, DEFAULT_RUN_CREDITS),
  ),
  credits_per_day: optional(
    describe(Integer(1, 1_000_000), 'What all runs of this workspace may cost on a day (UTC); null, the default, for no limit.', 500),
  ),
}
export const NewSkill = v.strictObject(fields)
export type NewSkill = v.InferOutput<typeof NewSkill>
export const SkillPatch = v.partial(v.strictObject(fields))
export type SkillPatch = v.InferOutput<typeof SkillPatch>

const whole = (text: string, example: number) => v.pipe(v.number(), v.integer(), v.description(text), v.examples([example]))
const schemaOut = (text: string) => v.pipe(v.nullable(v.record(v.string(), v.unknown())), v.description(text))

export const Skill = named(
  'Skill',
  v.object({
    id: Id,
    name: v.string(),
    description: v.nullable(v.string()),
    model: v.pipe(v.picklist(MODELS), v.description('The model: `standard`, or the faster `small`.')),
    system_prompt: v.pipe(v.nullable(v.string()), v.description('What the model is to do; null for a public skill of another workspace.')),
    tools: v.pipe(v.array(v.string()), v.description('The operations that the model may call, by operationId.')),
    input_schema: schemaOut('The JSON Schema of the input.'),
    output_schema: schemaOut('The JSON Schema of the output; null if it is a text.'),
    visibility: v.pipe(v.picklist(SKILL_VISIBILITIES), v.description('Whether every workspace can run it.')),
    status: v.picklist(SKILL_STATUSES),
    max_steps: whole('How often a run asks the model at most.', DEFAULT_STEPS),
    credits_per_run: whole('What a run may cost at most.', DEFAULT_RUN_CREDITS),
    credits_per_day: v.pipe(
      v.nullable(v.pipe(v.number(), v.integer())),
      v.description('What all runs of this workspace may cost on a day (UTC); null for no limit.'),
    ),
    is_own: v.pipe(v.boolean(), v.description('Whether it is a skill of this workspace, which only this one can change.')),
    ...timestamps,
  }),
)
export type Skill = v.InferOutput<typeof Skill>

export const RunSkill = v.pipe(
  v.strictObject({
    skill_id: v.optional(describe(Id, 'The skill to run. Send this or `name`.')),
    name: v.optional(describe(Name(120), 'Its name: an own skill, or else the only public one of this name.', 'Summarise a contact')),
    input: describe(
      JsonObject(INPUT_LIMITS, '{"contact_id": "…"}'),
      'What the skill is about. An id that stands alone names a record, which the run may then change.',
      {},
    ),
    max_credits: v.optional(describe(Integer(1, MAX_RUN_CREDITS), 'What this run may cost, if less than `credits_per_run`.', 20)),
  }),
  v.check(({ skill_id, name }) => (skill_id === undefined) !== (name === undefined), 'Send either skill_id or name'),
)
export type RunSkill = v.InferOutput<typeof RunSkill>

export const SkillRun = named(
  'SkillRun',
  v.object({
    id: Id,
    skill_id: Id,
    status: v.pipe(
      v.picklist(RUN_STATUSES),
      v.description('`running` only for a repeated request, while the first one is under way or has been interrupted.'),
    ),
    output: v.pipe(v.unknown(), v.description('A text, or JSON that fits the output schema; null if the run has failed.')),
    tool_calls: v.pipe(
      v.array(
        v.object({
          operation: v.pipe(v.string(), v.description('The operationId of the tool, as the model has named it.')),
          input: v.pipe(v.unknown(), v.description('What the model has sent; null if that was no JSON.')),
          outcome: v.picklist(CALL_OUTCOMES),
          reason: v.pipe(v.nullable(v.string()), v.description('Why it waits for approval, was refused, or has failed.')),
          approval_id: v.nullable(Id),
        }),
      ),
      v.description('The calls of tools, in order. What they returned is not stored.'),
    ),
    error: v.pipe(
      v.nullable(v.object({ code: v.string(), message: v.string() })),
      v.description('Why the run has failed. Calls of tools before that keep their effect.'),
    ),
    usage: v.pipe(
      v.object({
        steps: whole('How often the model was asked.', 2),
        input_tokens: whole('What it has read.', 900),
        output_tokens: whole('What it has written.', 120),
        credits: whole('What the run has cost.', 1),
        is_estimate: v.pipe(v.boolean(), v.description('Whether the provider has not reported all of the tokens.')),
      }),
      v.description('What the run has used.'),
    ),
    created_at: InstantOut,
    ended_at: v.nullable(InstantOut),
  }),
)
export type SkillRun = v.InferOutput<typeof SkillRun>
