import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { describe, Enum, Id, InstantOut, Integer, Multiline, SingleLine } from '../../../schemas/fields.ts'
import { BodyPhone } from '../../../schemas/parsers.ts'
import { AGENT_LANGUAGES, AGENT_STATUSES, AGENT_TYPES, MAX_PROMPT, MAX_TOOLS, VERSION_STATUSES } from '../rules/agents.ts'
import { VOICE_TOOLS } from '../rules/voice-tools.ts'

const PROMPT = 'What the agent is and does, in plain words, at most 20,000 characters.'
const SAMPLE_PROMPT = 'You answer the phone of Harbour Renovations. Find out what the caller needs, and book a visit.'
const TOOLS = `Of a voice agent: ${VOICE_TOOLS.join(', ')}. Of a text agent: operationIds of this API. The caller needs their scopes.`
const GREETING = 'The first sentence of a call; without it the model chooses one.'
const VOICE = 'The voice of a voice agent (GET /voices).'
const MODEL = 'The language model: of a voice agent one that the voice provider has. By default that of the provider.'
const EVENT_TYPE = 'What the tools find_slots and book are about.'
const TRANSFER = 'Where the tool transfer_call transfers callers to, in E.164.'
const NAME = 'What the agent is called.'

const nullable = <S extends v.GenericSchema>(schema: S) => v.optional(v.nullable(schema))
const draftFields = {
  name: describe(SingleLine(120), NAME, 'Receptionist'),
  prompt: describe(Multiline(MAX_PROMPT), PROMPT, SAMPLE_PROMPT),
  language: v.optional(Enum(AGENT_LANGUAGES, 'The language that it speaks.')),
  greeting: nullable(describe(SingleLine(500), GREETING, 'Harbour Renovations, good morning.')),
  voice_id: nullable(describe(SingleLine(120), VOICE, 'retell-Cimo')),
  model: nullable(describe(SingleLine(80), MODEL, 'gpt-4.1')),
  tools: v.optional(
    v.pipe(
      v.array(SingleLine(80), 'must be a list of tools'),
      v.maxLength(MAX_TOOLS, `must have at most ${MAX_TOOLS} tools`),
      v.description(TOOLS),
      v.examples([['end_call']]),
    ),
  ),
  event_type_id: nullable(describe(Id, EVENT_TYPE)),
  transfer_number: nullable(describe(BodyPhone, `${TRANSFER} Other forms are converted.`, '+61412345678')),
}
export const NewAgent = v.strictObject({
  type: Enum(AGENT_TYPES, 'What it is: `voice` speaks on the phone, `text` writes.'),
  ...draftFields,
})
export type NewAgent = v.InferOutput<typeof NewAgent>
export const AgentPatch = v.partial(v.strictObject(draftFields))
export type AgentPatch = v.InferOutput<typeof AgentPatch>
export const RollbackTo = v.strictObject({
  version: describe(Integer(1, 1_000_000), 'The number of a published version (GET /agents/:agent_id/versions).', 1),
})

const text = (description: string, example: string | null) =>
  v.pipe(v.nullable(v.string()), v.description(description), v.examples([example]))
const tools = v.pipe(v.array(v.string()), v.description(TOOLS), v.examples([['end_call']]))
const content = {
  language: v.pipe(v.string(), v.description('The language that it speaks.'), v.examples(['en-AU'])),
  greeting: text(GREETING, 'Harbour Renovations, good morning.'),
  voice_id: text(VOICE, 'retell-Cimo'),
  model: text(MODEL, 'gpt-4.1'),
  tools,
  event_type_id: v.pipe(v.nullable(Id), v.description(EVENT_TYPE)),
  transfer_number: text(TRANSFER, '+61412345678'),
}
const number = (description: string, example: number | null) =>
  v.pipe(v.nullable(v.pipe(v.number(), v.integer())), v.description(description), v.examples([example]))
const name = v.pipe(v.string(), v.description(NAME), v.examples(['Receptionist']))
const prompt = v.pipe(v.string(), v.description(PROMPT), v.examples([SAMPLE_PROMPT]))

const knowledge = v.pipe(v.array(Id), v.description('The knowledge bases that it answers from.'))

const agent = {
  id: Id,
  type: v.picklist(AGENT_TYPES),
  name,
  ...content,
  status: v.pipe(
    v.picklist(AGENT_STATUSES),
    v.description('`publishing`: the voice provider has not confirmed the latest version yet, and is asked again in the background.'),
  ),
  is_external: v.pipe(
    v.boolean(),
    v.description('Whether it was added by its id at the voice provider (POST /phone/voice-agents), which has its content.'),
  ),
  provider_agent_id: text('The id of the agent at the voice provider; null until it is published there.', 'agent_4f1a'),
  published_version: number('The number of the version that answers; null before the first one.', 1),
  published_at: v.pipe(v.nullable(InstantOut), v.description('When that version was published.')),
  publish_error: text('Why the voice provider does not have the latest version.', null),
  ...timestamps,
}
export const Agent = named('Agent', v.object(agent))
export type Agent = v.InferOutput<typeof Agent>
export const AgentDetails = named(
  'AgentDetails',
  v.object({
    ...agent,
    prompt,
    has_unpublished_changes: v.pipe(
      v.boolean(),
      v.description('Whether the draft differs from the published version, or its tools need another key: publishing changes that.'),
    ),
  }),
)
export type AgentDetails = v.InferOutput<typeof AgentDetails>

export const AgentVersion = named(
  'AgentVersion',
  v.object({
    number: v.pipe(v.number(), v.integer(), v.description('The number of the version; the first one is 1.'), v.examples([1])),
    status: v.pipe(v.picklist(VERSION_STATUSES), v.description('`failed`: the voice provider has refused it; see error.')),
    error: text('What the voice provider answered.', null),
    published_at: v.pipe(v.nullable(InstantOut), v.description('When it was confirmed.')),
    published_by: v.pipe(v.nullable(Id), v.description('The member who has published it.')),
    created_at: InstantOut,
    content: v.pipe(
      v.object({ name, prompt, ...content, knowledge_base_ids: v.optional(knowledge) }),
      v.description('What was published. It never changes.'),
    ),
  }),
)
export type AgentVersion = v.InferOutput<typeof AgentVersion>

export const agentFilters = {
  type: v.optional(Enum(AGENT_TYPES, 'Only voice or only text agents.')),
  status: v.optional(Enum(AGENT_STATUSES, 'Only agents with this status.')),
}

export const VoiceOption = named(
  'VoiceOption',
  v.object({
    voice_id: v.pipe(v.string(), v.description('The id for `voice_id` of an agent.'), v.examples(['retell-Cimo'])),
    name: v.pipe(v.string(), v.description('The name of the voice.'), v.examples(['Cimo'])),
    provider: v.pipe(v.string(), v.description('Who makes the voice.'), v.examples(['elevenlabs'])),
    gender: text('How the voice sounds.', 'female'),
    accent: text('The accent.', 'Australian'),
    age: text('How old the voice sounds.', 'Young'),
    preview_audio_url: text('A recording of the voice.', 'https://example.com/cimo.mp3'),
  }),
)
export type VoiceOption = v.InferOutput<typeof VoiceOption>
export const VoiceSearch = v.strictObject({
  search: v.optional(describe(SingleLine(80), 'Part of the name or the id.', 'cimo')),
  provider: v.optional(describe(SingleLine(40), 'Who makes the voice.', 'elevenlabs')),
  gender: v.optional(Enum(['female', 'male'], 'How the voice sounds.')),
  accent: v.optional(describe(SingleLine(40), 'Part of the accent.', 'australian')),
})
export type VoiceSearch = v.InferOutput<typeof VoiceSearch>
export const VoiceOptions = named(
  'VoiceOptions',
  v.object({
    voices: v.pipe(v.array(VoiceOption), v.description('At most 200 voices, by their names.')),
    total: v.pipe(v.number(), v.integer(), v.description('How many voices match.'), v.examples([1])),
  }),
)
