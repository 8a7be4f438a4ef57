import * as v from 'valibot'
import type { VoiceTool } from '../../agents/rules/voice-tools.ts'
import { type AgentToPublish, type ProviderVoice, type VoiceProvider, VoiceRefusal } from './port.ts'
import { type RetellReply, type RetellRequest, reasonOf } from './retell-http.ts'

type Send = (request: RetellRequest) => Promise<RetellReply>

const Llm = v.object({ llm_id: v.string(), default_dynamic_variables: v.optional(v.nullable(v.record(v.string(), v.string()))) })
const Agent = v.object({ agent_id: v.string(), version: v.number() })
const Version = v.object({ version: v.number(), is_published: v.boolean(), version_title: v.optional(v.nullable(v.string())) })
const listed = <S extends v.GenericSchema>(item: S) => v.object({ items: v.array(item) })
const Voice = v.object({
  voice_id: v.string(),
  voice_name: v.string(),
  provider: v.string(),
  gender: v.optional(v.nullable(v.string()), null),
  accent: v.optional(v.nullable(v.string()), null),
  age: v.optional(v.nullable(v.string()), null),
  preview_audio_url: v.optional(v.nullable(v.string()), null),
})

/** The most that one look-up reads. What is looked up is among the latest. */
const PAGE = 100
const MAX_VOICES = 2_000
const TOOL_TIMEOUT_MS = 10_000
/** The variable of a response engine that says for which version it was made. */
const MARK = 'version_key'

/**
 * Agents of Retell (https://docs.retellai.com/api-references/create-retell-llm, create-agent, create-agent-version, update-agent,
 * publish-agent-version, list-voices). Each of our versions has a response engine of its own, and the version of the agent there has the id
 * of ours as its title.
 */
export function retellAgents(send: Send): Pick<VoiceProvider, 'publishAgent' | 'listVoices'> {
  async function ask<S extends v.GenericSchema>(schema: S, request: RetellRequest): Promise<v.InferOutput<S>> {
    const reply = await send(request)
    if (!reply.ok) throw isRefusal(reply.status) ? new VoiceRefusal(reasonOf(reply)) : new Error(reasonOf(reply))
    const body = v.safeParse(schema, reply.body)
    if (!body.success) throw new Error('The voice provider answers in an unknown form')
    return body.output
  }

  async function findAgent(key: string) {
    const body = { filter_criteria: { query: key, channel: { type: 'string', op: 'eq', value: 'voice' } } }
    const { items } = await ask(listed(v.object({ agent_id: v.string(), agent_name: v.optional(v.nullable(v.string())) })), {
      method: 'POST',
      path: `/v2/list-agents?limit=${PAGE}`,
      body,
    })
    return items.find(({ agent_name }) => agent_name?.endsWith(key))?.agent_id
  }

  async function findEngine(versionKey: string) {
    const { items } = await ask(listed(Llm), { method: 'GET', path: `/v2/list-retell-llms?limit=${PAGE}&sort_order=descending` })
    return items.find((one) => one.default_dynamic_variables?.[MARK] === versionKey)?.llm_id
  }

  const versionsOf = (id: string) =>
    ask(listed(Version), { method: 'GET', path: `/list-agent-versions/${encodeURIComponent(id)}?limit=${PAGE}` }).then(({ items }) =>
      items.toSorted((a, b) => b.version - a.version),
    )

  /** The draft of an agent that is there: the one that an earlier attempt has left, or a new one. */
  async function draftOf(id: string, versions: v.InferOutput<typeof Version>[]): Promise<number> {
    const [latest] = versions
    if (latest && !latest.is_published) return latest.version
    const body = { base_version: latest?.version ?? 0 }
    const path = `/create-agent-version/${encodeURIComponent(id)}`
    return (await ask(v.object({ version: v.number() }), { method: 'POST', path, body, mayRepeat: false })).version
  }

  async function publishDraft(id: string, version: number, title: string) {
    const reply = await send({
      method: 'POST',
      path: `/publish-agent-version/${encodeURIComponent(id)}`,
      body: { version, version_title: title },
      mayRepeat: false,
    })
    if (!reply.ok) throw isRefusal(reply.status) ? new VoiceRefusal(reasonOf(reply)) : new Error(reasonOf(reply))
    return { provider_agent_id: id, provider_version: version }
  }

  return {
    async publishAgent(agent, isAgain) {
      const found = agent.provider_agent_id ?? (isAgain ? await findAgent(agent.key) : undefined)
      const versions = found ? await versionsOf(found) : []
      const done = versions.find((one) => one.is_published && one.version_title === agent.version_key)
      if (found && done) return { provider_agent_id: found, provider_version: done.version }
      const engine = isAgain ? await findEngine(agent.version_key) : undefined
      const llm_id =
        engine ?? (await ask(Llm, { method: 'POST', path: '/create-retell-llm', body: engineOf(agent), mayRepeat: false })).llm_id
      const settings = settingsOf(agent, llm_id)
      if (!found) {
        const created = await ask(Agent, { method: 'POST', path: '/create-agent', body: settings, mayRepeat: false })
        return publishDraft(created.agent_id, created.version, agent.version_key)
      }
      const version = await draftOf(found, versions)
      await ask(Agent, { method: 'PATCH', path: `/update-agent/${encodeURIComponent(found)}?version=${version}`, body: settings })
      return publishDraft(found, version, agent.version_key)
    },
    async listVoices() {
      const voices = await ask(v.array(Voice), { method: 'GET', path: '/list-voices' })
      return voices.slice(0, MAX_VOICES).map(({ voice_name, ...voice }): ProviderVoice => ({ ...voice, name: voice_name }))
    },
  }
}

export const isRefusal = (status: number) => status >= 400 && status < 500 && ![401, 402, 408, 429].includes(status)

const settingsOf = ({ key, name, language, voice_id }: AgentToPublish, llm_id: string) => ({
  agent_name: `${name} · ${key}`,
  response_engine: { type: 'retell-llm', llm_id },
  voice_id,
  language,
})

const engineOf = ({ prompt, greeting, model, tools, version_key, tools_url, tools_key, knowledge_ids = [] }: AgentToPublish) => ({
  ...(model && { model }),
  general_prompt: prompt,
  start_speaker: 'agent',
  ...(greeting && { begin_message: greeting }),
  general_tools: tools.map((tool) => toolOf(tool, tools_url, tools_key)),
  default_dynamic_variables: { [MARK]: version_key },
  ...(knowledge_ids.length > 0 && { knowledge_base_ids: knowledge_ids }),
})

function toolOf(tool: VoiceTool, url: string, key: string | null): object {
  const { name, description } = tool
  if (tool.kind === 'end') return { type: 'end_call', name, description }
  if (tool.kind === 'transfer')
    return {
      type: 'transfer_call',
      name,
      description,
      transfer_destination: { type: 'predefined', number: tool.number },
      transfer_option: { type: 'cold_transfer' },
    }
  const properties = Object.fromEntries(
    Object.entries(tool.parameters).map(([field, text]) => [field, { type: 'string', description: text }]),
  )
  return {
    type: 'custom',
    name,
    description,
    url: url + tool.path,
    method: 'POST',
    ...(key && { headers: { Authorization: `Bearer ${key}` } }),
    parameters: { type: 'object', properties, required: tool.required },
    speak_during_execution: true,
    speak_after_execution: true,
    timeout_ms: TOOL_TIMEOUT_MS,
  }
}
