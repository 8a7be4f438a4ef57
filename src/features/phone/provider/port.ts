import type { VoiceTool } from '../../agents/rules/voice-tools.ts'

/** An agent at the voice provider; `version` null for one that is published there. */
export type BoundAgent = { id: string; version: number | null }
/** The agents of a number, by their ids at the voice provider. */
export type NumberAgents = { phone_number: string; inbound: BoundAgent | null; outbound: BoundAgent | null }

/** A version of an agent. `key` names the agent there, and `version_key` the version, so that both are found again. */
export type AgentToPublish = {
  key: string
  version_key: string
  provider_agent_id: string | null
  name: string
  language: string
  prompt: string
  greeting: string | null
  voice_id: string
  model: string | null
  tools: VoiceTool[]
  /** The ids of its knowledge bases at the provider. */
  knowledge_ids?: string[]
  /** Where the tools are, and the key with which they are called. */
  tools_url: string
  tools_key: string | null
}
export type PublishedAgent = { provider_agent_id: string; provider_version: number }

export type ProviderVoice = {
  voice_id: string
  name: string
  provider: string
  gender: string | null
  accent: string | null
  age: string | null
  preview_audio_url: string | null
}

/** The provider says why it does not accept what it was sent. Repeating the request changes nothing. */
export class VoiceRefusal extends Error {}

/** A source of a knowledge base at the provider; `url` of a page. */
export type KnowledgeSource = { id: string; title: string | null; url: string | null }
export type ProviderKnowledge = { id: string; name: string; sources: KnowledgeSource[] }

/** The knowledge bases of the provider. @throws VoiceRefusal, and another Error when the outcome is not known */
export type VoiceKnowledge = {
  create(name: string): Promise<ProviderKnowledge>
  /** The base of this id; undefined if there is none. */
  find(id: string): Promise<ProviderKnowledge | undefined>
  findByName(name: string): Promise<ProviderKnowledge | undefined>
  addTexts(id: string, texts: { title: string; text: string }[]): Promise<ProviderKnowledge>
  /** What is gone already is deleted, too. */
  removeSource(id: string, sourceId: string): Promise<void>
  remove(id: string): Promise<void>
  /** The ids of the agents at the provider that answer from a base. */
  agentsOf(id: string): Promise<string[]>
}

export type VoiceProvider = {
  /** Lets these agents answer and make the calls of a number. It may be repeated. Throws unless the provider has accepted it. */
  setAgents(number: NumberAgents): Promise<void>
  /**
   * Publishes a version of an agent. With `isAgain` what an earlier attempt has left is looked up first. @throws VoiceRefusal, and another
   * Error when the outcome is not known
   */
  publishAgent(agent: AgentToPublish, isAgain: boolean): Promise<PublishedAgent>
  /** The voices that agents can have. Throws without a response. */
  listVoices(): Promise<ProviderVoice[]>
}

/** The voice provider of the deployment. `trunk`: the SIP trunk at the provider of phone numbers that leads to it. */
export type Voice = { provider: VoiceProvider; knowledge: VoiceKnowledge; trunk: string }
