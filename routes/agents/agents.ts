import { Hono } from 'hono'
import * as v from 'valibot'
import { voiceAgentConfigs } from '../../schema/index.ts'
import type { ErrorCode } from '../../src/errors.ts'
import { createAgent, deleteAgent, getAgent, getVersion, listVersions, updateAgent } from '../../src/features/agents/plans/agents.ts'
import { publishAgent, rollBackAgent } from '../../src/features/agents/plans/publish.ts'
import { listVoices } from '../../src/features/agents/plans/voices.ts'
import {
  Agent,
  AgentDetails,
  AgentPatch,
  AgentVersion,
  agentFilters,
  NewAgent,
  RollbackTo,
  VoiceOptions,
  VoiceSearch,
} from '../../src/features/agents/schemas/agents.ts'
import { one, scopes } from '../../src/http/modes.ts'
import { operationScopes } from '../../src/http/operation-scopes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Id, QueryInt } from '../../src/schemas/fields.ts'
import { AGENTS } from '../paths.ts'

export const agentsRouter = new Hono<App>()
export const agentsApi = endpoints(agentsRouter, { path: AGENTS.agents, tag: 'Agents' })
export const voicesRouter = new Hono<App>()
export const voicesApi = endpoints(voicesRouter, { path: AGENTS.voices, tag: 'Voices' })

/** The registry, which imports this file, is loaded late. */
const registry = () => import('../index.ts').then(({ allEndpoints }) => allEndpoints())

resource(agentsApi, {
  name: 'agent',
  plural: 'agents',
  entity: 'voice_agent_config',
  scope: 'voice-agents',
  table: voiceAgentConfigs,
  returns: Agent,
  record: AgentDetails,
  list: {
    filters: agentFilters,
    summary: 'List agents',
    description: 'Voice agents are also those of GET /phone/voice-agents, with the same ids.',
  },
  get: { plan: getAgent, description: 'Its draft, and which version is published.' },
  create: {
    body: NewAgent,
    description:
      'Adds an agent as a draft. POST /agents/:agent_id/publish puts it to work; a phone number gets it by PATCH ' +
      '/phone/numbers/:phone_number_id.',
    errors: [],
    plan: (ctx, agent) => createAgent(ctx, agent, (ids) => operationScopes(ids, registry)),
  },
  update: {
    body: AgentPatch,
    description: 'Changes the draft. What is published stays as it is until it is published again.',
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'INVALID_STATE', 'CONFLICT'],
    plan: (ctx, id, patch) => updateAgent(ctx, id, patch, (ids) => operationScopes(ids, registry)),
  },
  remove: {
    plan: deleteAgent,
    description:
      'An agent that phone numbers have cannot be deleted: the error names them. ' +
      'The key of its tools is revoked: publish it again after a restore.',
  },
  history: true,
})

const params = v.object({ agent_id: Id })
const read = scopes('voice-agents:read')
const PUBLISH: ErrorCode[] = ['NOT_FOUND', 'PRECONDITION_FAILED', 'INVALID_STATE', 'CONFLICT', 'CHANNEL_NOT_CONFIGURED', 'UNAVAILABLE']
const THEN =
  'The version never changes. A voice agent is handed to the voice provider; only when that has confirmed it, the phone numbers of the ' +
  'agent get the new version. While the outcome is not known, `status` is `publishing` and the background finds out; `publish_error` ' +
  'says what was refused. For tools that call this API the agent gets a key of its own with only their scopes, ' +
  'which the caller must have.'

agentsApi.post(
  '/:agent_id/publish',
  {
    id: 'publishAgent',
    summary: 'Publish an agent',
    description: `Freezes the draft as a version. ${THEN} A draft that is published already stays as it is.`,
    access: scopes('voice-agents:write'),
    params,
    returns: one(AgentDetails),
    errors: PUBLISH,
  },
  ({ ctx, params }) => publishAgent(ctx, params.agent_id),
)
agentsApi.post(
  '/:agent_id/rollback',
  {
    id: 'rollBackAgent',
    summary: 'Go back to an earlier version of an agent',
    description: `The earlier version becomes the draft, and is published as a new version. ${THEN}`,
    access: scopes('voice-agents:write'),
    params,
    body: RollbackTo,
    returns: one(AgentDetails),
    errors: PUBLISH,
  },
  ({ ctx, params, body }) => rollBackAgent(ctx, params.agent_id, body.version),
)
agentsApi.get(
  '/:agent_id/versions',
  {
    id: 'listAgentVersions',
    summary: "List an agent's versions",
    description: 'The latest 100, newest first.',
    access: read,
    params,
    returns: one(v.array(AgentVersion)),
    errors: ['NOT_FOUND'],
  },
  ({ params }) => listVersions(params.agent_id),
)
agentsApi.get(
  '/:agent_id/versions/:number',
  {
    id: 'getAgentVersion',
    summary: 'Get a version of an agent',
    access: read,
    params: v.object({ agent_id: Id, number: QueryInt(1, 1_000_000) }),
    returns: one(AgentVersion),
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getVersion(params.agent_id, params.number),
)

voicesApi.get(
  '',
  {
    id: 'listVoices',
    summary: 'List voices',
    description: 'The voices of the voice provider, which may be up to ten minutes old.',
    access: read,
    query: VoiceSearch,
    returns: VoiceOptions,
    errors: ['CHANNEL_NOT_CONFIGURED', 'PROVIDER_ERROR'],
  },
  ({ ctx, query }) => listVoices(ctx, query),
)
