import * as v from 'valibot'
import { named } from '../../../schemas/common.ts'
import { describe, Enum, Id, InstantOut, Multiline, Name, optional, SingleLine } from '../../../schemas/fields.ts'
import { COPY_STATUSES } from '../rules/entries.ts'

const KINDS = ['voice', 'workflow'] as const
const KIND = '`voice`: a voice agent. `workflow`: a text agent.'
const AGENT = 'The agent (GET /agents).'

export const AgentOfBase = v.strictObject({ agent_type: Enum(KINDS, KIND), agent_id: describe(Id, AGENT) })
export type AgentOfBase = v.InferOutput<typeof AgentOfBase>
export const baseFilters = {
  agent_type: v.optional(Enum(KINDS, 'The kind of the agent in agent_id.')),
  agent_id: v.optional(describe(Id, 'Only knowledge bases that this agent answers from.')),
}

const kind = v.pipe(v.picklist(KINDS), v.description(KIND))
export const KnowledgeAgent = named(
  'KnowledgeAgent',
  v.object({
    agent_type: kind,
    agent_id: v.pipe(Id, v.description('The agent.')),
    name: v.pipe(v.string(), v.description('What the agent is called.'), v.examples(['Receptionist'])),
    is_live: v.pipe(
      v.boolean(),
      v.description('Whether its published version answers from the base; otherwise POST /agents/:agent_id/publish has it do so.'),
    ),
    attached_at: v.pipe(InstantOut, v.description('Since when the agent has the base.')),
  }),
)
export type KnowledgeAgent = v.InferOutput<typeof KnowledgeAgent>
export const DetachedAgent = named(
  'DetachedAgent',
  v.object({ agent_type: kind, agent_id: Id, knowledge_base_id: Id, detached: v.pipe(v.literal(true), v.description('Always true.')) }),
)
export type DetachedAgent = v.InferOutput<typeof DetachedAgent>

const PROVIDER_ID = 'The id of the knowledge base at the voice provider.'
export const BaseToAdopt = v.strictObject({ voice_provider_kb_id: describe(SingleLine(120), PROVIDER_ID, 'knowledge_base_4f1a') })
export type BaseToAdopt = v.InferOutput<typeof BaseToAdopt>

export const NewVoiceBase = v.strictObject({
  name: describe(Name(120), 'What the knowledge base is called.', 'Returns and warranty'),
  description: optional(describe(Multiline(2_000), 'What it is about.', 'How customers return goods.')),
})
export type NewVoiceBase = v.InferOutput<typeof NewVoiceBase>
export const VoiceBase = named(
  'VoiceBase',
  v.object({
    id: v.pipe(Id, v.description('The knowledge base, which /knowledge-bases has under the same id.')),
    name: v.pipe(v.string(), v.examples(['Returns and warranty'])),
    voice_provider_kb_id: v.pipe(
      v.nullable(v.string()),
      v.description(`${PROVIDER_ID} Null until it is made.`),
      v.examples(['knowledge_base_4f1a']),
    ),
    status: v.pipe(
      v.picklist(COPY_STATUSES),
      v.description('`pending`: the provider does not have all texts yet. `failed`: it refuses them; see error.'),
    ),
    error: v.pipe(v.nullable(v.string()), v.description('Why the last attempt failed; it is repeated by itself.')),
    is_kept: v.pipe(v.boolean(), v.description('Whether the provider keeps it when no voice agent has it.')),
    created_at: InstantOut,
  }),
)
export type VoiceBase = v.InferOutput<typeof VoiceBase>
