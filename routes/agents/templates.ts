import { Hono } from 'hono'
import * as v from 'valibot'
import { createFromTemplate, getTemplate, listTemplates } from '../../src/features/agents/plans/templates.ts'
import {
  AgentFromTemplate,
  CreatedFromTemplate,
  templateFilters,
  VoiceAgentTemplate,
} from '../../src/features/agents/schemas/agent-templates.ts'
import { created, one, scopes } from '../../src/http/modes.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { describe, SingleLine } from '../../src/schemas/fields.ts'
import { AGENTS } from '../paths.ts'

export const voiceAgentTemplatesRouter = new Hono<App>()
export const voiceAgentTemplatesApi = endpoints(voiceAgentTemplatesRouter, { path: AGENTS.templates, tag: 'Voice Agent Templates' })

const params = v.object({ slug: describe(SingleLine(60), 'The name of the template.', 'receptionist') })

voiceAgentTemplatesApi.get(
  '',
  {
    id: 'listVoiceAgentTemplates',
    summary: 'List voice agent templates',
    access: scopes('voice-agents:read'),
    query: templateFilters,
    returns: one(v.array(VoiceAgentTemplate)),
  },
  ({ query }) => listTemplates(query),
)
voiceAgentTemplatesApi.get(
  '/:slug',
  {
    id: 'getVoiceAgentTemplate',
    summary: 'Get a voice agent template with its questions',
    access: scopes('voice-agents:read'),
    params,
    returns: one(VoiceAgentTemplate),
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getTemplate(params.slug),
)
voiceAgentTemplatesApi.post(
  '/:slug/create-agent',
  {
    id: 'createAgentFromTemplate',
    summary: 'Create a voice agent from a template',
    description:
      'Blank answers take the default of the question; optional parts without an answer, such as booking or transfers, are left out of ' +
      'the prompt and of the tools. The agent is published, but answers no call and calls nobody until a phone number has it.',
    access: scopes('voice-agents:write'),
    params,
    body: AgentFromTemplate,
    returns: created(CreatedFromTemplate, AGENTS.agents),
    errors: ['NOT_FOUND', 'CHANNEL_NOT_CONFIGURED', 'UNAVAILABLE'],
  },
  ({ ctx, params, body }) => createFromTemplate(ctx, params.slug, body),
)
