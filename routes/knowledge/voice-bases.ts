import { Hono } from 'hono'
import * as v from 'valibot'
import { createVoiceBase, deleteVoiceBase, getVoiceBase, listVoiceBases } from '../../src/features/knowledge/plans/voice-bases.ts'
import { NewVoiceBase, VoiceBase } from '../../src/features/knowledge/schemas/knowledge-agents.ts'
import { created, listOf, one, scopes } from '../../src/http/modes.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Deleted } from '../../src/schemas/common.ts'
import { Id, pageQuery } from '../../src/schemas/fields.ts'
import { KNOWLEDGE } from '../paths.ts'

const router = new Hono<App>()
export const voiceBasesApi = endpoints(router, { path: KNOWLEDGE.voice, tag: 'Agent Knowledge Bases' })
const params = v.object({ kb_id: Id })

voiceBasesApi.get(
  '',
  {
    id: 'listAgentKnowledgeBases',
    summary: 'List knowledge bases at the voice provider',
    access: scopes('voice-kbs:read'),
    query: v.strictObject(pageQuery),
    returns: listOf(VoiceBase),
  },
  ({ query }) => listVoiceBases(query),
)
voiceBasesApi.post(
  '',
  {
    id: 'createAgentKnowledgeBase',
    summary: 'Add a knowledge base at the voice provider',
    description:
      'Makes it there and here: /knowledge-bases has it with the same id, and adds its texts. ' +
      'The provider keeps it without a voice agent too. If the' +
      ' provider is unavailable, nothing is made.',
    access: scopes('voice-kbs:write'),
    body: NewVoiceBase,
    returns: created(VoiceBase),
    errors: ['CONFLICT', 'CHANNEL_NOT_CONFIGURED', 'PROVIDER_ERROR', 'KNOWLEDGE_PROVIDER_UNAVAILABLE'],
  },
  ({ ctx, body }) => createVoiceBase(ctx, body),
)
voiceBasesApi.get(
  '/:kb_id',
  {
    id: 'getAgentKnowledgeBase',
    summary: 'Get a knowledge base at the voice provider',
    access: scopes('voice-kbs:read'),
    params,
    returns: one(VoiceBase),
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getVoiceBase(params.kb_id),
)
voiceBasesApi.delete(
  '/:kb_id',
  {
    id: 'deleteAgentKnowledgeBase',
    summary: 'Delete a knowledge base at the voice provider',
    description: 'Voice agents answer from it no more. The knowledge base and its entries stay here.',
    access: scopes('voice-kbs:delete'),
    params,
    returns: Deleted,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => deleteVoiceBase(params.kb_id),
)
