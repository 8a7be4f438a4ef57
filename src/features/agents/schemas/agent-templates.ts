import * as v from 'valibot'
import { named } from '../../../schemas/common.ts'
import { describe, Enum, Id, Multiline, SingleLine } from '../../../schemas/fields.ts'
import { AGENT_LANGUAGES } from '../rules/agents.ts'
import { QUESTION_TYPES, TEMPLATE_CATEGORIES, TEMPLATE_DIRECTIONS } from '../rules/templates.ts'
import { AgentDetails } from './agents.ts'

const text = (description: string, example: string) => v.pipe(v.string(), v.description(description), v.examples([example]))
const texts = (description: string, example: string) => v.pipe(v.array(v.string()), v.description(description), v.examples([[example]]))

const Question = named(
  'VoiceAgentTemplateQuestion',
  v.object({
    key: text('The name of the answer.', 'business_name'),
    label: text('The question.', 'What is the business called?'),
    type: v.pipe(
      v.picklist(QUESTION_TYPES),
      v.description(
        '`event_type`: the id of one of this workspace. `phone_number`: a number of this workspace in E.164. ' +
          '`transfer_number`: any other phone number.',
      ),
    ),
    required: v.pipe(v.boolean(), v.description('Whether it must be answered.')),
    default: v.pipe(v.nullable(v.string()), v.description('The answer if it is left blank.'), v.examples(['Alex'])),
  }),
)
export const VoiceAgentTemplate = named(
  'VoiceAgentTemplate',
  v.object({
    slug: text('The name in addresses.', 'receptionist'),
    name: text('What the template is called.', 'Receptionist'),
    description: text('What its agents do.', 'Answers the phone, answers questions, and takes care of bookings.'),
    category: v.pipe(v.picklist(TEMPLATE_CATEGORIES), v.description('What its agents are for.')),
    direction: v.pipe(v.picklist(TEMPLATE_DIRECTIONS), v.description('Whether its agents answer calls or make them.')),
    includes: texts('What its agents can do.', 'Books, moves and cancels appointments'),
    questions: v.pipe(v.array(Question), v.description('What is asked before an agent is made.')),
  }),
)
export type VoiceAgentTemplate = v.InferOutput<typeof VoiceAgentTemplate>

export const templateFilters = v.strictObject({
  category: v.optional(Enum(TEMPLATE_CATEGORIES, 'Only templates of this category.')),
  direction: v.optional(Enum(TEMPLATE_DIRECTIONS, 'Only templates for calls of this direction.')),
})
export type TemplateFilters = v.InferOutput<typeof templateFilters>

export const AgentFromTemplate = v.strictObject({
  answers: v.pipe(
    v.record(SingleLine(60), v.nullable(Multiline(4000)), 'must be an object of answers'),
    v.maxEntries(20, 'must have at most 20 answers'),
    v.description('The answers by the keys of the questions. Blank ones take the default; without one, their part is left out.'),
    v.examples([{ business_name: 'Harbour Renovations', about: 'Kitchens and bathrooms in Sydney, Monday to Friday, 8 to 17.' }]),
  ),
  name: v.optional(describe(SingleLine(120), 'What the agent is called. By default the name of the template.', 'Receptionist')),
  voice_id: v.optional(describe(SingleLine(120), 'Its voice (GET /voices). By default one of the provider’s.', 'retell-Cimo')),
  language: v.optional(Enum(AGENT_LANGUAGES, 'The language that it speaks. The questions and the prompt are in English.')),
})
export type AgentFromTemplate = v.InferOutput<typeof AgentFromTemplate>

export const CreatedFromTemplate = named(
  'AgentCreatedFromTemplate',
  v.object({
    id: v.pipe(Id, v.description('The id of the agent.')),
    agent: AgentDetails,
    warnings: v.pipe(
      v.array(v.object({ field: v.nullable(v.string()), message: v.string() })),
      v.description('What was left out, and what the voice provider has not confirmed.'),
      v.examples([[{ field: 'answers.transfer_number', message: 'Left out, because it is blank' }]]),
    ),
    next_steps: texts('What to do until the agent takes or makes calls.', 'Give a phone number the agent'),
  }),
)
export type CreatedFromTemplate = v.InferOutput<typeof CreatedFromTemplate>
