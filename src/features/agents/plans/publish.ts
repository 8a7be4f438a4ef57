import { eq, sql } from 'drizzle-orm'
import { voiceAgentConfigs } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db, type Statement } from '../../../data/db.ts'
import { type Plan, plan, waking, withOutside } from '../../../data/plan.ts'
import { assertField, mapResult, oneOrThrow } from '../../../data/query.ts'
import { lockForUpdate } from '../../../data/store.ts'
import { newId } from '../../../lib/ids.ts'
import { loggable } from '../../../lib/text.ts'
import type { Secrets } from '../../../providers/secrets/port.ts'
import { type VoiceProvider, VoiceRefusal } from '../../phone/provider/port.ts'
import { waitAfter } from '../../phone/rules/phone-records.ts'
import type { AgentContent } from '../rules/agents.ts'
import { voiceToolsOf } from '../rules/voice-tools.ts'
import type { AgentDetails } from '../schemas/agents.ts'
import { agentDetails, agentOf, WHAT } from './agents.ts'
import { keyPlace, toolKey } from './tool-keys.ts'

/** What an attempt to publish a version knows (publication_of). */
export type Publication = {
  id: string
  workspace_id: string
  agent_id: string
  number: number
  content: AgentContent
  attempts: number
  /** Its knowledge bases at the voice provider; null for one that is not there yet. */
  knowledge_ids: (string | null)[]
  provider_agent_id: string | null
  sealed_tool_key: string | null
}
/** Its outcome, as conclude_publication takes it. */
export type Published = { provider_agent_id?: string; provider_version?: number; error: string | null; wait: number | null }

export type Publisher = { provider: VoiceProvider; secrets: Secrets; apiUrl: string }

/** The seconds that the attempt of a request has before the background takes over. */
const LEASE = 120

/** Publishes the draft of an agent that exists. @throws CONFLICT, INVALID_STATE, CHANNEL_NOT_CONFIGURED, INSUFFICIENT_SCOPE */
export const publishAgent = (ctx: Ctx, agentId: string): Promise<Plan<AgentDetails>> =>
  publication(ctx, agentId, [lockForUpdate(ctx, voiceAgentConfigs, agentId, WHAT)], (agent) => agent)

/** Makes an earlier version the draft, and publishes it as a new version. */
export const rollBackAgent = (ctx: Ctx, agentId: string, version: number): Promise<Plan<AgentDetails>> =>
  publication(ctx, agentId, restoring(ctx, agentId, version), (agent) => agent)

const restoring = (ctx: Ctx, agentId: string, version: number): Statement[] => [
  lockForUpdate(ctx, voiceAgentConfigs, agentId, WHAT),
  assertField(
    sql`restore_agent_version(${agentId}::uuid, ${version}::int)`,
    'version',
    'must be the number of a published version of this agent',
  ),
]

type Begun = AgentDetails & { publication: Publication | null }

/** Publishes the draft that is there after these statements, and returns what `shape` makes of the agent. */
export async function publication<Out>(
  ctx: Ctx,
  agentId: string,
  before: (Statement | undefined)[],
  shape: (agent: AgentDetails) => Out,
): Promise<Plan<Out>> {
  const versionId = newId()
  const { voice, secrets, apiUrl } = ctx.deployment
  const key = await toolKey(ctx)
  const begin = call('begin_publication', agentId, versionId, voice !== undefined, LEASE)
  const mint = call('ensure_tool_key', versionId, JSON.stringify(key))
  const work = sql<Publication | null>`(select publication_of(v) from agent_versions v where v.id = ${versionId})`.as('publication')
  const begun = db
    .select({ ...agentDetails, publication: work })
    .from(voiceAgentConfigs)
    .where(eq(voiceAgentConfigs.id, agentId))
  return waking(
    'phone.voice',
    withOutside<Begun, Published | null, Out>(plan([...before, begin, mint], oneOrThrow(begun, WHAT, agentId)), {
      call: async ({ publication: item }) => (item && voice ? handOver({ provider: voice.provider, secrets, apiUrl }, item, false) : null),
      settle: ({ publication: item }, called) =>
        item && called.ok && called.value ? [call('settle_publication', item.id, JSON.stringify(called.value))] : [],
      preview: ({ publication: _, ...agent }) => shape(agent),
      result: ({ id }) => mapResult(agentOf(id), shape),
    }),
  )
}

/** Hands a version to the voice provider. With `isAgain` what an earlier attempt has left is looked up. Never throws. */
export async function handOver({ provider, secrets, apiUrl }: Publisher, item: Publication, isAgain: boolean): Promise<Published> {
  const { id, workspace_id, agent_id, content, provider_agent_id, sealed_tool_key } = item
  try {
    const { name, language, prompt, greeting, voice_id, model } = content
    const tools = voiceToolsOf(content)
    const knowledge_ids = item.knowledge_ids.filter((known) => known !== null)
    if (knowledge_ids.length < item.knowledge_ids.length)
      throw new Error('The voice provider does not have a knowledge base of the agent yet')
    const tools_key = sealed_tool_key === null ? null : await secrets.unseal(keyPlace(workspace_id), sealed_tool_key)
    const published = await provider.publishAgent(
      {
        key: agent_id,
        version_key: id,
        provider_agent_id,
        name,
        language,
        prompt,
        greeting,
        voice_id: voice_id ?? '',
        model,
        tools,
        knowledge_ids,
        tools_url: apiUrl,
        tools_key,
      },
      isAgain,
    )
    return { ...published, error: null, wait: null }
  } catch (error) {
    const wait = error instanceof VoiceRefusal ? undefined : waitAfter(item.attempts)
    return { error: loggable(error instanceof Error ? error.message : String(error), 300), wait: wait ?? null }
  }
}
