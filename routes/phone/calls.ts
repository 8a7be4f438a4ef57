import { Hono } from 'hono'
import * as v from 'valibot'
import { voiceAgentConfigs } from '../../schema/index.ts'
import { getCallLog, listCallLogs } from '../../src/features/phone/plans/calls.ts'
import { deleteVoiceAgent, getVoiceAgent, listVoiceAgents, renameVoiceAgent } from '../../src/features/phone/plans/voice-agents.ts'
import {
  CallLog,
  CallLogDetail,
  callFilters,
  VoiceAgentConfig,
  VoiceAgentToAdd,
  voiceAgentFields,
} from '../../src/features/phone/schemas/phone.ts'
import { listOf, scopes } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Id, pageQuery } from '../../src/schemas/fields.ts'
import { PHONE } from '../paths.ts'

export const voiceAgentsRouter = new Hono<App>()
export const voiceAgentsApi = endpoints(voiceAgentsRouter, { path: PHONE.voiceAgents, tag: 'Phone' })
resource(voiceAgentsApi, {
  name: 'voice_agent_config',
  plural: 'voice-agent-configs',
  scope: 'phone',
  table: voiceAgentConfigs,
  returns: VoiceAgentConfig,
  list: { plan: listVoiceAgents },
  get: { plan: getVoiceAgent },
  create: {
    body: VoiceAgentToAdd,
    description:
      'Adds an agent that exists at the voice provider, so that phone numbers may have it (PATCH /phone/numbers/:phone_number_id).',
  },
  update: { body: v.partial(v.strictObject(voiceAgentFields)), plan: renameVoiceAgent },
  remove: {
    description:
      'An agent that phone numbers have cannot be deleted: the error names them. ' +
      'It stays at the voice provider, so it can be restored. Its calls remain.',
    action: 'write',
    plan: deleteVoiceAgent,
  },
  history: true,
})

export const callLogsRouter = new Hono<App>()
export const callLogsApi = endpoints(callLogsRouter, { path: PHONE.callLogs, tag: 'Phone' })
callLogsApi.get(
  '',
  {
    id: 'listCallLogs',
    summary: 'List calls, the latest ones first',
    description: 'Calls from and to the numbers of the workspace, as the providers report them.',
    access: scopes('calls:read'),
    query: v.strictObject({ ...pageQuery, ...callFilters }),
    returns: listOf(CallLog),
  },
  ({ query }) => listCallLogs(query),
)
callLogsApi.get(
  '/:call_log_id',
  {
    id: 'getCallLog',
    summary: 'Get a call with its transcript',
    access: scopes('calls:read'),
    params: v.object({ call_log_id: Id }),
    returns: CallLogDetail,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getCallLog(params.call_log_id),
)
