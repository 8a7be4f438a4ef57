import { sql } from 'drizzle-orm'
import * as v from 'valibot'
import type { Ctx } from '../../../context.ts'
import { type Plan, read } from '../../../data/plan.ts'
import { assertField, constant } from '../../../data/query.ts'
import { AppError, invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { Email, Id } from '../../../schemas/fields.ts'
import { BodyPhone } from '../../../schemas/parsers.ts'
import { type Answers, answersOf, compose, leftOut, TEMPLATES, templateOf, type VoiceTemplate } from '../rules/templates.ts'
import type { AgentFromTemplate, CreatedFromTemplate, TemplateFilters, VoiceAgentTemplate } from '../schemas/agent-templates.ts'
import type { AgentDetails } from '../schemas/agents.ts'
import { newAgent } from './agents.ts'
import { publication } from './publish.ts'
import { defaultVoice } from './voices.ts'

const shown = ({ slug, name, description, category, direction, includes, questions }: VoiceTemplate): VoiceAgentTemplate => ({
  slug,
  name,
  description,
  category,
  direction,
  includes,
  questions,
})

/** There are ten templates, so the list needs no pages. */
export const listTemplates = ({ category, direction }: TemplateFilters): Plan<VoiceAgentTemplate[]> =>
  read(
    constant(TEMPLATES.filter((one) => (!category || one.category === category) && (!direction || one.direction === direction)).map(shown)),
  )

/** @throws NOT_FOUND */
function found(slug: string): VoiceTemplate {
  const template = templateOf(slug)
  if (template) return template
  throw new AppError('NOT_FOUND', 'No such voice agent template: GET /voice-agent-templates lists them')
}
export const getTemplate = (slug: string): Plan<VoiceAgentTemplate> => read(constant(shown(found(slug))))

/** The schemas of answers that are no free text, and how they are refused. */
const FORMS = {
  event_type: { schema: Id, message: 'must be the id of an event type of this workspace' },
  phone_number: { schema: BodyPhone, message: 'must be a phone number of this workspace, such as +61491571570' },
  transfer_number: { schema: BodyPhone, message: 'must be a phone number, such as +61412345678' },
  email: { schema: Email, message: 'must be an email address' },
} as const

/** The answers in the form in which they are stored. @throws VALIDATION_ERROR */
function parsedAnswers(template: VoiceTemplate, given: Record<string, string | null>): Answers {
  const { answers, faults } = answersOf(template, given)
  for (const { key, type } of template.questions) {
    const answer = answers[key]
    if (answer === undefined || type === 'text' || type === 'long_text') continue
    const parsed = v.safeParse(FORMS[type].schema, answer)
    if (parsed.success) answers[key] = parsed.output
    else faults.push({ path: `answers.${key}`, message: FORMS[type].message })
  }
  if (faults.length > 0) throw invalid(faults)
  return answers
}

/** What answers name must be in this workspace, and a call must not be transferred to where it comes from. */
const assertAnswers = ({ questions }: VoiceTemplate, answers: Answers) =>
  questions.flatMap(({ key, type }) => {
    const answer = answers[key]
    if (answer === undefined) return []
    const path = `answers.${key}`
    const number = sql`exists (select from phone_numbers where phone_number = ${answer} and status = 'active')`
    if (type === 'event_type')
      return [assertField(sql`exists (select from scheduled_event_types where id = ${answer}::uuid)`, path, FORMS.event_type.message)]
    if (type === 'phone_number') return [assertField(number, path, FORMS.phone_number.message)]
    if (type === 'transfer_number')
      return [assertField(sql`not ${number}`, path, 'must not be a number of this workspace: the call would come back')]
    return []
  })

/**
 * Makes a voice agent of a template and publishes it. It is bound to no number. @throws NOT_FOUND, VALIDATION_ERROR,
 * CHANNEL_NOT_CONFIGURED, INSUFFICIENT_SCOPE
 */
export async function createFromTemplate(ctx: Ctx, slug: string, sent: AgentFromTemplate): Promise<Plan<CreatedFromTemplate>> {
  const template = found(slug)
  const answers = parsedAnswers(template, sent.answers)
  const agentId = newId()
  const { name = template.name, voice_id = await defaultVoice(ctx), language } = sent
  const { event_type_id = null, transfer_number = null } = answers
  const draft = { ...compose(template, answers), name, voice_id, event_type_id, transfer_number, ...(language && { language }) }
  const statements = [
    ...assertAnswers(template, answers),
    ...(await newAgent(ctx, agentId, { type: 'voice', ...draft }, async () => () => undefined)),
  ]
  return publication(ctx, agentId, statements, (agent) => ({
    id: agent.id,
    agent,
    warnings: warningsOf(template, answers, agent),
    next_steps: nextSteps(template, agent),
  }))
}

function warningsOf(template: VoiceTemplate, answers: Answers, { status, publish_error }: AgentDetails) {
  const blank = leftOut(template, answers).map(({ key }) => ({
    field: `answers.${key}`,
    message: 'Left out of what the agent says and does, because it is blank',
  }))
  if (status === 'published') return blank
  const message =
    status === 'publishing'
      ? 'The voice provider has not confirmed the agent yet: the background goes on, and GET /agents/:agent_id shows the outcome'
      : `The voice provider has refused the agent (${publish_error}): correct it with PATCH /agents/:agent_id and publish it`
  return [...blank, { field: null, message }]
}

const nextSteps = ({ direction }: VoiceTemplate, { id }: AgentDetails): string[] => [
  `Read its prompt (GET /agents/${id}), change what is not right (PATCH), and publish it again (POST /agents/${id}/publish).`,
  direction === 'inbound'
    ? `Give a phone number the agent: PATCH /phone/numbers/:phone_number_id with inbound_voice_agent_config_id ${id}. ` +
      'Until then it answers no call.'
    : `Give a phone number the agent: PATCH /phone/numbers/:phone_number_id with outbound_voice_agent_config_id ${id}. ` +
      'Until then it calls nobody.',
]
